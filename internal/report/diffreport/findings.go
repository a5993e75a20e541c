package diffreport

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// findingRow is one rule with the objects whose findings changed in the same way.
type findingRow struct {
	Mark     string // NEW, GONE or UNCLEAR
	Severity advice.Severity
	Rule     string
	Title    string
	Kind     inventory.Scope
	Objects  []string
	Why      string // "" if it is obvious
}

// findingRows returns new, gone and unclear findings, in this order; and those that still fail, if whole.
func findingRows(f *diff.Findings, whole bool) (all []findingRow) {
	lists := []struct {
		mark string
		list []diff.Finding
	}{{"NEW", f.New}, {"GONE", f.Gone}, {"UNCLEAR", f.Unclear}}
	if whole {
		lists = append(lists, struct {
			mark string
			list []diff.Finding
		}{"STILL", f.Still})
	}
	for _, l := range lists {
		at := map[string]int{}
		for _, x := range l.list {
			r := findingRow{Mark: l.mark, Severity: x.Severity, Rule: x.Rule, Title: x.Title, Kind: x.Object.Kind, Objects: []string{x.Object.Name}, Why: why(l.mark, &x)}
			key := strings.Join([]string{string(r.Severity), r.Rule, string(r.Kind), r.Why}, "\x00")
			if i, ok := at[key]; ok {
				all[i].Objects = append(all[i].Objects, x.Object.Name)
				continue
			}
			at[key] = len(all)
			all = append(all, r)
		}
	}
	return all
}

// why explains an outcome that the mark does not.
func why(mark string, f *diff.Finding) string {
	switch {
	case mark == "STILL":
		return ""
	case mark == "NEW" && f.Was == diff.NotThere:
		return "the object is new"
	case mark == "NEW" && f.Was != diff.NotFailing:
		return "before: " + f.Was
	case mark == "GONE" && f.Is == diff.NotThere:
		return "the object is gone"
	case mark == "GONE" && f.Is == diff.NotListed:
		return "the new audit does not list it"
	case mark == "GONE" && f.Is != diff.NotFailing:
		return "now: " + f.Is
	case mark == "UNCLEAR" && f.Reason != "":
		return f.Reason
	case mark == "UNCLEAR":
		return "now: " + f.Is
	}
	return ""
}

// FindingCounts describes the findings in one line.
func FindingCounts(f *diff.Findings) string {
	s := fmt.Sprintf("%d new, %d gone, %d still there", len(f.New), len(f.Gone), len(f.Still))
	if n := len(f.Unclear); n > 0 {
		s += fmt.Sprintf(", %d could not be compared", n)
	}
	return s
}

// CounterNote is the caveat of all counters of a difference.
const CounterNote = "before/after, not a proof: load and time of day differ too"

// counters has a row for each counter over all objects of a kind: the medians of their medians.
func counters(d *diff.Diff) doc.Table {
	t := doc.Table{Head: []string{"OBJECTS", "COUNTER", "OLD MEDIAN", "NEW MEDIAN"}}
	type key struct {
		kind   inventory.Scope
		metric string
	}
	old, now, units := map[key][]float64{}, map[key][]float64{}, map[key]string{}
	var order []key
	for _, c := range d.Counters {
		k := key{c.Object.Kind, c.Metric}
		if old[k] == nil {
			order = append(order, k)
		}
		old[k], now[k], units[k] = append(old[k], c.Old), append(now[k], c.New), c.Unit
	}
	rank := map[key]int{}
	for i, m := range inventory.LiveMetrics() {
		rank[key{m.Scope, m.Name}] = i
	}
	slices.SortStableFunc(order, func(a, b key) int { return rank[a] - rank[b] })
	for _, k := range order {
		t.Add(fmt.Sprintf("%d × %s", len(old[k]), wording.Kind(k.kind)), wording.MetricName(k.metric),
			wording.ShortFigure(median(old[k]), units[k]), wording.ShortFigure(median(now[k]), units[k]))
	}
	return t
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// uncomparedTexts describes what could not be compared: a line for the same facts of several objects with the same reason. Unless
// whole, facts that neither side has are only counted: vperf could not read them before and cannot now.
func uncomparedTexts(d *diff.Diff, whole bool) (all []string) {
	type key struct{ facts, side, reason string }
	objects := map[key][]string{}
	var order []key
	both := 0
	for _, u := range d.Uncompared {
		if u.Side == diff.BothSide && len(u.Facts) > 0 && !whole {
			both += len(u.Facts)
			continue
		}
		k := key{strings.Join(u.Facts, ", "), u.Side, u.Reason}
		if len(u.Facts) > 3 {
			k.facts = plural.Count(len(u.Facts), "fact")
		}
		if objects[k] == nil {
			order = append(order, k)
		}
		objects[k] = append(objects[k], wording.Kind(u.Object.Kind)+" "+u.Object.Name)
	}
	slices.SortStableFunc(order, func(a, b key) int { return len(objects[b]) - len(objects[a]) })
	for _, k := range order {
		names := wording.SomeNames(objects[k])
		if whole {
			names = strings.Join(objects[k], ", ")
		}
		line := names
		if k.facts != "" {
			line += ": " + k.facts
		}
		all = append(all, fmt.Sprintf("%s (%s: %s)", line, sideWord(k.side), k.reason))
	}
	if !whole && len(all) > mostRows+1 {
		all = append(all[:mostRows], fmt.Sprintf("and %d more; --all lists them", len(all)-mostRows))
	}
	if both > 0 {
		all = append(all, plural.Are(both, "fact")+" unread on both sides (--all lists them)")
	}
	return all
}

func sideWord(side string) string {
	if side == diff.BothSide {
		return "both sides"
	}
	return side + " side"
}
