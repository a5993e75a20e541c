package simfleet

import (
	"slices"
	"strconv"
	"strings"
)

// Instances of hosts.
func hostThreads(h *hostSettings) []string { return numbered("", h.cores*h.perCore) }

func hostNICs(h *hostSettings) []string { return append([]string{""}, hostOwnNICs(h)...) }

func hostOwnNICs(h *hostSettings) (names []string) {
	for _, n := range h.pnics {
		names = append(names, n.name)
	}
	return names
}

func hostDevices(h *hostSettings) (names []string) {
	for _, d := range h.devices {
		names = append(names, d.name)
	}
	return names
}

func hostAdapters(h *hostSettings) (names []string) {
	for _, d := range h.devices {
		for _, p := range d.paths {
			if !slices.Contains(names, p.adapter) {
				names = append(names, p.adapter)
			}
		}
	}
	slices.Sort(names)
	return names
}

func hostPaths(h *hostSettings) (names []string) {
	for _, d := range h.devices {
		for _, p := range d.paths {
			names = append(names, p.name)
		}
	}
	return names
}

// hostStores are the datastores that the host has on its disks, and what it mounts.
func hostStores(h *hostSettings) (names []string) {
	for _, s := range hostStoreNames(h) {
		names = append(names, uuid(s))
	}
	return names
}

func hostStoreNames(h *hostSettings) (names []string) {
	for _, s := range []string{datastoreName, storeOld, storeFull, storeShared} {
		if h.deviceOf(s) >= 0 {
			names = append(names, s)
		}
	}
	return append(names, h.nfs...)
}

// Instances of VMs.
func vmCPUs(v *vmSettings) []string { return numbered("", int(v.vcpus)) }

func vmNICs(v *vmSettings) (names []string) {
	names = []string{""}
	for _, n := range v.nics {
		names = append(names, strconv.Itoa(int(n.key)))
	}
	return names
}

func vmDisks(v *vmSettings) (names []string) {
	for _, d := range v.disks {
		names = append(names, d.name)
	}
	return names
}

func vmStores(v *vmSettings) (names []string) {
	for _, s := range v.stores() {
		names = append(names, uuid(s))
	}
	return names
}

func (v *vmSettings) stores() (names []string) {
	for _, d := range v.disks {
		if d.store != "" && !slices.Contains(names, d.store) {
			names = append(names, d.store)
		}
	}
	return names
}

// numbered names n instances after their numbers, and the total.
func numbered(prefix string, n int) []string {
	names := []string{""}
	for i := range n {
		names = append(names, prefix+strconv.Itoa(i))
	}
	return names
}

// world is the whole VM, or one vCPU. One that was not there yet has nothing.
func (f *vmSample) world(n int) *worldFigures {
	switch {
	case n == 0:
		return &f.cpu
	case n <= len(f.vcpus):
		return &f.vcpus[n-1]
	}
	return new(worldFigures)
}

// millis is a time of the VM, and of each vCPU.
func millis(name string, of func(*worldFigures) int64) perfCounter {
	return counterOf(name, inMillis).ofVMs(vmCPUs, func(f *vmSample, n int) int64 { return of(f.world(n)) })
}

// share is that time in hundredths of a percent of one vCPU's time, over all vCPUs.
func (f *vmSample) share(ms int64) int64 {
	return ms * 10_000 / slotMillis / max(int64(len(f.vcpus)), 1)
}

func cpuCounters() []perfCounter {
	return []perfCounter{
		counterOf("cpu.usage.average", inPercent).
			ofHosts(hostThreads, func(f *hostSample, n int) int64 {
				if n == 0 {
					return min(f.usedMHz*10_000/max(f.settings().capacityMHz(), 1), 10_000)
				}
				return min(f.lcpu(n).used*10_000/slotMillis, 10_000)
			}).
			ofVMs(nil, func(f *vmSample, _ int) int64 {
				return f.usedMHz * 10_000 / max(f.stay.mhz*int64(len(f.vcpus)), 1)
			}),
		counterOf("cpu.usagemhz.average", inMHz).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.usedMHz }).
			ofVMs(vmCPUs, func(f *vmSample, n int) int64 { return f.world(n).used * f.stay.mhz / slotMillis }),
		counterOf("cpu.utilization.average", inPercent).ofHosts(hostThreads, func(f *hostSample, n int) int64 { return f.lcpu(n).busy * 10_000 / slotMillis }),
		counterOf("cpu.coreUtilization.average", inPercent).ofHosts(hostThreads, func(f *hostSample, n int) int64 { return f.lcpu(n).core * 10_000 / slotMillis }),
		counterOf("cpu.totalCapacity.average", mhzNow).ofHosts(nil, func(f *hostSample, _ int) int64 { return f.settings().capacityMHz() }),
		counterOf("cpu.reservedCapacity.average", mhzNow).ofHosts(nil, func(f *hostSample, _ int) (sum int64) {
			for _, s := range f.stays {
				sum += s.settings.cpu.reservation
			}
			return sum
		}),
		millis("cpu.used.summation", func(w *worldFigures) int64 { return w.used }),
		millis("cpu.run.summation", func(w *worldFigures) int64 { return w.run }),
		millis("cpu.system.summation", func(w *worldFigures) int64 { return w.sys }),
		millis("cpu.wait.summation", func(w *worldFigures) int64 { return w.wait }),
		millis("cpu.idle.summation", func(w *worldFigures) int64 { return w.idle }),
		millis("cpu.ready.summation", func(w *worldFigures) int64 { return w.ready }),
		millis("cpu.costop.summation", func(w *worldFigures) int64 { return w.costop }),
		millis("cpu.maxlimited.summation", func(w *worldFigures) int64 { return w.maxLimited }),
		millis("cpu.swapwait.summation", func(w *worldFigures) int64 { return w.swapWait }),
		millis("cpu.overlap.summation", func(w *worldFigures) int64 { return w.overlap }),
		counterOf("cpu.readiness.average", inPercent).ofVMs(vmCPUs, func(f *vmSample, n int) int64 {
			if n == 0 {
				return f.share(f.cpu.ready)
			}
			return f.world(n).ready * 10_000 / slotMillis
		}),
		counterOf("cpu.latency.average", inPercent).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.share(f.cpu.latency) }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.share(f.cpu.latency) }),
		counterOf("cpu.demand.average", mhzNow).
			ofHosts(nil, func(f *hostSample, _ int) (sum int64) {
				for i, s := range f.stays {
					sum += int64(f.wants[i].cpu * float64(s.mhz))
				}
				return sum
			}).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.demandMHz }),
		counterOf("cpu.entitlement.latest", mhzNow).ofVMs(nil, func(f *vmSample, _ int) int64 { return max(f.usedMHz, f.stay.settings.cpu.reservation) }),
		counterOf("rescpu.actav1.latest", percentNow).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.loads.loadAverage(f.ref, f.slot, 1) }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.share(f.cpu.run + f.cpu.ready) }),
		counterOf("rescpu.actav5.latest", percentNow).ofHosts(nil, func(f *hostSample, _ int) int64 { return f.loads.loadAverage(f.ref, f.slot, 5) }),
		counterOf("rescpu.actav15.latest", percentNow).ofHosts(nil, func(f *hostSample, _ int) int64 { return f.loads.loadAverage(f.ref, f.slot, 15) }),
	}
}

func (f *hostSample) settings() *hostSettings { return f.host }

// lcpu is a logical CPU, or the mean of all.
func (f *hostSample) lcpu(n int) (c lcpuFigures) {
	if n > 0 {
		if n <= len(f.lcpus) {
			return f.lcpus[n-1]
		}
		return c
	}
	for _, o := range f.lcpus {
		c.busy, c.core, c.used = c.busy+o.busy, c.core+o.core, c.used+o.used
	}
	all := max(int64(len(f.lcpus)), 1)
	return lcpuFigures{busy: c.busy / all, core: c.core / all, used: c.used / all}
}

func (f *hostSample) share(ms int64) int64 {
	var vcpus int64
	for _, s := range f.stays {
		vcpus += s.settings.vcpus
	}
	return ms * 10_000 / slotMillis / max(vcpus, 1)
}

// memory is a figure that hosts and VMs have, of hosts the sum over its VMs.
func memory(name string, k kind, of func(*memoryFigures) int64) perfCounter {
	return counterOf(name, k).
		ofHosts(nil, func(f *hostSample, _ int) int64 { return of(&f.sum) }).
		ofVMs(nil, func(f *vmSample, _ int) int64 { return of(&f.mem) })
}

func hostMem(name string, k kind, of func(*hostMemory) int64) perfCounter {
	return counterOf(name, k).ofHosts(nil, func(f *hostSample, _ int) int64 { return of(&f.mem) })
}

func vmMem(name string, k kind, of func(*memoryFigures) int64) perfCounter {
	return counterOf(name, k).ofVMs(nil, func(f *vmSample, _ int) int64 { return of(&f.mem) })
}

func memoryCounters() []perfCounter {
	return []perfCounter{
		counterOf("mem.usage.average", percentNow).
			ofHosts(nil, func(f *hostSample, _ int) int64 {
				return (f.mem.physical - f.mem.free) * 10_000 / max(f.mem.physical, 1)
			}).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.mem.active * 10_000 / max(f.mem.size, 1) }),
		counterOf("mem.consumed.average", inKB).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.mem.physical - f.mem.free }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.mem.consumed }),
		memory("mem.granted.average", inKB, func(m *memoryFigures) int64 { return m.granted }),
		memory("mem.active.average", inKB, func(m *memoryFigures) int64 { return m.active }),
		memory("mem.activewrite.average", inKB, func(m *memoryFigures) int64 { return m.activeWrite }),
		memory("mem.shared.average", inKB, func(m *memoryFigures) int64 { return m.shared }),
		memory("mem.zero.average", inKB, func(m *memoryFigures) int64 { return m.zero }),
		memory("mem.overhead.average", inKB, func(m *memoryFigures) int64 { return m.overhead }),
		memory("mem.vmmemctl.average", inKB, func(m *memoryFigures) int64 { return m.balloon }),
		vmMem("mem.vmmemctltarget.average", inKB, func(m *memoryFigures) int64 { return m.balloonTarget }),
		memory("mem.swapinRate.average", inKBps, func(m *memoryFigures) int64 { return m.swapIn }),
		memory("mem.swapoutRate.average", inKBps, func(m *memoryFigures) int64 { return m.swapOut }),
		memory("mem.llSwapInRate.average", inKBps, func(*memoryFigures) int64 { return 0 }),
		memory("mem.llSwapOutRate.average", inKBps, func(*memoryFigures) int64 { return 0 }),
		memory("mem.compressed.average", inKB, func(m *memoryFigures) int64 { return m.zipped }),
		memory("mem.compressionRate.average", inKBps, func(m *memoryFigures) int64 { return m.zipIn }),
		memory("mem.decompressionRate.average", inKBps, func(m *memoryFigures) int64 { return m.unzip }),
		vmMem("mem.zipped.latest", inKB, func(m *memoryFigures) int64 { return m.zipUsed }),
		vmMem("mem.zipSaved.latest", inKB, func(m *memoryFigures) int64 { return m.zipped - m.zipUsed }),
		vmMem("mem.swapped.average", inKB, func(m *memoryFigures) int64 { return m.swapped }),
		vmMem("mem.swaptarget.average", inKB, func(m *memoryFigures) int64 { return m.swapTarget }),
		vmMem("mem.overheadMax.average", inKB, func(m *memoryFigures) int64 { return m.overheadMax }),
		vmMem("mem.entitlement.average", inKB, func(m *memoryFigures) int64 { return m.entitlement }),
		counterOf("mem.latency.average", inPercent).ofVMs(nil, func(f *vmSample, _ int) int64 { return f.share(f.cpu.memLatency) }),
		hostMem("mem.totalCapacity.average", inMB, func(m *hostMemory) int64 { return m.physical >> 10 }),
		hostMem("mem.sysUsage.average", inKB, func(m *hostMemory) int64 { return m.kernel }),
		hostMem("mem.lowfreethreshold.average", inKB, func(m *hostMemory) int64 { return m.minFree }),
		hostMem("mem.reservedCapacity.average", inMB, func(m *hostMemory) int64 { return m.reserved >> 10 }),
		hostMem("mem.unreserved.average", inKB, func(m *hostMemory) int64 { return m.unreserved }),
		hostMem("mem.state.latest", numberNow, func(m *hostMemory) int64 { return m.state }),
		hostMem("mem.sharedcommon.average", inKB, func(m *hostMemory) int64 { return m.common }),
		hostMem("mem.swapused.average", inKB, func(m *hostMemory) int64 { return m.swapped }),
	}
}

// perSecond is a number of the slot, rounded.
func perSecond(n int64) int64 { return (n + slotSeconds/2) / slotSeconds }

// meanMillis is a sum of microseconds by operation, in whole milliseconds.
func meanMillis(micros, ops int64) int64 {
	if ops == 0 {
		return 0
	}
	return (micros/ops + 500) / 1000
}

// ioView is a figure of I/O.
type ioView func(*ioCounters) int64

// ioViews are those that devices, adapters, paths, datastores and virtual disks have under the same names.
var ioViews = map[string]ioView{
	"commandsAveraged":    func(c *ioCounters) int64 { return perSecond(c.commands) },
	"numberReadAveraged":  func(c *ioCounters) int64 { return perSecond(c.reads) },
	"numberWriteAveraged": func(c *ioCounters) int64 { return perSecond(c.writes) },
	"read":                func(c *ioCounters) int64 { return perSecond(c.blocksRead / 2) },
	"write":               func(c *ioCounters) int64 { return perSecond(c.blocksWritten / 2) },
	"totalReadLatency":    func(c *ioCounters) int64 { return meanMillis(c.readTotal, c.reads) },
	"totalWriteLatency":   func(c *ioCounters) int64 { return meanMillis(c.writeTotal, c.writes) },
	"queueLatency":        func(c *ioCounters) int64 { return meanMillis(c.readQueue+c.writeQueue, c.commands) },
	"totalLatency":        func(c *ioCounters) int64 { return meanMillis(c.readTotal+c.writeTotal, c.commands) },
	"deviceLatency":       func(c *ioCounters) int64 { return meanMillis(c.readIssue+c.writeIssue, c.commands) },
	"deviceReadLatency":   func(c *ioCounters) int64 { return meanMillis(c.readIssue, c.reads) },
	"deviceWriteLatency":  func(c *ioCounters) int64 { return meanMillis(c.writeIssue, c.writes) },
	"kernelLatency": func(c *ioCounters) int64 {
		return meanMillis(c.readTotal+c.writeTotal-c.readIssue-c.writeIssue, c.commands)
	},
	"kernelReadLatency":  func(c *ioCounters) int64 { return meanMillis(c.readTotal-c.readIssue, c.reads) },
	"kernelWriteLatency": func(c *ioCounters) int64 { return meanMillis(c.writeTotal-c.writeIssue, c.writes) },
	"queueReadLatency":   func(c *ioCounters) int64 { return meanMillis(c.readQueue, c.reads) },
	"queueWriteLatency":  func(c *ioCounters) int64 { return meanMillis(c.writeQueue, c.writes) },

	"commandsAborted":          func(c *ioCounters) int64 { return c.aborts },
	"busResets":                func(c *ioCounters) int64 { return c.resets },
	"scsiReservationConflicts": func(c *ioCounters) int64 { return c.conflicts },
}

// kindOfIO is the kind of such a figure, by its name, and how it is summed up.
func kindOfIO(name string) (string, kind) {
	switch {
	case name == "read" || name == "write":
		return ".average", inKBps
	case strings.HasSuffix(name, "Latency"):
		return ".average", millisNow
	case strings.HasSuffix(name, "Averaged"):
		return ".average", numberPerSec
	}
	return ".summation", inNumber
}

func ioCounter(group, name string) perfCounter {
	rollup, k := kindOfIO(name)
	return counterOf(group+"."+name+rollup, k)
}

var (
	deviceIO = []string{
		"commandsAveraged", "numberReadAveraged", "numberWriteAveraged", "read", "write", "totalLatency", "totalReadLatency",
		"totalWriteLatency", "deviceLatency", "deviceReadLatency", "deviceWriteLatency", "kernelLatency", "kernelReadLatency",
		"kernelWriteLatency", "queueLatency", "queueReadLatency", "queueWriteLatency", "commandsAborted", "busResets",
		"scsiReservationConflicts",
	}
	adapterIO = []string{
		"commandsAveraged", "numberReadAveraged", "numberWriteAveraged", "read", "write", "totalReadLatency", "totalWriteLatency", "queueLatency",
	}
	pathIO = []string{
		"commandsAveraged", "numberReadAveraged", "numberWriteAveraged", "read", "write", "totalReadLatency", "totalWriteLatency",
		"commandsAborted", "busResets",
	}
	volumeIO = []string{"numberReadAveraged", "numberWriteAveraged", "read", "write", "totalReadLatency", "totalWriteLatency"}
)

func diskCounters() (list []perfCounter) {
	for _, name := range deviceIO {
		list = append(list, ioCounter("disk", name).ofHosts(hostDevices, func(f *hostSample, n int) int64 { return ioViews[name](f.device(n)) }))
	}
	for _, name := range adapterIO {
		list = append(list, ioCounter("storageAdapter", name).ofHosts(hostAdapters, func(f *hostSample, n int) int64 { return ioViews[name](f.adapter(n)) }))
	}
	for _, name := range pathIO {
		list = append(list, ioCounter("storagePath", name).ofHosts(hostPaths, func(f *hostSample, n int) int64 { return ioViews[name](f.path(n)) }))
	}
	for _, name := range volumeIO {
		list = append(list,
			ioCounter("virtualDisk", name).ofVMs(vmDisks, func(f *vmSample, n int) int64 { return ioViews[name](f.disk(n)) }),
			ioCounter("datastore", name).
				ofHosts(hostStores, func(f *hostSample, n int) int64 { return ioViews[name](f.store(n)) }).
				ofVMs(vmStores, func(f *vmSample, n int) int64 { return ioViews[name](f.store(n)) }))
	}
	return append(list,
		counterOf("disk.maxQueueDepth.average", numberNow).ofHosts(hostDevices, func(f *hostSample, n int) int64 {
			if d := f.settings().devices; n < len(d) {
				return d[n].queueDepth
			}
			return 0
		}),
		counterOf("storageAdapter.queueDepth.average", numberNow).ofHosts(hostAdapters, func(f *hostSample, n int) int64 {
			return adapterDepth(hostAdapters(f.settings())[n])
		}),
		counterOf("virtualDisk.readLatencyUS.latest", microsNow).ofVMs(vmDisks, func(f *vmSample, n int) int64 {
			d := f.disk(n)
			return d.readTotal / max(d.reads, 1)
		}),
		counterOf("virtualDisk.writeLatencyUS.latest", microsNow).ofVMs(vmDisks, func(f *vmSample, n int) int64 {
			d := f.disk(n)
			return d.writeTotal / max(d.writes, 1)
		}),
		counterOf("disk.maxTotalLatency.latest", millisNow).
			ofHosts(nil, func(f *hostSample, _ int) (worst int64) {
				for n := range f.devices {
					worst = max(worst, ioViews["totalLatency"](f.device(n)))
				}
				return worst
			}).
			ofVMs(nil, func(f *vmSample, _ int) (worst int64) {
				for n := range f.disks {
					worst = max(worst, ioViews["totalLatency"](f.disk(n)))
				}
				return worst
			}),
	)
}

// adapterDepth is how many commands an adapter has room for.
func adapterDepth(name string) int64 {
	switch name {
	case hbaLocal:
		return 891
	case hbaISCSI:
		return 1024
	}
	return 8192
}

func (f *hostSample) device(n int) *ioCounters {
	if n < len(f.devices) {
		return &f.devices[n]
	}
	return new(ioCounters)
}

func (f *hostSample) path(n int) *ioCounters {
	for _, list := range f.paths {
		if n < len(list) {
			return &list[n]
		}
		n -= len(list)
	}
	return new(ioCounters)
}

// adapter is the sum of its paths.
func (f *hostSample) adapter(n int) *ioCounters {
	sum, h := new(ioCounters), f.settings()
	names := hostAdapters(h)
	for i, d := range h.devices {
		for k, p := range d.paths {
			if n < len(names) && p.adapter == names[n] {
				sum.plus(&f.paths[i][k], whole)
			}
		}
	}
	return sum
}

func (f *vmSample) disk(n int) *ioCounters {
	if n < len(f.disks) {
		return &f.disks[n]
	}
	return new(ioCounters)
}

func (f *vmSample) store(n int) *ioCounters {
	sum, names := new(ioCounters), f.stay.settings.stores()
	for i, d := range f.stay.settings.disks {
		if n < len(names) && d.store == names[n] {
			sum.plus(f.disk(i), whole)
		}
	}
	return sum
}

// store is what VMs do on a datastore: several may be on one disk.
func (f *hostSample) store(n int) *ioCounters {
	names := hostStoreNames(f.settings())
	if n < len(names) {
		if io := f.stores[names[n]]; io != nil {
			return io
		}
	}
	return new(ioCounters)
}

// netView is a figure of traffic, of a slot.
func netCounter(name string, k kind, of func(*traffic) int64) perfCounter {
	return counterOf(name, k).
		ofHosts(hostNICs, func(f *hostSample, n int) int64 {
			sum := new(traffic)
			for i := range f.pnics {
				if n == 0 || n == i+1 {
					sum.plus(f.nic(i), whole)
				}
			}
			return of(sum)
		}).
		ofVMs(vmNICs, func(f *vmSample, n int) int64 {
			sum := new(traffic)
			for i := range f.nics {
				if n == 0 || n == i+1 {
					sum.plus(&f.nics[i], whole)
				}
			}
			return of(sum)
		})
}

// nic is the traffic of a NIC with what it lost.
func (f *hostFigures) nic(i int) *traffic {
	t := f.pnics[i]
	t.droppedRx += f.lost[i]
	return &t
}

func netCounters() []perfCounter {
	none := func(*traffic) int64 { return 0 }
	return []perfCounter{
		netCounter("net.usage.average", inKBps, func(t *traffic) int64 { return perSecond((t.rxBytes + t.txBytes) >> 10) }),
		netCounter("net.bytesTx.average", inKBps, func(t *traffic) int64 { return perSecond(t.txBytes >> 10) }),
		netCounter("net.bytesRx.average", inKBps, func(t *traffic) int64 { return perSecond(t.rxBytes >> 10) }),
		netCounter("net.transmitted.average", inKBps, func(t *traffic) int64 { return perSecond(t.txBytes >> 10) }),
		netCounter("net.received.average", inKBps, func(t *traffic) int64 { return perSecond(t.rxBytes >> 10) }),
		netCounter("net.packetsTx.summation", inNumber, func(t *traffic) int64 { return t.txPackets }),
		netCounter("net.packetsRx.summation", inNumber, func(t *traffic) int64 { return t.rxPackets }),
		netCounter("net.droppedTx.summation", inNumber, func(t *traffic) int64 { return t.droppedTx }),
		netCounter("net.droppedRx.summation", inNumber, func(t *traffic) int64 { return t.droppedRx }),
		netCounter("net.multicastTx.summation", inNumber, func(t *traffic) int64 { return t.txMulticast }),
		netCounter("net.multicastRx.summation", inNumber, func(t *traffic) int64 { return t.rxMulticast }),
		netCounter("net.broadcastTx.summation", inNumber, func(t *traffic) int64 { return t.txBroadcast }),
		netCounter("net.broadcastRx.summation", inNumber, func(t *traffic) int64 { return t.rxBroadcast }),
		netCounter("net.errorsTx.summation", inNumber, none),
		netCounter("net.errorsRx.summation", inNumber, none),
	}
}

// oddResources are instances with whatever their makers called them.
var oddResources = []string{"host/system/kernel", "host/user", `host/iofilters/"cache" & Co, Ltd <1>`}

func otherCounters() []perfCounter {
	return []perfCounter{
		counterOf("power.power.average", inWatt).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.watts }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.watts }),
		counterOf("power.powerCap.average", wattNow).ofHosts(nil, func(*hostSample, int) int64 { return 0 }),
		counterOf("power.energy.summation", inJoule).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.watts * slotSeconds }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.watts * slotSeconds }),
		counterOf("sys.uptime.latest", inSeconds).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return slotEnd(f.slot).Unix() - f.settings().booted }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return slotEnd(f.slot).Unix() - f.stay.since.Unix() }),
		counterOf("sys.resourceCpuUsage.average", inMHz).ofHosts(func(*hostSettings) []string { return oddResources }, func(f *hostSample, n int) int64 {
			return f.settings().ownMHz() / int64(n+2)
		}),
	}
}
