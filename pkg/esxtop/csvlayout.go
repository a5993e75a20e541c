package esxtop

import "strings"

// csvGroup is a group of counters in the batch CSV: what esxtop calls an object there.
type csvGroup struct {
	name     string
	counters []csvCounter
	byText   map[string]*csvCounter
	place    placing
}

// csvCounter is a counter of a group, and the metric that it is.
type csvCounter struct {
	text   string
	metric *Metric
	short  bool // written without -a as well
	whole  bool // without decimals
	states bool // the text ends with the number of a state: one column of each row below the CPU
}

// csvGroups are the groups in the order of a file, with their counters in the order of theirs. An asterisk marks what is
// written without -a, a number sign what is written without decimals.
var csvGroups = []*csvGroup{
	newCSVGroup("Memory", `mem.overcommit1* mem.overcommit5* mem.overcommit15*
		mem.physical*# mem.kernel*# mem.nonKernel*# mem.free*# mem.managed*# mem.minFree*# mem.reserved*# mem.unreserved*# mem.state*#
		mem.pshareShared*# mem.pshareCommon*# mem.pshareSaving*#
		mem.hostSwapUsed*# mem.hostSwapTarget*# mem.hostSwapRead* mem.hostSwapWrite* mem.hostZipped*# mem.hostZipSaved*#
		mem.hostBalloon*# mem.hostBalloonTarget*# mem.hostBalloonMax*#`),
	newCSVGroup("Physical Cpu Load", "host.load1* host.load5* host.load15*"),
	newCSVGroup("Physical Cpu", "pcpu.used* pcpu.util* pcpu.coreUtil*"),
	newCSVGroup("Power", "power.usage*# power.cap*# power.pstateMHz*#"),
	newCSVGroup("VSAN", "vsan.enabled*# dom.readLatency dom.writeLatency"),
	newCSVGroup("Group Cpu", "cpu.members*# "+csvWorldTimes+csvWorldEvents+"cpu.timers cpu.power#"),
	newCSVGroup("Vcpu", csvWorldTimes+csvWorldEvents+"cpu.physical#"),
	newCSVGroup("Group Memory", `cpu.members# mem.allocMin# mem.allocMax# mem.allocShares# mem.allocMinLimit#
		numa.homeNodes# numa.migrationsDelta# numa.remote numa.localMemory numa.local#
		mem.size* mem.granted* mem.consumed* mem.sizeTarget* mem.touched* mem.touchedWrite*
		mem.active# mem.activeSlow# mem.activeFast# mem.activeNext#
		mem.balloonDriver# mem.balloon mem.balloonTarget mem.balloonMax
		mem.swapped* mem.swapTarget* mem.swapIn* mem.swapOut* mem.llSwapIn* mem.llSwapOut* mem.checkpointRead mem.checkpointTarget
		mem.zero mem.shared mem.sharedSaved mem.cowHint mem.overheadUW* mem.overhead* mem.overheadMax*
		mem.minCommit mem.commitTarget mem.commitCharged mem.pagesPerShare# mem.cacheSize mem.cacheUsed mem.compress mem.decompress`),
	newCSVGroup("Physical Disk", "disk.adapterQueueDepth*# "+csvDiskRates+csvDiskErrors+csvDiskSplits),
	newCSVGroup("Physical Disk Adapter", csvDiskRates+csvDiskErrors+csvDiskSplits),
	newCSVGroup("Physical Disk Path", csvDiskRates+csvDiskErrors+csvDiskSplits),
	newCSVGroup("Physical Disk SCSI Device", csvDiskQueues+csvDiskRates+csvDiskErrors+`vaai.cloneReads# vaai.cloneWrites# vaai.cloneFailed#
		vaai.cloneReadRate vaai.cloneWriteRate vaai.ats# vaai.atsFailed# vaai.zeros# vaai.zerosFailed# vaai.zeroRate
		vaai.deletes# vaai.deletesFailed# vaai.deleteRate vaai.cloneLatency vaai.cloneFailedLatency vaai.atsLatency
		vaai.atsFailedLatency vaai.zeroLatency vaai.zeroFailedLatency`),
	newCSVGroup("Physical Disk Per-Device-Per-World", "disk.shares# "+csvDiskQueues+csvDiskRates+csvDiskErrors),
	newCSVGroup("Physical Disk Partition", strings.NewReplacer("disk.reserves ", "", "disk.conflicts ", "").Replace(csvDiskRates)),
	newCSVGroup("Physical Disk NFS Volume", `nfs.active*# nfs.reads* nfs.writes* nfs.readRate* nfs.writeRate* nfs.readLatency* nfs.writeLatency*
		nfs.aborts`),
	newCSVGroup("Virtual Disk", `vdisk.failedIOs# vdisk.totalIOs# vdisk.latency# vdisk.commands* vdisk.reads* vdisk.writes* vdisk.readRate*
		vdisk.writeRate* vdisk.readLatency* vdisk.writeLatency*`),
	newCSVGroup("Network Port", `net.linkUp# net.linkSpeed# net.fullDuplex# net.packetsTx* net.rateTx* net.sizeTx* net.packetsRx* net.rateRx*
		net.sizeRx* net.droppedTx* net.droppedRx* net.actions net.multicastTx net.multicastRx net.broadcastTx net.broadcastRx`),
	newCSVGroup("Interrupt Cookie", "int.count* int.time*"),
	newCSVGroup("PCPU Power State", "power.cstate* power.pstate* power.tstate* pcpu.aperfMperf*"),
}

// What several groups have alike.
const (
	csvWorldTimes = `cpu.used* cpu.run* cpu.system* cpu.wait* cpu.vmWait* cpu.ready* cpu.idle* cpu.overlap* cpu.costop* cpu.maxLimited*
		cpu.swapWait* `
	csvWorldEvents = `cpu.switches cpu.migrations cpu.quantumExpires cpu.wakeups cpu.allocMin# cpu.allocMax# cpu.allocShares#
		cpu.allocMinLimit# cpu.latency cpu.memLatency cpu.demand# cpu.effectiveMin# `
	csvDiskQueues = "disk.queueDepth*# disk.worldQueueDepth*# disk.active*# disk.queued*# disk.usedQueue* disk.load* "
	csvDiskRates  = `disk.commands* disk.reads* disk.writes* disk.readRate* disk.writeRate* disk.reserves disk.conflicts ` +
		`disk.deviceLatency* disk.kernelLatency* disk.guestLatency* disk.queueLatency*
		disk.deviceReadLatency disk.kernelReadLatency disk.guestReadLatency disk.queueReadLatency
		disk.deviceWriteLatency disk.kernelWriteLatency disk.guestWriteLatency disk.queueWriteLatency `
	csvDiskErrors = `disk.failedCommands disk.failedReads disk.failedWrites disk.failedReadRate disk.failedWriteRate disk.failedReserves
		disk.aborts disk.resets `
	csvDiskSplits = "disk.paeCommands disk.paeCopies disk.splitCommands disk.splitCopies"
)

// aperfCounter is what newer builds call the column that 6.5 forgets to quote.
const aperfCounter = "% of aperf/mperf"

func newCSVGroup(name, metrics string) *csvGroup {
	g := &csvGroup{name: name, byText: map[string]*csvCounter{}, place: placings[name]}
	for id := range strings.FieldsSeq(metrics) {
		m := catalogue.byID[strings.TrimRight(id, "*#")]
		c := csvCounter{text: m.Counter, metric: m, short: strings.Contains(id, "*"), whole: strings.Contains(id, "#")}
		switch m.ID {
		case "pcpu.aperfMperf":
			c.text = aperfCounter
		case "power.cstate", "power.pstate", "power.tstate":
			c.states = true
			c.text += " " + strings.TrimPrefix(m.Column, "%") // %C-State C0 is the first
		}
		g.counters = append(g.counters, c)
	}
	for i := range g.counters {
		g.byText[g.counters[i].text] = &g.counters[i]
	}
	return g
}

// csvGroupNames finds a group, by the names of old releases too.
var csvGroupNames = func() map[string]*csvGroup {
	byName := map[string]*csvGroup{}
	for _, g := range csvGroups {
		byName[g.name] = g
	}
	byName["Interrupt Vector"] = byName["Interrupt Cookie"] // until 5.x
	return byName
}()

// counter finds a counter of the group by its text, and the state whose it is.
func (g *csvGroup) counter(text string) (c *csvCounter, state string) {
	if c = g.byText[text]; c != nil && !c.states {
		return c, ""
	}
	digits := len(text) - len(strings.TrimRight(text, "0123456789"))
	if c = g.byText[text[:len(text)-digits]]; c != nil && c.states && digits > 0 {
		return c, text[len(text)-digits:]
	}
	return nil, ""
}

// CSVObjects are the objects that a batch CSV tells of.
func CSVObjects(o CSVOptions) (all Objects) {
	for _, g := range csvGroups {
		for _, c := range g.counters {
			if c.short || o.All {
				all |= ObjectsOf(c.metric.Objects...)
			}
		}
	}
	return all
}
