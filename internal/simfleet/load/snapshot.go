package load

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// Ids. World ids and group ids of VMs depend on the place of their residency, port ids on the switch and that place.
const (
	firstLeader   = 2_100_000
	worldsOfVM    = 1024 // ids reserved for each VM
	vcpusFrom     = 100  // the first vCPU's, counted from the leader
	hiddenFrom    = 500
	firstVMGroup  = 70_000
	firstPortset  = 0x0200_0000
	portsOfSwitch = 0x0100_0000
)

// Leader returns the id of the VM's first world.
func (s *Residency) Leader() int64 { return firstLeader + worldsOfVM*int64(s.Place) }

// Counters returns a host's counters and gauges at a time. Counters do not decrease: an earlier time than that of the last
// request is replaced by it. It returns false for an unknown host.
func (l *Model) Counters(host string, at time.Time) (HostCounters, bool) {
	t, f, at := l.Counted(host, at)
	if t == nil {
		return HostCounters{}, false
	}
	h, slot := f.Host, SlotOf(at)
	c := HostCounters{
		At: at, Uptime: max(0, at.UnixMicro()-t.booted*1_000_000), Cores: h.Cores, Packages: h.Sockets, Watts: f.Watts, VSAN: h.VSAN,
		Mem: f.Mem,
	}
	for i, minutes := range []int64{1, 5, 15} {
		c.Load[i] = l.LoadAverage(host, slot, minutes) / 100
	}
	c.Mem.SwapRead, c.Mem.SwapWritten = t.swapIn, t.swapOut
	c.countCPUs(t, f)
	for i, free := range f.Nodes {
		c.Nodes = append(c.Nodes, NodeMemory{i, h.MemoryKB / int64(h.Nodes), min(free, h.MemoryKB/int64(h.Nodes))})
	}
	c.hostGroups(t, f)
	residencies, vms := f.Residencies, f.All(slot)
	for i, s := range residencies {
		c.Groups = append(c.Groups, s.group(t.vms[s.Place], vms[i], h, slot))
	}
	c.countDisks(t, f, vms)
	c.countPorts(t, f)
	return c, true
}

func (c *HostCounters) countCPUs(t *Tally, f *HostFigures) {
	h := f.Host
	for i, o := range t.lcpus {
		core := i / h.PerCore
		busy := min(o.Busy, c.Uptime)
		deep := min(o.Deep, c.Uptime-busy)
		c.LCPUs = append(c.LCPUs, LCPUCounters{
			ID: i, core: core, pkg: core * h.Sockets / h.Cores, Hz: h.MHz * 1_000_000,
			Used: o.Used, Halt: c.Uptime - busy, CoreHalt: c.Uptime - min(o.Core, c.Uptime), BusyWait: busy / 50,
			Mperf: busy * h.MHz, Aperf: o.Clocked * h.MHz, Slow: min(o.Slow, busy), Cstates: [3]int64{busy, c.Uptime - busy - deep, deep},
			Interrupts: c.Uptime/10_000 + busy/700, InterruptMicros: c.Uptime/4000 + busy/250,
		})
	}
}

// hostGroups adds the host's own groups. The kernel's group has an idle world for each logical CPU.
func (c *HostCounters) hostGroups(t *Tally, f *HostFigures) {
	id := int64(65_536)
	var idle []WorldCounters
	for i, l := range c.LCPUs {
		idle = append(idle, WorldCounters{
			ID: id, Name: fmt.Sprintf("idle%d", i), VCPU: -1, Up: c.Uptime, Run: l.Halt, Ready: c.Uptime - l.Halt,
			Latency: c.Uptime - l.Halt, LCPU: i, Affinity: strconv.Itoa(i), Switches: c.Uptime / 9000, Wakeups: c.Uptime / 20_000,
		})
		id++
	}
	worlds := f.Host.OwnWorlds()
	for i, g := range fleetdata.Demo().Processes {
		group := GroupCounters{ID: int64(8 * i), Leader: id, Name: g.Name, Display: g.Name, CPU: ownGrant, Memory: ownGrant}
		if i == 0 {
			group.ID, group.Leader, group.Worlds = 1, 1, idle
		}
		for n, w := range worlds {
			if w.group == g.Name {
				group.Worlds = append(group.Worlds, c.ownWorld(id, w.name, t.own[n], f.OwnRun[n], int(id%int64(len(c.LCPUs)))))
				id++
			}
		}
		if len(group.Worlds) == 0 {
			continue
		}
		if g.MB > 0 {
			kb := int64(float64(g.MB<<10) * (.8 + .6*f.Host.Stream.Unit(noiseOwn+uint64(i+1)<<16, 1)))
			group.Mem = &GroupMemory{
				Size: kb, Target: kb, Granted: kb * 9 / 10, consumed: kb * 9 / 10, Touched: kb / 3, TouchedWrite: kb / 9, OverheadUW: kb / 40,
				ActivePct: 30, SlowPct: 30, FastPct: 25, NextPct: 28, CommitTarget: kb, CommitCharged: kb,
			}
		}
		c.Groups = append(c.Groups, group)
	}
}

// ownGrant is the default allocation of groups.
var ownGrant = Allotment{0, unbounded, -3}

// ownWorld returns a world of the host: its run time since the host started, and in this slot.
func (c *HostCounters) ownWorld(id int64, name string, run, now int64, lcpu int) WorldCounters {
	ready := run / 200
	return WorldCounters{
		ID: id, Name: name, VCPU: -1, Up: c.Uptime, Run: run, Used: run, Ready: ready, Latency: ready, Wait: c.Uptime - run - ready,
		LCPU: lcpu, Affinity: fmt.Sprintf("0-%d", len(c.LCPUs)-1), Demand: now / (SlotMillis * 10), EffectiveMin: 20,
		Switches: c.Uptime/60_000 + run/900, Wakeups: c.Uptime/90_000 + run/1100,
	}
}

// extraWorlds are the worlds of a VM other than vCPUs, with the fraction of time they run, in ten thousandths.
var extraWorlds = []struct {
	name string
	run  int64
}{
	{"vmx", 25}, {"NetWorld-VM-%d", 12}, {"NUMASchedRemapEpochInitialize", 0}, {"vmast.%d", 3}, {"vmx-vthread-%d", 6},
	{"vmx-mks:%s", 5}, {"vmx-svga:%s", 1}, {"PVSCSI-%d:0", 8},
}

func (s *Residency) group(t vmTally, f *VMFigures, h *Host, slot int64) GroupCounters {
	v, lead := s.Settings, s.Leader()
	g := GroupCounters{
		ID: firstVMGroup + 8*int64(s.Place), Leader: lead, Name: fmt.Sprintf("vm.%d", lead), Display: v.Name, VM: true, Ref: s.VM,
		CPU:       Allotment{v.CPU.Reservation, v.CPU.Limit, shares(v.CPU.Shares, 1000*v.VCPUs)},
		Memory:    Allotment{v.Memory.Reservation << 10, v.Memory.Limit, shares(v.Memory.Shares, 10*v.MemoryMB)},
		HomeNodes: f.Mem.homes, Migrations: t.migrations, Local: f.Mem.Local, Remote: f.Mem.Remote,
		TimerPeriod: 1_000_000 / (64 + 64*min(v.VCPUs, 8)), Watts: f.Watts, Mem: f.Mem.group(t),
	}
	if g.Memory.Most != unbounded {
		g.Memory.Most <<= 10
	}
	for _, kb := range f.Mem.Nodes {
		g.Nodes = append(g.Nodes, GroupNode{kb, f.Mem.Overhead / int64(len(f.Mem.Nodes))})
	}
	affinity := fmt.Sprintf("0-%d", h.Cores*h.PerCore-1)
	if v.Affinity != nil {
		affinity = strings.Trim(strings.ReplaceAll(fmt.Sprint(v.Affinity), " ", ","), "[]")
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
			name = fmt.Sprintf(name, v.Name)
		}
		run := up * e.run / 10_000
		g.Worlds = append(g.Worlds, WorldCounters{
			ID: lead + int64(2*i), Name: name, VCPU: -1, Up: up, Run: run, Used: run, Wait: up - run, Affinity: affinity,
			LCPU: s.lcpu(i, h, slot), EffectiveMin: 20, Demand: e.run / 100, Switches: up / 100_000, Wakeups: up / 120_000,
		})
	}
	for i := range t.vcpus {
		g.Worlds = append(g.Worlds, s.vcpu(i, t, f, h, slot, affinity))
		g.Hidden = append(g.Hidden, HiddenWorld{lead + hiddenFrom + int64(i), fmt.Sprintf("vmm%d:%s", i, v.Name)})
	}
	for i, d := range t.disks {
		if i < len(v.Disks) {
			g.Disks = append(g.Disks, VDiskCounters{
				ID: int64(8192 + 16*s.Place + i), Name: v.Disks[i].Name, Reads: d.Reads, ReadBytes: d.BlocksRead * 512, ReadTime: d.ReadTotal,
				Writes: d.Writes, WriteBytes: d.BlocksWritten * 512, WriteTime: d.WriteTotal,
			})
		}
	}
	return g
}

// shares returns shares in the scheduler's form: a number for each level, and custom values unchanged.
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

// lcpu returns the logical CPU on which a world runs now.
func (s *Residency) lcpu(world int, h *Host, slot int64) int {
	n := mix(uint64(s.Stream) ^ uint64(world)<<32 ^ uint64(slot))
	if a := s.Settings.Affinity; a != nil {
		return int(a[n%uint64(len(a))])
	}
	return int(n % uint64(h.Cores*h.PerCore))
}

func (s *Residency) vcpu(i int, t vmTally, f *VMFigures, h *Host, slot int64, affinity string) WorldCounters {
	w := t.vcpus[i]
	up := w.Run + w.Ready + w.Costop + w.Wait // the time since its start, except for rounding errors of partial slots
	now := f.VCPUs[i]
	return WorldCounters{
		ID: s.Leader() + vcpusFrom + 2*int64(i), Name: fmt.Sprintf("vmx-vcpu-%d:%s", i, s.Settings.Name), VCPU: i,
		Up: up, Run: w.Run, Used: w.Used, Sys: w.Sys, Overlap: w.Overlap, Ready: w.Ready, Costop: w.Costop, MaxLimited: w.MaxLimited,
		Wait: w.Wait, Idle: w.Idle, SwapWait: w.SwapWait, Latency: w.Latency, MemLatency: w.MemLatency,
		Demand: min(100, (now.Run+now.Ready)*100/SlotMillis), EffectiveMin: s.Settings.CPU.Reservation/s.Settings.VCPUs + 100,
		LCPU: s.lcpu(100+i, h, slot), Affinity: affinity,
		Switches: w.Run/2200 + up/40_000, Migrations: w.Run / 400_000, Expires: w.Run / 900_000, Wakeups: w.Run/3500 + up/60_000,
	}
}

func (m *MemoryFigures) group(t vmTally) *GroupMemory {
	pct := m.Active * 100 / max(m.Size, 1)
	return &GroupMemory{
		Size: m.Size + m.Overhead/3, Target: m.Entitlement, Granted: m.Granted, consumed: m.Consumed, Touched: m.Active, TouchedWrite: m.ActiveWrite,
		ActivePct: pct, SlowPct: pct, FastPct: pct * 9 / 10, NextPct: pct,
		Shared: m.Shared, Zero: m.Zero, Saved: m.saved, Overhead: m.Overhead, OverheadMax: m.OverheadMax, OverheadUW: m.Overhead / 4,
		BalloonDriver: m.BalloonMax > 0, Balloon: m.Balloon, BalloonTarget: m.BalloonTarget, BalloonMax: m.BalloonMax,
		Swapped: m.Swapped, SwapTarget: m.SwapTarget, SwapRead: t.swapIn, SwapWritten: t.swapOut,
		ZipCache: m.ZipUsed * 5 / 4, ZipUsed: m.ZipUsed, Zipped: t.zipIn, Unzipped: t.unzip,
		entitlement: m.Entitlement, CommitTarget: m.Entitlement, CommitCharged: m.Consumed,
	}
}

// countDisks adds adapters, devices with the I/O of each VM, and paths.
func (c *HostCounters) countDisks(t *Tally, f *HostFigures, vms []*VMFigures) {
	h := f.Host
	for _, a := range h.Adapters {
		c.Adapters = append(c.Adapters, AdapterCounters(a))
	}
	for i, d := range h.Devices {
		on := f.Pressure.Devices[i]
		one := DeviceCounters{
			Name: d.Name, Display: d.Display, VSAN: d.VSAN, QueueDepth: d.QueueDepth, Blocks: d.Blocks, Active: on.active, Queued: on.queued, IO: t.devices[i],
		}
		for n, s := range f.Residencies {
			v := t.vms[s.Place]
			w := DeviceWorld{World: s.Leader(), Shares: 1000}
			uses := false
			for k := range v.issue {
				if vms[n].devices[k] == i {
					uses = true
					w.IO.Plus(&v.issue[k], Whole)
				}
			}
			if uses {
				one.Worlds = append(one.Worlds, w)
			}
		}
		for k := range one.Worlds {
			one.Worlds[k].Active = on.active / int64(len(one.Worlds))
			one.Worlds[k].Queued = on.queued / int64(len(one.Worlds))
		}
		c.Devices = append(c.Devices, one)
		for k, p := range d.Paths {
			c.Paths = append(c.Paths, PathCounters{p.Name, d.Name, p.Adapter, t.paths[i][k]})
		}
	}
	for i, name := range h.NFS {
		io := t.nfs[i]
		c.NFS = append(c.NFS, NFSCounters{
			Name: name, Reads: io.Reads, ReadBytes: io.BlocksRead * 512, ReadTime: io.ReadTotal,
			Writes: io.Writes, WriteBytes: io.BlocksWritten * 512, WriteTime: io.WriteTotal,
		})
	}
}

// countPorts adds the switches with their uplinks, VMkernel adapters and VM ports, and the NICs.
func (c *HostCounters) countPorts(t *Tally, f *HostFigures) {
	h := f.Host
	uplinkPort := make([]int64, len(h.PNICs))
	for i, s := range h.Switches {
		first := int64(firstPortset + portsOfSwitch*i)
		set := PortsetCounters{Name: s.Name, Ports: []PortCounters{{ID: first + 1, Client: "Management", Team: "n/a"}}}
		for _, nic := range s.Uplinks {
			uplinkPort[nic] = first + 2 + int64(nic)
			own := t.PNICs[nic]
			own.DroppedRx += t.Lost[nic]
			set.Ports = append(set.Ports, PortCounters{ID: uplinkPort[nic], Uplink: true, Client: h.PNICs[nic].Name, Traffic: own})
		}
		for k, v := range h.VMKs() {
			if v.on == i {
				set.Ports = append(set.Ports, PortCounters{ID: first + 0x40 + int64(k), Client: v.name, Team: h.nicName(v.Uplink), Traffic: t.vmks[k]})
			}
		}
		for _, s := range f.Residencies {
			for k, nic := range s.Settings.NICs {
				if !nic.Bypass && h.switchOf(nic) == i {
					set.Ports = append(set.Ports, PortCounters{
						ID: first + 0x100 + 16*int64(s.Place) + int64(k), Client: fmt.Sprintf("%s.eth%d", s.Settings.Name, k),
						Team: h.nicName(f.uplinkOf(s, k)), Leader: s.Leader() + hiddenFrom, Traffic: t.vms[s.Place].nics[k],
					})
				}
			}
		}
		c.Portsets = append(c.Portsets, set)
	}
	for i, p := range h.PNICs {
		c.PNICs = append(c.PNICs, PNICCounters{p.Name, uplinkPort[i], p.Mbps > 0, p.Mbps, p.Full, p.Rings})
	}
}

func (h *Host) nicName(nic int) string {
	if nic < 0 {
		return "n/a"
	}
	return h.PNICs[nic].Name
}
