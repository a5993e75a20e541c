package advice

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/internal/memo"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/inventory"
)

// shown is an object with its symptoms.
type shown struct {
	object   inventory.Object
	symptoms []*Finding
	ruledOut []*compiled // the diagnoses that are ruled out
	by       *diagnosing
}

// ruledOut is a diagnosis that is ruled out for an object. A large fleet has a hundred thousand, and advice names a tenth of them:
// only those are evaluated as a Diagnosis.
type ruledOut struct {
	rule *compiled
	of   *shown
}

// considered returns ruled-out diagnoses in the order in which their causes are named, with the conditions that exclude them.
func considered(list []ruledOut) []*Diagnosis {
	all := diagnosesOf(list)
	sortStable(all, compareConsidered)
	return all
}

// diagnosesOf returns ruled-out diagnoses. Those of one object are next to each other, and share its variables.
func diagnosesOf(list []ruledOut) []*Diagnosis {
	all := make([]*Diagnosis, len(list))
	s := new(subject)
	for i, x := range list {
		if s.object != x.of.object {
			x.of.by.subjectOf(s, x.of.symptoms[0])
		}
		all[i] = x.diagnosis(s)
	}
	return all
}

// explains reports whether the cause would explain a symptom.
func (x ruledOut) explains(symptom *Finding) bool {
	return slices.Contains(x.rule.Explains, symptom.Rule.ID)
}

// diagnosis returns x as a diagnosis of a subject.
func (x ruledOut) diagnosis(s *subject) *Diagnosis {
	of, at := x.of.symptoms[0], x.of.by.cause(x.rule.At, s, nil)
	d := &Diagnosis{
		Finding: &Finding{
			Evaluated: of.Evaluated, Rule: x.rule.Rule, Outcome: Pass, Severity: x.rule.severity(s.severityProfile()),
		},
		Cause: at.Ref(), Against: x.rule.against(s), at: at,
	}
	for _, f := range x.of.symptoms {
		if x.explains(f) {
			d.Symptoms = append(d.Symptoms, f)
		}
	}
	d.accept()
	return d
}

// RuledOut returns the diagnoses that are ruled out for objects with symptoms. Each call evaluates them. A result of Parts has
// none, because the facts are gone.
func (r *Result) RuledOut() []*Diagnosis {
	var list []ruledOut
	for _, o := range r.shown {
		for _, rule := range o.ruledOut {
			list = append(list, ruledOut{rule, o})
		}
	}
	all := diagnosesOf(list)
	sortStable(all, compareDiagnoses)
	return all
}

// compareConsidered orders causes that were considered, but not proven.
func compareConsidered(x, y *Diagnosis) int {
	return cmp.Or(compareCauses(x, y), compareDiagnoses(x, y))
}

// against returns the conditions of a diagnosis that are false for the subject. True and unknown conditions rule
// nothing out.
func (r *compiled) against(s *subject) []Against {
	a := &activation{subject: s, params: r.params}
	var all []Against
	for _, c := range r.conditions() {
		if v, err := run(c.program, a); err != nil || v != types.False {
			continue
		}
		x := Against{Condition: c.text, Rules: c.rules}
		for _, i := range c.evidence {
			x.Evidence = append(x.Evidence, Measured{r.Evidence[i].Name, expr.FactOf(run(r.evidence[i], a))})
		}
		all = append(all, x)
	}
	return all
}

// part is one of the conditions that a diagnosis joins with &&.
type part struct {
	text     string
	program  *memo.Program
	rules    []string
	evidence []int // indexes of the rule's evidence that reads only facts that the condition reads
}

// partsOf returns a function that compiles the conditions of a diagnosis at its first call. Only causes that are ruled
// out need it.
func partsOf(r *Rule, env *cel.Env, b *memo.Budget) func() []part {
	return sync.OnceValue(func() []part {
		var all []part
		for _, text := range conjuncts(r.Because.Source) {
			tree, issues := r.checked(env, text)
			if issues.Err() != nil {
				return nil // the whole expression compiles, but this part alone does not: ignore the parts
			}
			p, err := env.Program(tree)
			if err != nil {
				return nil
			}
			x := part{text: text, program: memo.NewProgram(p, tree, b)}
			for _, m := range askedRule.FindAllStringSubmatch(text, -1) {
				x.rules = append(x.rules, m[1])
			}
			of := readIn(text)
			for i, e := range r.Evidence {
				if reads := readIn(e.Expr.Source); len(reads) > 0 && !slices.ContainsFunc(reads, func(s string) bool { return !slices.Contains(of, s) }) {
					x.evidence = append(x.evidence, i)
				}
			}
			all = append(all, x)
		}
		return all
	})
}

var (
	askedRule = regexp.MustCompile(`\bfindings\["([^"]+)"\]`)
	readName  = regexp.MustCompile(`\b[a-z]+\.(?:(?:live|vmx|option)\("[^"]+"\)|[a-zA-Z]+)`)
)

// readIn returns the facts and counters that an expression reads.
func readIn(source string) []string {
	return slices.DeleteFunc(readName.FindAllString(source, -1), func(s string) bool { return strings.HasPrefix(s, "params.") })
}

// conjuncts splits an expression at each && outside all brackets, and puts each part on one line. An expression that is
// joined in another way is one condition.
func conjuncts(source string) []string {
	var all []string
	depth, from := 0, 0
	quote := rune(0)
	for i, c := range source {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case depth > 0:
		case c == '?' || strings.HasPrefix(source[i:], "||"):
			return []string{strictyaml.OneLine(source)}
		case strings.HasPrefix(source[i:], "&&"):
			all, from = append(all, strictyaml.OneLine(source[from:i])), i+2
		}
	}
	return append(all, strictyaml.OneLine(source[from:]))
}
