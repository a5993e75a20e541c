package page

import (
	"strings"

	"github.com/vperf/vperf/pkg/advice"
)

// severityBar is the findings as one bar, worst first.
type severityBar struct {
	Label string
	Parts []barPart
}

// barPart is a stretch of the bar, of 1000.
type barPart struct{ Class, X, Width, Title string }

// leastPart keeps a single finding among thousands visible.
const leastPart = 8

func severityBarOf(t tally) severityBar {
	all := t.total()
	if all == 0 {
		return severityBar{}
	}
	room, words := 1000.0, []string(nil)
	shown := t.marks()
	room -= float64(leastPart * len(shown))
	out, x := severityBar{}, 0.0
	for _, m := range shown {
		width := leastPart + room*float64(t[advice.Severity(m.Word)])/float64(all)
		out.Parts = append(out.Parts, barPart{m.Class, number(x), number(max(width-2, 1)), m.N + " " + m.Word})
		words = append(words, m.N+" "+m.Word)
		x += width
	}
	out.Label = counted(all, "finding") + ": " + strings.Join(words, ", ")
	return out
}
