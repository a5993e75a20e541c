package advice

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Lacks lists what a rule may leave out and ought to have: what a person needs to believe it and what a machine needs
// to test it. It asks for examples, so the rule must not have been read lean.
func (r *Rule) Lacks() []Problem {
	c := newChecker(r)
	c.ought("evidence", len(r.Evidence) > 0, "what was measured, for every finding to show")
	if r.Verdict != VerdictHarmless { // that has no change
		c.ought("tradeoff", r.Tradeoff != "", "what the change costs")
		c.ought("benefit", len(r.Benefit) > 0, "what the change was measured to bring, or text: none measured")
	}
	if r.Verdict == VerdictFault {
		c.ought("action", r.Action != "" || len(r.Fixes) > 0, "what a person does about it, or fixes: the rules whose remedies help")
		c.ought("effort", r.Action == "" || r.Effort != "", "how much work the action is")
	}
	c.ought("sources", len(r.Sources) > 0, "where the claim comes from")
	for i := range r.Benefit {
		c.benefit(i)
	}
	c.grounded()
	c.ought("examples", len(r.Examples) > 0, "facts, and what the rule says of them")
	if len(r.Examples) > 0 {
		c.outcomes()
	}
	return c.bad
}

func (c *checker) ought(field string, has bool, want string) {
	if !has {
		c.add(child(c.rule.node, field), fmt.Sprintf("the rule has no %s: %s", field, want))
	}
}

// benefit wants words, and a figure's conditions and source: without them it promises too much.
func (c *checker) benefit(i int) {
	b, n := c.rule.Benefit[i], c.item("benefit", i)
	if b.Text == "" {
		c.add(n, "the benefit has no text: what was measured, in words")
	}
	if b.Change == nil {
		return
	}
	for _, f := range []struct{ name, value, want string }{
		{"metric", b.Metric, "what changed by it"},
		{"when", b.When, "the conditions it was measured under"},
		{"source", b.Source, "who measured it"},
	} {
		if f.value == "" {
			c.add(n, fmt.Sprintf("the figure has no %s: %s", f.name, f.want))
		}
	}
}

// outcomes wants an example of every answer that the rule can give.
func (c *checker) outcomes() {
	at := child(c.rule.node, "examples")
	if c.rule.Manual != "" {
		c.oneExample(at, "where a person has to look", Manual)
	} else {
		c.oneExample(at, "that fails", Fail)
		c.oneExample(at, "that passes", Pass)
	}
	c.oneExample(at, "that does not apply or cannot be told", NotApplicable, Unknown)
}

// oneExample wants one example that expects any of the outcomes.
func (c *checker) oneExample(at *yaml.Node, what string, wanted ...Outcome) {
	if !slices.ContainsFunc(c.rule.Examples, func(e Example) bool { return slices.Contains(wanted, e.Expect) }) {
		c.add(at, "the rule has no example "+what)
	}
}
