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

// AddInputs puts an object's metric into the set, and the metrics of rows that frames of the PerformanceManager compute it
// from.
func (s *MetricSet) AddInputs(o Object, m *Metric) {
	if m == nil || m.Slot(o) < 0 || s.Has(o, m) {
		return
	}
	s.Add(o, m)
	for _, from := range m.of {
		s.AddInputs(o, from)
	}
	s.AddInputs(o, m.counts)
	switch {
	case o == DiskVM: // sums over disks
		s.AddInputs(VDisk, m)
	case m.ID == "cpu.vmWait":
		s.AddInputs(o, Lookup("cpu.wait"))
		s.AddInputs(o, Lookup("cpu.idle"))
	case m.ID == "pcpu.usedAvg":
		s.AddInputs(PCPU, Lookup("pcpu.used"))
	case m.ID == "host.vms", m.ID == "host.vcpus": // count the rows of VMs
		s.AddInputs(Group, Lookup("cpu.ready"))
	}
}
