package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// figures returns the efficiency of clusters and hosts as a table of known figures, least headroom first, followed by the
// unknown figures. With --all, it lists every figure with its inputs.
func (w *writer) figures() Section {
	s := Section{Title: "efficiency"}
	if w.Whole {
		s.Entries = w.allFigures()
		return s
	}
	rows := figureRows(w.Efficiency)
	slices.SortStableFunc(rows, byHeadroom)
	rows = slices.DeleteFunc(rows, func(r figureRow) bool { return len(r.of) == 0 })
	hidden := 0
	most := mostHosts
	if w.brief {
		most /= 2
	}
	rows, hidden = fewOfEach(rows, most)
	if len(rows) == 0 {
		return Section{}
	}
	s.Grid = figureGrid(rows)
	if hidden > 0 {
		s.More = append(s.More, fmt.Sprintf("… and %d more with more room; --all shows them, and -o json has all", hidden))
	}
	if slices.ContainsFunc(rows, func(r figureRow) bool { return r.object.Kind == inventory.ScopeCluster }) {
		s.More = append(s.More, "headroom is the minimum over 20 samples; for a cluster, with its largest host failed")
	}
	s.More = append(s.More, w.unknownFigures()...)
	return s
}

// figureRow holds the known figures of one object, by figure id.
type figureRow struct {
	object inventory.Ref
	of     map[string]float64
}

func figureRows(all []efficiency.Figure) []figureRow {
	var rows collect.ByKey[placeKey, figureRow]
	for _, f := range all {
		place := placeOf(f.Object)
		if f.Object.Kind == inventory.ScopeLUN { // show the slowest disk with its host
			id, _, _ := strings.Cut(f.Object.ID, "/")
			place = placeKey{inventory.ScopeHost, f.Object.VCenter, id}
		}
		row := rows.At(place)
		if row.of == nil {
			row.object, row.of = f.Object, map[string]float64{}
		}
		if v, known := f.Value.Value(); known {
			row.of[f.ID] = v
		}
	}
	return rows.Values()
}

// byHeadroom sorts clusters first, then by headroom, least first; unknown headroom comes last.
func byHeadroom(a, b figureRow) int {
	kind := func(r figureRow) int {
		return min(1, strings.Compare(string(r.object.Kind), string(inventory.ScopeCluster)))
	}
	x, hasX := a.of["headroom"]
	y, hasY := b.of["headroom"]
	unknown := map[bool]int{true: 0, false: 1}
	return cmp.Or(cmp.Compare(kind(a), kind(b)), cmp.Compare(unknown[hasX], unknown[hasY]), cmp.Compare(x, y))
}

// fewOfEach returns the first objects of each kind, and the number of omitted ones.
func fewOfEach(rows []figureRow, most int) (few []figureRow, hidden int) {
	n := map[inventory.Scope]int{}
	for _, r := range rows {
		if n[r.object.Kind]++; n[r.object.Kind] > most {
			hidden++
			continue
		}
		few = append(few, r)
	}
	return few, hidden
}

// figureColumns are the figures for comparing hosts; a column may have two.
var figureColumns = []struct {
	head string
	ids  []string
}{
	{"vCPU:core", []string{"vcpus-per-core"}},
	{"Gb/s:core", []string{"gbps-per-core"}},
	{"pkt/s in/out", []string{"packets-rx", "packets-tx"}},
	{"DAVG/KAVG %", []string{"latency-device", "latency-kernel"}},
	{"MHz/W", []string{"mhz-per-watt"}},
	{"cores left", []string{"headroom-cores"}},
	{"GiB left", []string{"headroom-memory"}},
	{"room %", []string{"headroom"}},
}

// figureGrid returns a table of the columns with known figures.
func figureGrid(rows []figureRow) *Grid {
	g := &Grid{Head: []string{""}, Spare: []string{"MHz/W", "GiB left"}}
	g.Rows = collect.Map(rows, func(r figureRow) []string {
		if r.object.Kind == inventory.ScopeCluster {
			return []string{wording.Object(r.object)}
		}
		return []string{r.object.Name}
	})
	for _, c := range figureColumns {
		cells := collect.Map(rows, func(r figureRow) string { return figureCell(r, c.ids) })
		if !slices.ContainsFunc(cells, func(s string) bool { return s != "" }) {
			continue
		}
		g.Head = append(g.Head, c.head)
		for i, s := range cells {
			g.Rows[i] = append(g.Rows[i], s)
		}
	}
	return g
}

func figureCell(r figureRow, ids []string) string {
	known := false
	parts := collect.Map(ids, func(id string) string {
		v, has := r.of[id]
		known = known || has
		if !has {
			return "-"
		}
		if len(ids) > 1 { // two figures in a column need not be that exact
			return rough(v)
		}
		return wording.Number(v)
	})
	if !known {
		return ""
	}
	return strings.Join(parts, "/")
}

// rough formats a figure with two digits, or in thousands.
func rough(v float64) string {
	switch {
	case v >= 1e6:
		return wording.Short(v/1e6, 1) + "M"
	case v >= 1e4:
		return wording.Number(math.Round(v/1e3)) + "k"
	}
	return wording.Number(math.Round(v))
}

// unknownFigures lists the unknown figures, one line per reason.
func (w *writer) unknownFigures() []string {
	var by collect.ByKey[string, unreadFacts]
	for _, f := range w.Efficiency {
		_, state, reason := f.Value.Get()
		if state != inventory.StateUnread || wantsConfiguration(reason) {
			continue
		}
		l := by.At(reason)
		l.facts.Add(f.Title)
		l.objects.Add(wording.Object(f.Object))
	}
	lines := collect.Each(by, func(reason string, l *unreadFacts) string {
		s := "not known: " + strings.Join(l.facts.Words, ", ") + " of " + wording.SomeNames(l.objects.Words)
		if reason == "" {
			return s
		}
		return s + " (" + reason + ")"
	})
	if w.brief {
		return w.some(lines, 1)
	}
	return w.some(lines, mostAffected)
}

// allFigures lists all possible figures, by object.
func (w *writer) allFigures() []Entry {
	var by collect.ByKey[inventory.Ref, Entry]
	for _, f := range w.Efficiency {
		line, show := figureLine(f)
		if !show {
			continue
		}
		if len(f.From) > 0 {
			line += " (from " + strings.Join(f.From, "; ") + ")"
		}
		e := by.At(f.Object)
		e.Title, e.Lines = wording.Object(f.Object), append(e.Lines, line)
	}
	return by.Values()
}

// figureLine returns a figure with its unit; an absent figure does not apply to the object.
func figureLine(f efficiency.Figure) (line string, show bool) {
	v, state, reason := f.Value.Get()
	switch {
	case state == inventory.StateAbsent:
		return "", false
	case state == inventory.StateKnown:
		return f.Title + " " + wording.WithUnit(wording.Number(v), f.Unit), true
	case reason == "":
		return f.Title + " not read", true
	}
	return f.Title + " not known (" + reason + ")", true
}

// spots lists the worst instances of metrics beyond their threshold: for captures the worst of each metric, for a live
// measurement only those that no symptom covers.
func (w *writer) spots() Section {
	s := Section{Title: "hot spots"}
	all := w.spotsToShow()
	if len(all) == 0 {
		return s
	}
	s.Grid = w.spotGrid(all)
	if more := len(w.Spots) - len(all); more > 0 {
		s.More = []string{fmt.Sprintf("… and %d more; --all shows them, and -o json has all", more)}
	}
	return s
}

func (w *writer) spotsToShow() []hotspot.Spot {
	if w.Whole {
		return w.Spots
	}
	most, reported := mostLiveHot, map[string]bool{}
	if w.Captured {
		most = mostHotSpots
	} else {
		reported = w.reportedObjects()
	}
	metrics := map[*esxtop.Metric]bool{}
	var all []hotspot.Spot
	for _, spot := range w.Spots {
		if len(all) == most || metrics[spot.Metric] || reported[cmp.Or(spot.Object, spot.Host)] || spot.MoID != "" && reported[spot.MoID] {
			continue
		}
		metrics[spot.Metric] = true
		all = append(all, spot)
	}
	return all
}

// reportedObjects returns the names of objects with reported symptoms, and of their owners.
func (w *writer) reportedObjects() map[string]bool {
	reported := map[string]bool{}
	render := func(f *advice.Finding) {
		reported[f.Object.Name], reported[f.Host.Name] = true, true
		switch _, device, of := strings.Cut(f.Object.Name, "/"); {
		case f.Object.Kind == inventory.ScopeVM:
			reported[f.Object.ID] = true
		case of && f.Object.Kind != inventory.ScopeVNIC && f.Object.Kind != inventory.ScopeVDisk: // of a host, by its own name
			reported[device] = true
		case of:
			vm, _, _ := strings.Cut(f.Object.ID, "/")
			reported[vm] = true
		}
	}
	for _, r := range w.Advice.Advice.Recommendations {
		for _, f := range symptoms(r) {
			render(f)
		}
	}
	for _, u := range w.Advice.Advice.Unexplained {
		render(u.Symptom)
	}
	for _, d := range w.Advice.Advice.Harmless {
		render(d.Finding)
	}
	return reported
}

func (w *writer) spotGrid(all []hotspot.Spot) *Grid {
	g := &Grid{Head: []string{"counter", "of", "host", "worst", "at", "mean", "beyond", "longest"}, Spare: []string{"mean", "longest"}}
	var hosts collect.Distinct
	for _, s := range all {
		hosts.Add(s.Host)
		of := s.Object
		if of == s.Host || of == "" {
			of = "the host"
		}
		unit := spotUnit(s.Metric.Unit)
		row := []string{spotMetric(s.Metric), of, s.Host, wording.ShortFigure(s.Worst, unit), "", meanText(s.Mean, unit), fmt.Sprintf("%d of %d", s.Beyond, s.Samples), ""}
		if !s.At.IsZero() {
			row[4] = wording.Moment(s.At, w.To)
		}
		if s.Longest > 0 {
			row[7] = wording.Span(time.Time{}, time.Time{}.Add(s.Longest))
		}
		g.Rows = append(g.Rows, row)
	}
	if len(hosts.Words) == 1 {
		g.Drop(2)
	}
	return g
}

func meanText(mean float64, unit string) string {
	if wording.IsStates(unit) {
		return wording.Number(mean)
	}
	return wording.ShortFigure(mean, unit)
}

func spotMetric(m *esxtop.Metric) string { return cmp.Or(m.Column, m.ID) }

// spotUnit is a unit of esxtop as text; a bare number has none.
func spotUnit(u esxtop.Unit) string {
	if u == esxtop.Number {
		return ""
	}
	return string(u)
}
