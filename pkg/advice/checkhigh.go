package advice

import (
	"math"
	"slices"
)

// doubleDigit is the least change that a published measurement makes a finding high by.
const doubleDigit = 0.10

// high checks the reason that a rule gives for severity high. Ungrounded says whether one is missing: users
// grade rules of their own as they like.
func (c *checker) high() {
	r, n := c.rule, child(c.rule.node, "high")
	if n == nil {
		return
	}
	if !slices.Contains(GraveReasons(), r.High.Because) {
		oneOfAt(c, n, "reason", r.High.Because, GraveReasons())
		return
	}
	switch {
	case r.High.Text == "":
		c.add(n, "high needs text: the effect in a sentence")
	case r.High.Because == GraveCounter && len(r.Live()) == 0:
		c.add(n, "the reason counter is for rules over live counters, and this one reads none")
	case r.High.Because == GraveBenchmark && !slices.ContainsFunc(r.Benefit, Benefit.doubleDigit):
		c.add(n, "the reason benchmark needs a benefit with a source and a change of 10 % or more")
	}
}

func (b Benefit) doubleDigit() bool {
	return b.Source != "" && b.Change != nil && math.Abs(*b.Change) >= doubleDigit
}

// Ungrounded says why the severity of a rule does not keep to the guide's definition, or "". A diagnosis has the severity of
// its symptoms.
func (r *Rule) Ungrounded() string {
	switch worst := r.worst(); {
	case len(r.Explains) > 0 || !worst.AtLeast(High):
		if r.High != nil && len(r.Explains) == 0 {
			return "gives a reason for severity high and is never high"
		}
	case r.High == nil:
		return "can be " + string(worst) + " and gives no reason in high"
	case worst == Critical && r.High.Because != GraveOutage:
		return "can be critical, and its reason is not an outage"
	}
	return ""
}
