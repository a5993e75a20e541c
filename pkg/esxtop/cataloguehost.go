package esxtop

var (
	ofHost  = []Object{Host}
	ofPCPU  = []Object{PCPU}
	ofGroup = []Object{Group}
	ofWorld = []Object{World}
)

// hostMetrics are the lines above esxtop's tables.
var hostMetrics = []Metric{
	{ID: "host.uptime", Objects: ofHost, Unit: Seconds, Kind: Gauge, Formula: gauge(1e-6, "TimeStampInUsec"), Perf: perf("sys.uptime.latest", AsIs)},
	{ID: "host.worlds", Objects: ofHost, Unit: Number, Kind: Gauge, Formula: gauge(1, "CPUClient.NumOfVCPUs").told("Σ CPUClient.NumOfVCPUs of the groups on the CPU screen")},
	{ID: "host.vms", Objects: ofHost, Unit: Number, Kind: Gauge, Formula: gauge(1, "SchedGroup.IsVM").told("groups with SchedGroup.IsVM")},
	{ID: "host.vcpus", Objects: ofHost, Unit: Number, Kind: Gauge, Formula: own("worlds named vmx-vcpu-")},
	{ID: "host.load1", Objects: ofHost, Column: "CPU load average", Counter: "Cpu Load (1 Minute Avg)", Unit: Ratio, Kind: Gauge, Formula: gauge(0.01, "Sched.HostCPUInPct1Min"), Perf: perf("rescpu.actav1.latest", HundredthsOne)},
	{ID: "host.load5", Objects: ofHost, Column: "CPU load average", Counter: "Cpu Load (5 Minute Avg)", Unit: Ratio, Kind: Gauge, Formula: gauge(0.01, "Sched.HostCPUInPct5Min"), Perf: perf("rescpu.actav5.latest", HundredthsOne)},
	{ID: "host.load15", Objects: ofHost, Column: "CPU load average", Counter: "Cpu Load (15 Minute Avg)", Unit: Ratio, Kind: Gauge, Formula: gauge(0.01, "Sched.HostCPUInPct15Min"), Perf: perf("rescpu.actav15.latest", HundredthsOne)},

	{ID: "mem.overcommit1", Objects: ofHost, Column: "MEM overcommit avg", Counter: "Memory Overcommit (1 Minute Avg)", Unit: Ratio, Kind: Gauge, Formula: gauge(0.01, "PMem.MemOvercommitInPct1Min")},
	{ID: "mem.overcommit5", Objects: ofHost, Column: "MEM overcommit avg", Counter: "Memory Overcommit (5 Minute Avg)", Unit: Ratio, Kind: Gauge, Formula: gauge(0.01, "PMem.MemOvercommitInPct5Min")},
	{ID: "mem.overcommit15", Objects: ofHost, Column: "MEM overcommit avg", Counter: "Memory Overcommit (15 Minute Avg)", Unit: Ratio, Kind: Gauge, Formula: gauge(0.01, "PMem.MemOvercommitInPct15Min")},
	{ID: "mem.physical", Objects: ofHost, Column: "PMEM total", Counter: "Machine MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.PhysicalMemInKB"), Perf: perf("mem.totalCapacity.average", AsIs)},
	{ID: "mem.kernel", Objects: ofHost, Column: "PMEM vmk", Counter: "Kernel MBytes", Unit: MB, Kind: Gauge, Formula: own("(PMem.PhysicalMemInKB − COSMemInKB − NonkernelUsedInKB − FreeMemInKB) / 1024"), Perf: perf("mem.sysUsage.average", KB)},
	{ID: "mem.nonKernel", Objects: ofHost, Column: "PMEM other", Counter: "NonKernel MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.NonkernelUsedInKB")},
	{ID: "mem.free", Objects: ofHost, Column: "PMEM free", Counter: "Free MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.FreeMemInKB")},
	{ID: "mem.managed", Objects: ofHost, Column: "VMKMEM managed", Counter: "Kernel Managed MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.SchedManagedInKB")},
	{ID: "mem.minFree", Objects: ofHost, Column: "VMKMEM minfree", Counter: "Kernel MinFree MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.SchedMinFreeInKB"), Perf: perf("mem.lowfreethreshold.average", KB)},
	{ID: "mem.reserved", Objects: ofHost, Column: "VMKMEM rsvd", Counter: "Kernel Reserved MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.SchedReservedInKB"), Perf: perf("mem.reservedCapacity.average", AsIs)},
	{ID: "mem.unreserved", Objects: ofHost, Column: "VMKMEM ursvd", Counter: "Kernel Unreserved MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.SchedAvailInKB"), Perf: perf("mem.unreserved.average", KB)},
	{ID: "mem.state", Objects: ofHost, Column: "VMKMEM state", Counter: "Kernel State", Unit: StateWords, Kind: Gauge, Formula: gauge(1, "PMem.SchedState"), Perf: perf("mem.state.latest", AsIs)},
	{ID: "mem.stateWord", Objects: ofHost, Column: "VMKMEM state", Unit: Words, Kind: Text, Formula: text("PMem.SchedStateStr")},
	{ID: "mem.pshareShared", Objects: ofHost, Column: "PSHARE shared", Counter: "PShare Shared MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.PShareSharedInKB"), Perf: perf("mem.shared.average", KB)},
	{ID: "mem.pshareCommon", Objects: ofHost, Column: "PSHARE common", Counter: "PShare Common MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.PShareCommonInKB"), Perf: perf("mem.sharedcommon.average", KB)},
	{ID: "mem.pshareSaving", Objects: ofHost, Column: "PSHARE saving", Counter: "PShare Savings MBytes", Unit: MB, Kind: Gauge, Formula: reckoned(difference, "mem.pshareShared", "mem.pshareCommon").told("mem.pshareShared − mem.pshareCommon")},
	{ID: "mem.hostSwapUsed", Objects: ofHost, Column: "SWAP curr", Counter: "Swap Used MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.SwapUsedInKB"), Perf: perf("mem.swapused.average", KB)},
	{ID: "mem.hostSwapTarget", Objects: ofHost, Column: "SWAP rclmtgt", Counter: "Swap Target MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.SwapTgtInKB")},
	{ID: "mem.hostSwapRead", Objects: ofHost, Column: "SWAP r/s", Counter: "Swap MBytes Read/sec", Unit: MBps, Kind: Rate, Formula: rate(fromKB, "PMem.SwapReadInKB"), Perf: perf("mem.swapinRate.average", KBpsToMBps)},
	{ID: "mem.hostSwapWrite", Objects: ofHost, Column: "SWAP w/s", Counter: "Swap MBytes Write/sec", Unit: MBps, Kind: Rate, Formula: rate(fromKB, "PMem.SwapWrtnInKB"), Perf: perf("mem.swapoutRate.average", KBpsToMBps)},
	{ID: "mem.hostZipped", Objects: ofHost, Column: "ZIP zipped", Counter: "Total Compressed MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.ZippedInKB")},
	{ID: "mem.hostZipSaved", Objects: ofHost, Column: "ZIP saved", Counter: "Total Saved By Compression MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.ZipSavedInKB")},
	{ID: "mem.hostBalloon", Objects: ofHost, Column: "MEMCTL curr", Counter: "Memctl Current MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.MemCtlCurInKB"), Perf: perf("mem.vmmemctl.average", KB)},
	{ID: "mem.hostBalloonTarget", Objects: ofHost, Column: "MEMCTL target", Counter: "Memctl Target MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.MemCtlTgtInKB")},
	{ID: "mem.hostBalloonMax", Objects: ofHost, Column: "MEMCTL max", Counter: "Memctl Max MBytes", Unit: MB, Kind: Gauge, Formula: gauge(fromKB, "PMem.MemCtlMaxInKB")},

	{ID: "numa.total", Objects: []Object{Node}, Column: "NUMA total", Unit: MB, Kind: Gauge, Formula: gauge(4*fromKB, "TotalInPages")},
	{ID: "numa.free", Objects: []Object{Node}, Column: "NUMA free", Unit: MB, Kind: Gauge, Formula: gauge(4*fromKB, "FreeInPages")},

	{ID: "pcpu.used", Objects: ofPCPU, Column: "PCPU USED(%)", Counter: "% Processor Time", Unit: Percent, Kind: Share, Formula: share("UsedTimeInUsec"), Perf: perf("cpu.usage.average", Hundredths)},
	{ID: "pcpu.util", Objects: ofPCPU, Column: "PCPU UTIL(%)", Counter: "% Util Time", Unit: Percent, Kind: Share, Formula: own("(1 − Δ LCPU.HaltTimeInUsec / Δt) × 100", "HaltTimeInUsec"), Perf: perf("cpu.utilization.average", Hundredths)},
	{ID: "pcpu.coreUtil", Objects: ofPCPU, Column: "CORE UTIL(%)", Counter: "% Core Util Time", Unit: Percent, Kind: Share, Formula: own("(1 − Δ LCPU.CoreHaltTimeInUsec / Δt) × 100; both threads of a core have the same", "CoreHaltTimeInUsec"), Perf: perf("cpu.coreUtilization.average", Hundredths)},
	{ID: "pcpu.aperfMperf", Objects: ofPCPU, Column: "%A/MPERF", Unit: Percent, Kind: Share, Formula: own("Δ LCPUPower.Aperf / Δ Mperf × 100, from 1 to 400")},
	{ID: "pcpu.usedAvg", Objects: ofHost, Column: "PCPU USED(%) AVG", Unit: Percent, Kind: Share, Formula: own("mean of pcpu.used over the logical CPUs")},
	{ID: "pcpu.utilAvg", Objects: ofHost, Column: "PCPU UTIL(%) AVG", Unit: Percent, Kind: Share, Formula: own("mean of pcpu.util over the logical CPUs"), Perf: perf("cpu.utilization.average", Hundredths)},
	{ID: "pcpu.coreUtilAvg", Objects: ofHost, Column: "CORE UTIL(%) AVG", Unit: Percent, Kind: Share, Formula: own("mean of pcpu.coreUtil over the cores"), Perf: perf("cpu.coreUtilization.average", Hundredths)},

	{ID: "power.usage", Objects: ofHost, Column: "Power Usage", Counter: "Power Usage Now Watts", Unit: Watt, Kind: Gauge, zeroIsNone: true, Formula: gauge(1, "Power.UsageNowInWatt").told("Power.UsageNowInWatt; 0 is no sensor"), Perf: perf("power.power.average", AsIs)},
	{ID: "power.cap", Objects: ofHost, Column: "Power Cap", Counter: "Power Usage Cap Watts", Unit: Watt, Kind: Gauge, zeroIsNone: true, Formula: gauge(1, "Power.UsageCapInWatt").told("Power.UsageCapInWatt; 0 is no cap"), Perf: perf("power.powerCap.average", AsIs)},
	{ID: "power.pstateMHz", Objects: []Object{PState}, Column: "PSTATE MHZ", Counter: "P-State MHZ", Unit: MHz, Kind: Gauge, Formula: gauge(1, "FrequencyInMhz")},
	{ID: "power.cstate", Objects: []Object{CState}, Column: "%C", Counter: "%C-State", Unit: Percent, Kind: Share, Formula: share("ResidentTimeInUsec")},
	{ID: "power.pstate", Objects: []Object{PState}, Column: "%P", Counter: "%P-State", Unit: Percent, Kind: Share, Formula: share("ResidentTimeInUsec")},
	{ID: "power.tstate", Objects: []Object{TState}, Column: "%T", Counter: "%T-State", Unit: Percent, Kind: Share, Formula: share("ResidentTimeInUsec")},
	{ID: "vsan.enabled", Objects: ofHost, Counter: "Enabled?", Unit: Number, Kind: Flag, Formula: gauge(1, "Vsan.IsEnabled")},

	{ID: "int.count", Objects: []Object{Vector, VectorCPU}, Column: "COUNT/s", Counter: "Interrupts/second", Unit: PerSecond, Kind: Rate, Formula: rate(1, "InterruptPerCPU.Count").told("Δ InterruptPerCPU.Count / Δt; of a vector the sum over CPUs")},
	{ID: "int.time", Objects: []Object{Vector, VectorCPU}, Column: "TIME/int", Counter: "Processing Time MicroSec/Interrupt", Unit: Microsec, Kind: Mean, per: "int.count", Formula: meanOf(1, "InterruptPerCPU.SysTimeInUsec", "InterruptPerCPU.Count").told("Δ InterruptPerCPU.SysTimeInUsec / Δ Count; of a vector over the sums")},
	{ID: "int.devices", Objects: []Object{Vector}, Column: "DEVICES", Unit: Words, Kind: Text, Formula: text("Devices")},

	{ID: "dom.reads", Objects: []Object{Dom}, Column: "READS/s", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfReadOps")},
	{ID: "dom.readRate", Objects: []Object{Dom}, Column: "MBREAD/s", Unit: MBps, Kind: Rate, Formula: rate(fromBytes, "ReadByte")},
	{ID: "dom.readLatency", Objects: []Object{Dom}, Column: "AVGLAT/rd", Counter: "Avg Read Latency in ms", Unit: Millisec, Kind: Mean, per: "dom.reads", Formula: mean("SumReadLatencyInUsec", "NumOfReadOps")},
	{ID: "dom.readSpread", Objects: []Object{Dom}, Column: "SDLAT/rd", Unit: Millisec, Kind: Mean, per: "dom.reads", Formula: own("standard deviation from SqSumReadLatencyInUsec and SumReadLatencyInUsec", "SqSumReadLatencyInUsec", "SumReadLatencyInUsec", "NumOfReadOps")},
	{ID: "dom.writes", Objects: []Object{Dom}, Column: "WRITES/s", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfWriteOps")},
	{ID: "dom.writeRate", Objects: []Object{Dom}, Column: "MBWRTN/s", Unit: MBps, Kind: Rate, Formula: rate(fromBytes, "WriteByte")},
	{ID: "dom.writeLatency", Objects: []Object{Dom}, Column: "AVGLAT/wr", Counter: "Avg Write Latency in ms", Unit: Millisec, Kind: Mean, per: "dom.writes", Formula: mean("SumWriteLatencyInUse", "NumOfWriteOps")},
	{ID: "dom.writeSpread", Objects: []Object{Dom}, Column: "SDLAT/wr", Unit: Millisec, Kind: Mean, per: "dom.writes", Formula: own("standard deviation from SqSumWriteLatencyInUse and SumWriteLatencyInUse", "SqSumWriteLatencyInUse", "SumWriteLatencyInUse", "NumOfWriteOps")},
	{ID: "dom.recoveryWrites", Objects: []Object{Dom}, Column: "RECOWR/s", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfRecoveryWriteOps")},
	{ID: "dom.recoveryWriteRate", Objects: []Object{Dom}, Column: "MBRECOWR/s", Unit: MBps, Kind: Rate, Formula: rate(fromBytes, "RecoveryWriteByte")},
	{ID: "dom.recoveryWriteLatency", Objects: []Object{Dom}, Column: "AVGLAT/rec", Unit: Millisec, Kind: Mean, per: "dom.recoveryWrites", Formula: mean("SumRecoveryWriteLatencyInUsec", "NumOfRecoveryWriteOps")},
	{ID: "dom.recoveryWriteSpread", Objects: []Object{Dom}, Column: "SDLAT/rec", Unit: Millisec, Kind: Mean, per: "dom.recoveryWrites", Formula: own("standard deviation from SqSumRecoveryWriteLatencyInUsec and SumRecoveryWriteLatencyInUsec", "SqSumRecoveryWriteLatencyInUsec", "SumRecoveryWriteLatencyInUsec", "NumOfRecoveryWriteOps")},
}
