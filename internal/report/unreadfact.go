package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// unreadFact is why objects could not be checked: a fact that was not read, or no fact if the objects are completely unread.
type unreadFact struct {
	fact, reason string
	names        []string
}

func (l unreadFact) what() string {
	if l.fact == "" {
		return l.reason
	}
	return l.fact + ": " + l.reason
}

// unreadFacts collects the missing facts of unknown findings, each once, with the names of the objects.
func unreadFacts(unknown []*advice.Finding, unreadObjects map[inventory.Ref]bool) []unreadFact {
	type key struct{ fact, reason string }
	who := map[key][]string{}
	for _, f := range unknown {
		for _, gap := range f.Gaps {
			k := key{gap.Fact, gap.Reason}
			if unreadObjects[gap.Object] {
				k.fact = ""
			}
			who[k] = append(who[k], gap.Object.Name)
		}
		if len(f.Gaps) == 0 {
			who[key{"", f.Reason}] = append(who[key{"", f.Reason}], f.Object.Name)
		}
	}
	var all []unreadFact
	for k, names := range who {
		all = append(all, unreadFact{k.fact, k.reason, slices.Compact(slices.Sorted(slices.Values(names)))})
	}
	slices.SortStableFunc(all, func(a, b unreadFact) int {
		return cmp.Or(strings.Compare(a.fact, b.fact), strings.Compare(a.reason, b.reason))
	})
	return all
}

// notRead names the completely unread objects, grouped by kind and reason.
func notRead(r *advice.Result) []string {
	type key struct {
		kind   inventory.Scope
		reason string
	}
	var order []key
	names := map[key][]string{}
	for _, b := range r.UnreadObjects {
		k := key{b.Object.Kind, b.Reason}
		if names[k] == nil {
			order = append(order, k)
		}
		names[k] = append(names[k], b.Object.Name)
	}
	lines := make([]string, len(order))
	for i, k := range order {
		lines[i] = fmt.Sprintf("%s %s: %s", k.kind, wording.SomeOf(names[k]), wording.Clean(k.reason))
	}
	return lines
}

// unreadObjectsOf returns the completely unread objects.
func unreadObjectsOf(a Audit) map[inventory.Ref]bool {
	unreadObjects := map[inventory.Ref]bool{}
	for _, g := range a.Result.UnreadObjects {
		unreadObjects[g.Object] = true
	}
	return unreadObjects
}
