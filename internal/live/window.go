package live

import (
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// Needs returns the objects needed for all live metrics.
func Needs() esxtop.Objects { return For(nil).Needs() }

// Window is the measurements of one server over a period. The zero Window is empty and measures everything.
type Window struct {
	some    bool           // only the metrics of rows
	rows    esxtop.Objects // the objects to read then
	of      map[inventory.Scope][]measure
	lines   map[string]*line // by host
	objects map[key]*object
	homes   homes
	more    int // about how many frames of a host follow; 0: unknown
	done    bool
}

// object is the measurements of one object, in the order of its scope's measures.
type object struct {
	line   *line     // of its first host
	last   int       // the last slot with a measurement
	series []samples // empty after Put
	live   inventory.Live
}

// For returns a window for these metrics, whatever kind of object has them, and for all other metrics of the same rows;
// nil: all. Rows of hosts and VMs are always included: they show that a measurement took place, and which metrics the
// source does not have.
func For(names []string) *Window {
	w := &Window{some: names != nil}
	for _, m := range measures {
		if slices.Contains(names, m.name) {
			w.rows |= esxtop.ObjectsOf(m.needs...) | esxtop.ObjectsOf(esxtop.Host, esxtop.Group)
		}
	}
	return w
}

// Needs returns the objects needed for the window's metrics.
func (w *Window) Needs() esxtop.Objects {
	var all []esxtop.Object
	for _, m := range measures {
		if w.wants(m) {
			all = append(all, m.needs...)
		}
	}
	return esxtop.ObjectsOf(all...)
}

// Figures returns the figures that the window's metrics are computed from. A source that has to ask for each figure needs no others.
func (w *Window) Figures() *esxtop.MetricSet {
	all := new(esxtop.MetricSet)
	add := func(of []esxtop.Object, figures []*esxtop.Metric) {
		for _, o := range of {
			for _, m := range figures {
				all.AddInputs(o, m)
			}
		}
	}
	add(ofGroups, memoryOfNodes)
	for _, m := range measures {
		if w.wants(m) {
			add(m.needs, m.reads)
		}
	}
	return all
}

func (w *Window) wants(m measure) bool {
	return !w.some || !slices.ContainsFunc(m.needs, func(o esxtop.Object) bool { return !w.rows.Has(o) })
}

// Expect sets about how many frames of each host follow, so that memory is allocated once; 0: unknown.
func (w *Window) Expect(frames int) { w.more = frames }

// Add adds a frame. It ignores a frame without an interval, which has no rates.
func (w *Window) Add(f *esxtop.Frame) {
	if f.Interval > 0 {
		w.add(f)
	}
}

// AddMoment adds a frame without an interval, such as the first one of a capture. Its rates must be removed before, so
// that only present values remain.
func (w *Window) AddMoment(f *esxtop.Frame) { w.add(f) }

func (w *Window) add(f *esxtop.Frame) {
	w.begin()
	l := w.lineOf(f)
	slot := l.tick(f)
	w.homes.take(f, slot)
	eachSubject(f, func(k key, s *subject) {
		if measures := w.of[k.scope]; len(measures) > 0 && k.owner != "" {
			w.take(w.object(k, l), l, slot, measures, s)
		}
	})
}

// begin sorts the measures by scope.
func (w *Window) begin() {
	if w.of != nil && !w.done {
		return
	}
	w.done = false
	w.of, w.lines, w.objects, w.homes = map[inventory.Scope][]measure{}, map[string]*line{}, map[key]*object{}, homes{}
	for _, m := range measures {
		if w.wants(m) {
			w.of[m.scope] = append(w.of[m.scope], m)
		}
	}
	for _, list := range w.of { // the order of inventory.Live
		slices.SortFunc(list, func(a, b measure) int { return strings.Compare(a.name, b.name) })
	}
}

func (w *Window) lineOf(f *esxtop.Frame) *line {
	host := f.MoID
	if host == "" {
		host = f.Host
	}
	if w.lines[host] == nil {
		w.lines[host] = new(line)
	}
	if w.lines[host].interval <= 0 {
		w.lines[host].interval = f.Interval
	}
	return w.lines[host]
}

func (w *Window) object(k key, l *line) *object {
	o := w.objects[k]
	if o == nil {
		o = &object{line: l, last: -1, series: make([]samples, len(w.of[k.scope]))}
		w.objects[k] = o
	}
	return o
}

// take reads the figures of an object in a frame. A VM that moved continues with the slots of its first host.
func (w *Window) take(o *object, l *line, slot int, measures []measure, s *subject) {
	if o.line != l {
		slot = max(o.line.nearest(s.frame.Time), o.last+1)
	}
	o.last = max(o.last, slot)
	for i := range measures {
		switch v, present := measures[i].read(s); present {
		case figure:
			o.series[i].put(slot, float32(v), w.more)
		case notMeasured:
			o.series[i].observed = true
		}
	}
}
