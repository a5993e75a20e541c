package esxtop

import (
	"math"
	"time"
)

// Frame is the activity of one host during one interval.
type Frame struct {
	Host     string        // as the inventory names it, or as the capture does
	MoID     string        // of the host; empty in captures
	Time     time.Time     // the end of the interval, by the host's own clock
	Interval time.Duration // 0: the first sample, which has gauges only
	// Age is how much newer the newest sample of the host was when this one was read; 0: this one is the newest.
	Age     time.Duration
	Origin  Origin
	Figures *MetricSet // the figures that the source has; nil: unknown
	tables  [objects][]Row
	has     Objects // objects that the source has and that were requested
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

	VM     bool   // of groups: it is a virtual machine. Of worlds, ports and virtual disks: it belongs to one
	MoID   string // of that VM or, of a group, of itself; empty where it is not known
	VCPUs  int    // of a VM's group; 0: not known
	Leader string // of groups and of VMs' ports: the id of the world that leads; empty where none does

	values []float64 // by Metric.slot; NaN is absent. Of a Text it is the place in texts
	texts  []string
}

// MetricSet is a set of metrics of objects.
type MetricSet [objects][]bool

// Has reports whether an object's metric is in the set; a nil set has none.
func (s *MetricSet) Has(o Object, m *Metric) bool {
	i := m.Slot(o)
	return s != nil && i >= 0 && i < len(s[o]) && s[o][i]
}

// Add puts an object's metric into the set.
func (s *MetricSet) Add(o Object, m *Metric) {
	if s[o] == nil {
		s[o] = make([]bool, len(catalogue.of[o]))
	}
	s[o][m.Slot(o)] = true
}

// Slot is where rows of an object keep the metric; -1 where they do not have it.
func (m *Metric) Slot(o Object) int { return m.slot[o] - 1 }

// Width returns how many figures a row of an object has.
func (o Object) Width() int { return len(catalogue.of[o]) }

// Keep makes a row store its figures in values, by Metric.Slot. It must have length Width.
func (r *Row) Keep(values []float64) { r.values = values }

// NewRow returns a row whose figures are all absent.
func NewRow(o Object, id, name string) Row {
	r := NewRows(o, 1)[0]
	r.ID, r.Name = id, name
	return r
}

// NewRows returns rows without names, whose figures share memory: a large host has thousands of rows per frame.
func NewRows(o Object, n int) []Row {
	width := len(catalogue.of[o])
	values := make([]float64, n*width)
	for i := range values {
		values[i] = math.NaN()
	}
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = Row{Object: o, Parent: -1, values: values[i*width : (i+1)*width : (i+1)*width]}
	}
	return rows
}

// Value returns a figure of the row. It is absent if the source does not have it, if it needs two samples and there was
// one, and if it would be a mean of no operations.
func (r *Row) Value(m *Metric) (float64, bool) {
	if m.Kind == Text {
		return 0, false
	}
	v := r.at(m)
	if math.IsNaN(v) {
		return 0, false
	}
	return v, true
}

// at returns the stored value of a metric; NaN if there is none.
func (r *Row) at(m *Metric) float64 {
	if i := m.slot[r.Object] - 1; i >= 0 && i < len(r.values) {
		return r.values[i]
	}
	return math.NaN()
}

// Set sets a figure of the row. NaN removes it.
func (r *Row) Set(m *Metric, v float64) {
	if i := m.slot[r.Object] - 1; i >= 0 && m.Kind != Text {
		r.values[i] = v
	}
}

// Text returns a figure of kind Text.
func (r *Row) Text(m *Metric) (string, bool) {
	if v := r.at(m); m.Kind == Text && !math.IsNaN(v) {
		return r.texts[int(v)], true
	}
	return "", false
}

// SetText sets a figure of kind Text.
func (r *Row) SetText(m *Metric, s string) {
	i := m.slot[r.Object] - 1
	switch {
	case i < 0 || m.Kind != Text:
	case math.IsNaN(r.values[i]):
		r.values[i] = float64(len(r.texts))
		r.texts = append(r.texts, s)
	default:
		r.texts[int(r.values[i])] = s
	}
}

// Rows returns the frame's rows of an object, in the host's order. The slice belongs to the frame.
func (f *Frame) Rows(o Object) []Row { return f.tables[o] }

// Has reports whether the frame has data about an object: without rows, the host may have none, or the object was not
// requested.
func (f *Frame) Has(o Object) bool { return f.has.Has(o) }

// Put sets the rows of an object.
func (f *Frame) Put(o Object, rows []Row) {
	f.tables[o] = rows
	f.has |= 1 << o
}

// Owner returns the row that owns another; nil if there is none.
func (f *Frame) Owner(r *Row) *Row {
	rows := f.tables[r.Object.Parent()]
	if r.Object.Parent() == r.Object || r.Parent < 0 || r.Parent >= len(rows) {
		return nil
	}
	return &rows[r.Parent]
}

// Of returns a figure of the host itself.
func (f *Frame) Of(m *Metric) (float64, bool) {
	if rows := f.tables[Host]; len(rows) > 0 {
		return rows[0].Value(m)
	}
	return 0, false
}
