package perf

import (
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// source holds the counters of an entity, and since when it has samples.
type source struct {
	readings []reading
	has      func(slot int64) bool
	loads    *load.Model
}

// source returns an entity's counters, only those in asked unless it is empty. For objects other than hosts and VMs it is empty.
// Real-time samples of a VM are stored on its host, so they start when it arrived there; historical ones are stored in the
// vCenter.
func (p *Manager) source(ref types.ManagedObjectReference, interval int32, asked []types.PerfMetricId) source {
	wanted := func(id int32) bool {
		return len(asked) == 0 || slices.ContainsFunc(asked, func(m types.PerfMetricId) bool { return m.CounterId == id })
	}
	switch ref.Type {
	case "HostSystem":
		return p.hostSource(ref, interval, wanted)
	case "VirtualMachine":
		return p.vmSource(ref, interval, wanted)
	}
	return source{}
}

func (p *Manager) hostSource(ref types.ManagedObjectReference, interval int32, wanted func(id int32) bool) (s source) {
	s.loads = p.loads
	settings, began := p.loads.History.OnHost(ref.Value)
	if settings == nil {
		return s
	}
	s.has = func(slot int64) bool { return !load.SlotStart(slot).Before(began) || interval != Interval }
	of := once(func(slot int64) *hostSample {
		return &hostSample{p.loads.Host(ref.Value, slot), p.loads, ref.Value, slot}
	})
	for i, c := range perfCounters {
		if c.host == nil || !wanted(p.ids[i]) {
			continue
		}
		for n, name := range c.hostInstances.names(settings) {
			s.add(p.ids[i], c, name, func(slot int64) int64 { return c.host(of(slot), n) }, settings.Stream)
		}
	}
	return s
}

func (p *Manager) vmSource(ref types.ManagedObjectReference, interval int32, wanted func(id int32) bool) (s source) {
	s.loads = p.loads
	list := p.loads.History.OfVM(ref.Value)
	if len(list) == 0 {
		return s
	}
	last := list[len(list)-1]
	if interval == Interval {
		if !last.To.IsZero() {
			return s
		}
		list = slices.DeleteFunc(list, func(one *load.Residency) bool { return one.Place != last.Place })
	}
	s.has = func(slot int64) bool { return during(list, slot) != nil }
	of := once(func(slot int64) *vmSample {
		one := during(list, slot)
		if one == nil {
			return nil
		}
		return &vmSample{p.loads.VM(one, slot), one, slot}
	})
	for i, c := range perfCounters {
		if c.vm == nil || !wanted(p.ids[i]) {
			continue
		}
		for n, name := range c.vmInstances.names(last.Settings) {
			s.add(p.ids[i], c, name, func(slot int64) int64 {
				if f := of(slot); f != nil {
					return c.vm(f, n)
				}
				return NoSample
			}, last.Stream)
		}
	}
	return s
}

func (s *source) add(id int32, c *perfCounter, instance string, at func(slot int64) int64, of load.Stream) {
	s.readings = append(s.readings, reading{types.PerfMetricId{CounterId: id, Instance: instance}, c, at, of, s.loads})
}

// once caches the result of work for a slot.
func once[T any](work func(slot int64) T) func(slot int64) T {
	known := map[int64]T{}
	return func(slot int64) T {
		v, ok := known[slot]
		if !ok {
			v = work(slot)
			known[slot] = v
		}
		return v
	}
}

func during(list []*load.Residency, slot int64) *load.Residency {
	for _, s := range list {
		if s.Covers(slot) {
			return s
		}
	}
	return nil
}
