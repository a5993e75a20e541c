package inventory

import "time"

// Series is one counter of one object measured over a period, in the unit of its metric. No samples mean that there was
// nothing to measure, such as the latency of no commands.
type Series struct {
	Median  float64 `json:"median"`
	P95     float64 `json:"p95"` // 95 of 100 samples are no worse; of fewer than 20, all but the worst one (see Rank)
	Worst   float64 `json:"worst"`
	Mean    float64 `json:"mean"`
	Samples int64   `json:"samples"`
	// WorstAt is when the worst sample ended, by the host's clock; zero where it is not known.
	WorstAt time.Time `json:"worstAt,omitzero"`
	// Track has the samples in order; nil if only the summary was kept.
	Track *Track `json:"-"`
	// Below is true if the lowest value is the worst, as in LiveMetric.
	Below bool `json:"-"`
}

// Track is the samples of a series, one in each slot. A host and all objects on it have the same slots. A Track is
// immutable: equal constant series share one.
type Track struct {
	Start  time.Time     // when the first slot's interval ended, by the host's clock
	Every  time.Duration // between slots
	Values []float32     // NaN: no sample
}

// LiveMetric is a counter that rules can read.
type LiveMetric struct {
	Name  string
	Scope Scope
	Unit  string // of the values of a Series
	Below bool   // the lowest is the worst
	About string
}

// NoLiveCounters is the reason why a rule over live counters does not apply if none were measured.
const NoLiveCounters = "no live counters"

// Units of several metrics.
const (
	ofOneVCPU = "percent of one vCPU's time"
)

var liveMetrics = []LiveMetric{
	{"cpu.ready", ScopeVM, ofOneVCPU, false, "ready to run and waiting for a core, the time held back by a limit taken off; %RDY - %MLMTD of esxtop per vCPU"},
	{"cpu.readyTotal", ScopeVM, ofOneVCPU, false, "ready to run and not running, whatever the reason; %RDY of esxtop per vCPU"},
	{"cpu.maxLimited", ScopeVM, ofOneVCPU, false, "held back by a CPU limit of the VM or its pool; %MLMTD of esxtop per vCPU"},
	{"cpu.costop", ScopeVM, ofOneVCPU, false, "stopped so that sibling vCPUs can catch up; %CSTP of esxtop per vCPU"},
	{"cpu.usage", ScopeVM, "percent of the VM's vCPUs", false, "CPU used; over 100 is turbo; cpu.usage.average, %USED of esxtop per vCPU"},
	{"cpu.run", ScopeVM, ofOneVCPU, false, "scheduled on a core, whatever its clock; %RUN of esxtop per vCPU"},
	{"cpu.system", ScopeVM, ofOneVCPU, false, "work of the VMkernel for the VM; %SYS of esxtop per vCPU"},
	{"cpu.overlap", ScopeVM, ofOneVCPU, false, "work of the VMkernel for others while the VM was scheduled; %OVRLP of esxtop per vCPU"},
	{"cpu.swapWait", ScopeVM, ofOneVCPU, false, "waiting for pages to be read back from swap; %SWPWT of esxtop per vCPU"},
	{"cpu.vmWait", ScopeVM, ofOneVCPU, false, "blocked on I/O or the VMkernel; %VMWAIT of esxtop per vCPU"},
	{"cpu.latency", ScopeVM, ofOneVCPU, false, "CPU lost to waiting, shared cores and a low clock; %LAT_C of esxtop per vCPU"},
	{"cpu.memLatency", ScopeVM, ofOneVCPU, false, "CPU lost to memory that had to be brought back; %LAT_M of esxtop per vCPU"},
	{"cpu.timers", ScopeVM, "interrupts/s", false, "timer interrupts that the guest asks for; TIMER/s of esxtop"},
	{"mem.swapIn", ScopeVM, "KB/s", false, "read back from swap; SWR/s of esxtop"},
	{"mem.swapOut", ScopeVM, "KB/s", false, "written to swap; SWW/s of esxtop"},
	{"mem.swapped", ScopeVM, "MB", false, "memory that is in swap, now or since it was short; SWCUR of esxtop"},
	{"mem.balloon", ScopeVM, "MB", false, "taken by the balloon driver; MCTLSZ of esxtop"},
	{"mem.compress", ScopeVM, "KB/s", false, "being compressed; ZIP/s of esxtop"},
	{"mem.decompress", ScopeVM, "KB/s", false, "read back from compressed memory; UNZIP/s of esxtop"},
	{"mem.compressed", ScopeVM, "MB", false, "memory that is kept compressed; CACHUSD of esxtop"},
	{"mem.granted", ScopeVM, "MB", false, "memory that the guest has touched; GRANT of esxtop"},
	{"mem.active", ScopeVM, "MB", false, "memory that the guest has used lately, by sampling; TCHD of esxtop"},
	{"numa.local", ScopeVM, "percent of the VM's memory", true, "memory on the VM's home nodes, of VMs on hosts with several nodes that have touched memory; N%L of esxtop"},
	{"numa.migrations", ScopeVM, "moves in an interval", false, "moves of the VM to another node; NMIG of esxtop"},
	{"numa.remote", ScopeVM, "MB", false, "memory on other nodes than the VM's home; NRMEM of esxtop"},
	{"net.rx", ScopeVM, "Mb/s", false, "received at the VM's ports; MbRX/s of esxtop, in Mb of 10^6 bits as links are sold"},
	{"net.tx", ScopeVM, "Mb/s", false, "sent at the VM's ports; MbTX/s of esxtop, in Mb of 10^6 bits as links are sold"},
	{"net.packetsRx", ScopeVM, "packets/s", false, "received at the VM's ports; PKTRX/s of esxtop"},
	{"net.packetsTx", ScopeVM, "packets/s", false, "sent at the VM's ports; PKTTX/s of esxtop"},
	{"net.droppedRx", ScopeVM, "percent of received packets", false, "packets dropped at the VM's ports; %DRPRX of esxtop"},
	{"net.droppedTx", ScopeVM, "percent of sent packets", false, "packets dropped at the VM's ports; %DRPTX of esxtop"},
	{"cpu.load", ScopeHost, "of the host's cores", false, "running and ready to run, over a minute; CPU load average of esxtop"},
	{"cpu.utilization", ScopeHost, "percent", false, "logical processors in use; PCPU UTIL average of esxtop"},
	{"cpu.used", ScopeHost, "percent", false, "work done by logical processors at their nominal clock; PCPU USED average of esxtop"},
	{"cpu.coreUtilization", ScopeHost, "percent", false, "cores in use; CORE UTIL average of esxtop"},
	{"cpu.clock", ScopeHost, "percent of the nominal clock", true, "lowest clock of the processors that are busy for 80 percent of the time or more; %A/MPERF of esxtop"},
	{"power.watts", ScopeHost, "W", false, "power that the host takes; Power Usage of esxtop"},
	{"mem.state", ScopeHost, "0 high, 1 clear, 2 soft, 3 hard, 4 low", false, "state of free memory; MEM state of esxtop"},
	{"mem.overcommit", ScopeHost, "ratio", false, "memory promised beyond what there is, over a minute; MEM overcommit of esxtop"},
	{"mem.free", ScopeHost, "MB", true, "unused memory; PMEM free of esxtop"},
	{"mem.balloon", ScopeHost, "MB", false, "taken from all VMs by their balloon drivers; MEMCTL curr of esxtop"},
	{"mem.swapped", ScopeHost, "MB", false, "memory of VMs that is in swap, now or since the host was short; SWAP curr of esxtop"},
	{"mem.swapIn", ScopeHost, "KB/s", false, "read back from swap by all VMs; SWAP r/s of esxtop"},
	{"mem.swapOut", ScopeHost, "KB/s", false, "written to swap by all VMs; SWAP w/s of esxtop"},
	{"mem.compressed", ScopeHost, "MB", false, "memory of VMs that is kept compressed; ZIP zipped of esxtop"},
	{"net.rx", ScopeHost, "Mb/s", false, "received at the host's NICs; MbRX/s of esxtop, in Mb of 10^6 bits as links are sold"},
	{"net.tx", ScopeHost, "Mb/s", false, "sent at the host's NICs; MbTX/s of esxtop, in Mb of 10^6 bits as links are sold"},
	{"net.packetsRx", ScopeHost, "packets/s", false, "received at the host's NICs; PKTRX/s of esxtop"},
	{"net.packetsTx", ScopeHost, "packets/s", false, "sent at the host's NICs; PKTTX/s of esxtop"},
	{"net.droppedRx", ScopeHost, "percent of received packets", false, "packets dropped at the host's NICs; %DRPRX of esxtop"},
	{"net.droppedTx", ScopeHost, "percent of sent packets", false, "packets dropped at the host's NICs; %DRPTX of esxtop"},
	{"disk.commands", ScopeHost, "commands/s", false, "commands of all devices; CMDS/s of esxtop"},
	{"disk.deviceLatency", ScopeHost, "ms", false, "worst latency in the array of the devices with 10 commands a second or more; DAVG/cmd of esxtop"},
	{"disk.kernelLatency", ScopeHost, "ms", false, "worst latency in the VMkernel of such devices; KAVG/cmd of esxtop"},
	{"disk.queueLatency", ScopeHost, "ms", false, "worst wait in the queue of such devices; QAVG/cmd of esxtop"},
	{"disk.aborts", ScopeHost, "commands/s", false, "aborted commands; ABRTS/s of esxtop"},
	{"net.rx", ScopePNIC, "Mb/s", false, "received; MbRX/s of esxtop, in Mb of 10^6 bits as links are sold"},
	{"net.tx", ScopePNIC, "Mb/s", false, "sent; MbTX/s of esxtop, in Mb of 10^6 bits as links are sold"},
	{"net.packetsRx", ScopePNIC, "packets/s", false, "received; PKTRX/s of esxtop"},
	{"net.packetsTx", ScopePNIC, "packets/s", false, "sent; PKTTX/s of esxtop"},
	{"net.droppedRx", ScopePNIC, "percent of received packets", false, "packets dropped; %DRPRX of esxtop"},
	{"net.droppedTx", ScopePNIC, "percent of sent packets", false, "packets dropped; %DRPTX of esxtop"},
	{"disk.commands", ScopeLUN, "commands/s", false, "commands; CMDS/s of esxtop"},
	{"disk.read", ScopeLUN, "MB/s", false, "read from the device; MBREAD/s of esxtop"},
	{"disk.deviceLatency", ScopeLUN, "ms", false, "latency in the array while there are 10 commands a second or more; DAVG/cmd of esxtop"},
	{"disk.kernelLatency", ScopeLUN, "ms", false, "latency in the VMkernel at such times; KAVG/cmd of esxtop"},
	{"disk.queueLatency", ScopeLUN, "ms", false, "wait in the queue at such times; QAVG/cmd of esxtop"},
	{"disk.guestLatency", ScopeLUN, "ms", false, "latency as guests see it at such times; GAVG/cmd of esxtop"},
	{"disk.queued", ScopeLUN, "commands", false, "commands that wait for room in the queue; QUED of esxtop"},
	{"disk.aborts", ScopeLUN, "commands/s", false, "aborted commands; ABRTS/s of esxtop"},
	{"disk.resets", ScopeLUN, "resets/s", false, "SCSI resets; RESETS/s of esxtop"},
	{"disk.failed", ScopeLUN, "commands/s", false, "commands that failed, while there are 10 a second or more; FCMDS/s of esxtop"},
	{"disk.conflicts", ScopeLUN, "conflicts/s", false, "SCSI reservation conflicts; CONS/s of esxtop"},
	{"disk.commands", ScopeVDisk, "commands/s", false, "reads and writes; CMDS/s of esxtop"},
	{"disk.readLatency", ScopeVDisk, "ms", false, "latency of reads while there are 10 a second or more; LAT/rd of esxtop"},
	{"disk.writeLatency", ScopeVDisk, "ms", false, "latency of writes while there are 10 a second or more; LAT/wr of esxtop"},
}

// LiveMetrics lists the counters that rules can read.
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

// RatioBeyond returns the ratio of samples that are worse than a limit, from 0 to 1. Without the samples, it returns the
// minimum that follows from the summary.
func (s *Series) RatioBeyond(limit float64) float64 {
	below := s.Below || s.Worst < s.Median
	switch {
	case s.Samples == 0:
		return 0
	case s.Track != nil:
		return s.Track.ratioBeyond(float32(limit), below)
	}
	worse := func(v float64) bool { return v > limit && !below || v < limit && below }
	switch {
	case worse(s.Median):
		return s.from(50)
	case worse(s.P95):
		return s.from(95)
	case worse(s.Worst):
		return 1 / float64(s.Samples)
	}
	return 0
}

// from returns the ratio of samples that are as bad as the one at a percentile, or worse: percentiles are nearest
// ranks, so each is one of the samples.
func (s *Series) from(percent int64) float64 {
	return float64(s.Samples-Rank(percent, s.Samples)+1) / float64(s.Samples)
}

// Rank returns the index, from the best sample, of the sample for a percentile: the nearest rank, which is a measured
// value. Only the 100th percentile is the worst of several samples: with fewer than 20 samples, the 95th would be too,
// and rules, which use the 95th, would treat one bad sample as typical.
func Rank(percent, samples int64) int64 {
	rank := max(1, (percent*samples+99)/100)
	if percent < 100 && samples > 1 {
		return min(rank, samples-1)
	}
	return rank
}

func (t *Track) ratioBeyond(limit float32, below bool) float64 {
	worse, samples := 0, 0
	for _, v := range t.Values {
		if v != v { // NaN: no sample
			continue
		}
		samples++
		if v > limit && !below || v < limit && below {
			worse++
		}
	}
	return float64(worse) / float64(max(samples, 1))
}

// direct sets the direction of series, which is not saved because the metric defines it.
func direct(scope Scope, all Live) {
	for _, m := range liveMetrics {
		if m.Scope != scope || !m.Below {
			continue
		}
		if s, ok := all.Get(m.Name); ok && !s.Below {
			s.Below = true
			all.Set(m.Name, s)
		}
	}
}
