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

// Walk gives each series of some objects that Write would write, in that order, with the time of its newest sample. What is
// called must not use the ledger.
func (l *Ledger) Walk(objects esxtop.Objects, now time.Time, each func(f exposition.Family, labels exposition.Labels, v float64, at time.Time)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := now.UnixMilli()
	l.limit(at)
	shown := map[*shelf]*[origins][]series{}
	for _, f := range l.families {
		if !objects.Has(f.shelf.object) {
			continue
		}
		if shown[f.shelf] == nil {
			shown[f.shelf] = l.shown(f.shelf, at)
		}
		of := f.of().family
		for _, s := range shown[f.shelf][f.at] {
			if v := s.values[f.column]; !math.IsNaN(v) {
				each(of, s.labels, v, s.at)
			}
		}
	}
}

// series are those of an entity, side by side with those of the next: a page goes over all of them once a family.
type series struct {
	labels exposition.Labels
	values []float64
	at     time.Time
}

// shown are the entities of a shelf that are neither stale nor too many, by who tells of them.
func (l *Ledger) shown(s *shelf, now int64) *[origins][]series {
	var list [origins][]series
	all := s.order()
	for at := range list {
		for _, e := range all {
			f := &e.feeds[at]
			if e.hidden || f.shown == 0 || !l.fresh(f.last, now) {
				continue
			}
			if list[at] == nil {
				list[at] = make([]series, 0, len(all))
			}
			list[at] = append(list[at], series{e.labels, f.values, time.UnixMilli(f.last).UTC()})
		}
	}
	return &list
}

// limit hides what there would be too much of, and counts the series.
func (l *Ledger) limit(now int64) (shown, over int) {
	for _, s := range l.shelves {
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

// series is how many an entity has.
func (l *Ledger) series(e *entity, now int64) (n int) {
	for at := range e.feeds {
		if f := &e.feeds[at]; l.fresh(f.last, now) {
			n += f.shown
		}
	}
	return n
}

// hide hides all entities from the first one on that there is no room for.
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
	for _, s := range l.shelves {
		list = append(list, s.order()...)
	}
	slices.SortFunc(list, (*entity).rank)
	l.ranking = ranking{members: l.members, list: list, limited: true}
}

// rank orders entities by how much they matter: hosts, VMs, and then parts by their kind.
func (e *entity) rank(o *entity) int {
	return cmp.Or(
		cmp.Compare(e.shelf.rank(), o.shelf.rank()),
		slices.Compare(e.labelling.names, o.labelling.names), // physical NICs, other ports of hosts, those of VMs
		compareIDs(e.owner.moid, o.owner.moid),               // who came first has a smaller number
		compareIDs(e.part, o.part),
		compareIDs(e.sub, o.sub),
	)
}

// compareIDs finds only the same id equal.
func compareIDs(a, b string) int { return cmp.Or(esxtop.CompareIDs(a, b), strings.Compare(a, b)) }

func (s *shelf) rank() int {
	switch s.object {
	case esxtop.Host:
		return -2
	case esxtop.Group:
		return -1
	}
	return int(s.object)
}

// Write writes the families of some objects, without what is stale at a time of the server's clock. The ledger is locked meanwhile.
func (l *Ledger) Write(w *exposition.Writer, objects esxtop.Objects, now time.Time) {
	begun := ""
	l.Walk(objects, now, func(f exposition.Family, labels exposition.Labels, v float64, _ time.Time) {
		if f.Name != begun {
			w.Family(f)
			begun = f.Name
		}
		w.Sample(labels, v)
	})
}
