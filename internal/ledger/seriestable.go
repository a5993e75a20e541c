package ledger

import (
	"math"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
)

// seriesTable is a table for one kind of object: its metrics are columns, and its entities have the values.
type seriesTable struct {
	object  esxtop.Object
	columns [origins][]column // by origin, sorted by name
	width   [origins]int      // number of values of an entity

	entities map[key]*entity
	sorted   []*entity // in the order in which their series are written
	added    []*entity // since then
	dropped  bool      // some of sorted are removed
}

// origins is the number of origins in the ledger. Captures have no ids, so they are not stored.
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
	sum    int // index of the sum among an entity's values; 0: it is not a sum
	raw    int // index of the host's last raw count; 0: vperf counts
}

// newSeriesTable returns a table with a column for every exported metric.
func newSeriesTable(o esxtop.Object) *seriesTable {
	s := &seriesTable{object: o, entities: map[key]*entity{}}
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
		slices.SortFunc(s.columns[at], func(a, b column) int { return strings.Compare(a.family.Name, b.family.Name) }) // as on pages
		s.width[at] = layOut(s.columns[at])
	}
	return s
}

// layOut assigns indexes to the columns. The shown values come first; sums follow, because they are kept while hidden.
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

// newValues returns the values of a new entity.
func (s *seriesTable) newValues(at int) []float64 {
	values := make([]float64, s.width[at])
	for i := range s.columns[at] {
		values[i] = math.NaN()
	}
	return values
}

// put adds an entity.
func (s *seriesTable) put(k key, e *entity) {
	s.entities[k] = e
	s.added = append(s.added, e)
}

// drop removes an entity.
func (s *seriesTable) drop(e *entity) {
	delete(s.entities, e.key)
	e.gone, s.dropped = true, true
}

// order sorts the entities by their labels.
func (s *seriesTable) order() []*entity {
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

// markUnsorted makes order sort all entities again, because labels have changed.
func (s *seriesTable) markUnsorted() {
	s.added, s.sorted = append(s.sorted, s.added...), nil
}

// family is a column, as a part of the whole page.
type family struct {
	table      *seriesTable
	at, column int
}

// families returns the columns of all tables, sorted by name.
func families(shelves []*seriesTable) (list []family) {
	for _, s := range shelves {
		for at := range s.columns {
			for i := range s.columns[at] {
				list = append(list, family{s, at, i})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b family) int { return strings.Compare(a.of().family.Name, b.of().family.Name) })
	return list
}

func (f family) of() *column { return &f.table.columns[f.at][f.column] }
