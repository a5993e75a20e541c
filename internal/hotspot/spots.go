// Package hotspot finds the worst instances of each metric in frames, with their value, time and duration.
package hotspot

import (
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Spot is one instance of a metric that was beyond its threshold.
type Spot struct {
	Metric  *esxtop.Metric
	Host    string // as the frames name it
	Object  string // the row's name, after its owner's if it has one
	MoID    string // of the VM or host; empty if unknown
	Worst   float64
	Mean    float64       // of all samples, also those within the threshold
	At      time.Time     // of the worst
	Samples int           // with a meaningful figure
	Beyond  int           // of them, beyond the threshold
	Longest time.Duration // beyond it without a break
}

// Spots collects hot spots from frames. The zero value is ready to use.
//
// It stores a sum for every row and metric, and the other fields only for those that were beyond their threshold once,
// so that its size does not depend on the duration.
type Spots struct {
	hosts map[string]*host
}

// host is the state of one host.
type host struct {
	tables map[esxtop.Object]*table
	last   time.Time // end of the last frame
	breaks int       // number of interruptions
}

// table is the rows of an object, in the order in which they first appeared.
type table struct {
	rows  []identified
	index map[identity]int
	cells []cell // by row and column
	spots []spot
}

type identity struct{ owner, id string }

// identified is a row that has appeared.
type identified struct {
	identity

	name, moID string
}

// cell is the state of every row and metric.
type cell struct {
	sum     float64
	samples uint32
	spot    uint32 // plus one; 0: it was never beyond
}

// spot is the state of those that were beyond their threshold.
type spot struct {
	row, column int
	worst       float64
	at          time.Time
	beyond      int
	run         time.Duration // beyond the threshold without interruption until now
	ended       time.Time     // end of the run so far
	breaks      int           // of the host, when the run began
	longest     time.Duration
}

// Add adds a frame. It ignores a frame without an interval, which is the first sample: its figures are of a moment or
// of the time since the host was started.
func (s *Spots) Add(f *esxtop.Frame) {
	if f.Interval <= 0 {
		return
	}
	h := s.host(f.Host)
	if f.Time.Add(-f.Interval).After(h.last.Add(f.Interval / 2)) { // clocks of captures have whole seconds
		h.breaks++
	}
	for _, o := range watched {
		if rows := f.Rows(o); len(rows) > 0 {
			h.table(o).add(f, h, columns[o], rows)
		}
	}
	h.last = f.Time
}

func (s *Spots) host(name string) *host {
	if h := s.hosts[name]; h != nil {
		return h
	}
	if s.hosts == nil {
		s.hosts = map[string]*host{}
	}
	h := &host{tables: map[esxtop.Object]*table{}}
	s.hosts[strings.Clone(name)] = h
	return h
}

func (h *host) table(o esxtop.Object) *table {
	t := h.tables[o]
	if t == nil {
		t = &table{index: map[identity]int{}}
		h.tables[o] = t
	}
	return t
}

func (t *table) add(f *esxtop.Frame, h *host, of []column, rows []esxtop.Row) {
	next := 0
	for i := range rows {
		r, at := &rows[i], -1
		for c := range of {
			v, ok := of[c].judged(r)
			if !ok {
				continue
			}
			if at < 0 {
				at = t.find(f, r, next, len(of))
				next = at + 1
			}
			t.sample(f, h, &of[c], at, c, len(of), v)
		}
	}
}

// find returns the index of a row, which usually follows that of the previous row.
func (t *table) find(f *esxtop.Frame, r *esxtop.Row, guess, width int) int {
	id := identity{ownerID(f, r), r.ID}
	if guess < len(t.rows) && t.rows[guess].identity == id {
		return guess
	}
	at, ok := t.index[id]
	if !ok {
		at = len(t.rows)
		id = identity{strings.Clone(id.owner), strings.Clone(id.id)} // frames of a server share their memory
		t.rows = append(t.rows, identified{id, nameOf(f, r), strings.Clone(moID(f, r))})
		t.index[id] = at
		t.cells = append(t.cells, make([]cell, width)...)
	}
	return at
}

func (t *table) sample(f *esxtop.Frame, h *host, c *column, row, col, width int, v float64) {
	kept := &t.cells[row*width+col]
	kept.sum += v
	kept.samples++
	if c.metric.Threshold.Level(v) == esxtop.Unremarkable {
		return
	}
	if kept.spot == 0 {
		t.spots = append(t.spots, spot{row: row, column: col, worst: v, at: f.Time})
		kept.spot = uint32(len(t.spots))
	}
	t.spots[kept.spot-1].take(f, h, c, v)
}

// take adds a sample beyond the threshold. It continues the run if the previous sample was beyond it too.
func (s *spot) take(f *esxtop.Frame, h *host, c *column, v float64) {
	s.beyond++
	if v > s.worst && !c.metric.Threshold.Below || v < s.worst && c.metric.Threshold.Below {
		s.worst, s.at = v, f.Time
	}
	if s.breaks != h.breaks || !s.ended.Equal(h.last) {
		s.run = 0
	}
	s.run += f.Interval
	s.ended, s.breaks = f.Time, h.breaks
	s.longest = max(s.longest, s.run)
}
