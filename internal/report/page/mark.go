package page

import (
	"slices"

	"github.com/vperf/vperf/pkg/advice"
)

// mark is how bad something is: a word, a colour and a shape, so that none of them is needed alone.
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

// countedMark is how many there are of a severity.
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

// marks are the counts, worst first, those of nothing left out.
func (t tally) marks() []countedMark {
	var out []countedMark
	for _, s := range advice.Severities() {
		if t[s] > 0 {
			out = append(out, countedMark{markOf(s), whole(t[s])})
		}
	}
	return out
}

// all are the counts, worst first, zeros among them.
func (t tally) all() []countedMark {
	var out []countedMark
	for _, s := range advice.Severities() {
		out = append(out, countedMark{markOf(s), whole(t[s])})
	}
	return out
}

// rank is the place of a severity, 0 the worst; what has none comes last.
func rank(s advice.Severity) int {
	if i := slices.Index(advice.Severities(), s); i >= 0 {
		return i
	}
	return len(advice.Severities())
}
