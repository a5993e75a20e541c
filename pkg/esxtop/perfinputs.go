package esxtop

// PerfInputs returns the metrics whose counters of the PerformanceManager are read for this one: itself, or the metrics
// that it is computed from, and the one that counts its operations. None: the PerformanceManager does not have it.
func (m *Metric) PerfInputs() []*Metric {
	var list []*Metric
	switch {
	case len(m.Perf) > 0:
		list = append(list, m)
	default:
		for _, from := range m.of {
			list = append(list, from.PerfInputs()...)
		}
	}
	if m.counts != nil && len(list) > 0 && m.counts != m {
		list = append(list, m.counts.PerfInputs()...)
	}
	return list
}
