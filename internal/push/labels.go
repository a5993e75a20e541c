package push

import (
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/exposition"
)

// pair is a label.
type pair struct{ name, value string }

// pairs returns the labels of a series, sorted by name. A label of the series itself beats one of the source.
func pairs(to []pair, source []pair, own exposition.Labels) []pair {
	to = to[:0]
	for name, value := range own.All() {
		to = append(to, pair{name, value})
	}
	n := len(to)
	for _, p := range source {
		if !slices.ContainsFunc(to[:n], func(o pair) bool { return o.name == p.name }) {
			to = append(to, p)
		}
	}
	slices.SortFunc(to, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	return to
}
