package ledger

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
)

// key identifies an entity of its table.
type key struct {
	labelling *labelling
	owner     *owner
	part, sub string // values of the labels in addition to the owner's
}

// entity is an object that has series: a host or a VM as a whole, or a part of one.
type entity struct {
	key
	table  *seriesTable
	labels exposition.Labels
	data   [origins]originData
	turn   uint64 // of the frame that it was last in
	gone   bool
	hidden bool // by the limit on the number of series
}

// originData is the data of an entity from one origin.
type originData struct {
	last    int64     // time of its newest sample; 0: there was none
	arrived int64     // of that
	values  []float64 // in the order of the table's columns; NaN is absent
	shown   int       // how many values are shown
}

// newEntity returns an entity without values. It copies names, because those in frames refer to whole answers.
func newEntity(k key, s *seriesTable) *entity {
	k.part, k.sub = strings.Clone(k.part), strings.Clone(k.sub)
	e := &entity{key: k, table: s}
	e.label()
	return e
}

// label formats the labels.
func (e *entity) label() {
	pairs := make([]string, 0, 2*len(e.labelling.names))
	for i, name := range e.labelling.names {
		pairs = append(pairs, name, e.labelling.from[i](e))
	}
	e.labels = exposition.NewLabels(pairs...)
}

// compare orders entities like Prometheus's library: by the number of labels, and then by their values.
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

// newest returns the time of the newest sample of any origin.
func (e *entity) newest() (last int64) {
	for at := range e.data {
		last = max(last, e.data[at].last)
	}
	return last
}

// take stores a row. Sums of a sample that does not count are not shown. It reports whether there were values, and an impossible one.
func (e *entity) take(row *esxtop.Row, s sample, counts bool) (valued, odd bool) {
	f, columns := &e.data[s.at], e.table.columns[s.at]
	f.last, f.arrived = s.time, s.arrived
	if f.values == nil {
		f.values = e.table.newValues(s.at)
	}
	f.shown = 0
	seconds := s.interval.Seconds()
	for i := range columns {
		c := &columns[i]
		shown := math.NaN()
		if v, present := row.Value(c.metric); present {
			valued = true
			switch v *= c.scale; {
			case c.sum == 0:
				shown = v
			case !counts:
				shown = math.NaN()
			case c.add(f.values, v, seconds):
				shown = f.values[c.sum]
			default:
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
	return valued, odd
}

// add adds a value to a sum, which never decreases. It returns false for impossible values.
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
	expected   bool   // to have samples, by the last Expect
	host       string // of VMs: where it is registered
	from       int64  // the samples up to then are of no concern; 0: all count
	listed     uint64 // the turn of the last Expect that listed it
	entities   []*entity
	last       [origins]int64 // times of its newest samples
	arrived    [origins]int64 // of the newest ones with values
	clocks     [origins]hostClock
	frame      uint64 // that it was last in
	isNew      bool   // its sample in that frame
	valued     bool   // there was a value in that
	empty      int    // how many samples without values it may still have before its first value: of VMs that start
	backSince  int64  // since when it has samples without a long break
	account    account
	trouble    trouble // of hosts
}

// title returns the name, or the id if there is none.
func (o *owner) title() string { return cmp.Or(o.name, o.moid) }

// performance returns the time of the newest sample of the PerformanceManager; 0: there was none. Only its samples have
// slots.
func (o *owner) performance() int64 { return o.last[originOf(esxtop.Performance)] }

func (o *owner) newest() int64 { return max(o.last[0], o.last[1]) }

// hostClock compares the clock by which an owner's samples are timed with their arrival.
type hostClock struct {
	ahead  int64 // of the arrival, at most: of the sample that came soonest
	known  bool
	counts bool  // the last sample does: its time was not counted before
	newest int64 // time that is counted
	// A time that the clock skipped, when it was set ahead, counts if it comes after all, when the clock is set back.
	skippedFrom, skippedTo int64
}

// trouble is a host's problem: the turn in which it was last reported, and its reason.
type trouble struct {
	turn   uint64
	reason string
	down   uint64 // the last turn in which it was known to be disconnected
}

// labelling is the labels of a kind of entity, sorted by name.
type labelling struct {
	names []string
	from  []func(*entity) string // returns the value of each
}
