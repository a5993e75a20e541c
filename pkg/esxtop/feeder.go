package esxtop

import "slices"

// Feeder returns the origin that counts if several origins have a metric, so that a sum does not count it twice. It is
// the PerformanceManager for everything that frames of its counters have, and the Esxtop service for the rest.
func (m *Metric) Feeder(o Object) Origin {
	if hasPerformance(m, o) {
		return Performance
	}
	return Service
}

// byPerformance are the objects that frames of the PerformanceManager have.
var byPerformance = ObjectsOf(Host, PCPU, Group, World, Adapter, Path, Device, NFS, DiskVM, VDisk, Port, GPU)

func hasPerformance(m *Metric, o Object) bool {
	if !byPerformance.Has(o) || m.slot[o] == 0 {
		return false
	}
	if m.perfComputed || slices.ContainsFunc(m.Perf, func(p Perf) bool { return p.fills(o) }) {
		return true
	}
	if o == DiskVM && m.slot[VDisk] > 0 && (m.Kind == Rate || m.Kind == Mean) {
		return hasPerformance(m, VDisk) // of which it is the sum
	}
	return len(m.of) > 0 && !slices.ContainsFunc(m.of, func(of *Metric) bool { return !hasPerformance(of, o) })
}

// fills reports whether the counter applies to an object's rows.
func (p Perf) fills(o Object) bool { return p.On == nil || slices.Contains(p.On, o) }

// Has reports whether the source has a metric, according to the catalogue.
func (origin Origin) Has(o Object, m *Metric) bool {
	switch origin {
	case Service:
		return m.Formula.op != opNone
	case Performance:
		return slices.ContainsFunc(m.Perf, func(p Perf) bool { return p.On == nil || slices.Contains(p.On, o) })
	}
	return false
}
