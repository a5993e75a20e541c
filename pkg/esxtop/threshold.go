package esxtop

// Threshold is a rule of thumb, with who says so.
type Threshold struct {
	Warn, Critical float64 // in the metric's unit; Critical may be 0: there is none
	Below          bool    // trouble is below, not above
	PerVCPU        bool    // the figure of a group is divided by its vCPUs first
	Needs          string  // a metric of the same row that has to be AtLeast so much: the latency of an idle disk says nothing
	AtLeast        float64
	Word           string // what it is called when crossed: contention
	Action         string // what to look at
	Source         string
}

// Level says how bad a figure is.
type Level int

// Levels.
const (
	Unremarkable Level = iota
	Warning
	Critical
)

// Judge holds a row's figure against the metric's threshold. What is absent is unremarkable, and so is all that the host
// does for itself: its idle worlds are ready all the time.
func (m *Metric) Judge(r *Row) Level {
	t := m.Threshold
	v, ok := m.Judged(r)
	if t == nil || !ok || (r.Object == Group || r.Object == World) && !r.VM {
		return Unremarkable
	}
	if t.Needs != "" {
		if needed, ok := r.Value(Lookup(t.Needs)); !ok || needed < t.AtLeast {
			return Unremarkable
		}
	}
	return t.Level(v)
}

// Judged is the figure that Judge holds against the threshold: that of one vCPU where the threshold is about one. It is not ok
// where nobody knows how many there are.
func (m *Metric) Judged(r *Row) (v float64, ok bool) {
	v, ok = r.Value(m)
	switch {
	case m.Threshold == nil || !m.Threshold.PerVCPU || r.Object != Group:
		return v, ok
	case r.VCPUs == 0:
		return v, false
	}
	return v / float64(r.VCPUs), ok
}

// JudgeIn is Judge for a row of a frame. In the first sample of a host only what is so at that moment is judged: its rates are of
// the time since the host was started, or of a moment too short to judge by.
func (m *Metric) JudgeIn(f *Frame, r *Row) Level {
	if f != nil && f.Interval <= 0 && m.Kind != Gauge {
		return Unremarkable
	}
	return m.Judge(r)
}

// Level is where a figure lies that already is by vCPU.
func (t *Threshold) Level(v float64) Level {
	over := func(limit float64) bool { return v > limit && !t.Below || v < limit && t.Below }
	switch {
	case t.Critical != 0 && over(t.Critical):
		return Critical
	case over(t.Warn):
		return Warning
	}
	return Unremarkable
}

// Who says so.
const (
	epping = "Duncan Epping"
	drill  = "esxtopdrill"
	rahabo = "Iwan Rahabok, VMware Operations Guide"
	sheet  = "Lesslhumer's esxtop sheet"
)

// fewCommands is how many commands a second there are at least before their latency says anything: the mean over a few is that
// of one slow command, and a CD-ROM drive that nobody uses answers in tens of milliseconds.
const fewCommands = 10

// aMegabyte a second, read from swap or written to it, is swapping: less is a few pages that come back.
const aMegabyte = 1

// thresholds of metrics. They are known by their ids.
var thresholds = map[string]*Threshold{
	"cpu.ready":             {Warn: 5, Critical: 10, PerVCPU: true, Word: "ready", Action: "Look at %MLMTD first. Else give it fewer vCPUs, balance the hosts, raise shares or reserve.", Source: epping + "; VMware KB 2002181"},
	"cpu.readyPerVCPU":      {Warn: 5, Critical: 10, Word: "ready", Action: "Look at %MLMTD first. Else give it fewer vCPUs, balance the hosts, raise shares or reserve.", Source: epping + "; VMware KB 2002181"},
	"cpu.contentionPerVCPU": {Warn: 5, Word: "contention", Action: "Give it fewer vCPUs, balance the hosts, raise shares or reserve.", Source: "VMware KB 1017926"},
	"cpu.costop":            {Warn: 1, Critical: 3, PerVCPU: true, Word: "co-stop", Action: "Give it fewer vCPUs, remove or consolidate snapshots.", Source: epping + "; " + drill},
	"cpu.costopPerVCPU":     {Warn: 1, Critical: 3, Word: "co-stop", Action: "Give it fewer vCPUs, remove or consolidate snapshots.", Source: epping + "; " + drill},
	"cpu.maxLimited":        {Warn: 0, PerVCPU: true, Word: "limited", Action: "Remove the CPU limit of the VM or its pool.", Source: epping + "; " + sheet},
	"cpu.maxLimitedPerVCPU": {Warn: 0, Word: "limited", Action: "Remove the CPU limit of the VM or its pool.", Source: epping + "; " + sheet},
	"cpu.swapWait":          {Warn: 1, Critical: 2, PerVCPU: true, Word: "swap wait", Action: "Memory is overcommitted: look at SWR/s.", Source: epping + "; " + drill},
	"cpu.swapWaitPerVCPU":   {Warn: 1, Critical: 2, Word: "swap wait", Action: "Memory is overcommitted: look at SWR/s.", Source: epping + "; " + drill},
	"cpu.system":            {Warn: 20, PerVCPU: true, Word: "system time", Action: "Look at its I/O, at drivers and at its size.", Source: epping},
	"cpu.overlap":           {Warn: 10, PerVCPU: true, Word: "overlap", Action: "The host is busy with system work: look at its I/O.", Source: "esxtop tables of vSphere 4 and 5"},
	"cpu.vmWait":            {Warn: 10, Critical: 20, PerVCPU: true, Word: "blocked", Action: "Look at the latency of its disks.", Source: drill},
	"cpu.vmWaitPerVCPU":     {Warn: 10, Critical: 20, Word: "blocked", Action: "Look at the latency of its disks.", Source: drill},
	"cpu.usedPerVCPU":       {Warn: 80, Word: "saturated", Action: "Look into the guest, then give it more vCPUs.", Source: "buildvirtual.net; " + drill},
	"cpu.latency":           {Warn: 37.5, PerVCPU: true, Word: "CPU latency", Action: "Look at %RDY, %CSTP, the power policy and how busy sibling threads are.", Source: rahabo},
	"cpu.latencyPerVCPU":    {Warn: 37.5, Word: "CPU latency", Action: "Look at %RDY, %CSTP, the power policy and how busy sibling threads are.", Source: rahabo},
	"cpu.memLatency":        {Warn: 1, PerVCPU: true, Word: "memory latency", Action: "Add memory or remove a memory limit.", Source: rahabo},
	"cpu.timers":            {Warn: 1000, Word: "timer rate", Action: "Use a tickless kernel or a lower timer rate in the guest.", Source: epping},

	"host.load1":      {Warn: 0.8, Critical: 1, Word: "overloaded", Action: "Balance the hosts.", Source: "VMware, vSphere Monitoring and Performance; " + drill},
	"host.load5":      {Warn: 0.8, Critical: 1, Word: "overloaded", Action: "Balance the hosts.", Source: "VMware, vSphere Monitoring and Performance; " + drill},
	"host.load15":     {Warn: 0.8, Critical: 1, Word: "overloaded", Action: "Balance the hosts.", Source: "VMware, vSphere Monitoring and Performance; " + drill},
	"pcpu.utilAvg":    {Warn: 75, Critical: 90, Word: "busy", Action: "Balance the hosts.", Source: "VMware KB 421543, vCenter's own alarm"},
	"pcpu.aperfMperf": {Warn: 80, Critical: 50, Below: true, Needs: "pcpu.util", AtLeast: 80, Word: "throttled", Action: "Set the power policy to high performance and the BIOS to OS controlled.", Source: rahabo + "; " + drill},

	"mem.overcommit1":   {Warn: 1, Critical: 2, Word: "overcommitted", Action: "Watch MCTLSZ and SWR/s.", Source: drill},
	"mem.overcommit5":   {Warn: 1, Critical: 2, Word: "overcommitted", Action: "Watch MCTLSZ and SWR/s.", Source: drill},
	"mem.overcommit15":  {Warn: 1, Critical: 2, Word: "overcommitted", Action: "Watch MCTLSZ and SWR/s.", Source: drill},
	"mem.state":         {Warn: 0, Word: "memory short", Action: "Free memory: the host takes it from VMs.", Source: epping + "; " + sheet},
	"mem.hostSwapRead":  {Warn: aMegabyte, Word: "swapping", Action: "Add memory, move VMs away.", Source: epping},
	"mem.hostSwapWrite": {Warn: aMegabyte, Word: "swapping", Action: "Add memory, move VMs away.", Source: epping},
	"mem.balloon":       {Warn: 0, Word: "ballooned", Action: "Is there a memory limit? Is the host short of memory?", Source: epping + "; " + sheet},
	"mem.swapped":       {Warn: 0, Word: "swapped", Action: "It was short of memory once. Look at SWR/s for now.", Source: epping},
	"mem.swapIn":        {Warn: aMegabyte, Word: "swapping", Action: "Add memory or remove a memory limit.", Source: epping},
	"mem.swapOut":       {Warn: aMegabyte, Word: "swapping", Action: "Add memory or remove a memory limit.", Source: epping},
	"mem.cacheUsed":     {Warn: 0, Word: "compressed", Action: "Add memory or remove a memory limit.", Source: epping},
	"mem.compress":      {Warn: 0, Word: "compressing", Action: "Add memory or remove a memory limit.", Source: epping},
	"mem.decompress":    {Warn: 0, Word: "decompressing", Action: "Add memory or remove a memory limit.", Source: epping},

	"numa.local":           {Warn: 80, Critical: 50, Below: true, Word: "remote memory", Action: "Make the VM fit a node, look at affinity and vNUMA, migrate it.", Source: epping + "; " + drill},
	"numa.migrationsDelta": {Warn: 5, Critical: 10, Word: "moved about", Action: "Make VMs fit nodes, avoid affinity.", Source: drill},

	"disk.deviceLatency":  {Warn: 25, Needs: "disk.commands", AtLeast: fewCommands, Word: "slow storage", Action: "Look at the array, the fabric and the paths.", Source: epping},
	"disk.kernelLatency":  {Warn: 2, Needs: "disk.commands", AtLeast: fewCommands, Word: "kernel latency", Action: "Look at QUED, DQLEN, throttling and the host's CPUs.", Source: epping},
	"disk.guestLatency":   {Warn: 25, Needs: "disk.commands", AtLeast: fewCommands, Word: "slow storage", Action: "See whether DAVG or KAVG makes it.", Source: epping},
	"disk.queueLatency":   {Warn: 1, Critical: 5, Needs: "disk.commands", AtLeast: fewCommands, Word: "queueing", Action: "The queue is full: look at its depth.", Source: drill},
	"disk.queued":         {Warn: 0, Word: "queueing", Action: "Make the queue deeper or put fewer VMs on the device.", Source: epping},
	"disk.aborts":         {Warn: 0, Word: "aborts", Action: "The array or a path fails: look at the VMkernel's log.", Source: epping},
	"disk.resets":         {Warn: 0, Word: "resets", Action: "The array or a path fails: look at the VMkernel's log.", Source: epping},
	"disk.failedCommands": {Warn: 0, Word: "failed commands", Action: "Look at the VMkernel's log for the sense codes.", Source: "vperf"},
	"disk.conflicts":      {Warn: 20, Word: "reservation conflicts", Action: "Let fewer hosts share the device, use ATS.", Source: epping},
	"nfs.aborts":          {Warn: 0, Word: "aborts", Action: "The NFS server or the way to it fails: look at the VMkernel's log.", Source: epping},
	"vdisk.readLatency":   {Warn: 10, Critical: 20, Needs: "vdisk.reads", AtLeast: fewCommands, Word: "slow disk", Action: "See whether the device or the VMkernel makes it.", Source: drill},
	"vdisk.writeLatency":  {Warn: 10, Critical: 20, Needs: "vdisk.writes", AtLeast: fewCommands, Word: "slow disk", Action: "See whether the device or the VMkernel makes it.", Source: drill},

	"net.droppedTx": {Warn: 0, Word: "drops", Action: "Is an uplink too busy? Is there traffic shaping?", Source: epping},
	"net.droppedRx": {Warn: 0.1, Critical: 1, Word: "drops", Action: "Make the guest's receive ring larger, look at the VM's CPU.", Source: epping + "; VMware KB 1010071"},
}
