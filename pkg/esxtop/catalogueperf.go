package esxtop

// wholes are what can have figures as a whole.
var wholes = []Object{Host, Group}

// perfMetrics are what the PerformanceManager alone tells of hosts and VMs as wholes. esxtop shows none of it.
var perfMetrics = []Metric{
	{ID: "host.cpuUsage", Objects: ofHost, Unit: Percent, Kind: Share, Perf: perf("cpu.usage.average", Hundredths)},
	{ID: "host.cpuUsageMHz", Objects: ofHost, Unit: MHz, Kind: Gauge, Perf: perf("cpu.usagemhz.average", AsIs)},
	{ID: "host.cpuCapacity", Objects: ofHost, Unit: MHz, Kind: Gauge, Perf: perf("cpu.totalCapacity.average", AsIs)},
	{ID: "host.cpuReserved", Objects: ofHost, Unit: MHz, Kind: Gauge, Perf: perf("cpu.reservedCapacity.average", AsIs)},
	{ID: "mem.hostUsage", Objects: ofHost, Unit: Percent, Kind: Gauge, Perf: perf("mem.usage.average", Hundredths)},
	{ID: "mem.hostConsumed", Objects: ofHost, Unit: MB, Kind: Gauge, Perf: perf("mem.consumed.average", KB)},
	{ID: "mem.hostGranted", Objects: ofHost, Unit: MB, Kind: Gauge, Perf: perf("mem.granted.average", KB)},
	{ID: "mem.hostActive", Objects: ofHost, Unit: MB, Kind: Gauge, Perf: perf("mem.active.average", KB)},
	{ID: "mem.hostOverhead", Objects: ofHost, Unit: MB, Kind: Gauge, Perf: perf("mem.overhead.average", KB)},
	{ID: "disk.highestLatency", Objects: wholes, Unit: Millisec, Kind: Gauge, Perf: perf("disk.maxTotalLatency.latest", AsIs)},
	{ID: "disk.highestStoreLatency", Objects: wholes, Unit: Millisec, Kind: Gauge, Perf: perf("datastore.maxTotalLatency.latest", AsIs)},
	{ID: "net.allTx", Objects: wholes, Unit: Mbps, Kind: Rate, Perf: perf("net.bytesTx.average", KBpsToMbps)},
	{ID: "net.allRx", Objects: wholes, Unit: Mbps, Kind: Rate, Perf: perf("net.bytesRx.average", KBpsToMbps)},
	{ID: "power.energy", Objects: wholes, Unit: JouleRate, Kind: Rate, Perf: perf("power.energy.summation", PerInterval)},
	{ID: "cpu.demandMHz", Objects: ofGroup, Unit: MHz, Kind: Gauge, Perf: perf("cpu.demand.average", AsIs)},
	{ID: "vm.uptime", Objects: ofGroup, Unit: Seconds, Kind: Gauge, Perf: perf("sys.uptime.latest", AsIs)},
	{ID: "mem.usage", Objects: ofGroup, Unit: Percent, Kind: Gauge, Perf: perf("mem.usage.average", Hundredths)},
}
