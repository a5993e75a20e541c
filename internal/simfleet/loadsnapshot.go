package simfleet

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Ids. World ids and group ids of VMs go by the place of their stay, ports by the switch and by that place.
const (
	firstLeader   = 2_100_000
	worldsOfVM    = 1024 // ids that are set aside for each VM
	vcpusFrom     = 100  // the first vCPU's, counted from the leader
	hiddenFrom    = 500
	firstVMGroup  = 70_000
	firstPortset  = 0x0200_0000
	portsOfSwitch = 0x0100_0000
)

// leader is the id of the VM's first world.
func (s *stay) leader() int64 { return firstLeader + worldsOfVM*int64(s.place) }

// counters is what a host has counted up to a moment, and how things are then. What is counted never falls: a moment before the last that
// was asked for is taken for that. It is false for what is no host.
func (l *loads) counters(host string, at time.Time) (hostCounters, bool) {
	t, f, at := l.counted(host, at)
	if t == nil {
		return hostCounters{}, false
	}
	h, slot := f.host, slotOf(at)
	c := hostCounters{
		at: at, uptime: max(0, at.UnixMicro()-t.booted*1_000_000), cores: h.cores, packages: h.sockets, watts: f.watts, vsan: h.vsan,
		mem: f.mem,
	}
	for i, minutes := range []int64{1, 5, 15} {
		c.load[i] = l.loadAverage(host, slot, minutes) / 100
	}
	c.mem.swapRead, c.mem.swapWritten = t.swapIn, t.swapOut
	c.countCPUs(t, f)
	for i, free := range f.nodes {
		c.nodes = append(c.nodes, nodeMemory{i, h.memoryKB / int64(h.nodes), min(free, h.memoryKB/int64(h.nodes))})
	}
	c.hostGroups(t, f)
	stays, vms := f.stays, f.all(slot)
	for i, s := range stays {
		c.groups = append(c.groups, s.group(t.vms[s.place], vms[i], h, slot))
	}
	c.countDisks(t, f, vms)
	c.countPorts(t, f)
	return c, true
}

func (c *hostCounters) countCPUs(t *tally, f *hostFigures) {
	h := f.host
	for i, o := range t.lcpus {
		core := i / h.perCore
		busy := min(o.busy, c.uptime)
		deep := min(o.deep, c.uptime-busy)
		c.lcpus = append(c.lcpus, lcpuCounters{
			id: i, core: core, pkg: core * h.sockets / h.cores, hz: h.mhz * 1_000_000,
			used: o.used, halt: c.uptime - busy, coreHalt: c.uptime - min(o.core, c.uptime), busyWait: busy / 50,
			mperf: busy * h.mhz, aperf: o.clocked * h.mhz, slow: min(o.slow, busy), cstates: [3]int64{busy, c.uptime - busy - deep, deep},
			interrupts: c.uptime/10_000 + busy/700, interruptMicros: c.uptime/4000 + busy/250,
		})
	}
}

// hostGroups are the host's own groups. The kernel's has a world for each logical CPU that idles while nobody else runs there.
func (c *hostCounters) hostGroups(t *tally, f *hostFigures) {
	id := int64(65_536)
	var idle []worldCounters
	for i, l := range c.lcpus {
		idle = append(idle, worldCounters{
			id: id, name: fmt.Sprintf("idle%d", i), vcpu: -1, up: c.uptime, run: l.halt, ready: c.uptime - l.halt,
			latency: c.uptime - l.halt, lcpu: i, affinity: strconv.Itoa(i), switches: c.uptime / 9000, wakeups: c.uptime / 20_000,
		})
		id++
	}
	worlds := f.host.ownWorlds()
	for i, g := range ownGroups {
		group := groupCounters{id: int64(8 * i), leader: id, name: g.name, display: g.name, cpu: ownGrant, memory: ownGrant}
		if i == 0 {
			group.id, group.leader, group.worlds = 1, 1, idle
		}
		for n, w := range worlds {
			if w.group == g.name {
				group.worlds = append(group.worlds, c.ownWorld(id, w.name, t.own[n], f.ownRun[n], int(id%int64(len(c.lcpus)))))
				id++
			}
		}
		if len(group.worlds) == 0 {
			continue
		}
		if g.mb > 0 {
			kb := int64(float64(g.mb<<10) * (.8 + .6*f.host.stream.unit(noiseOwn+uint64(i+1)<<16, 1)))
			group.mem = &groupMemory{
				size: kb, target: kb, granted: kb * 9 / 10, consumed: kb * 9 / 10, touched: kb / 3, touchedWrite: kb / 9, overheadUW: kb / 40,
				activePct: 30, slowPct: 30, fastPct: 25, nextPct: 28, commitTarget: kb, commitCharged: kb,
			}
		}
		c.groups = append(c.groups, group)
	}
}

// ownGrant is what groups that nobody gave anything have.
var ownGrant = allotment{0, unbounded, -3}

// ownWorld is a world of the host: what it ran since the host started, and in this slot.
func (c *hostCounters) ownWorld(id int64, name string, run, now int64, lcpu int) worldCounters {
	ready := run / 200
	return worldCounters{
		id: id, name: name, vcpu: -1, up: c.uptime, run: run, used: run, ready: ready, latency: ready, wait: c.uptime - run - ready,
		lcpu: lcpu, affinity: fmt.Sprintf("0-%d", len(c.lcpus)-1), demand: now / (slotMillis * 10), effectiveMin: 20,
		switches: c.uptime/60_000 + run/900, wakeups: c.uptime/90_000 + run/1100,
	}
}

// extraWorlds are the worlds of a VM that are no vCPUs, and which part of the time they run, in ten thousandths.
var extraWorlds = []struct {
	name string
	run  int64
}{
	{"vmx", 25}, {"NetWorld-VM-%d", 12}, {"NUMASchedRemapEpochInitialize", 0}, {"vmast.%d", 3}, {"vmx-vthread-%d", 6},
	{"vmx-mks:%s", 5}, {"vmx-svga:%s", 1}, {"PVSCSI-%d:0", 8},
}

func (s *stay) group(t vmTally, f *vmFigures, h *hostSettings, slot int64) groupCounters {
	v, lead := s.settings, s.leader()
	g := groupCounters{
		id: firstVMGroup + 8*int64(s.place), leader: lead, name: fmt.Sprintf("vm.%d", lead), display: v.name, vm: true, ref: s.vm,
		cpu:       allotment{v.cpu.reservation, v.cpu.limit, shares(v.cpu.shares, 1000*v.vcpus)},
		memory:    allotment{v.memory.reservation << 10, v.memory.limit, shares(v.memory.shares, 10*v.memoryMB)},
		homeNodes: f.mem.homes, migrations: t.migrations, local: f.mem.local, remote: f.mem.remote,
		timerPeriod: 1_000_000 / (64 + 64*min(v.vcpus, 8)), watts: f.watts, mem: f.mem.group(t),
	}
	if g.memory.most != unbounded {
		g.memory.most <<= 10
	}
	for _, kb := range f.mem.nodes {
		g.nodes = append(g.nodes, groupNode{kb, f.mem.overhead / int64(len(f.mem.nodes))})
	}
	affinity := fmt.Sprintf("0-%d", h.cores*h.perCore-1)
	if v.affinity != nil {
		affinity = strings.Trim(strings.ReplaceAll(fmt.Sprint(v.affinity), " ", ","), "[]")
	}
	var up int64
	if len(t.up) > 0 {
		up = t.up[0]
	}
	for i, e := range extraWorlds {
		name := e.name
		switch {
		case strings.Contains(name, "%d"):
			name = fmt.Sprintf(name, lead)
		case strings.Contains(name, "%s"):
			name = fmt.Sprintf(name, v.name)
		}
		run := up * e.run / 10_000
		g.worlds = append(g.worlds, worldCounters{
			id: lead + int64(2*i), name: name, vcpu: -1, up: up, run: run, used: run, wait: up - run, affinity: affinity,
			lcpu: s.lcpu(i, h, slot), effectiveMin: 20, demand: e.run / 100, switches: up / 100_000, wakeups: up / 120_000,
		})
	}
	for i := range t.vcpus {
		g.worlds = append(g.worlds, s.vcpu(i, t, f, h, slot, affinity))
		g.hidden = append(g.hidden, hiddenWorld{lead + hiddenFrom + int64(i), fmt.Sprintf("vmm%d:%s", i, v.name)})
	}
	for i, d := range t.disks {
		if i < len(v.disks) {
			g.disks = append(g.disks, vdiskCounters{
				id: int64(8192 + 16*s.place + i), name: v.disks[i].name, reads: d.reads, readBytes: d.blocksRead * 512, readTime: d.readTotal,
				writes: d.writes, writeBytes: d.blocksWritten * 512, writeTime: d.writeTotal,
			})
		}
	}
	return g
}

// shares is how the scheduler notes them: a level by its number, what somebody made up as it is.
func shares(n, usual int64) int64 {
	switch n {
	case usual, 0:
		return -3
	case usual / 2:
		return -2
	case usual * 2:
		return -4
	}
	return n
}

// lcpu is where a world is now.
func (s *stay) lcpu(world int, h *hostSettings, slot int64) int {
	n := mix(uint64(s.stream) ^ uint64(world)<<32 ^ uint64(slot))
	if a := s.settings.affinity; a != nil {
		return int(a[n%uint64(len(a))])
	}
	return int(n % uint64(h.cores*h.perCore))
}

func (s *stay) vcpu(i int, t vmTally, f *vmFigures, h *hostSettings, slot int64, affinity string) worldCounters {
	w := t.vcpus[i]
	up := w.run + w.ready + w.costop + w.wait // the time since it was there, but for what parts of a slot lose in rounding
	now := f.vcpus[i]
	return worldCounters{
		id: s.leader() + vcpusFrom + 2*int64(i), name: fmt.Sprintf("vmx-vcpu-%d:%s", i, s.settings.name), vcpu: i,
		up: up, run: w.run, used: w.used, sys: w.sys, overlap: w.overlap, ready: w.ready, costop: w.costop, maxLimited: w.maxLimited,
		wait: w.wait, idle: w.idle, swapWait: w.swapWait, latency: w.latency, memLatency: w.memLatency,
		demand: min(100, (now.run+now.ready)*100/slotMillis), effectiveMin: s.settings.cpu.reservation/s.settings.vcpus + 100,
		lcpu: s.lcpu(100+i, h, slot), affinity: affinity,
		switches: w.run/2200 + up/40_000, migrations: w.run / 400_000, expires: w.run / 900_000, wakeups: w.run/3500 + up/60_000,
	}
}

func (m *memoryFigures) group(t vmTally) *groupMemory {
	pct := m.active * 100 / max(m.size, 1)
	return &groupMemory{
		size: m.size + m.overhead/3, target: m.entitlement, granted: m.granted, consumed: m.consumed, touched: m.active, touchedWrite: m.activeWrite,
		activePct: pct, slowPct: pct, fastPct: pct * 9 / 10, nextPct: pct,
		shared: m.shared, zero: m.zero, saved: m.saved, overhead: m.overhead, overheadMax: m.overheadMax, overheadUW: m.overhead / 4,
		balloonDriver: m.balloonMax > 0, balloon: m.balloon, balloonTarget: m.balloonTarget, balloonMax: m.balloonMax,
		swapped: m.swapped, swapTarget: m.swapTarget, swapRead: t.swapIn, swapWritten: t.swapOut,
		zipCache: m.zipUsed * 5 / 4, zipUsed: m.zipUsed, zipped: t.zipIn, unzipped: t.unzip,
		entitlement: m.entitlement, commitTarget: m.entitlement, commitCharged: m.consumed,
	}
}

// countDisks lists adapters, devices with what each VM does there, and paths.
func (c *hostCounters) countDisks(t *tally, f *hostFigures, vms []*vmFigures) {
	h := f.host
	for _, a := range h.adapters {
		c.adapters = append(c.adapters, adapterCounters(a))
	}
	for i, d := range h.devices {
		on := f.pressure.devices[i]
		one := deviceCounters{
			name: d.name, display: d.display, vsan: d.vsan, queueDepth: d.queueDepth, blocks: d.blocks, active: on.active, queued: on.queued, io: t.devices[i],
		}
		for n, s := range f.stays {
			v := t.vms[s.place]
			w := deviceWorld{world: s.leader(), shares: 1000}
			uses := false
			for k := range v.issue {
				if vms[n].devices[k] == i {
					uses = true
					w.io.plus(&v.issue[k], whole)
				}
			}
			if uses {
				one.worlds = append(one.worlds, w)
			}
		}
		for k := range one.worlds {
			one.worlds[k].active = on.active / int64(len(one.worlds))
			one.worlds[k].queued = on.queued / int64(len(one.worlds))
		}
		c.devices = append(c.devices, one)
		for k, p := range d.paths {
			c.paths = append(c.paths, pathCounters{p.name, d.name, p.adapter, t.paths[i][k]})
		}
	}
	for i, name := range h.nfs {
		io := t.nfs[i]
		c.nfs = append(c.nfs, nfsCounters{
			name: name, reads: io.reads, readBytes: io.blocksRead * 512, readTime: io.readTotal,
			writes: io.writes, writeBytes: io.blocksWritten * 512, writeTime: io.writeTotal,
		})
	}
}

// countPorts lists the switches with their uplinks, VMkernel adapters and VMs' ports, and the NICs.
func (c *hostCounters) countPorts(t *tally, f *hostFigures) {
	h := f.host
	uplinkPort := make([]int64, len(h.pnics))
	for i, s := range h.switches {
		first := int64(firstPortset + portsOfSwitch*i)
		set := portsetCounters{name: s.name, ports: []portCounters{{id: first + 1, client: "Management", team: "n/a"}}}
		for _, nic := range s.uplinks {
			uplinkPort[nic] = first + 2 + int64(nic)
			own := t.pnics[nic]
			own.droppedRx += t.lost[nic]
			set.ports = append(set.ports, portCounters{id: uplinkPort[nic], uplink: true, client: h.pnics[nic].name, traffic: own})
		}
		for k, v := range h.vmks() {
			if v.on == i {
				set.ports = append(set.ports, portCounters{id: first + 0x40 + int64(k), client: v.name, team: h.nicName(v.uplink), traffic: t.vmks[k]})
			}
		}
		for _, s := range f.stays {
			for k, nic := range s.settings.nics {
				if !nic.bypass && h.switchOf(nic) == i {
					set.ports = append(set.ports, portCounters{
						id: first + 0x100 + 16*int64(s.place) + int64(k), client: fmt.Sprintf("%s.eth%d", s.settings.name, k),
						team: h.nicName(f.uplinkOf(s, k)), leader: s.leader() + hiddenFrom, traffic: t.vms[s.place].nics[k],
					})
				}
			}
		}
		c.portsets = append(c.portsets, set)
	}
	for i, p := range h.pnics {
		c.pnics = append(c.pnics, pnicCounters{p.name, uplinkPort[i], p.mbps > 0, p.mbps, p.full, p.rings})
	}
}

func (h *hostSettings) nicName(nic int) string {
	if nic < 0 {
		return "n/a"
	}
	return h.pnics[nic].name
}
