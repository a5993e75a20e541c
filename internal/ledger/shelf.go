package ledger

import (
	"math"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
)

// shelf is where all that is kept of one kind of object stands: its metrics are columns, which entities have values of.
type shelf struct {
	object  esxtop.Object
	columns [origins][]column // by who tells of them
	width   [origins]int      // of what an entity keeps

	entities map[key]*entity
	sorted   []*entity // as their series are written
	added    []*entity // since then
	dropped  bool      // some of sorted are gone
}

// origins are those that the ledger tells apart. Captures have no ids, so nothing of them is entered.
const origins = 2

func originOf(o esxtop.Origin) int {
	if o == esxtop.Performance {
		return 1
	}
	return 0
}

// column is a metric of an object.
type column struct {
	metric *esxtop.Metric
	family exposition.Family
	scale  float64
	sum    int // where the sum is among the values of an entity; 0: it is no sum
	raw    int // where that is which the host has counted to itself; 0: vperf does the counting
}

// newShelf has a column for every metric that is exported.
func newShelf(o esxtop.Object) *shelf {
	s := &shelf{object: o, entities: map[key]*entity{}}
	for _, m := range esxtop.MetricsOf(o) {
		name := m.PrometheusName(o)
		if name == "" || m.Kind == esxtop.Text {
			continue
		}
		c := column{metric: m, family: exposition.Family{Name: name, Help: m.Help()}, scale: m.Prometheus.Scale}
		if m.Prometheus.Counter {
			c.family.Kind = exposition.Counter
		}
		at := originOf(m.Feeder(o))
		s.columns[at] = append(s.columns[at], c)
	}
	for at := range s.columns {
		s.width[at] = layOut(s.columns[at])
	}
	return s
}

// layOut gives every column its places. The first ones are what is shown; sums are kept behind them, since a sum lasts while
// it is not shown.
func layOut(columns []column) (width int) {
	width = len(columns)
	place := func() int {
		width++
		return width - 1
	}
	for i := range columns {
		c := &columns[i]
		if c.family.Kind != exposition.Counter {
			continue
		}
		c.sum = place()
		if c.metric.Kind == esxtop.Gauge {
			c.raw = place()
		}
	}
	return width
}

// newValues are those of an entity that nothing is known of.
func (s *shelf) newValues(at int) []float64 {
	values := make([]float64, s.width[at])
	for i := range s.columns[at] {
		values[i] = math.NaN()
	}
	return values
}

// put adds an entity.
func (s *shelf) put(k key, e *entity) {
	s.entities[k] = e
	s.added = append(s.added, e)
}

// drop takes an entity away.
func (s *shelf) drop(e *entity) {
	delete(s.entities, e.key)
	e.gone, s.dropped = true, true
}

// order brings the entities into the order of their labels.
func (s *shelf) order() []*entity {
	if s.dropped {
		gone := func(e *entity) bool { return e.gone }
		s.sorted, s.added = slices.DeleteFunc(s.sorted, gone), slices.DeleteFunc(s.added, gone)
		s.dropped = false
	}
	if len(s.added) > 0 {
		s.sorted = append(s.sorted, s.added...)
		s.added = s.added[:0]
		slices.SortFunc(s.sorted, (*entity).compare)
	}
	return s.sorted
}

// disorder makes order look at everything anew: labels have changed.
func (s *shelf) disorder() {
	s.added, s.sorted = append(s.sorted, s.added...), nil
}

// family is a column, as a part of the whole page.
type family struct {
	shelf      *shelf
	at, column int
}

// families are those of all shelves, in the order of their names.
func families(shelves []*shelf) (list []family) {
	for _, s := range shelves {
		for at := range s.columns {
			for i := range s.columns[at] {
				list = append(list, family{s, at, i})
			}
		}
	}
	slices.SortFunc(list, func(a, b family) int { return strings.Compare(a.of().family.Name, b.of().family.Name) })
	return list
}

func (f family) of() *column { return &f.shelf.columns[f.at][f.column] }
