package vsphere

import (
	"math"
	"strconv"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Figures that follow from others, as the catalogue says how.
var (
	metricUplink = esxtop.Lookup("net.uplink")
	metricUsedBy = esxtop.Lookup("net.usedBy")

	perVCPU = []struct{ each, of *esxtop.Metric }{
		{esxtop.Lookup("cpu.usedPerVCPU"), esxtop.Lookup("cpu.used")},
		{esxtop.Lookup("cpu.readyPerVCPU"), esxtop.Lookup("cpu.ready")},
		{esxtop.Lookup("cpu.costopPerVCPU"), esxtop.Lookup("cpu.costop")},
		{esxtop.Lookup("cpu.maxLimitedPerVCPU"), esxtop.Lookup("cpu.maxLimited")},
		{esxtop.Lookup("cpu.swapWaitPerVCPU"), esxtop.Lookup("cpu.swapWait")},
		{esxtop.Lookup("cpu.vmWaitPerVCPU"), esxtop.Lookup("cpu.vmWait")},
	}
	ofPackets = []struct{ packets, rate, size, lost, drops *esxtop.Metric }{
		{
			esxtop.Lookup("net.packetsTx"), esxtop.Lookup("net.rateTx"), esxtop.Lookup("net.sizeTx"),
			esxtop.Lookup("net.droppedTxRate"), esxtop.Lookup("net.droppedTx"),
		},
		{
			esxtop.Lookup("net.packetsRx"), esxtop.Lookup("net.rateRx"), esxtop.Lookup("net.sizeRx"),
			esxtop.Lookup("net.droppedRxRate"), esxtop.Lookup("net.droppedRx"),
		},
	}
	// latencies are those of how many operations.
	latencies = map[esxtop.Object][]struct{ latency, of *esxtop.Metric }{
		esxtop.Adapter: byDevice, esxtop.Path: byDevice, esxtop.Device: byDevice,
		esxtop.NFS: {
			{esxtop.Lookup("nfs.readLatency"), esxtop.Lookup("nfs.reads")},
			{esxtop.Lookup("nfs.writeLatency"), esxtop.Lookup("nfs.writes")},
		},
		esxtop.VDisk: byDisk,
	}
	byDevice = []struct{ latency, of *esxtop.Metric }{
		{esxtop.Lookup("disk.deviceLatency"), esxtop.Lookup("disk.commands")},
		{esxtop.Lookup("disk.kernelLatency"), esxtop.Lookup("disk.commands")},
		{esxtop.Lookup("disk.guestLatency"), esxtop.Lookup("disk.commands")},
		{esxtop.Lookup("disk.queueLatency"), esxtop.Lookup("disk.commands")},
		{esxtop.Lookup("disk.deviceReadLatency"), esxtop.Lookup("disk.reads")},
		{esxtop.Lookup("disk.kernelReadLatency"), esxtop.Lookup("disk.reads")},
		{esxtop.Lookup("disk.guestReadLatency"), esxtop.Lookup("disk.reads")},
		{esxtop.Lookup("disk.queueReadLatency"), esxtop.Lookup("disk.reads")},
		{esxtop.Lookup("disk.deviceWriteLatency"), esxtop.Lookup("disk.writes")},
		{esxtop.Lookup("disk.kernelWriteLatency"), esxtop.Lookup("disk.writes")},
		{esxtop.Lookup("disk.guestWriteLatency"), esxtop.Lookup("disk.writes")},
		{esxtop.Lookup("disk.queueWriteLatency"), esxtop.Lookup("disk.writes")},
	}
	byDisk = []struct{ latency, of *esxtop.Metric }{
		{esxtop.Lookup("vdisk.readLatency"), esxtop.Lookup("vdisk.reads")},
		{esxtop.Lookup("vdisk.writeLatency"), esxtop.Lookup("vdisk.writes")},
	}
	powers   = []*esxtop.Metric{esxtop.Lookup("power.usage"), esxtop.Lookup("power.cap")}
	diskSums = []*esxtop.Metric{
		esxtop.Lookup("vdisk.commands"), esxtop.Lookup("vdisk.reads"), esxtop.Lookup("vdisk.writes"),
		esxtop.Lookup("vdisk.readRate"), esxtop.Lookup("vdisk.writeRate"),
	}

	metricDisks        = esxtop.Lookup("vdisk.disks")
	metricDiskCommands = esxtop.Lookup("vdisk.commands")
	metricDiskReads    = esxtop.Lookup("vdisk.reads")
	metricDiskWrites   = esxtop.Lookup("vdisk.writes")
	metricWait         = esxtop.Lookup("cpu.wait")
	metricIdle         = esxtop.Lookup("cpu.idle")
	metricVMWait       = esxtop.Lookup("cpu.vmWait")
	metricReady        = esxtop.Lookup("cpu.ready")
	metricMaxLimited   = esxtop.Lookup("cpu.maxLimited")
	metricContention   = esxtop.Lookup("cpu.contentionPerVCPU")
	metricPshareShared = esxtop.Lookup("mem.pshareShared")
	metricPshareCommon = esxtop.Lookup("mem.pshareCommon")
	metricPshareSaving = esxtop.Lookup("mem.pshareSaving")
	metricVMs          = esxtop.Lookup("host.vms")
	metricVCPUs        = esxtop.Lookup("host.vcpus")
	metricCoreUtil     = esxtop.Lookup("pcpu.coreUtil")
	metricUsed         = esxtop.Lookup("pcpu.used")
	metricUsedAvg      = esxtop.Lookup("pcpu.usedAvg")
)

// derive fills in what follows from the figures of a frame.
func (b *perfFrame) derive() {
	for _, o := range []esxtop.Object{esxtop.Group, esxtop.World} {
		for i := range b.tables[o] {
			deriveCPU(&b.tables[o][i])
		}
	}
	for i := range b.tables[esxtop.Port] {
		derivePort(&b.tables[esxtop.Port][i])
	}
	for o, list := range latencies {
		for i := range b.tables[o] {
			for _, l := range list {
				dropMeanOfNothing(&b.tables[o][i], l.latency, l.of)
			}
		}
	}
	for i := range b.tables[esxtop.Host] {
		dropZeros(&b.tables[esxtop.Host][i])
		b.deriveHost(&b.tables[esxtop.Host][i])
	}
}

func deriveCPU(r *esxtop.Row) {
	wait, waits := r.Value(metricWait)
	if idle, ok := r.Value(metricIdle); ok && waits {
		r.Set(metricVMWait, math.Max(0, wait-idle))
	}
	if r.Object != esxtop.Group || r.VCPUs == 0 {
		return
	}
	vcpus := float64(r.VCPUs)
	for _, p := range perVCPU {
		if v, ok := r.Value(p.of); ok {
			r.Set(p.each, v/vcpus)
		}
	}
	ready, readies := r.Value(metricReady)
	if limited, ok := r.Value(metricMaxLimited); ok && readies {
		r.Set(metricContention, math.Max(0, ready-limited)/vcpus)
	}
}

// derivePort has the rates of the catalogue's units: packets by second, and megabits of 2^20 bits.
func derivePort(r *esxtop.Row) {
	for _, m := range ofPackets {
		packets, ok := r.Value(m.packets)
		if !ok {
			continue
		}
		if rate, ok := r.Value(m.rate); ok && packets > 0 {
			r.Set(m.size, math.Trunc(rate*(1<<20)/8/packets))
		}
		if lost, ok := r.Value(m.lost); ok && packets+lost > 0 {
			r.Set(m.drops, lost/(packets+lost)*100)
		}
	}
}

// dropMeanOfNothing takes away the 0 that a server writes as the latency of no operations. A latency that is not 0 stays:
// rates are rounded down, so that few operations look like none.
func dropMeanOfNothing(r *esxtop.Row, latency, of *esxtop.Metric) {
	if n, ok := r.Value(of); !ok || n > 0 {
		return
	}
	if v, ok := r.Value(latency); ok && v == 0 {
		r.Set(latency, math.NaN())
	}
}

// dropZeros takes away the 0 of a host without a power sensor, and of one without a cap.
func dropZeros(r *esxtop.Row) {
	for _, m := range powers {
		if v, ok := r.Value(m); ok && v == 0 {
			r.Set(m, math.NaN())
		}
	}
}

// sumDisks makes the row of a VM of those of its disks: sums, and means by operation.
func sumDisks(vm *esxtop.Row, disks []esxtop.Row) {
	for i := range disks {
		reads, ok := disks[i].Value(metricDiskReads)
		if writes, too := disks[i].Value(metricDiskWrites); ok && too {
			disks[i].Set(metricDiskCommands, reads+writes)
		}
	}
	vm.Set(metricDisks, float64(len(disks)))
	for _, m := range diskSums {
		if sum, ok := sumOf(disks, m); ok {
			vm.Set(m, sum)
		}
	}
	for _, l := range byDisk {
		var time, operations float64
		for i := range disks {
			latency, ok := disks[i].Value(l.latency)
			n, too := disks[i].Value(l.of)
			if ok && too {
				time, operations = time+latency*n, operations+n
			}
		}
		if operations > 0 {
			vm.Set(l.latency, time/operations)
		}
	}
}

// sumOf is there when all rows have the figure.
func sumOf(rows []esxtop.Row, m *esxtop.Metric) (sum float64, ok bool) {
	for i := range rows {
		v, ok := rows[i].Value(m)
		if !ok {
			return 0, false
		}
		sum += v
	}
	return sum, true
}

// deriveHost counts the VMs that there are samples of. What the host says of itself is no mean of its threads: it holds the work
// against what its cores could do, of which threads have half.
func (b *perfFrame) deriveHost(r *esxtop.Row) {
	cpus := b.tables[esxtop.PCPU]
	if used, ok := sumOf(cpus, metricUsed); ok && len(cpus) > 0 {
		r.Set(metricUsedAvg, used/float64(len(cpus)))
	}
	shared, shares := r.Value(metricPshareShared)
	if common, ok := r.Value(metricPshareCommon); ok && shares {
		r.Set(metricPshareSaving, shared-common)
	}
	if !b.objects.Has(esxtop.Group) {
		return
	}
	vcpus, all := 0, true
	for i := range b.tables[esxtop.Group] {
		n := b.tables[esxtop.Group][i].VCPUs
		vcpus, all = vcpus+n, all && n > 0
	}
	r.Set(metricVMs, float64(len(b.tables[esxtop.Group])))
	if all {
		r.Set(metricVCPUs, float64(vcpus))
	}
}

// onceByCore leaves a core's figure with its first thread, as esxtop does. Where cores have one thread there is no such line.
func (b *perfFrame) onceByCore(threads int) {
	for i := range b.tables[esxtop.PCPU] {
		r := &b.tables[esxtop.PCPU][i]
		if n, err := strconv.Atoi(r.ID); threads > 0 && (err != nil || threads == 1 || n%threads != 0) {
			r.Set(metricCoreUtil, math.NaN())
		}
	}
}
