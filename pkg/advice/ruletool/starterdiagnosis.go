package ruletool

import (
	"fmt"
	"slices"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// diagnosisStarter is a small true diagnosis of a scope, to be changed into another one.
type diagnosisStarter struct {
	title, symptom, rule   string // rule is the other one that it asks for
	because, measured      string // measured is NAME: EXPRESSION
	fail, pass, notCounted string // facts
}

// diagnosisStarters are by the scopes that have symptoms to explain.
var diagnosisStarters = map[inventory.Scope]diagnosisStarter{
	inventory.ScopeVM: {
		"The VM waits because it has a limit", "cpu-ready", "cpu-limit",
		`vm.live("cpu.maxLimited").p95 >= params.least`, `heldBackPercent: vm.live("cpu.maxLimited").p95`,
		`{vm: {live: {cpu.maxLimited: {p95: 2.0, samples: 9}}}}`, `{vm: {live: {cpu.maxLimited: {p95: 1.9, samples: 9}}}}`,
		`{vm: {live: {cpu.ready: {p95: 9.0, samples: 9}}}}`,
	},
	inventory.ScopeHost: {
		"The host's cores are full because Hyper-Threading is off", "host-cpu-headroom", "hyperthreading",
		`host.live("cpu.coreUtilization").p95 >= params.least`, `coresPercent: host.live("cpu.coreUtilization").p95`,
		`{host: {live: {cpu.coreUtilization: {p95: 2.0, samples: 9}}}}`, `{host: {live: {cpu.coreUtilization: {p95: 1.9, samples: 9}}}}`,
		`{host: {live: {cpu.load: {p95: 9.0, samples: 9}}}}`,
	},
}

// NoStarterError is returned by Starter for a diagnosis of a scope that has none to begin with.
type NoStarterError struct{ Scope inventory.Scope }

// Error names the scope.
func (e *NoStarterError) Error() string {
	return fmt.Sprintf("there is no diagnosis of a %s to begin with", e.Scope)
}

// Others lists the scopes that have one.
func (e *NoStarterError) Others() []inventory.Scope {
	return slices.DeleteFunc(advice.Scopes(), func(s inventory.Scope) bool {
		_, ok := diagnosisStarters[s]
		return !ok
	})
}

// starterOfDiagnosis is Starter for rules that explain.
func starterOfDiagnosis(id string, scope inventory.Scope) (string, error) {
	s, ok := diagnosisStarters[scope]
	if !ok {
		return "", &NoStarterError{scope}
	}
	return fmt.Sprintf(diagnosisStarterText, id, s.title, scope, s.symptom, s.rule, s.because, s.rule, s.measured,
		s.fail, s.rule, s.pass, s.rule, s.fail, s.rule, s.fail, s.notCounted, s.rule), nil
}

const diagnosisStarterText = `id: %s
title: %s
category: diagnosis
scope: %s
severity: medium
explains: [%s]                # rules over live counters: this is held only where one of them found something
because: |-                   # true when this is the cause; findings["RULE"]: another rule found something there
  findings["%s"] && %s
order: 90                     # of several causes that are proven the lowest is named first
fixes: [%s]                   # the rules whose remedies take the cause away
evidence:                     # what is shown, proven or not
  %s
params:                       # what users may change
  least: {value: 2.0, about: percent from which this counts as a cause}
why: |
  Say why it is a cause, to somebody who has not heard of it.
tradeoff: |
  Say what taking it away costs.
benefit:
  - text: none measured
sources:
  - name the document, the measurement or the person
examples:                     # what is left out of the facts, or of the findings, could not be told
  - {name: the cause, facts: %s, findings: {%s: fail}, expect: fail}
  - {name: too little, facts: %s, findings: {%s: fail}, expect: pass}
  - {name: nothing found, facts: %s, findings: {%s: pass}, expect: pass}
  - {name: counters alone, facts: %s, expect: unknown}
  - {name: not measured, facts: %s, findings: {%s: fail}, expect: unknown}
`
