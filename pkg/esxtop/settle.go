package esxtop

import "math"

// Settle is for who makes frames of counters: it takes away the zeros that say that there is no figure, and adds the figures
// that follow from others. All rows have to be there.
func (f *Frame) Settle() {
	f.complete()
	f.dropMeansOfNothing() // also those that were reckoned
	f.sumDisks()
	f.sumUp()
}

// dropMeansOfNothing takes away the 0 that stands for a mean of no operations. One of 0 with operations is a quick one, and
// one that is not 0 stays: rates are rounded, so that few operations look like none. Where nobody counted the operations a 0
// is taken for none.
func (f *Frame) dropMeansOfNothing() {
	for o := range objects {
		for i := range f.tables[o] {
			r := &f.tables[o][i]
			for _, m := range catalogue.means[o] {
				if m.counts == nil || r.none(m.counts) {
					r.dropZero(m)
				}
			}
		}
	}
}

// sumDisks gives VMs the sums of what their disks do, and the means by operation.
func (f *Frame) sumDisks() {
	disks := make([][]*Row, len(f.tables[DiskVM]))
	for i := range f.tables[VDisk] {
		if r := &f.tables[VDisk][i]; r.Parent >= 0 && r.Parent < len(disks) {
			disks[r.Parent] = append(disks[r.Parent], r)
		}
	}
	for _, m := range catalogue.of[DiskVM] {
		for i := range disks {
			switch vm := &f.tables[DiskVM][i]; {
			case len(disks[i]) == 0 || !math.IsNaN(vm.at(m)):
			case m.Kind == Rate:
				vm.Set(m, sumOver(disks[i], m))
			case m.Kind == Mean:
				vm.Set(m, meanOver(disks[i], m))
			}
		}
	}
}

// sumOver is there when all rows have the figure.
func sumOver(rows []*Row, m *Metric) (sum float64) {
	for _, r := range rows {
		sum += r.at(m)
	}
	return sum
}

// meanOver is of all operations of the rows; NaN where there were none.
func meanOver(rows []*Row, m *Metric) float64 {
	total, operations := 0.0, 0.0
	for _, r := range rows {
		if each, n := r.at(m), r.at(m.counts); !math.IsNaN(each * n) {
			total, operations = total+each*n, operations+n
		}
	}
	return ratio(total, operations)
}

// sumUp gives the host what its other rows tell: how busy its CPUs are when all say so, the number of its VMs, and that of
// their vCPUs when all are known.
func (f *Frame) sumUp() {
	if len(f.tables[Host]) == 0 {
		return
	}
	host := &f.tables[Host][0]
	used, cpus := 0.0, f.tables[PCPU]
	for i := range cpus {
		used += cpus[i].at(catalogue.byID["pcpu.used"])
	}
	host.fill("pcpu.usedAvg", ratio(used, float64(len(cpus))))
	if !f.Has(Group) {
		return
	}
	vms, vcpus := 0, 0.0
	for i := range f.tables[Group] {
		switch r := &f.tables[Group][i]; {
		case !r.VM:
		case r.VCPUs == 0: // not known
			vms, vcpus = vms+1, math.NaN()
		default:
			vms, vcpus = vms+1, vcpus+float64(r.VCPUs)
		}
	}
	host.fill("host.vms", float64(vms))
	host.fill("host.vcpus", vcpus)
}

// fill gives a row a figure that it does not have.
func (r *Row) fill(id string, v float64) {
	if m := catalogue.byID[id]; math.IsNaN(r.at(m)) {
		r.Set(m, v)
	}
}
