package advice

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
)

// diagnosisFields are the fields that only diagnoses have, besides explains.
var diagnosisFields = []string{"because", "verdict", "order", "at", "fixes", "action", "effort", "follows", "only", "task", "possible"}

// diagnosis checks that a diagnosis connects symptoms to a cause and has no fields of other rules, and that other rules
// have no fields of diagnoses.
func (c *checker) diagnosis() {
	r := c.rule
	if len(r.Explains) == 0 {
		c.noDiagnosis()
		return
	}
	for _, field := range []string{"want", "manual", "remedy", "covers", "once"} {
		if n := strictyaml.Child(r.node, field); n != nil {
			c.Add(n, field+" is not valid in a diagnosis: use because, and list in fixes the rules whose remedies help")
		}
	}
	if r.Because.Empty() {
		c.Missing("because", "the expression that is true when this is the cause")
	}
	if r.Category != CategoryDiagnosis {
		c.Add(strictyaml.Child(r.node, "category"), fmt.Sprintf("a rule with explains must have category %s", CategoryDiagnosis))
	}
	if n := strictyaml.Child(r.node, "lost"); n != nil {
		c.Add(n, "lost belongs to the symptom: the loss does not depend on the cause")
	}
	c.cause()
	c.fault()
}

// noDiagnosis reports fields that have no effect outside diagnoses.
func (c *checker) noDiagnosis() {
	r := c.rule
	for _, field := range diagnosisFields {
		if n := strictyaml.Child(r.node, field); n != nil {
			c.Add(n, field+" is only for diagnoses: list the symptoms in explains")
		}
	}
	if n := strictyaml.Child(r.node, "explains"); n != nil {
		c.Add(n, "explains is empty: list the rules over live counters whose findings this rule explains")
	} else if r.Category == CategoryDiagnosis {
		c.Missing("explains", "the rules over live counters whose findings this rule explains")
	}
	if n := strictyaml.Child(r.node, "lost"); n != nil && len(r.Live()) == 0 {
		c.Add(n, "lost is only for rules over live counters: this rule reads none")
	}
	for i, e := range r.Examples {
		if len(e.Findings) > 0 {
			c.Add(strictyaml.Child(c.item("examples", i), "findings"), "findings is only for diagnoses: other rules cannot read the results of rules")
		}
	}
}

// cause checks the verdict of the diagnosis and the scope of its cause.
func (c *checker) cause() {
	r := c.rule
	if r.Verdict == "" {
		r.Verdict = VerdictFault
	} else {
		oneOfAt(c, strictyaml.Child(r.node, "verdict"), "verdict", r.Verdict, allVerdicts())
	}
	reachable := around(r.Scope)
	switch n := strictyaml.Child(r.node, "at"); {
	case n == nil:
		r.At = r.Scope
	case !slices.Contains(Scopes(), r.At):
		oneOfAt(c, n, "scope", r.At, reachable)
	case expr.Chain[r.Scope] != nil && !slices.Contains(reachable, r.At):
		c.Add(n, fmt.Sprintf("the cause of a %s's symptoms must be on one of %s, not on a %s", r.Scope, joinWords(reachable), r.At))
	}
	for i, e := range r.Examples {
		n := strictyaml.Child(c.item("examples", i), "findings")
		for k := 0; n != nil && k+1 < len(n.Content); k += 2 {
			oneOfAt(c, n.Content[k+1], "outcome", e.Findings[n.Content[k].Value], Outcomes())
		}
	}
}

// fault checks the fields about fixing the cause: a harmless cause needs no fix.
func (c *checker) fault() {
	r := c.rule
	effort := strictyaml.Child(r.node, "effort")
	if effort != nil {
		oneOfAt(c, effort, "effort", r.Effort, allEfforts())
	}
	if only := strictyaml.Child(r.node, "only"); r.Only && len(r.Fixes) == 0 {
		c.Add(only, "only needs fixes: list in fixes the rules that only this diagnosis needs")
	}
	if r.Verdict != VerdictHarmless {
		return
	}
	for _, n := range []*yaml.Node{strictyaml.Child(r.node, "fixes"), effort, strictyaml.Child(r.node, "follows"), strictyaml.Child(r.node, "only"), strictyaml.Child(r.node, "task"), strictyaml.Child(r.node, "possible")} {
		if n != nil {
			c.Add(n, "with verdict harmless no change is needed")
		}
	}
}
