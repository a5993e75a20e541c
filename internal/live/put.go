package live

import (
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// Put stores the measurements in the objects of a server: hosts and VMs, and their NICs, LUNs and virtual disks if
// these lists are known. A metric without samples means that there was nothing to measure; a missing metric was not
// available. Put releases samples while it creates facts from them, because a large capture does not fit in memory
// twice; frames that are added afterwards begin a new measurement.
func (w *Window) Put(v *inventory.VCenter) {
	w.done = true
	v.LiveFrom, v.LiveTo = w.span()
	p := putState{Window: w, plans: map[*line]*plan{}, steady: map[steady]*inventory.Track{}}
	oneNode := map[string]bool{}
	for _, h := range v.Hosts {
		h.Live = p.live(key{inventory.ScopeHost, h.ID, ""})
		each(h.PNICs, func(n *inventory.PNIC) { n.Live = p.live(key{inventory.ScopePNIC, h.ID, n.Device}) })
		each(h.LUNs, func(l *inventory.LUN) { l.Live = p.live(key{inventory.ScopeLUN, h.ID, l.Device}) })
		nodes, known := h.NUMANodes.Value()
		oneNode[h.ID] = known && len(nodes) < 2
	}
	for _, vm := range v.VMs {
		vm.Live = p.live(key{inventory.ScopeVM, vm.ID, ""})
		host, _ := vm.HostID.Value()
		vm.NUMAHomes = w.homes.of(vm.ID, host)
		if oneNode[host] {
			w.forgetNodes(vm)
		}
		each(vm.Disks, func(d *inventory.VDisk) {
			if at, ok := d.Address.Value(); ok {
				d.Live = p.live(key{inventory.ScopeVDisk, vm.ID, at})
			}
		})
	}
}

func each[T any](list inventory.Fact[[]*T], do func(*T)) {
	all, _ := list.Value()
	for _, x := range all {
		do(x)
	}
}

// putState is the state of Put.
type putState struct {
	*Window
	plans   map[*line]*plan
	steady  map[steady]*inventory.Track
	scratch []float32
}

// live returns the measurements of an object.
func (p *putState) live(k key) map[string]inventory.Series {
	o := p.objects[k]
	if o == nil {
		return nil
	}
	if o.series != nil {
		o.live, o.series = p.facts(k.scope, o), nil
	}
	return o.live
}

func (p *putState) facts(scope inventory.Scope, o *object) map[string]inventory.Series {
	if p.plans[o.line] == nil {
		p.plans[o.line] = o.line.plan()
	}
	there := 0
	for i := range o.series {
		if o.series[i].there() {
			there++
		}
	}
	if there == 0 {
		return nil
	}
	all := make(map[string]inventory.Series, there) // exact: a map for more has twice the size
	for i, m := range p.of[scope] {
		if s := &o.series[i]; s.there() {
			all[m.name] = p.series(s, p.plans[o.line], m.below)
		}
	}
	return all
}

// span returns the time from the beginning of the first frame's interval to the end of the last frame, over all hosts;
// zero without frames.
func (w *Window) span() (from, to time.Time) {
	for _, l := range w.lines {
		for _, t := range l.times {
			if begin := t.Add(-l.interval); from.IsZero() || begin.Before(from) {
				from = begin
			}
			if t.After(to) {
				to = t
			}
		}
	}
	return from, to
}

// forgetNodes removes figures on NUMA nodes if the inventory says that the host has one node.
func (w *Window) forgetNodes(vm *inventory.VM) {
	for _, m := range w.of[inventory.ScopeVM] {
		if m.numa && vm.Live != nil {
			vm.Live[m.name] = inventory.Series{Below: m.below}
		}
	}
	if _, known := vm.NUMAHomes.Value(); known {
		vm.NUMAHomes = inventory.Absent[[]inventory.NUMAHome]()
	}
}

// steady is a constant series. Equal ones share their samples.
type steady struct {
	plan    *plan
	from, n int32
	value   float32
}

// series summarizes samples: the median, the 95th percentile, the worst value, and its time.
func (p *putState) series(s *samples, on *plan, below bool) inventory.Series {
	switch {
	case s.n == 0:
		return inventory.Series{Below: below}
	case s.values == nil:
		v := rounded(float64(s.same))
		return inventory.Series{
			Median: v, P95: v, Worst: v, Mean: v, Samples: int64(s.n), WorstAt: on.at(int(s.from)), Track: p.same(s, on), Below: below,
		}
	}
	all := p.scratch[:0]
	sum, worst := 0.0, -1
	for i, v := range s.values {
		if v != v { // NaN: no sample
			continue
		}
		all, sum = append(all, v), sum+float64(v)
		if worst < 0 || v > s.values[worst] && !below || v < s.values[worst] && below {
			worst = i
		}
	}
	p.scratch = all
	return inventory.Series{
		Median: rounded(percentile(all, 50, below)), P95: rounded(percentile(all, 95, below)), Worst: rounded(float64(s.values[worst])),
		Mean: rounded(sum / float64(len(all))), Samples: int64(len(all)),
		WorstAt: on.at(int(s.from) + worst), Track: track(s, on), Below: below,
	}
}

// same returns the track of a constant series.
func (p *putState) same(s *samples, on *plan) *inventory.Track {
	k := steady{on, s.from, s.n, s.same}
	if p.steady[k] == nil {
		spread := *s
		spread.spread(0)
		p.steady[k] = track(&spread, on)
	}
	return p.steady[k]
}
