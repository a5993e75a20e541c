package inventory

// Series is one counter of one object measured over a while, in the unit of its metric. No samples say that there was
// nothing to measure, such as the latency of no commands.
type Series struct {
	Median  float64 `json:"median"`
	P95     float64 `json:"p95"` // 95 of 100 samples are no worse
	Worst   float64 `json:"worst"`
	Samples int64   `json:"samples"`
}

// LiveMetric is a counter that rules can ask for.
type LiveMetric struct {
	Name  string
	Scope Scope
	Unit  string // of the values of a Series
	About string
}

// NoLiveCounters is why a rule over live counters does not apply where nothing was measured.
const NoLiveCounters = "no live counters"

var liveMetrics = []LiveMetric{
	{"cpu.ready", ScopeVM, "percent of one vCPU's time", "ready to run and waiting for a core, the time held back by a limit taken off; cpu.ready.summation by vCPU"},
	{"cpu.costop", ScopeVM, "percent of one vCPU's time", "stopped so that sibling vCPUs can catch up; cpu.costop.summation by vCPU"},
	{"cpu.usage", ScopeVM, "percent of the VM's vCPUs", "CPU used; cpu.usage.average"},
	{"mem.swapIn", ScopeVM, "KB/s", "read back from swap; mem.swapinRate.average"},
	{"mem.balloon", ScopeVM, "MB", "taken by the balloon driver; mem.vmmemctl.average"},
	{"mem.decompress", ScopeVM, "KB/s", "read back from compressed memory; mem.decompressionRate.average"},
	{"numa.local", ScopeVM, "percent of the VM's memory", "memory on the VM's home node; N%L of esxtop"},
	{"net.droppedRx", ScopeVM, "percent of received packets", "packets dropped at the VM's ports; net.droppedRx.summation"},
	{"cpu.coreUtilization", ScopeHost, "percent", "cores in use; cpu.coreUtilization.average"},
	{"mem.state", ScopeHost, "0 high, 1 clear, 2 soft, 3 hard, 4 low", "state of free memory; mem.state.latest"},
	{"mem.swapIn", ScopeHost, "KB/s", "read back from swap by all VMs; mem.swapinRate.average"},
	{"net.droppedRx", ScopeHost, "percent of received packets", "packets dropped at the host's NICs; net.droppedRx.summation"},
	{"disk.deviceLatency", ScopeHost, "ms", "worst latency in the array of the devices with 10 commands a second or more; disk.deviceLatency.average"},
	{"disk.kernelLatency", ScopeHost, "ms", "worst latency in the VMkernel of such devices; disk.kernelLatency.average"},
	{"disk.queueLatency", ScopeHost, "ms", "worst wait in the queue of such devices; disk.queueLatency.average"},
	{"disk.aborts", ScopeHost, "commands/s", "commands given up; disk.commandsAborted.summation"},
}

// LiveMetrics lists the counters that rules can ask for.
func LiveMetrics() []LiveMetric { return append([]LiveMetric(nil), liveMetrics...) }

// LookupLive finds a counter of a kind of object.
func LookupLive(scope Scope, name string) (LiveMetric, bool) {
	for _, m := range liveMetrics {
		if m.Scope == scope && m.Name == name {
			return m, true
		}
	}
	return LiveMetric{}, false
}
