package perf

import "github.com/vperf/vperf/internal/simfleet/load"

func hostGPUs(h *load.Host) (names []string) {
	for _, g := range h.GPUs {
		names = append(names, g.ID)
	}
	return names
}

// gpuCounters are those of graphics devices that vSphere has of hosts.
func gpuCounters() []perfCounter {
	return []perfCounter{
		counterOf("gpu.utilization.average", percentNow).ofHosts(hostGPUs, func(f *hostSample, n int) int64 { return f.gpu(n).busy }),
		counterOf("gpu.mem.used.average", inKB).ofHosts(hostGPUs, func(f *hostSample, n int) int64 { return f.gpu(n).memoryKB }),
		counterOf("gpu.mem.usage.average", percentNow).ofHosts(hostGPUs, func(f *hostSample, n int) int64 {
			return f.gpu(n).memoryKB * 10_000 / f.settings().GPUs[n].MemoryKB
		}),
		counterOf("gpu.temperature.average", celsiusNow).ofHosts(hostGPUs, func(f *hostSample, n int) int64 { return 31 + f.gpu(n).busy/220 }),
	}
}

// gpuFigures are the use of a graphics device, in hundredths of a percent, and its memory in use.
type gpuFigures struct{ busy, memoryKB int64 }

// driverKB is the memory that the driver uses of each device.
const driverKB = 300 << 10

// gpu returns the figures of a device. VMs with vGPUs are spread over the devices, and keep them as busy as their vCPUs.
func (f *hostSample) gpu(n int) gpuFigures {
	h, all := f.settings(), f.All(f.slot)
	sum, turn := gpuFigures{memoryKB: driverKB}, 0
	for i, r := range f.Residencies {
		v := r.Settings
		if v.VGPUMB == 0 {
			continue
		}
		if turn%len(h.GPUs) == n {
			busy := min(10_000, all[i].UsedMHz*10_000/max(1, v.VCPUs*h.MHz))
			sum.busy += busy
			sum.memoryKB += v.VGPUMB << 10 * (3_000 + busy/2) / 10_000
		}
		turn++
	}
	sum.busy, sum.memoryKB = min(sum.busy, 9_900), min(sum.memoryKB, h.GPUs[n].MemoryKB)
	return sum
}
