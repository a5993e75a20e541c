package simfleet

import (
	"strconv"
)

// Instances of hosts.
func hostThreads(h *hostSettings) []string { return numbered("", h.cores*h.perCore) }

func hostNICs(h *hostSettings) []string {
	names := []string{""}
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
	for _, a := range h.adapters {
		names = append(names, a.name)
	}
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
	for _, v := range h.volumes {
		if h.deviceOf(v.name) >= 0 {
			names = append(names, v.name)
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
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.loads.loadAverage(f.id, f.slot, 1) }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.share(f.cpu.run + f.cpu.ready) }),
		counterOf("rescpu.actav5.latest", percentNow).ofHosts(nil, func(f *hostSample, _ int) int64 { return f.loads.loadAverage(f.id, f.slot, 5) }),
		counterOf("rescpu.actav15.latest", percentNow).ofHosts(nil, func(f *hostSample, _ int) int64 { return f.loads.loadAverage(f.id, f.slot, 15) }),
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
		counterOf("datastore.maxTotalLatency.latest", millisNow).
			ofHosts(nil, func(f *hostSample, _ int) (worst int64) {
				for n := range hostStores(f.settings()) {
					worst = max(worst, ioViews["totalLatency"](f.store(n)))
				}
				return worst
			}).
			ofVMs(nil, func(f *vmSample, _ int) (worst int64) {
				for n := range vmStores(f.stay.settings) {
					worst = max(worst, ioViews["totalLatency"](f.store(n)))
				}
				return worst
			}),
		counterOf("sys.resourceCpuUsage.average", inMHz).ofHosts(func(*hostSettings) []string { return oddResources }, func(f *hostSample, n int) int64 {
			return f.ownMHz / int64(n+2)
		}),
	}
}
