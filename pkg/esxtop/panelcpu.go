package esxtop

var cpuPanel = &Panel{
	Key: 'c', Title: "CPU", Object: Group, Expand: []Object{World},
	Fields: fields("ABcDEFghijk",
		titled("ID = Id", named("ID", RowID)),
		titled("GID = Group Id", named("GID", RowGID)),
		titled("LWID = Leader World Id", named("LWID", RowLeader)),
		titled("NAME = Name", named("NAME", RowName)),
		titled("NWLD = Num Worlds", of("cpu.members")...),
		titled("%STATE TIMES = CPU State Times", of("cpu.used", "cpu.run", "cpu.system", "cpu.wait", "cpu.vmWait", "cpu.ready", "cpu.idle",
			"cpu.overlap", "cpu.costop", "cpu.maxLimited", "cpu.swapWait")...),
		titled("EVENT COUNTS/s = CPU Event Counts", of("cpu.switches", "cpu.migrations", "cpu.quantumExpires", "cpu.wakeups")...),
		titled("CPU ALLOC = CPU Allocations", of("cpu.allocMin", "cpu.allocMax", "cpu.allocShares", "cpu.allocMinLimit", "cpu.allocUnits")...),
		titled("SUMMARY STATS = CPU Summary Stats", of("cpu.latency", "cpu.memLatency", "cpu.demand", "cpu.effectiveMin", "cpu.timers",
			"cpu.affinity", "cpu.physical")...),
		titled("POWER STATS = Power usage", of("cpu.power")...),
		// esxtop has no such field: a group's sum says little unless it is divided.
		titled("PER VCPU = State Times by vCPU", of("cpu.usedPerVCPU", "cpu.readyPerVCPU", "cpu.contentionPerVCPU", "cpu.costopPerVCPU",
			"cpu.maxLimitedPerVCPU", "cpu.swapWaitPerVCPU", "cpu.vmWaitPerVCPU", "cpu.latencyPerVCPU")...),
	),
	Sorts: map[byte]string{'U': "cpu.used", 'R': "cpu.ready", 'N': ""},
}

var interruptPanel = &Panel{
	Key: 'i', Title: "Interrupt", Object: Vector,
	Fields: fields("ABCDeF",
		titled("VECTOR = Interrupt Vector Id", named("VECTOR", RowID)),
		titled("COUNT/s = Total Number of Interrupts Per Second", of("int.count")...),
		titled("TIME/int = Average Time Per Interrupt (usec)", of("int.time")...),
		titled("COUNT_x = Number of Interrupts Per Second on CPU x", each("COUNT_", "int.count", VectorCPU)),
		titled("TIME_x = Average Time Per Interrupt on CPU x (usec)", each("TIME_", "int.time", VectorCPU)),
		titled("DEVICES = Devices using the Interrupt Vector", of("int.devices")...),
	),
	Sorts: map[byte]string{'N': ""},
}

var powerPanel = &Panel{
	Key: 'p', Title: "Power", Object: PCPU,
	Fields: fields("ABCDeF",
		titled("CPU = CPU Id", named("CPU", RowID)),
		titled("CPU USED/UTIL = CPU Used and Utilization", labelled("%USED", "pcpu.used", 1), labelled("%UTIL", "pcpu.util", 1)),
		titled("C-STATES = Residency of C-states", each("%C", "power.cstate", CState)),
		titled("P-STATES = Residency of P-states", each("%P", "power.pstate", PState)),
		titled("T-STATES = Residency of T-states", each("%T", "power.tstate", TState)),
		titled("A/MPERF = Clock against nominal", labelled("%A/MPERF", "pcpu.aperfMperf", 1)),
	),
	Sorts: map[byte]string{'N': ""},
}

var vsanPanel = &Panel{
	Key: 'x', Title: "vSAN", Object: Dom,
	Fields: fields("ABCd",
		titled("ROLE = DOM Role", named("ROLE", RowName)),
		titled("READS = Reads", of("dom.reads", "dom.readRate", "dom.readLatency", "dom.readSpread")...),
		titled("WRITES = Writes", of("dom.writes", "dom.writeRate", "dom.writeLatency", "dom.writeSpread")...),
		titled("RECOVERY WRITES = Recovery Writes", of("dom.recoveryWrites", "dom.recoveryWriteRate", "dom.recoveryWriteLatency", "dom.recoveryWriteSpread")...),
	),
	Sorts: map[byte]string{'N': ""},
}
