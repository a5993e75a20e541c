package perf

import "github.com/vperf/vperf/internal/simfleet/load"

// memory returns a memory counter of hosts and VMs; a host's value is the sum over its VMs.
func memory(name string, k kind, of func(*load.MemoryFigures) int64) perfCounter {
	return counterOf(name, k).
		ofHosts(nil, func(f *hostSample, _ int) int64 { return of(&f.Sum) }).
		ofVMs(nil, func(f *vmSample, _ int) int64 { return of(&f.Mem) })
}

func hostMem(name string, k kind, of func(*load.HostMemory) int64) perfCounter {
	return counterOf(name, k).ofHosts(nil, func(f *hostSample, _ int) int64 { return of(&f.Mem) })
}

func vmMem(name string, k kind, of func(*load.MemoryFigures) int64) perfCounter {
	return counterOf(name, k).ofVMs(nil, func(f *vmSample, _ int) int64 { return of(&f.Mem) })
}

func memoryCounters() []perfCounter {
	return []perfCounter{
		counterOf("mem.usage.average", percentNow).
			ofHosts(nil, func(f *hostSample, _ int) int64 {
				return (f.Mem.Physical - f.Mem.Free) * 10_000 / max(f.Mem.Physical, 1)
			}).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.Mem.Active * 10_000 / max(f.Mem.Size, 1) }),
		counterOf("mem.consumed.average", inKB).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.Mem.Physical - f.Mem.Free }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.Mem.Consumed }),
		memory("mem.granted.average", inKB, func(m *load.MemoryFigures) int64 { return m.Granted }),
		memory("mem.active.average", inKB, func(m *load.MemoryFigures) int64 { return m.Active }),
		memory("mem.activewrite.average", inKB, func(m *load.MemoryFigures) int64 { return m.ActiveWrite }),
		memory("mem.shared.average", inKB, func(m *load.MemoryFigures) int64 { return m.Shared }),
		memory("mem.zero.average", inKB, func(m *load.MemoryFigures) int64 { return m.Zero }),
		memory("mem.overhead.average", inKB, func(m *load.MemoryFigures) int64 { return m.Overhead }),
		memory("mem.vmmemctl.average", inKB, func(m *load.MemoryFigures) int64 { return m.Balloon }),
		vmMem("mem.vmmemctltarget.average", inKB, func(m *load.MemoryFigures) int64 { return m.BalloonTarget }),
		memory("mem.swapinRate.average", inKBps, func(m *load.MemoryFigures) int64 { return m.SwapIn }),
		memory("mem.swapoutRate.average", inKBps, func(m *load.MemoryFigures) int64 { return m.SwapOut }),
		memory("mem.llSwapInRate.average", inKBps, func(*load.MemoryFigures) int64 { return 0 }),
		memory("mem.llSwapOutRate.average", inKBps, func(*load.MemoryFigures) int64 { return 0 }),
		memory("mem.compressed.average", inKB, func(m *load.MemoryFigures) int64 { return m.Zipped }),
		memory("mem.compressionRate.average", inKBps, func(m *load.MemoryFigures) int64 { return m.ZipIn }),
		memory("mem.decompressionRate.average", inKBps, func(m *load.MemoryFigures) int64 { return m.Unzip }),
		vmMem("mem.zipped.latest", inKB, func(m *load.MemoryFigures) int64 { return m.ZipUsed }),
		vmMem("mem.zipSaved.latest", inKB, func(m *load.MemoryFigures) int64 { return m.Zipped - m.ZipUsed }),
		vmMem("mem.swapped.average", inKB, func(m *load.MemoryFigures) int64 { return m.Swapped }),
		vmMem("mem.swaptarget.average", inKB, func(m *load.MemoryFigures) int64 { return m.SwapTarget }),
		vmMem("mem.overheadMax.average", inKB, func(m *load.MemoryFigures) int64 { return m.OverheadMax }),
		vmMem("mem.entitlement.average", inKB, func(m *load.MemoryFigures) int64 { return m.Entitlement }),
		counterOf("mem.latency.average", inPercent).ofVMs(nil, func(f *vmSample, _ int) int64 { return f.share(f.CPU.MemLatency) }),
		hostMem("mem.totalCapacity.average", inMB, func(m *load.HostMemory) int64 { return m.Physical >> 10 }),
		hostMem("mem.sysUsage.average", inKB, func(m *load.HostMemory) int64 { return m.Kernel }),
		hostMem("mem.lowfreethreshold.average", inKB, func(m *load.HostMemory) int64 { return m.MinFree }),
		hostMem("mem.reservedCapacity.average", inMB, func(m *load.HostMemory) int64 { return m.Reserved >> 10 }),
		hostMem("mem.unreserved.average", inKB, func(m *load.HostMemory) int64 { return m.Unreserved }),
		hostMem("mem.state.latest", numberNow, func(m *load.HostMemory) int64 { return m.State }),
		hostMem("mem.sharedcommon.average", inKB, func(m *load.HostMemory) int64 { return m.Common }),
		hostMem("mem.swapused.average", inKB, func(m *load.HostMemory) int64 { return m.Swapped }),
	}
}
