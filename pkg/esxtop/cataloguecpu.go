package esxtop

var ofBoth = []Object{Group, World}

// cpuMetrics are those of groups and worlds. A group has the sum over its worlds, but for what it is given as a whole.
var cpuMetrics = []Metric{
	{ID: "cpu.members", Objects: ofGroup, Column: "NWLD", Counter: "Members", Unit: Number, Kind: Gauge, Formula: gauge(1, "CPUClient.NumOfVCPUs").told("Σ CPUClient.NumOfVCPUs")},
	{ID: "cpu.used", Objects: ofBoth, Column: "%USED", Counter: "% Used", Unit: Percent, Kind: Share, Formula: share("VCPU.UsedTimeInUsec"), Perf: perf("cpu.used.summation", MsOfInterval)},
	{ID: "cpu.run", Objects: ofBoth, Column: "%RUN", Counter: "% Run", Unit: Percent, Kind: Share, Formula: share("VCPU.RunTimeInUsec"), Perf: perf("cpu.run.summation", MsOfInterval)},
	{ID: "cpu.system", Objects: ofBoth, Column: "%SYS", Counter: "% System", Unit: Percent, Kind: Share, Formula: share("VCPU.SysTimeInUsec"), Perf: perf("cpu.system.summation", MsOfInterval)},
	{ID: "cpu.wait", Objects: ofBoth, Column: "%WAIT", Counter: "% Wait", Unit: Percent, Kind: Share, Formula: share("VCPU.TotalWaitTimeInUsec"), Perf: perf("cpu.wait.summation", MsOfInterval)},
	{ID: "cpu.vmWait", Objects: ofBoth, Column: "%VMWAIT", Counter: "% VmWait", Unit: Percent, Kind: Share, Formula: own("cpu.wait − cpu.idle, of vCPU worlds alone")},
	{ID: "cpu.ready", Objects: ofBoth, Column: "%RDY", Counter: "% Ready", Unit: Percent, Kind: Share, Formula: share("VCPU.ReadyTimeInUsec"), Perf: perf("cpu.ready.summation", MsOfInterval)},
	{ID: "cpu.idle", Objects: ofBoth, Column: "%IDLE", Counter: "% Idle", Unit: Percent, Kind: Share, Formula: share("VCPU.IdleTimeInUsec"), Perf: perf("cpu.idle.summation", MsOfInterval)},
	{ID: "cpu.overlap", Objects: ofBoth, Column: "%OVRLP", Counter: "% Overlap", Unit: Percent, Kind: Share, Formula: share("VCPU.SysOverlapTimeInUsec"), Perf: perf("cpu.overlap.summation", MsOfInterval)},
	{ID: "cpu.costop", Objects: ofBoth, Column: "%CSTP", Counter: "% CoStop", Unit: Percent, Kind: Share, Formula: share("VCPU.CoStopTimeInUsec"), Perf: perf("cpu.costop.summation", MsOfInterval)},
	{ID: "cpu.maxLimited", Objects: ofBoth, Column: "%MLMTD", Counter: "% Max Limited", Unit: Percent, Kind: Share, Formula: share("VCPU.MaxLimitedTimeInUsec"), Perf: perf("cpu.maxlimited.summation", MsOfInterval)},
	{ID: "cpu.swapWait", Objects: ofBoth, Column: "%SWPWT", Counter: "% Swap Wait", Unit: Percent, Kind: Share, Formula: share("VCPU.SwapWaitTimeInUsec"), Perf: perf("cpu.swapwait.summation", MsOfInterval)},

	{ID: "cpu.usedPerVCPU", Objects: ofGroup, Column: "%USED/V", Unit: Percent, Kind: Share, Formula: reckoned(sum, "cpu.used").eachVCPU().told("cpu.used / vCPUs")},
	{ID: "cpu.readyPerVCPU", Objects: ofGroup, Column: "%RDY/V", Unit: Percent, Kind: Share, Formula: reckoned(sum, "cpu.ready").eachVCPU().told("cpu.ready / vCPUs")},
	{ID: "cpu.contentionPerVCPU", Objects: ofGroup, Column: "%RDY-ML/V", Unit: Percent, Kind: Share, Formula: reckoned(excess, "cpu.ready", "cpu.maxLimited").eachVCPU().told("(cpu.ready − cpu.maxLimited) / vCPUs, not below 0")},
	{ID: "cpu.costopPerVCPU", Objects: ofGroup, Column: "%CSTP/V", Unit: Percent, Kind: Share, Formula: reckoned(sum, "cpu.costop").eachVCPU().told("cpu.costop / vCPUs")},
	{ID: "cpu.maxLimitedPerVCPU", Objects: ofGroup, Column: "%MLMTD/V", Unit: Percent, Kind: Share, Formula: reckoned(sum, "cpu.maxLimited").eachVCPU().told("cpu.maxLimited / vCPUs")},
	{ID: "cpu.swapWaitPerVCPU", Objects: ofGroup, Column: "%SWPWT/V", Unit: Percent, Kind: Share, Formula: reckoned(sum, "cpu.swapWait").eachVCPU().told("cpu.swapWait / vCPUs")},
	{ID: "cpu.vmWaitPerVCPU", Objects: ofGroup, Column: "%VMWAIT/V", Unit: Percent, Kind: Share, Formula: reckoned(sum, "cpu.vmWait").eachVCPU().told("cpu.vmWait / vCPUs")},
	{ID: "cpu.latencyPerVCPU", Objects: ofGroup, Column: "%LAT_C/V", Unit: Percent, Kind: Share, Formula: reckoned(sum, "cpu.latency").eachVCPU().told("cpu.latency / vCPUs"), Perf: perf("cpu.latency.average", Hundredths)},

	{ID: "cpu.switches", Objects: ofBoth, Column: "SWTCH/s", Counter: "Switches/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "VCPU.NumOfWorldSwitches")},
	{ID: "cpu.migrations", Objects: ofBoth, Column: "MIG/s", Counter: "Migrates/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "VCPU.NumOfTotalMigrations")},
	{ID: "cpu.quantumExpires", Objects: ofBoth, Column: "QEXP/s", Counter: "Quantum Expires/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "VCPU.NumOfQuantumExpires")},
	{ID: "cpu.wakeups", Objects: ofBoth, Column: "WAKE/s", Counter: "Wakeups/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "VCPU.NumOfWakeups")},

	{ID: "cpu.allocMin", Objects: ofBoth, Column: "AMIN", Counter: "Alloc Min", Unit: Number, Kind: Gauge, Formula: own("SchedGroup.CPUAllocMin; of a world VCPU.AllocMin")},
	{ID: "cpu.allocMax", Objects: ofBoth, Column: "AMAX", Counter: "Alloc Max", Unit: Number, Kind: Gauge, Formula: own("SchedGroup.CPUAllocMax, -1 is no limit; of a world VCPU.AllocMax")},
	{ID: "cpu.allocShares", Objects: ofBoth, Column: "ASHRS", Counter: "Alloc Shares", Unit: Number, Kind: Gauge, Formula: own("SchedGroup.CPUAllocShares, -2 low, -3 normal, -4 high; of a world VCPU.AllocShares")},
	{ID: "cpu.allocMinLimit", Objects: ofBoth, Column: "AMLMT", Counter: "Alloc Min Limited", Unit: Number, Kind: Gauge, Formula: own("SchedGroup.CPUAllocMinLimit; of a world VCPU.AllocMinLimit")},
	{ID: "cpu.allocUnits", Objects: ofBoth, Column: "AUNITS", Unit: Words, Kind: Text, Formula: text("SchedGroup.CPUAllocUnitsStr", "VCPU.AllocUnitStr").told("SchedGroup.CPUAllocUnitsStr; of a world VCPU.AllocUnitStr")},

	{ID: "cpu.latency", Objects: ofBoth, Column: "%LAT_C", Counter: "% CPU Latency", Unit: Percent, Kind: Share, Formula: share("VCPU.CpuLatencyInUsec")},
	{ID: "cpu.memLatency", Objects: ofBoth, Column: "%LAT_M", Counter: "% Memory Latency", Unit: Percent, Kind: Share, Formula: share("VCPU.MemLatencyInUsec")},
	{ID: "cpu.demand", Objects: ofBoth, Column: "%DMD", Counter: "% Demand", Unit: Percent, Kind: Gauge, Formula: gauge(1, "VCPU.CpuDemandInPct")},
	{ID: "cpu.effectiveMin", Objects: ofBoth, Column: "EMIN", Counter: "Effective Min (MHz)", Unit: MHz, Kind: Gauge, Formula: gauge(1, "VCPU.EffectiveMin")},
	{ID: "cpu.timers", Objects: ofGroup, Column: "TIMER/s", Counter: "Timers/sec", Unit: PerSecond, Kind: Gauge, Formula: own("10⁶ / SchedGroup.TimerPeriod; 0 stays 0")},
	{ID: "cpu.affinity", Objects: ofWorld, Column: "AFFINITY_BIT_MASK", Unit: Words, Kind: Text, Formula: text("AffinityStr")},
	{ID: "cpu.physical", Objects: ofWorld, Column: "CPU", Counter: "Physical Cpu", Unit: Number, Kind: Gauge, Formula: gauge(1, "LCPU")},
	{ID: "cpu.power", Objects: ofGroup, Column: "POWER", Counter: "Power Usage Watts", Unit: Watt, Kind: Gauge, Formula: gauge(1, "PowerInWatt"), Perf: perf("power.power.average", AsIs)},
	{ID: "cpu.usage", Objects: ofGroup, Unit: Percent, Kind: Share, Formula: notThere(), Perf: perf("cpu.usage.average", Hundredths)},
	{ID: "cpu.usageMHz", Objects: ofGroup, Unit: MHz, Kind: Gauge, Formula: notThere(), Perf: perf("cpu.usagemhz.average", AsIs)},
}
