package esxtop

var cpuPanel = &Panel{
	Key: 'c', Title: "CPU", Object: Group, Expand: []Object{World},
	Fields: fields("ABcDEFghijk",
		field("ID = Id", named("ID", RowID)),
		field("GID = Group Id", named("GID", RowGID)),
		field("LWID = Leader World Id", named("LWID", RowLeader)),
		field("NAME = Name", named("NAME", RowName)),
		field("NWLD = Num Worlds", of("cpu.members")...),
		field("%STATE TIMES = CPU State Times", of("cpu.used", "cpu.run", "cpu.system", "cpu.wait", "cpu.vmWait", "cpu.ready", "cpu.idle",
			"cpu.overlap", "cpu.costop", "cpu.maxLimited", "cpu.swapWait")...),
		field("EVENT COUNTS/s = CPU Event Counts", of("cpu.switches", "cpu.migrations", "cpu.quantumExpires", "cpu.wakeups")...),
		field("CPU ALLOC = CPU Allocations", of("cpu.allocMin", "cpu.allocMax", "cpu.allocShares", "cpu.allocMinLimit", "cpu.allocUnits")...),
		field("SUMMARY STATS = CPU Summary Stats", of("cpu.latency", "cpu.memLatency", "cpu.demand", "cpu.effectiveMin", "cpu.timers",
			"cpu.affinity", "cpu.physical")...),
		field("POWER STATS = Power usage", of("cpu.power")...),
		// esxtop has no such field: a group's sum says little unless it is divided.
		field("PER VCPU = State Times by vCPU", of("cpu.usedPerVCPU", "cpu.readyPerVCPU", "cpu.contentionPerVCPU", "cpu.costopPerVCPU",
			"cpu.maxLimitedPerVCPU", "cpu.swapWaitPerVCPU", "cpu.vmWaitPerVCPU", "cpu.latencyPerVCPU")...),
	),
	Sorts: map[byte]string{'U': "cpu.used", 'R': "cpu.ready", 'N': ""},
}

var interruptPanel = &Panel{
	Key: 'i', Title: "Interrupt", Object: Vector,
	Fields: fields("ABCDeF",
		field("VECTOR = Interrupt Vector Id", named("VECTOR", RowID)),
		field("COUNT/s = Total Number of Interrupts Per Second", of("int.count")...),
		field("TIME/int = Average Time Per Interrupt (usec)", of("int.time")...),
		field("COUNT_x = Number of Interrupts Per Second on CPU x", each("COUNT_", "int.count", VectorCPU)),
		field("TIME_x = Average Time Per Interrupt on CPU x (usec)", each("TIME_", "int.time", VectorCPU)),
		field("DEVICES = Devices using the Interrupt Vector", of("int.devices")...),
	),
	Sorts: map[byte]string{'N': ""},
}

var powerPanel = &Panel{
	Key: 'p', Title: "Power", Object: PCPU,
	Fields: fields("ABCDeF",
		field("CPU = CPU Id", named("CPU", RowID)),
		field("CPU USED/UTIL = CPU Used and Utilization", labelled("%USED", "pcpu.used", 1), labelled("%UTIL", "pcpu.util", 1)),
		field("C-STATES = Residency of C-states", each("%C", "power.cstate", CState)),
		field("P-STATES = Residency of P-states", each("%P", "power.pstate", PState)),
		field("T-STATES = Residency of T-states", each("%T", "power.tstate", TState)),
		field("A/MPERF = Clock against nominal", labelled("%A/MPERF", "pcpu.aperfMperf", 1)),
	),
	Sorts: map[byte]string{'N': ""},
}

var vsanPanel = &Panel{
	Key: 'x', Title: "vSAN", Object: Dom,
	Fields: fields("ABCd",
		field("ROLE = DOM Role", named("ROLE", RowName)),
		field("READS = Reads", of("dom.reads", "dom.readRate", "dom.readLatency", "dom.readSpread")...),
		field("WRITES = Writes", of("dom.writes", "dom.writeRate", "dom.writeLatency", "dom.writeSpread")...),
		field("RECOVERY WRITES = Recovery Writes", of("dom.recoveryWrites", "dom.recoveryWriteRate", "dom.recoveryWriteLatency", "dom.recoveryWriteSpread")...),
	),
	Sorts: map[byte]string{'N': ""},
}
