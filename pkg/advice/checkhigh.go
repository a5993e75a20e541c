package advice

import (
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"math"
	"slices"
)

// doubleDigit is the least change that a published measurement makes a finding high by.
const doubleDigit = 0.10

// checkHigh runs after quote: a figure may be the measurement that a rule is high by.
func (l *Library) checkHigh() strictyaml.Errors {
	var bad strictyaml.Errors
	for _, r := range l.rules {
		c := newChecker(r)
		c.high()
		bad = append(bad, c.Bad...)
	}
	return bad
}

// high checks the reason that a rule gives for severity high; grounded says where one is missing.
func (c *checker) high() {
	r, n := c.rule, strictyaml.Child(c.rule.node, "high")
	if n == nil {
		return
	}
	if !slices.Contains(GraveReasons(), r.High.Because) {
		oneOfAt(c, n, "reason", r.High.Because, GraveReasons())
		return
	}
	switch {
	case r.High.Text == "":
		c.Add(n, "high needs text: the effect in a sentence")
	case r.High.Because == GraveCounter && len(r.Live()) == 0:
		c.Add(n, "the reason counter is for rules over live counters, and this one reads none")
	case r.High.Because == GraveBenchmark && !slices.ContainsFunc(r.Benefit, Benefit.doubleDigit):
		c.Add(n, "the reason benchmark needs a benefit with a source and a change of 10 % or more")
	}
}

func (b Benefit) doubleDigit() bool {
	return b.Source != "" && b.Change != nil && math.Abs(*b.Change) >= doubleDigit
}
