package advice

import (
	"fmt"

	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/advice/internal/memo"
	"github.com/vperf/vperf/pkg/inventory"
)

// Probe evaluates one compiled rule, for tools that test rules.
type Probe struct {
	rule     *compiled
	compiler *compiler // created when an expression is first replaced
}

// Probes returns a probe for each rule of the set, by id.
func (s *Ruleset) Probes() []*Probe {
	all := make([]*Probe, len(s.rules))
	for i, r := range s.rules {
		all[i] = &Probe{rule: r}
	}
	return all
}

// Rule returns the rule that the probe evaluates.
func (p *Probe) Rule() *Rule { return p.rule.Rule }

// Judge evaluates the rule on the first object of its scope in a snapshot. An empty profile means the automatic one;
// findings has the outcomes of other rules, for diagnoses.
func (p *Probe) Judge(s *inventory.Snapshot, profile Profile, findings map[string]Outcome) (Finding, error) {
	for o, unread := range objectsOf(s.VCenters[0], p.rule.Scope) {
		x := &subject{object: o, unreadDevices: unread}
		x.choice = profileOf(o) // tags and attributes of an example, which are not given, are not in doubt
		if profile != "" {
			x.choice = newChooser(profile, nil).of(o)
		}
		x.place()
		x.failed = func(rule string) ref.Val { return findings[rule].failed(o, rule) }
		return p.rule.judge(x, true), nil
	}
	return Finding{}, fmt.Errorf("the facts contain no %s, which the rule evaluates", p.rule.Scope)
}

// Condition is an expression of a rule that decides its outcome.
type Condition string

// The conditions, by their fields.
const (
	conditionApplies Condition = "applies"
	conditionWant    Condition = "want"
	conditionBecause Condition = "because"
)

// Conditions lists all conditions.
func Conditions() []Condition { return []Condition{conditionApplies, conditionWant, conditionBecause} }

// Condition returns one of the rule's deciding expressions.
func (r *Rule) Condition(c Condition) Expr {
	switch c {
	case conditionApplies:
		return r.Applies
	case conditionWant:
		return r.Want
	}
	return r.Because
}

// With returns a probe of the rule with another expression for one condition; nil if it does not compile.
func (p *Probe) With(c Condition, source string) *Probe {
	if p.compiler == nil {
		var err error
		if p.compiler, err = newCompiler(p.rule.Rule); err != nil {
			return nil
		}
	}
	e := p.rule.Condition(c)
	e.Source = source
	p.compiler.bad = nil
	condition := p.compiler.condition(e)
	if len(p.compiler.bad) > 0 {
		return nil
	}
	changed := *p.rule
	*map[Condition]**memo.Program{conditionApplies: &changed.applies, conditionWant: &changed.want, conditionBecause: &changed.because}[c] = condition
	return &Probe{rule: &changed}
}
