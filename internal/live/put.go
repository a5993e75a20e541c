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
	p := putState{Window: w, plans: map[*line]*plan{}, steady: map[steady]*inventory.Series{}}
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
	steady  map[steady]*inventory.Series
	scratch []float32
}

// live returns the measurements of an object.
func (p *putState) live(k key) inventory.Live {
	o := p.objects[k]
	if o == nil {
		return nil
	}
	if o.series != nil {
		o.live, o.series = p.facts(k.scope, o), nil
	}
	return o.live
}

func (p *putState) facts(scope inventory.Scope, o *object) inventory.Live {
	if p.plans[o.line] == nil {
		p.plans[o.line] = o.line.plan()
	}
	there, varied := 0, 0
	for i := range o.series {
		if o.series[i].there() {
			there++
		}
		if o.series[i].values != nil {
			varied++
		}
	}
	if there == 0 {
		return nil
	}
	all, room := make(inventory.Live, 0, there), newRoom(varied, p.plans[o.line])
	for i, m := range p.of[scope] {
		if s := &o.series[i]; s.there() {
			all = append(all, inventory.LiveCounter{Name: m.name, Series: p.series(s, p.plans[o.line], m.below, room)})
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
			vm.Live.Set(m.name, inventory.Series{Below: m.below})
		}
	}
	if _, known := vm.NUMAHomes.Value(); known {
		vm.NUMAHomes = inventory.Absent[[]inventory.NUMAHome]()
	}
}
