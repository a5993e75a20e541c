package ledger

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
)

// Walk calls each with every series of some objects that Write would write, in that order, with the time of its newest
// sample. each must not use the ledger.
func (l *Ledger) Walk(objects esxtop.Objects, each func(f exposition.Family, labels exposition.Labels, v float64, at time.Time)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.elapsed()
	l.limit(now)
	shown := map[*seriesTable]*[origins]view{}
	for _, f := range l.families {
		if !objects.Has(f.table.object) {
			continue
		}
		if shown[f.table] == nil {
			shown[f.table] = l.shown(f.table, now)
		}
		of, table := f.of().family, &shown[f.table][f.at]
		for i, v := range table.column(f.column) {
			if !math.IsNaN(v) {
				s := &table.list[i]
				each(of, s.labels, v, s.at)
			}
		}
	}
}

// series are those of one entity, in a slice with those of the next: a page iterates over all of them once for each
// family.
type series struct {
	labels exposition.Labels
	values []float64
	at     time.Time
}

// view is the shown entities of a table for one origin, with the values of some neighbouring columns, one column after the other. The
// values of an entity are together in memory, and a page needs those of a metric: to read them from each entity for each metric means
// waiting for memory each time.
type view struct {
	list  []series
	first int // column in values
	block []float64
}

// columnsTogether is how many columns a view reads at once: as many as values in a cache line.
const columnsTogether = 8

// column returns the values of a column, in the order of the list.
func (v *view) column(c int) []float64 {
	n := len(v.list)
	if first := c - c%columnsTogether; v.block == nil || v.first != first {
		v.read(first)
	}
	return v.block[(c-v.first)*n:][:n]
}

func (v *view) read(first int) {
	n := len(v.list)
	if v.block == nil {
		v.block = make([]float64, columnsTogether*n)
	}
	v.first = first
	for i := range v.list {
		values := v.list[i].values[first:]
		for c := range min(columnsTogether, len(values)) {
			v.block[c*n+i] = values[c]
		}
	}
}

// shown returns the entities of a table that are neither stale nor hidden, by origin.
func (l *Ledger) shown(s *seriesTable, now int64) *[origins]view {
	var list [origins]view
	all := s.order()
	for at := range list {
		for _, e := range all {
			f := &e.data[at]
			if e.hidden || f.shown == 0 || !l.fresh(f.arrived, now) {
				continue
			}
			if list[at].list == nil {
				list[at].list = make([]series, 0, len(all))
			}
			list[at].list = append(list[at].list, series{e.labels, f.values, time.UnixMilli(f.last).UTC()})
		}
	}
	return &list
}

// limit hides entities beyond the limit, and counts the series.
func (l *Ledger) limit(now int64) (shown, over int) {
	for _, s := range l.tables {
		for _, e := range s.order() {
			shown += l.series(e, now)
		}
	}
	if most := l.options.MaxSeries; most > 0 && shown > most {
		return l.hide(now, most, shown)
	}
	if l.ranking.limited {
		for _, e := range l.ranking.list {
			e.hidden = false
		}
	}
	l.ranking = ranking{}
	return shown, 0
}

// series returns how many series an entity has.
func (l *Ledger) series(e *entity, now int64) (n int) {
	for at := range e.data {
		if f := &e.data[at]; l.fresh(f.arrived, now) {
			n += f.shown
		}
	}
	return n
}

// hide hides all entities from the first one that exceeds the limit.
func (l *Ledger) hide(now int64, most, all int) (shown, over int) {
	if !l.ranking.limited || l.ranking.members != l.members {
		l.rank()
	}
	full := false
	for _, e := range l.ranking.list {
		n := l.series(e, now)
		full = full || shown+n > most
		if e.hidden = full; !full {
			shown += n
		}
	}
	return shown, all - shown
}

func (l *Ledger) rank() {
	var list []*entity
	for _, s := range l.tables {
		list = append(list, s.order()...)
	}
	slices.SortFunc(list, (*entity).rank)
	l.ranking = ranking{members: l.members, list: list, limited: true}
}

// rank orders entities by importance: hosts, VMs, and then parts by their kind.
func (e *entity) rank(o *entity) int {
	return cmp.Or(
		cmp.Compare(e.table.rank(), o.table.rank()),
		slices.Compare(e.labelling.names, o.labelling.names), // physical NICs, other ports of hosts, those of VMs
		compareIDs(e.owner.moid, o.owner.moid),               // older objects have smaller numbers
		compareIDs(e.part, o.part),
		compareIDs(e.sub, o.sub),
	)
}

// compareIDs is 0 only for identical ids.
func compareIDs(a, b string) int { return cmp.Or(esxtop.CompareIDs(a, b), strings.Compare(a, b)) }

func (s *seriesTable) rank() int {
	switch s.object {
	case esxtop.Host:
		return -2
	case esxtop.Group:
		return -1
	}
	return int(s.object)
}

// Write writes the families of some objects, without series that are stale. The ledger is locked meanwhile.
func (l *Ledger) Write(w *exposition.Writer, objects esxtop.Objects) {
	begun := ""
	l.Walk(objects, func(f exposition.Family, labels exposition.Labels, v float64, _ time.Time) {
		if f.Name != begun {
			w.Family(f)
			begun = f.Name
		}
		w.Sample(labels, v)
	})
}
