package live

import (
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// Needs are the objects that all live metrics are made of.
func Needs() esxtop.Objects { return For(nil).Needs() }

// Window is what was measured on one server for a while. It begins empty; the zero Window measures all there is.
type Window struct {
	some    bool           // not all metrics, but those of rows
	rows    esxtop.Objects // that are read then
	of      map[inventory.Scope][]measure
	lines   map[string]*line // by host
	objects map[key]*object
	homes   homes
	more    int // frames of a host that are to come, about; 0: nobody knows
	done    bool
}

// object is what was measured of one, in the order of its scope's measures.
type object struct {
	line   *line     // of the host that it was on first
	last   int       // slot that something was measured in
	series []samples // none once they were put
	live   map[string]inventory.Series
}

// For is a window of these metrics, whatever kind of object has them, and of what else the same rows tell; nil: all. Rows of
// hosts and VMs are always among them: by these it is known that somebody measured, and what the source does not have.
func For(names []string) *Window {
	w := &Window{some: names != nil}
	for _, m := range measures {
		if slices.Contains(names, m.name) {
			w.rows |= esxtop.ObjectsOf(m.needs...) | esxtop.ObjectsOf(esxtop.Host, esxtop.Group)
		}
	}
	return w
}

// Needs are the objects that the window's metrics are made of.
func (w *Window) Needs() esxtop.Objects {
	var all []esxtop.Object
	for _, m := range measures {
		if w.wants(m) {
			all = append(all, m.needs...)
		}
	}
	return esxtop.ObjectsOf(all...)
}

func (w *Window) wants(m measure) bool {
	return !w.some || !slices.ContainsFunc(m.needs, func(o esxtop.Object) bool { return !w.rows.Has(o) })
}

// Expect says about how many frames of each host are to come, so that memory is taken once and not again and again; 0: nobody
// knows.
func (w *Window) Expect(frames int) { w.more = frames }

// Add takes a frame. One without an interval has no rates, and is left out.
func (w *Window) Add(f *esxtop.Frame) {
	if f.Interval > 0 {
		w.add(f)
	}
}

// AddMoment takes a frame without an interval, as the first one of a capture is. Its rates have to be taken away before: what is
// left is so at the moment.
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

// begin sorts the measures by what they are of.
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

// take reads what a frame tells of an object. A VM that moved goes on with the slots of the host where it was first.
func (w *Window) take(o *object, l *line, slot int, measures []measure, s *subject) {
	if o.line != l {
		slot = max(o.line.nearest(s.frame.Time), o.last+1)
	}
	o.last = max(o.last, slot)
	for i := range measures {
		switch v, told := measures[i].read(s); told {
		case figure:
			o.series[i].put(slot, float32(v), w.more)
		case nothing:
			o.series[i].looked = true
		}
	}
}
