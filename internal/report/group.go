package report

import (
	"slices"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// group holds the findings of one rule that have the same outcome and severity.
type group []*advice.Finding

func groups(all []*advice.Finding) []group {
	same := func(a, b *advice.Finding) bool {
		return a.Rule.ID == b.Rule.ID && a.Outcome == b.Outcome && a.Severity == b.Severity
	}
	var out []group
	for len(all) > 0 {
		n := 1
		for n < len(all) && same(all[0], all[n]) {
			n++
		}
		out = append(out, group(all[:n]))
		all = all[n:]
	}
	return out
}

// onlyFor reports whether the findings are unknown only because of objects that the summary lists as unread. Repeating that
// for each rule would hide the rest.
func (g group) onlyFor(unreadObjects map[inventory.Ref]bool) bool {
	return g[0].Outcome == advice.Unknown && !slices.ContainsFunc(g, func(f *advice.Finding) bool {
		return len(f.Gaps) == 0 || slices.ContainsFunc(f.Gaps, func(gap advice.Gap) bool { return !unreadObjects[gap.Object] })
	})
}

// A rule that many objects break would fill a screen and hide the next rule, so a longer list becomes one row with a count.
// Manual checks are the same for every object, so a few are enough.
const (
	mostRows   = 8
	mostManual = 3
)

// rows returns the lines of a group: folded, unless whole is true.
func (g group) rows(whole bool) []Row {
	most := mostRows
	if g[0].Outcome == advice.Manual {
		most = mostManual
	}
	if whole {
		return collect.Map(g, func(f *advice.Finding) Row { return Row{f} })
	}
	return Rows(g, most)
}

// profilesAlike reports whether all findings have the same profile.
func (g group) profilesAlike() bool {
	for _, f := range g {
		if f.Profile != g[0].Profile || f.ProfileWhy != g[0].ProfileWhy {
			return false
		}
	}
	return true
}
