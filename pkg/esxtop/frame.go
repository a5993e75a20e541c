package esxtop

import (
	"math"
	"time"
)

// Frame is what one host did during one interval.
type Frame struct {
	Host     string        // as the inventory names it, or as the capture does
	MoID     string        // of the host; empty in captures
	Time     time.Time     // the end of the interval, by the host's own clock
	Interval time.Duration // 0: the first sample, which has gauges only
	Origin   Origin
	tables   [objects][]Row
	has      Objects    // that the source can tell of and was asked for
	tells    *metricSet // what the source has figures of; nil: not known
}

// Origin is where a frame comes from.
type Origin int

// Origins.
const (
	Service     Origin = iota // the Esxtop service of the host
	Performance               // the PerformanceManager
	Capture                   // a batch CSV
)

var origins = [...]string{"Esxtop service", "PerformanceManager", "capture"}

func (o Origin) String() string { return origins[o] }

// Row is one object with its figures.
type Row struct {
	Object Object
	ID     string // unique among the host's rows of the object and the parent, and lasting: a group's GID, a world's id, a device's name
	Name   string // as esxtop shows it
	Parent int    // the row that owns it, in the rows of Object.Parent; -1 where there is none

	VM     bool   // of groups: it is a virtual machine. Of ports and virtual disks: it belongs to one
	MoID   string // of that VM or, of a group, of itself; empty where it is not known
	VCPUs  int    // of a VM's group; 0: not known
	Leader string // of groups and of VMs' ports: the id of the world that leads; empty where none does

	values []float64 // by Metric.slot; NaN is absent
	texts  map[*Metric]string
}

// NewRow is a row in which every figure is absent.
func NewRow(o Object, id, name string) Row {
	r := Row{Object: o, ID: id, Name: name, Parent: -1, values: make([]float64, len(catalogue.of[o]))}
	for i := range r.values {
		r.values[i] = math.NaN()
	}
	return r
}

// Value is a figure of the row. It is absent where the source does not tell, where it takes two samples and there was one,
// and where it would be a mean of nothing.
func (r *Row) Value(m *Metric) (float64, bool) {
	i := m.slot[r.Object] - 1
	if i < 0 || i >= len(r.values) || math.IsNaN(r.values[i]) {
		return 0, false
	}
	return r.values[i], true
}

// Set gives the row a figure. NaN takes it away.
func (r *Row) Set(m *Metric, v float64) {
	if i := m.slot[r.Object] - 1; i >= 0 {
		r.values[i] = v
	}
}

// Text is a figure that is words.
func (r *Row) Text(m *Metric) (string, bool) {
	s, ok := r.texts[m]
	return s, ok
}

// SetText gives the row words.
func (r *Row) SetText(m *Metric, s string) {
	if r.texts == nil {
		r.texts = map[*Metric]string{}
	}
	r.texts[m] = s
}

// Rows are the frame's rows of an object, in the host's order. They are the frame's own.
func (f *Frame) Rows(o Object) []Row { return f.tables[o] }

// Has reports whether the frame tells of an object at all: no rows may mean that the host has none, or that nobody asked.
func (f *Frame) Has(o Object) bool { return f.has.Has(o) }

// Put gives the frame the rows of an object.
func (f *Frame) Put(o Object, rows []Row) {
	f.tables[o] = rows
	f.has |= 1 << o
}

// Of is a figure of the host itself.
func (f *Frame) Of(m *Metric) (float64, bool) {
	if rows := f.tables[Host]; len(rows) > 0 {
		return rows[0].Value(m)
	}
	return 0, false
}
