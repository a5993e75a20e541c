package esxtop

import "math"

// Settle completes a frame made of counters: it removes zeros that mean that there is no figure, and adds derived
// figures. All rows have to be there.
func (f *Frame) Settle() {
	f.complete()
	f.dropMeansOfNothing() // also computed ones
	f.sumDisks()
	f.sumUp()
}

// dropMeansOfNothing removes the 0 of a mean without operations. A mean of 0 with operations remains, because it is a
// fast one; so does a mean other than 0, because rates are rounded and few operations look like none. If the operations
// were not counted, a 0 is removed.
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

// sumDisks sets the sums of VMs' disks, and the means per operation.
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

// sumOver returns the sum if all rows have the figure.
func sumOver(rows []*Row, m *Metric) (sum float64) {
	for _, r := range rows {
		sum += r.at(m)
	}
	return sum
}

// meanOver returns the mean over all operations of the rows; NaN if there were none.
func meanOver(rows []*Row, m *Metric) float64 {
	total, operations := 0.0, 0.0
	for _, r := range rows {
		if each, n := r.at(m), r.at(m.counts); !math.IsNaN(each * n) {
			total, operations = total+each*n, operations+n
		}
	}
	return ratio(total, operations)
}

// sumUp sets the host's figures that follow from its other rows: the use of its CPUs if all are known, the number of
// its VMs, and that of their vCPUs if all are known.
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

// fill sets a figure that is absent.
func (r *Row) fill(id string, v float64) {
	if m := catalogue.byID[id]; math.IsNaN(r.at(m)) {
		r.Set(m, v)
	}
}
