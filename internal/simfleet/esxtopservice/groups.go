package esxtopservice

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// kernelParts are kernel groups without worlds. A real host has about a hundred of them.
var kernelParts = strings.Fields(`vim iofilters user minfree retiredmem kernel svmotion vmci vmvisor vimuser tmp vmkBoot vmkLoadESX
	CpuSched Util Debugger Dump MemNode Kseg PShare WorldTable HeapMgr Timer MainHeap MemSched SwapGlobal VOB Mod`)

// The parts of a process, and the additional parts of a VM; "" is the part with the guest's memory.
var (
	processParts = []string{"worldGroup", "vsiHeap", "uw", "pt", "cartelheap", "uwshmempt", "uwAsyncRemapHeap", "uwCrypt"}
	vmParts      = []string{"uwregbmp", "vmm", "vmmanon", "vmcpt", "vmmregbmp", "vmmAsyncRemapHeap"}
)

// Ids of groups without counters are above all others.
const (
	firstKernelPart = 1 << 28
	firstInner      = 1 << 30
	innerIDs        = 16 // per group
)

// schedGroups returns the groups in order: the kernel's parts follow the first, and each process and each VM is followed by its
// own parts.
func (s *snapshot) schedGroups() []schedGroup {
	given := s.counted.Groups
	list := make([]schedGroup, 0, len(kernelParts)+len(given)*(1+len(processParts)+len(vmParts)))
	for i := range given {
		g := &given[i]
		list = append(list, asGroup(g))
		if i == 0 {
			list = appendKernelParts(list)
		}
		if g.Mem != nil {
			list = appendInner(list, g)
		}
	}
	addHiddenWorlds(list, given)
	return list
}

func asGroup(g *load.GroupCounters) schedGroup {
	own := schedGroup{
		id: g.ID, leader: g.Leader, name: g.Name, display: g.Display, of: g, worlds: g.Worlds, hidden: g.Hidden, nodes: g.Nodes,
	}
	switch {
	case g.VM:
		own.kind = vmGroup
	case g.Mem != nil:
		own.kind = userGroup
	}
	if g.Mem != nil {
		own.memClient = g.Leader
	}
	return own
}

func appendKernelParts(list []schedGroup) []schedGroup {
	for i, name := range kernelParts {
		list = append(list, schedGroup{id: firstKernelPart + int64(i), name: name, display: name, kind: innerGroup})
	}
	return list
}

// appendInner adds the parts of a process or a VM. Two of a VM's parts repeat its name and its memory.
func appendInner(list []schedGroup, g *load.GroupCounters) []schedGroup {
	id, suffix := firstInner+g.Leader*innerIDs, "."+strconv.FormatInt(g.Leader, 10)
	add := func(part string) {
		own := schedGroup{id: id, name: part + suffix, kind: innerGroup, of: g}
		own.display = own.name
		switch part {
		case "uw":
			own.kind, own.memClient = innerUser, g.Leader
		case "vmm":
			own.kind, own.memClient = innerVMM, g.Leader+1
		}
		if g.VM && own.memClient > 0 {
			own.display, own.nodes = g.Display, g.Nodes
		}
		list = append(list, own)
		id++
	}
	for _, part := range processParts {
		add(part)
	}
	if g.VM {
		for _, part := range vmParts {
			add(part)
		}
	}
	return list
}

// addHiddenWorlds lists the hidden worlds of all VMs again under the parts of one process, as real hosts do.
func addHiddenWorlds(list []schedGroup, given []load.GroupCounters) {
	var all []load.HiddenWorld
	var last *load.GroupCounters
	for i := range given {
		all = append(all, given[i].Hidden...)
		if !given[i].VM && given[i].Mem != nil {
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
			r.open("CPUClient").id("CPUClientID", g.worlds[k].ID).name("VCPUName", g.worlds[k].Name).end()
		}
		for _, h := range g.hidden {
			r.open("HiddenWorld").id("HiddenWorldID", h.ID).name("HiddenWorldName", h.Name).end()
		}
	}
}

func (s *snapshot) valuesOfGroups(r *rows) {
	load := s.counted.Load
	r.open("Sched").n(load[0], load[1], load[2], int64(len(s.groups))).end()
	for i := range s.groups {
		g := &s.groups[i]
		clients := g.clients()
		g.values(r, len(clients))
		for n, m := range g.nodes {
			r.open("VMNUMANodeMem").n(int64(n), 1, m.Guest, m.Overhead).end()
		}
		for _, worlds := range clients {
			r.open("CPUClient").n(worlds[0].ID, 1, int64(len(worlds))).end()
			for k := range worlds {
				valuesOfWorld(&worlds[k], r, len(worlds))
			}
		}
		for _, h := range g.hidden {
			r.open("HiddenWorld").n(h.ID).s(h.Name).end()
		}
		if g.memClient > 0 {
			g.valuesOfMemory(r)
		}
	}
}

// clients returns the worlds in the order of the list: all vCPUs of a VM are one client, each other world is a client of its own.
func (g *schedGroup) clients() [][]load.WorldCounters {
	list := make([][]load.WorldCounters, 0, len(g.worlds))
	for i := 0; i < len(g.worlds); {
		n := i + 1
		for g.worlds[i].VCPU >= 0 && n < len(g.worlds) && g.worlds[n].VCPU >= 0 {
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

// values writes the row of a group; values of a VM as a whole are only in its first group.
func (g *schedGroup) values(r *rows, clients int) {
	var own load.GroupCounters
	cpu, memory := load.Allotment{Least: 0, Most: noLimitHere, Shares: 0}, load.Allotment{Least: 0, Most: noLimitHere, Shares: normalShares}
	unit, word, period, least := int64(unitPct), "pct", int64(0), int64(0)
	switch g.kind {
	case vmGroup:
		own = *g.of
		cpu, memory, unit, word, period, least = own.CPU, own.Memory, unitMHz, "mhz", own.TimerPeriod, noLimitHere
	case userGroup, kernelGroup:
		cpu, memory = g.of.CPU, g.of.Memory
	case innerUser, innerVMM:
		if g.of.VM {
			period = g.of.TimerPeriod
		}
	case innerGroup:
	}
	vm := g.kind == vmGroup
	r.open("SchedGroup").n(g.id).s(g.name).n(1).flag(vm).s(g.display).n(period).
		n(cpu.Least, cpu.Most, cpu.Shares, least, unit).s(word).
		n(memory.Least, memory.Most, memory.Shares, noLimitHere, unitKB).s("kb").
		flag(vm && own.HomeNodes != 0).n(own.HomeNodes, own.Migrations, 0, 0, own.Remote, own.Local, locality(own.Local, own.Remote), own.Watts).
		n(int64(clients), int64(len(g.hidden)), int64(len(g.nodes))).flag(g.memClient > 0).n(g.leader).end()
}

// locality returns the percentage of memory on the home nodes.
func locality(local, remote int64) int64 {
	if local+remote == 0 {
		return 0
	}
	return local * 100 / (local + remote)
}

// valuesOfWorld writes the row of a world, one of together worlds of its client. Most of its wait time is idle time; none of it
// is busy waiting.
func valuesOfWorld(w *load.WorldCounters, r *rows, together int) {
	shares, most := int64(1000), int64(0)
	if w.VCPU >= 0 {
		shares, most = 1000*int64(together), noLimitHere
	}
	r.open("VCPU").n(w.ID).s(w.Name).n(1).s(w.Affinity).n(0, noLimitHere, shares, most).s("pct").
		n(int64(w.LCPU), w.EffectiveMin, w.Latency, w.SwapWait, w.MemLatency, w.Up, w.Used, w.Sys, w.Overlap, w.Run).
		n(w.Wait, 0, w.Wait, w.Costop, w.Idle, w.Ready, w.MaxLimited, w.Demand).
		wrapped(w.Switches, w.Migrations, w.Expires, w.Wakeups).end()
}

// notApplicable is 2 to the 62nd, for a rate that does not apply to a client.
const notApplicable = 1 << 62

// valuesOfMemory writes the memory client of a group. A VM's client is valid, and so are its two parts: the memory of its process
// and the guest's. Clients of a process are not valid, but are listed.
func (g *schedGroup) valuesOfMemory(r *rows) {
	m := g.of.Mem
	if !g.of.VM {
		r.open("VMem").n(g.memClient, 0, 0, 0).wrapped(0, 0).n(0, 0, m.Touched, m.TouchedWrite, m.Size, m.Target, m.Granted, m.Shared).
			n(0, 0, 0, 0, 0, m.CommitTarget, 0, notApplicable).n(make([]int64, 16)...).end()
		return
	}
	size, target, granted, touched, written := m.Size, m.Target, m.Granted, m.Touched, m.TouchedWrite
	overhead, overheadMax, process := m.Overhead, m.OverheadMax, m.OverheadUW
	shared, zero, saved := m.Shared, m.Zero, m.Saved
	switch g.kind {
	case innerUser:
		size, target, granted, touched, written = process, process, process, process/2, process/2
		overhead, overheadMax, process, shared, zero, saved = 0, 0, 0, 0, 0, 0
	case innerVMM:
		size, target, granted = size-overhead-process, max(target-overhead-process, 0), max(granted-process, 0)
		touched, overhead, overheadMax, process = min(touched, size), 0, 0, 0
	case kernelGroup, userGroup, vmGroup, innerGroup:
	}
	r.open("VMem").n(g.memClient, 1, m.Swapped, m.SwapTarget).wrapped(m.SwapRead, m.SwapWritten).
		n(0, 0, touched, written, size, target, granted, shared, zero, saved, overhead, overheadMax).
		n(0, m.CommitTarget, m.CommitCharged, notApplicable, m.ActivePct, m.SlowPct, m.FastPct, m.NextPct).
		n(m.ZipCache, m.ZipUsed, m.Zipped, m.Unzipped, process).flag(m.BalloonDriver).
		n(m.Balloon, m.BalloonTarget, m.BalloonMax, 0, 0, 0).end()
}

// vmGroups returns the groups of VMs that have virtual disks.
func (s *snapshot) vmGroups() []*load.GroupCounters {
	var list []*load.GroupCounters
	for i := range s.counted.Groups {
		if g := &s.counted.Groups[i]; g.VM && len(g.Disks) > 0 {
			list = append(list, g)
		}
	}
	return slices.Clip(list)
}
