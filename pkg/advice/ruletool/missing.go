package ruletool

import (
	"fmt"
	"slices"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
)

// Missing lists optional parts that a rule should have: those that readers need to trust it and those needed to test
// it. It checks for examples, so the rule must not have been loaded lean.
func Missing(r *advice.Rule) []strictyaml.Problem {
	c := &missing{rule: r}
	c.require("evidence", len(r.Evidence) > 0, "the measured values that each finding shows")
	if r.Verdict != advice.VerdictHarmless { // it recommends no change
		c.require("tradeoff", r.Tradeoff != "", "the cost of the change")
		c.require("benefit", len(r.Benefit) > 0, "the measured benefit of the change, or text: No published measurement")
	}
	if r.Verdict == advice.VerdictFault {
		c.require("action", r.Action != "" || len(r.Fixes) > 0, "the manual fix, or fixes: the rules whose remedies help")
		c.require("effort", r.Action == "" || r.Effort != "", "how much work the action is")
	}
	c.require("sources", len(r.Sources) > 0, "where the claim comes from")
	for i := range r.Benefit {
		c.benefit(i)
	}
	c.checkHighReason()
	c.require("examples", len(r.Examples) > 0, "facts with the expected outcome")
	if len(r.Examples) > 0 {
		c.outcomes()
	}
	return c.found
}

// missing collects the missing parts of a rule.
type missing struct {
	rule  *advice.Rule
	found []strictyaml.Problem
}

func (c *missing) add(message string, path ...any) {
	c.found = append(c.found, c.rule.Mistake(message, path...))
}

func (c *missing) require(field string, has bool, want string) {
	if !has {
		c.add(fmt.Sprintf("the rule has no %s: %s", field, want), field)
	}
}

// benefit checks that a benefit has a text, and that a figure has its conditions and source.
func (c *missing) benefit(i int) {
	b := c.rule.Benefit[i]
	if b.Text == "" {
		c.add("the benefit has no text: the measurement, in words", "benefit", i)
	}
	if b.Change == nil {
		return
	}
	for _, f := range []struct{ name, value, want string }{
		{"metric", b.Metric, "the measured quantity"},
		{"when", b.When, "the conditions of the measurement"},
		{"source", b.Source, "the publisher of the measurement"},
	} {
		if f.value == "" {
			c.add(fmt.Sprintf("the figure has no %s: %s", f.name, f.want), "benefit", i)
		}
	}
}

// checkHighReason checks that a rule that can be high has a reason. A diagnosis has the severity of its symptoms.
func (c *missing) checkHighReason() {
	r := c.rule
	worst := r.Worst()
	switch can := worst.AtLeast(advice.High) && len(r.Explains) == 0; {
	case can && r.High == nil:
		c.add("the rule can be "+string(worst)+" and has no high: "+highWant, "severity")
	case can && worst == advice.Critical && r.High.Kind != advice.HighOutage:
		c.add("the rule can be critical, but its reason is not an outage", "high")
	case !can && r.High != nil:
		c.add("the rule is never high but has a reason for it", "high")
	}
}

const highWant = "a published or measured effect of 10 % or more, an outage, or a VM that does not start"

// outcomes checks that there is an example of every possible outcome.
func (c *missing) outcomes() {
	if c.rule.Manual != "" {
		c.oneExample("of a manual check", advice.Manual)
	} else {
		c.oneExample("that fails", advice.Fail)
		c.oneExample("that passes", advice.Pass)
	}
	c.oneExample("that does not apply or is unknown", advice.NotApplicable, advice.Unknown)
}

// oneExample checks that an example expects one of the outcomes.
func (c *missing) oneExample(what string, wanted ...advice.Outcome) {
	if !slices.ContainsFunc(c.rule.Examples, func(e advice.Example) bool { return slices.Contains(wanted, e.Expect) }) {
		c.add("the rule has no example "+what, "examples")
	}
}
