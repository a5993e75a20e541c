package page

import (
	"slices"

	"github.com/vperf/vperf/pkg/advice"
)

// mark is a severity as a word, a colour and a shape, so that readers do not depend on one of them.
type mark struct {
	Word  string
	Class string // of the style
	Shape string // a character, and in drawings the symbol of that class
}

var marks = map[advice.Severity]mark{
	advice.Critical: {"critical", "critical", "◆"},
	advice.High:     {"high", "high", "▲"},
	advice.Medium:   {"medium", "medium", "■"},
	advice.Low:      {"low", "low", "●"},
	advice.Info:     {"info", "info", "○"},
}

func markOf(s advice.Severity) mark {
	if m, ok := marks[s]; ok {
		return m
	}
	return marks[advice.Info]
}

// tally counts by severity.
type tally map[advice.Severity]int

// countedMark is the count of a severity.
type countedMark struct {
	mark
	N string
}

func (t tally) total() int {
	n := 0
	for _, each := range t {
		n += each
	}
	return n
}

// marks returns the counts, worst first, without zeros.
func (t tally) marks() []countedMark {
	var out []countedMark
	for _, s := range advice.Severities() {
		if t[s] > 0 {
			out = append(out, countedMark{markOf(s), whole(t[s])})
		}
	}
	return out
}

// all returns the counts, worst first, with zeros.
func (t tally) all() []countedMark {
	var out []countedMark
	for _, s := range advice.Severities() {
		out = append(out, countedMark{markOf(s), whole(t[s])})
	}
	return out
}

// rank returns the position of a severity: 0 is the worst, no severity is last.
func rank(s advice.Severity) int {
	if i := slices.Index(advice.Severities(), s); i >= 0 {
		return i
	}
	return len(advice.Severities())
}
