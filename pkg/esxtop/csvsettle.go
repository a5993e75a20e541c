package esxtop

import (
	"math"
	"strings"
)

// settling turns what esxtop writes where there is no figure, which is 0, into no figure, and adds the figures that are made
// of others.

// operations are by mean what counts the operations that it is a mean of.
var operations = map[string]string{
	"int.time": "int.count", "net.sizeTx": "net.packetsTx", "net.sizeRx": "net.packetsRx",
	"net.droppedTx": "net.packetsTx", "net.droppedRx": "net.packetsRx",
	"nfs.readLatency": "nfs.reads", "nfs.writeLatency": "nfs.writes",
	"vdisk.readLatency": "vdisk.reads", "vdisk.writeLatency": "vdisk.writes",
	"disk.deviceLatency": "disk.commands", "disk.kernelLatency": "disk.commands",
	"disk.guestLatency": "disk.commands", "disk.queueLatency": "disk.commands",
	"disk.deviceReadLatency": "disk.reads", "disk.kernelReadLatency": "disk.reads",
	"disk.guestReadLatency": "disk.reads", "disk.queueReadLatency": "disk.reads",
	"disk.deviceWriteLatency": "disk.writes", "disk.kernelWriteLatency": "disk.writes",
	"disk.guestWriteLatency": "disk.writes", "disk.queueWriteLatency": "disk.writes",
}

// perVCPU are by figure of a vCPU the group's.
var perVCPU = map[string]string{
	"cpu.usedPerVCPU": "cpu.used", "cpu.readyPerVCPU": "cpu.ready", "cpu.costopPerVCPU": "cpu.costop",
	"cpu.maxLimitedPerVCPU": "cpu.maxLimited", "cpu.swapWaitPerVCPU": "cpu.swapWait", "cpu.vmWaitPerVCPU": "cpu.vmWait",
	"cpu.latencyPerVCPU": "cpu.latency",
}

// takes lists what a metric cannot be told without.
func takes(m *Metric) []string {
	switch m.ID {
	case "cpu.contentionPerVCPU":
		return []string{"cpu.ready", "cpu.maxLimited"}
	case "numa.local":
		return []string{"numa.remote", "numa.localMemory"}
	case "net.linkUp", "net.linkSpeed", "net.fullDuplex":
		return linkFigures
	}
	if ops := operations[m.ID]; ops != "" {
		return []string{ops}
	}
	if whole := perVCPU[m.ID]; whole != "" {
		return []string{whole}
	}
	return nil
}

var linkFigures = []string{"net.linkUp", "net.linkSpeed", "net.fullDuplex"}

// idle are by object the means, each with what counts its operations, or nil.
var idle = func() (pairs [objects][][2]*Metric) {
	for o := range objects {
		for _, m := range catalogue.of[o] {
			if m.Kind == Mean {
				pairs[o] = append(pairs[o], [2]*Metric{m, catalogue.byID[operations[m.ID]]})
			}
		}
	}
	return pairs
}()

var diskObjects = ObjectsOf(Adapter, Path, Device, DeviceWorld, Partition, NFS, DiskVM, VDisk)

// settle does it for a frame.
func settle(f *Frame, first bool) {
	if first {
		dropDisks(f)
	}
	for o := range objects {
		for i := range f.tables[o] {
			r := &f.tables[o][i]
			for _, pair := range idle[o] {
				// A mean of 0 with operations is a quick one. Where nobody counted them it is taken for none.
				if isZero(r, pair[0]) && (pair[1] == nil || r.none(pair[1])) {
					r.Set(pair[0], math.NaN())
				}
			}
			switch o {
			case Host:
				r.zeroIsNone("power.usage", "power.cap")
			case Group:
				settleGroup(r)
			case Port:
				settlePort(r)
			}
		}
	}
}

// dropDisks takes away what the first sample of a file says of disks, which esxtop writes as 0 whatever they do.
func dropDisks(f *Frame) {
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
		visit(func(r *Row, m *Metric) bool { r.Set(m, math.NaN()); return true })
	}
}

// settleGroup knows that a group without memory on any node is near none of it, and what there is of each vCPU.
func settleGroup(r *Row) {
	r.zeroIsNone("numa.homeNodes")
	if isZero(r, catalogue.byID["numa.local"]) && r.none(catalogue.byID["numa.remote"]) && r.none(catalogue.byID["numa.localMemory"]) {
		r.Set(catalogue.byID["numa.local"], math.NaN())
	}
	if r.VCPUs == 0 {
		return
	}
	n := float64(r.VCPUs)
	for each, whole := range perVCPU {
		if v, ok := r.Value(catalogue.byID[whole]); ok {
			r.Set(catalogue.byID[each], v/n)
		}
	}
	ready, ok := r.Value(catalogue.byID["cpu.ready"])
	limited, also := r.Value(catalogue.byID["cpu.maxLimited"])
	if ok && also {
		r.Set(catalogue.byID["cpu.contentionPerVCPU"], max(0, ready-limited)/n)
	}
}

// settlePort knows that only a NIC's port has a link: esxtop writes 0 for others.
func settlePort(r *Row) {
	if strings.HasPrefix(r.Name, "vmnic") || strings.HasPrefix(r.Name, "vusb") {
		return
	}
	for _, id := range linkFigures {
		if !r.none(catalogue.byID[id]) {
			return
		}
	}
	r.zeroIsNone(linkFigures...)
}

// none reports whether a figure is 0 or absent.
func (r *Row) none(m *Metric) bool {
	v, _ := r.Value(m)
	return v == 0
}

func isZero(r *Row, m *Metric) bool {
	v, ok := r.Value(m)
	return ok && v == 0
}

func (r *Row) zeroIsNone(ids ...string) {
	for _, id := range ids {
		if m := catalogue.byID[id]; isZero(r, m) {
			r.Set(m, math.NaN())
		}
	}
}
