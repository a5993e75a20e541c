package view

import (
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
)

// Excluded causes of the symptoms, with reasons.

// ruledOut lists the excluded causes of a recommendation's symptoms, each with the reason.
func (w *writer) ruledOut(r *Recommendation) []string {
	if !w.Whole {
		return nil
	}
	return ruledOutLines(r.RuledOut)
}

// ruledOutLines returns the excluded causes by rule; if the reason differs between objects, it names each object.
func ruledOutLines(all []*advice.Diagnosis) []string {
	var by collect.ByKey[*advice.Rule, []*advice.Diagnosis]
	for _, d := range all {
		of := by.At(d.Finding.Rule)
		*of = append(*of, d)
	}
	return collect.Each(by, func(rule *advice.Rule, of *[]*advice.Diagnosis) string {
		whys := collect.Map(*of, exclusionText)
		if !slices.ContainsFunc(whys, func(s string) bool { return s != whys[0] }) {
			return nameAnd(ruleText(rule), whys[0])
		}
		var each collect.Distinct
		for i, d := range *of {
			each.Add(d.Finding.Object.Name + " " + whys[i])
		}
		return ruleText(rule) + ": " + wording.FewOf(each.Words, mostAffected, "; ")
	})
}

// exclusionText returns the conditions that exclude a cause, as text.
func exclusionText(d *advice.Diagnosis) string {
	var all collect.Distinct
	for _, a := range d.Against {
		all.Add(AgainstText(d.Finding.Rule, a))
	}
	return strings.Join(all.Words, ", ")
}

// mostCondition is the maximum length of an expression on a line.
const mostCondition = 90

// AgainstText returns one false condition as text: the measurement or setting, or else the rules that found nothing.
func AgainstText(rule *advice.Rule, a advice.Against) string {
	var figures []string
	for _, m := range a.Evidence {
		l := Link{Rule: rule, Name: m.Name, Value: m.Value}
		l.Unit, l.Stat = unitOf(sourceOf(rule, m.Name))
		figures = append(figures, l.phrase())
	}
	switch {
	case len(figures) > 0:
		return strings.Join(figures, ", ")
	case len(a.Rules) > 0 && strings.HasPrefix(a.Condition, "!"):
		return strings.Join(a.Rules, " or ") + " explains it"
	case len(a.Rules) > 0:
		return strings.Join(a.Rules, " and ") + " found nothing"
	}
	if len([]rune(a.Condition)) > mostCondition {
		return "one of its conditions does not hold (-o json has it)"
	}
	return "not true: " + a.Condition
}
