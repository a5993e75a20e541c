package simfleet

import (
	"strconv"

	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// Instances of hosts.
func hostThreads(h *load.Host) []string { return numbered("", h.Cores*h.PerCore) }

func hostNICs(h *load.Host) []string {
	names := []string{""}
	for _, n := range h.PNICs {
		names = append(names, n.Name)
	}
	return names
}

func hostDevices(h *load.Host) (names []string) {
	for _, d := range h.Devices {
		names = append(names, d.Name)
	}
	return names
}

func hostAdapters(h *load.Host) (names []string) {
	for _, a := range h.Adapters {
		names = append(names, a.Name)
	}
	return names
}

func hostPaths(h *load.Host) (names []string) {
	for _, d := range h.Devices {
		for _, p := range d.Paths {
			names = append(names, p.Name)
		}
	}
	return names
}

// hostStores are the datastores that the host has on its disks, and what it mounts.
func hostStores(h *load.Host) (names []string) {
	for _, s := range hostStoreNames(h) {
		names = append(names, world.UUID(s))
	}
	return names
}

func hostStoreNames(h *load.Host) (names []string) {
	for _, v := range h.Volumes {
		if h.DeviceOf(v.Name) >= 0 {
			names = append(names, v.Name)
		}
	}
	return append(names, h.NFS...)
}

// Instances of VMs.
func vmCPUs(v *load.VM) []string { return numbered("", int(v.VCPUs)) }

func vmNICs(v *load.VM) (names []string) {
	names = []string{""}
	for _, n := range v.NICs {
		names = append(names, strconv.Itoa(int(n.Key)))
	}
	return names
}

func vmDisks(v *load.VM) (names []string) {
	for _, d := range v.Disks {
		names = append(names, d.Name)
	}
	return names
}

func vmStores(v *load.VM) (names []string) {
	for _, s := range v.Stores() {
		names = append(names, world.UUID(s))
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
func (f *vmSample) world(n int) *load.WorldFigures {
	switch {
	case n == 0:
		return &f.CPU
	case n <= len(f.VCPUs):
		return &f.VCPUs[n-1]
	}
	return new(load.WorldFigures)
}

// millis is a time of the VM, and of each vCPU.
func millis(name string, of func(*load.WorldFigures) int64) perfCounter {
	return counterOf(name, inMillis).ofVMs(vmCPUs, func(f *vmSample, n int) int64 { return of(f.world(n)) })
}

// share is that time in hundredths of a percent of one vCPU's time, over all vCPUs.
func (f *vmSample) share(ms int64) int64 {
	return ms * 10_000 / load.SlotMillis / max(int64(len(f.VCPUs)), 1)
}

func cpuCounters() []perfCounter {
	return []perfCounter{
		counterOf("cpu.usage.average", inPercent).
			ofHosts(hostThreads, func(f *hostSample, n int) int64 {
				if n == 0 {
					return min(f.UsedMHz*10_000/max(f.settings().CapacityMHz(), 1), 10_000)
				}
				return min(f.LCPU(n).Used*10_000/load.SlotMillis, 10_000)
			}).
			ofVMs(nil, func(f *vmSample, _ int) int64 {
				return f.UsedMHz * 10_000 / max(f.stay.MHz*int64(len(f.VCPUs)), 1)
			}),
		counterOf("cpu.usagemhz.average", inMHz).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.UsedMHz }).
			ofVMs(vmCPUs, func(f *vmSample, n int) int64 { return f.world(n).Used * f.stay.MHz / load.SlotMillis }),
		counterOf("cpu.utilization.average", inPercent).ofHosts(hostThreads, func(f *hostSample, n int) int64 { return f.LCPU(n).Busy * 10_000 / load.SlotMillis }),
		counterOf("cpu.coreUtilization.average", inPercent).ofHosts(hostThreads, func(f *hostSample, n int) int64 { return f.LCPU(n).Core * 10_000 / load.SlotMillis }),
		counterOf("cpu.totalCapacity.average", mhzNow).ofHosts(nil, func(f *hostSample, _ int) int64 { return f.settings().CapacityMHz() }),
		counterOf("cpu.reservedCapacity.average", mhzNow).ofHosts(nil, func(f *hostSample, _ int) (sum int64) {
			for _, s := range f.Stays {
				sum += s.Settings.CPU.Reservation
			}
			return sum
		}),
		millis("cpu.used.summation", func(w *load.WorldFigures) int64 { return w.Used }),
		millis("cpu.run.summation", func(w *load.WorldFigures) int64 { return w.Run }),
		millis("cpu.system.summation", func(w *load.WorldFigures) int64 { return w.Sys }),
		millis("cpu.wait.summation", func(w *load.WorldFigures) int64 { return w.Wait }),
		millis("cpu.idle.summation", func(w *load.WorldFigures) int64 { return w.Idle }),
		millis("cpu.ready.summation", func(w *load.WorldFigures) int64 { return w.Ready }),
		millis("cpu.costop.summation", func(w *load.WorldFigures) int64 { return w.Costop }),
		millis("cpu.maxlimited.summation", func(w *load.WorldFigures) int64 { return w.MaxLimited }),
		millis("cpu.swapwait.summation", func(w *load.WorldFigures) int64 { return w.SwapWait }),
		millis("cpu.overlap.summation", func(w *load.WorldFigures) int64 { return w.Overlap }),
		counterOf("cpu.readiness.average", inPercent).ofVMs(vmCPUs, func(f *vmSample, n int) int64 {
			if n == 0 {
				return f.share(f.CPU.Ready)
			}
			return f.world(n).Ready * 10_000 / load.SlotMillis
		}),
		counterOf("cpu.latency.average", inPercent).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.share(f.CPU.Latency) }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.share(f.CPU.Latency) }),
		counterOf("cpu.demand.average", mhzNow).
			ofHosts(nil, func(f *hostSample, _ int) (sum int64) {
				for i, s := range f.Stays {
					sum += int64(f.Wants[i].CPU * float64(s.MHz))
				}
				return sum
			}).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.DemandMHz }),
		counterOf("cpu.entitlement.latest", mhzNow).ofVMs(nil, func(f *vmSample, _ int) int64 { return max(f.UsedMHz, f.stay.Settings.CPU.Reservation) }),
		counterOf("rescpu.actav1.latest", percentNow).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.loads.LoadAverage(f.id, f.slot, 1) }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.share(f.CPU.Run + f.CPU.Ready) }),
		counterOf("rescpu.actav5.latest", percentNow).ofHosts(nil, func(f *hostSample, _ int) int64 { return f.loads.LoadAverage(f.id, f.slot, 5) }),
		counterOf("rescpu.actav15.latest", percentNow).ofHosts(nil, func(f *hostSample, _ int) int64 { return f.loads.LoadAverage(f.id, f.slot, 15) }),
	}
}

func (f *hostSample) settings() *load.Host { return f.Host }

func (f *hostSample) share(ms int64) int64 {
	var vcpus int64
	for _, s := range f.Stays {
		vcpus += s.Settings.VCPUs
	}
	return ms * 10_000 / load.SlotMillis / max(vcpus, 1)
}

// oddResources are instances with whatever their makers called them.
var oddResources = []string{"host/system/kernel", "host/user", `host/iofilters/"cache" & Co, Ltd <1>`}

func otherCounters() []perfCounter {
	return []perfCounter{
		counterOf("power.power.average", inWatt).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.Watts }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.Watts }),
		counterOf("power.powerCap.average", wattNow).ofHosts(nil, func(*hostSample, int) int64 { return 0 }),
		counterOf("power.energy.summation", inJoule).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.Watts * load.SlotSeconds }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.Watts * load.SlotSeconds }),
		counterOf("sys.uptime.latest", inSeconds).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return load.SlotEnd(f.slot).Unix() - f.settings().Booted }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return load.SlotEnd(f.slot).Unix() - f.stay.Since.Unix() }),
		counterOf("datastore.maxTotalLatency.latest", millisNow).
			ofHosts(nil, func(f *hostSample, _ int) (worst int64) {
				for n := range hostStores(f.settings()) {
					worst = max(worst, ioViews["totalLatency"](f.store(n)))
				}
				return worst
			}).
			ofVMs(nil, func(f *vmSample, _ int) (worst int64) {
				for n := range vmStores(f.stay.Settings) {
					worst = max(worst, ioViews["totalLatency"](f.store(n)))
				}
				return worst
			}),
		counterOf("sys.resourceCpuUsage.average", inMHz).ofHosts(func(*load.Host) []string { return oddResources }, func(f *hostSample, n int) int64 {
			return f.OwnMHz / int64(n+2)
		}),
	}
}
