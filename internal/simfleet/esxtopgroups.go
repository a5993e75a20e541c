package simfleet

import (
	"slices"
	"strconv"
	"strings"
)

// schedGroup is a scheduler group as the service tells it. Those with worlds are counted; around them there are many more,
// which have memory at most.
type schedGroup struct {
	id, leader    int64
	name, display string
	kind          groupKind
	of            *groupCounters // whose group it is, or whose part
	worlds        []worldCounters
	hidden        []hiddenWorld
	nodes         []groupNode
	memClient     int64 // 0 is none
}

type groupKind int

const (
	kernelGroup groupKind = iota
	userGroup             // a process of the host: hostd
	vmGroup               // a VM
	innerGroup            // a part of one of those, without a scheduler's client
	innerUser             // what of a VM's or a process's memory is its own process
	innerVMM              // what of a VM's memory is the guest's
)

// kernelParts are groups of the kernel that have no worlds. Each real host has some hundred of them.
var kernelParts = strings.Fields(`vim iofilters user minfree retiredmem kernel svmotion vmci vmvisor vimuser tmp vmkBoot vmkLoadESX
	CpuSched Util Debugger Dump MemNode Kseg PShare WorldTable HeapMgr Timer MainHeap MemSched SwapGlobal VOB Mod`)

// The parts of a process, and what a VM has beside them; "" is the part with the guest's memory.
var (
	processParts = []string{"worldGroup", "vsiHeap", "uw", "pt", "cartelheap", "uwshmempt", "uwAsyncRemapHeap", "uwCrypt"}
	vmParts      = []string{"uwregbmp", "vmm", "vmmanon", "vmcpt", "vmmregbmp", "vmmAsyncRemapHeap"}
)

// Ids of groups that nobody counts for lie above all others.
const (
	firstKernelPart = 1 << 28
	firstInner      = 1 << 30
	innerIDs        = 16 // of one group
)

// schedGroups is the groups that are counted, in their order: the kernel's parts follow the first, and each process and each
// VM is followed by its own parts.
func (s *snapshot) schedGroups() []schedGroup {
	given := s.counted.groups
	list := make([]schedGroup, 0, len(kernelParts)+len(given)*(1+len(processParts)+len(vmParts)))
	for i := range given {
		g := &given[i]
		list = append(list, asGroup(g))
		if i == 0 {
			list = appendKernelParts(list)
		}
		if g.mem != nil {
			list = appendInner(list, g)
		}
	}
	haunt(list, given)
	return list
}

func asGroup(g *groupCounters) schedGroup {
	own := schedGroup{
		id: g.id, leader: g.leader, name: g.name, display: g.display, of: g, worlds: g.worlds, hidden: g.hidden, nodes: g.nodes,
	}
	switch {
	case g.vm:
		own.kind = vmGroup
	case g.mem != nil:
		own.kind = userGroup
	}
	if g.mem != nil {
		own.memClient = g.leader
	}
	return own
}

func appendKernelParts(list []schedGroup) []schedGroup {
	for i, name := range kernelParts {
		list = append(list, schedGroup{id: firstKernelPart + int64(i), name: name, display: name, kind: innerGroup})
	}
	return list
}

// appendInner adds the parts of a process or a VM. Two of a VM's repeat its name and tell of its memory once more.
func appendInner(list []schedGroup, g *groupCounters) []schedGroup {
	id, suffix := firstInner+g.leader*innerIDs, "."+strconv.FormatInt(g.leader, 10)
	add := func(part string) {
		own := schedGroup{id: id, name: part + suffix, kind: innerGroup, of: g}
		own.display = own.name
		switch part {
		case "uw":
			own.kind, own.memClient = innerUser, g.leader
		case "vmm":
			own.kind, own.memClient = innerVMM, g.leader+1
		}
		if g.vm && own.memClient > 0 {
			own.display, own.nodes = g.display, g.nodes
		}
		list = append(list, own)
		id++
	}
	for _, part := range processParts {
		add(part)
	}
	if g.vm {
		for _, part := range vmParts {
			add(part)
		}
	}
	return list
}

// haunt lists the hidden worlds of all VMs once more under the parts of one process, where real hosts have them, too.
func haunt(list []schedGroup, given []groupCounters) {
	var all []hiddenWorld
	var last *groupCounters
	for i := range given {
		all = append(all, given[i].hidden...)
		if !given[i].vm && given[i].mem != nil {
			last = &given[i]
		}
	}
	for i := range list {
		if list[i].kind >= innerGroup && last != nil && list[i].of == last {
			list[i].hidden = all
		}
	}
}

func (s *snapshot) treeOfGroups(r *rows) {
	r.open("Sched").count("SchedGroup", len(s.groups)).end()
	for i := range s.groups {
		g := &s.groups[i]
		r.open("SchedGroup").id("GroupID", g.id).name("GroupName", g.name)
		if g.memClient > 0 {
			r.id("MemClientID", g.memClient)
		}
		r.count("VMNUMANodeMem", len(g.nodes)).count("CPUClient", len(g.worlds)).count("HiddenWorld", len(g.hidden)).end()
		for k := range g.worlds {
			r.open("CPUClient").id("CPUClientID", g.worlds[k].id).name("VCPUName", g.worlds[k].name).end()
		}
		for _, h := range g.hidden {
			r.open("HiddenWorld").id("HiddenWorldID", h.id).name("HiddenWorldName", h.name).end()
		}
	}
}

func (s *snapshot) valuesOfGroups(r *rows) {
	load := s.counted.load
	r.open("Sched").n(load[0], load[1], load[2], int64(len(s.groups))).end()
	for i := range s.groups {
		g := &s.groups[i]
		clients := g.clients()
		g.values(r, len(clients))
		for n, m := range g.nodes {
			r.open("VMNUMANodeMem").n(int64(n), 1, m.guest, m.overhead).end()
		}
		for _, worlds := range clients {
			r.open("CPUClient").n(worlds[0].id, 1, int64(len(worlds))).end()
			for k := range worlds {
				valuesOfWorld(&worlds[k], r, len(worlds))
			}
		}
		for _, h := range g.hidden {
			r.open("HiddenWorld").n(h.id).s(h.name).end()
		}
		if g.memClient > 0 {
			g.valuesOfMemory(r)
		}
	}
}

// clients are the worlds in the order of the list: all vCPUs of a VM are one client, each other world is one by itself.
func (g *schedGroup) clients() [][]worldCounters {
	list := make([][]worldCounters, 0, len(g.worlds))
	for i := 0; i < len(g.worlds); {
		n := i + 1
		for g.worlds[i].vcpu >= 0 && n < len(g.worlds) && g.worlds[n].vcpu >= 0 {
			n++
		}
		list = append(list, g.worlds[i:n])
		i = n
	}
	return list
}

const (
	noLimitHere  = -1
	normalShares = -3

	unitPct, unitMHz, unitKB = 0, 1, 4
)

// values writes the row of a group; what belongs to a VM as a whole is on its first group alone.
func (g *schedGroup) values(r *rows, clients int) {
	var own groupCounters
	cpu, memory := allotment{0, noLimitHere, 0}, allotment{0, noLimitHere, normalShares}
	unit, word, period, least := int64(unitPct), "pct", int64(0), int64(0)
	switch g.kind {
	case vmGroup:
		own = *g.of
		cpu, memory, unit, word, period, least = own.cpu, own.memory, unitMHz, "mhz", own.timerPeriod, noLimitHere
	case userGroup, kernelGroup:
		cpu, memory = g.of.cpu, g.of.memory
	case innerUser, innerVMM:
		if g.of.vm {
			period = g.of.timerPeriod
		}
	case innerGroup:
	}
	vm := g.kind == vmGroup
	r.open("SchedGroup").n(g.id).s(g.name).n(1).flag(vm).s(g.display).n(period).
		n(cpu.least, cpu.most, cpu.shares, least, unit).s(word).
		n(memory.least, memory.most, memory.shares, noLimitHere, unitKB).s("kb").
		flag(vm && own.homeNodes != 0).n(own.homeNodes, own.migrations, 0, 0, own.remote, own.local, locality(own.local, own.remote), own.watts).
		n(int64(clients), int64(len(g.hidden)), int64(len(g.nodes))).flag(g.memClient > 0).n(g.leader).end()
}

// locality is the percentage of memory that is on its home nodes.
func locality(local, remote int64) int64 {
	if local+remote == 0 {
		return 0
	}
	return local * 100 / (local + remote)
}

// valuesOfWorld writes the row of a world, one of so many of its client. What it waits for is idle time, mostly; none of it is busy waiting.
func valuesOfWorld(w *worldCounters, r *rows, together int) {
	shares, most := int64(1000), int64(0)
	if w.vcpu >= 0 {
		shares, most = 1000*int64(together), noLimitHere
	}
	r.open("VCPU").n(w.id).s(w.name).n(1).s(w.affinity).n(0, noLimitHere, shares, most).s("pct").
		n(int64(w.lcpu), w.effectiveMin, w.latency, w.swapWait, w.memLatency, w.up, w.used, w.sys, w.overlap, w.run).
		n(w.wait, 0, w.wait, w.costop, w.idle, w.ready, w.maxLimited, w.demand).
		wrapped(w.switches, w.migrations, w.expires, w.wakeups).end()
}

// notApplicable is 2 to the 62nd, for a rate that a client does not have.
const notApplicable = 1 << 62

// valuesOfMemory writes the memory client of a group. That of a VM is valid, and so are its two parts: the memory of its
// process and the guest's. Those of a process are not, and are shown all the same.
func (g *schedGroup) valuesOfMemory(r *rows) {
	m := g.of.mem
	if !g.of.vm {
		r.open("VMem").n(g.memClient, 0, 0, 0).wrapped(0, 0).n(0, 0, m.touched, m.touchedWrite, m.size, m.target, m.granted, m.shared).
			n(0, 0, 0, 0, 0, m.commitTarget, 0, notApplicable).n(make([]int64, 16)...).end()
		return
	}
	size, target, granted, touched, written := m.size, m.target, m.granted, m.touched, m.touchedWrite
	overhead, overheadMax, process := m.overhead, m.overheadMax, m.overheadUW
	shared, zero, saved := m.shared, m.zero, m.saved
	switch g.kind {
	case innerUser:
		size, target, granted, touched, written = process, process, process, process/2, process/2
		overhead, overheadMax, process, shared, zero, saved = 0, 0, 0, 0, 0, 0
	case innerVMM:
		size, target, granted = size-overhead-process, max(target-overhead-process, 0), max(granted-process, 0)
		touched, overhead, overheadMax, process = min(touched, size), 0, 0, 0
	case kernelGroup, userGroup, vmGroup, innerGroup:
	}
	r.open("VMem").n(g.memClient, 1, m.swapped, m.swapTarget).wrapped(m.swapRead, m.swapWritten).
		n(0, 0, touched, written, size, target, granted, shared, zero, saved, overhead, overheadMax).
		n(0, m.commitTarget, m.commitCharged, notApplicable, m.activePct, m.slowPct, m.fastPct, m.nextPct).
		n(m.zipCache, m.zipUsed, m.zipped, m.unzipped, process).flag(m.balloonDriver).
		n(m.balloon, m.balloonTarget, m.balloonMax, 0, 0, 0).end()
}

// vmGroups are the groups of VMs that have virtual disks.
func (s *snapshot) vmGroups() []*groupCounters {
	var list []*groupCounters
	for i := range s.counted.groups {
		if g := &s.counted.groups[i]; g.vm && len(g.disks) > 0 {
			list = append(list, g)
		}
	}
	return slices.Clip(list)
}
