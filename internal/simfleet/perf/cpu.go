package perf

import (
	"github.com/vperf/vperf/internal/simfleet/load"
)

// millis returns a counter of a time of the VM and of each vCPU.
func millis(name string, of func(*load.WorldFigures) int64) perfCounter {
	return counterOf(name, inMillis).ofVMs(vmCPUs, func(f *vmSample, n int) int64 { return of(f.world(n)) })
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
				return f.UsedMHz * 10_000 / max(f.residency.MHz*int64(len(f.VCPUs)), 1)
			}),
		counterOf("cpu.usagemhz.average", inMHz).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.UsedMHz }).
			ofVMs(vmCPUs, func(f *vmSample, n int) int64 { return f.world(n).Used * f.residency.MHz / load.SlotMillis }),
		counterOf("cpu.utilization.average", inPercent).ofHosts(hostThreads, func(f *hostSample, n int) int64 { return f.LCPU(n).Busy * 10_000 / load.SlotMillis }),
		counterOf("cpu.coreUtilization.average", inPercent).ofHosts(hostThreads, func(f *hostSample, n int) int64 { return f.LCPU(n).Core * 10_000 / load.SlotMillis }),
		counterOf("cpu.totalCapacity.average", mhzNow).ofHosts(nil, func(f *hostSample, _ int) int64 { return f.settings().CapacityMHz() }),
		counterOf("cpu.reservedCapacity.average", mhzNow).ofHosts(nil, func(f *hostSample, _ int) (sum int64) {
			for _, s := range f.Residencies {
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
				for i, s := range f.Residencies {
					sum += int64(f.Wants[i].CPU * float64(s.MHz))
				}
				return sum
			}).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.DemandMHz }),
		counterOf("cpu.entitlement.latest", mhzNow).ofVMs(nil, func(f *vmSample, _ int) int64 { return max(f.UsedMHz, f.residency.Settings.CPU.Reservation) }),
		counterOf("rescpu.actav1.latest", percentNow).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.loads.LoadAverage(f.id, f.slot, 1) }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.share(f.CPU.Run + f.CPU.Ready) }),
		counterOf("rescpu.actav5.latest", percentNow).ofHosts(nil, func(f *hostSample, _ int) int64 { return f.loads.LoadAverage(f.id, f.slot, 5) }),
		counterOf("rescpu.actav15.latest", percentNow).ofHosts(nil, func(f *hostSample, _ int) int64 { return f.loads.LoadAverage(f.id, f.slot, 15) }),
	}
}
