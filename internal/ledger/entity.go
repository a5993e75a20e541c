package ledger

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
)

// key is what an entity is known by on its shelf.
type key struct {
	labelling *labelling
	owner     *owner
	part, sub string // values of the labels that the owner does not have
}

// entity is a thing that has series: a host or a VM as a whole, or a part of one.
type entity struct {
	key
	shelf  *shelf
	labels exposition.Labels
	feeds  [origins]feed
	turn   uint64 // of the frame that it was last in
	gone   bool
	hidden bool // there would be too many series
}

// feed is what one origin has told of an entity.
type feed struct {
	last   int64     // when its newest sample was taken; 0: there was none
	values []float64 // as the shelf's columns are laid out; NaN is absent
	shown  int       // how many there are to show
}

// newEntity is one that nothing is known of yet. Names come from frames, which need not last as long.
func newEntity(k key, s *shelf) *entity {
	k.part, k.sub = strings.Clone(k.part), strings.Clone(k.sub)
	e := &entity{key: k, shelf: s}
	e.label()
	return e
}

// label renders the labels.
func (e *entity) label() {
	pairs := make([]string, 0, 2*len(e.labelling.names))
	for i, name := range e.labelling.names {
		pairs = append(pairs, name, e.labelling.from[i](e))
	}
	e.labels = exposition.NewLabels(pairs...)
}

// compare orders entities as Prometheus's library does: by how many labels there are, and then by their values.
func (e *entity) compare(o *entity) int {
	if c := cmp.Compare(len(e.labelling.from), len(o.labelling.from)); c != 0 {
		return c
	}
	for i := range e.labelling.from {
		if c := strings.Compare(e.labelling.from[i](e), o.labelling.from[i](o)); c != 0 {
			return c
		}
	}
	return slices.Compare(e.labelling.names, o.labelling.names)
}

// newest is when the newest sample of any origin was taken.
func (e *entity) newest() (last int64) {
	for at := range e.feeds {
		last = max(last, e.feeds[at].last)
	}
	return last
}

// take enters a row. It reports whether there was a figure that cannot be.
func (e *entity) take(row *esxtop.Row, s sample) (odd bool) {
	f, columns := &e.feeds[s.at], e.shelf.columns[s.at]
	f.last = s.time
	if f.values == nil {
		f.values = e.shelf.newValues(s.at)
	}
	f.shown = 0
	seconds := s.interval.Seconds()
	for i := range columns {
		c := &columns[i]
		shown := math.NaN()
		if v, told := row.Value(c.metric); told {
			if v *= c.scale; c.sum == 0 {
				shown = v
			} else if c.add(f.values, v, seconds) {
				shown = f.values[c.sum]
			} else {
				odd = true
			}
		}
		if math.IsInf(shown, 0) {
			shown = math.NaN()
		}
		if f.values[i] = shown; !math.IsNaN(shown) {
			f.shown++
		}
	}
	return odd
}

// add adds a value to a sum, which never goes back. It reports false for values that no sum can take.
func (c *column) add(values []float64, v, seconds float64) bool {
	grown := v * seconds
	if c.raw != 0 {
		if grown = v; v >= values[c.raw] { // else the host began to count anew
			grown = v - values[c.raw]
		}
	}
	if v < 0 || math.IsInf(values[c.sum]+grown, 0) {
		return false
	}
	values[c.sum] += grown
	if c.raw != 0 {
		values[c.raw] = v
	}
	return true
}

// owner is a host or a VM, with all of its parts.
type owner struct {
	moid, name string
	expected   bool   // to have samples, as it was said last
	host       string // of VMs: where it is registered
	listed     uint64 // the turn in which it was last said to be there
	entities   []*entity
	last       [origins]int64 // when its newest samples were taken
	back       int64          // since when it has been there without a long break
	book       book
	trouble    trouble // of hosts
}

// title is the name; a thing without one is called by its id.
func (o *owner) title() string { return cmp.Or(o.name, o.moid) }

// newest is when the newest sample of any origin was taken; 0: there was none. Those of the PerformanceManager have slots.
func (o *owner) performance() int64 { return o.last[originOf(esxtop.Performance)] }

func (o *owner) newest() int64 { return max(o.last[0], o.last[1]) }

// trouble is what was the matter with a host: the turn in which it was heard of last, and what it was.
type trouble struct {
	turn   uint64
	reason string
	down   uint64 // the turn in which it was last known not to be connected
}

// labelling is which labels the series of a kind of thing have, in the order of their names.
type labelling struct {
	names []string
	from  []func(*entity) string // where the value of each is from
}
