package esxtop

import (
	"slices"
	"strings"
)

// memoryOnNodes are figures of a group that are missing if all of them are 0.
var memoryOnNodes = []*Metric{Lookup("numa.local"), Lookup("numa.remote"), Lookup("numa.localMemory")}

// Takes lists the metrics without which a metric has no meaning.
func (m *Metric) Takes() []*Metric {
	list := slices.Clone(m.of)
	for _, other := range m.of {
		list = append(list, other.Takes()...)
	}
	if m.counts != nil {
		list = append(list, m.counts)
	}
	for _, together := range [][]*Metric{catalogue.link, memoryOnNodes} {
		if slices.Contains(together, m) {
			list = append(list, together...)
		}
	}
	return list
}

// SettleCapture is Settle for rows of a capture, or of its first sample. They have zeros for missing figures, and no
// sums: the columns of a file are fixed.
func (f *Frame) SettleCapture(first bool) {
	f.dropFileZeros(first)
	f.dropMeansOfNothing()
	f.complete()
}

// dropFileZeros removes the zeros that esxtop writes for missing figures, and other sources do not.
func (f *Frame) dropFileZeros(first bool) {
	if first {
		f.dropDisks()
	}
	for i := range f.tables[Group] {
		if r := &f.tables[Group][i]; allNone(r, memoryOnNodes) { // near none of it
			r.dropZero(memoryOnNodes[0])
		}
	}
	for i := range f.tables[Port] {
		r := &f.tables[Port][i]
		isNIC := strings.HasPrefix(r.Name, "vmnic") || strings.HasPrefix(r.Name, "vusb")
		if !isNIC && allNone(r, catalogue.link) { // only a NIC's port has a link
			for _, m := range catalogue.link {
				r.dropZero(m)
			}
		}
	}
}

func allNone(r *Row, list []*Metric) bool {
	return !slices.ContainsFunc(list, func(m *Metric) bool { return !r.none(m) })
}

var diskObjects = ObjectsOf(Adapter, Path, Device, DeviceWorld, Partition, NFS, DiskVM, VDisk)

// dropDisks removes the disk figures of a file's first sample, which esxtop always writes as 0.
func (f *Frame) dropDisks() {
	visit := func(do func(r *Row, m *Metric) bool) bool {
		for o := range objects {
			if !diskObjects.Has(o) {
				continue
			}
			for i := range f.tables[o] {
				for _, m := range catalogue.of[o] {
					if (m.Kind == Rate || m.Kind == Mean) && !do(&f.tables[o][i], m) {
						return false
					}
				}
			}
		}
		return true
	}
	if visit((*Row).none) {
		visit(func(r *Row, m *Metric) bool { r.dropZero(m); return true })
	}
}
