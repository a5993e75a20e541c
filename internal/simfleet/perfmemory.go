package simfleet

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
