package load

import (
	"math"
	"slices"
)

// Pressure is the contention that the guests of a host cause together in a slot.
type Pressure struct {
	Host        *Host
	Residencies []*Residency // on the host, in order of arrival
	Wants       []demand
	hosts       blend[Host] // settings that are in effect; more than one while a change settles
	level       noiseLevel
	Slot        int64

	Speed   float64 // clock rate of a busy core, relative to nominal
	share   float64 // fraction of the demand beyond reservations that the cores can serve
	alone   float64 // speed of a thread relative to a core while the other thread runs, too
	queue   float64 // wait time of a vCPU, relative to its run time
	busy    float64 // threads that run VMs
	load    float64 // running and waiting vCPUs relative to all cores
	reclaim float64 // reclaimed fraction of the memory that can be reclaimed from VMs

	Devices []devicePressure // in the order of the settings
	uplinks []uplinkPressure // by NIC
}

// devicePressure holds a command's latency in milliseconds, and the number of aborted commands in the slot.
type devicePressure struct {
	device, kernel, Queue float64
	active, queued        int64
	aborts                int64
}

// uplinkPressure holds the fraction that gets through a NIC in each direction, and the fraction lost on arrival.
type uplinkPressure struct {
	through, sent float64 // fraction of traffic to VMs, and from VMs
	lost          float64
	rx, tx        float64 // requested bytes per second
	packets       float64 // arriving packets per second, counted with LRO
	frames        float64 // frames per packet
	crossing      float64 // cost of a packet relative to its cost on the NIC's own node
}

// busySpeed returns the clock rate of a busy core under a power policy, relative to nominal. Only the fastest policy has turbo.
func (h *Host) busySpeed() float64 {
	switch {
	case h.BIOS:
		return 1.04
	case h.Policy == HighPerformance:
		return 1.10
	case h.Policy == lowPower:
		return .78
	case h.Policy == customPower:
		return .95 * float64(h.MaxFreqPct) / 100
	}
	return .94
}

// secondThread is the additional throughput of a core's second thread.
const secondThread = .25

// processors distributes the cores: reservations first, then the rest equally. Second threads are used if all cores are busy.
func (p *Pressure) processors(id Stream, slot int64) {
	cores := float64(p.Host.Cores)
	p.Speed = p.hosts.of((*Host).busySpeed) * (1 + .01*(2*id.Unit(noiseCPU, slot)-1))
	var wanted, firm float64
	for i, s := range p.Residencies {
		want := p.Wants[i].CPU - p.Wants[i].limited
		wanted += want
		firm += min(want, float64(s.Settings.CPU.Reservation)/float64(s.MHz))
	}
	room := cores
	if p.Host.PerCore > 1 {
		room *= 1 + secondThread
	}
	room *= p.Speed
	own := p.Host.ownCores() + p.polling() // the host itself
	p.share = 1
	if wanted > firm {
		p.share = min(1, max(0, room-own-firm)/(wanted-firm))
	}
	done := (firm + p.share*(wanted-firm) + own) / p.Speed // in cores
	p.busy, p.alone = done, 1
	if done > cores && p.Host.PerCore > 1 {
		p.busy = min(2*cores, (done-(1-secondThread)*cores)/secondThread)
		p.alone = done / p.busy
	}
	full := (wanted + own) / room
	p.queue = min(1.5, math.Pow(full, 8))
	p.load = (wanted + own) / p.Speed / cores
}

// kernelKB returns the VMkernel's memory.
func (h *Host) kernelKB() int64 { return 1536<<10 + h.MemoryKB/100 }

// minFreeKB returns the target for free memory: a smaller fraction of more memory.
func (h *Host) minFreeKB() int64 {
	const gb = 1 << 20
	least := func(from, to, pct int64) int64 { return max(0, min(h.MemoryKB, to)-from) * pct / 100 }
	return least(0, 4*gb, 6) + least(4*gb, 12*gb, 4) + least(12*gb, 28*gb, 2) + least(28*gb, math.MaxInt64, 1)
}

// memory computes the fraction of reclaimable memory that has to be reclaimed. A host with a small shortage has a little less
// free memory than its target, one with a large shortage much less.
func (p *Pressure) memory() {
	need, soft := int64(userWorldsKB), int64(0)
	for i, s := range p.Residencies {
		held := s.held(p.Wants[i].touched)
		need += held - held/80 + s.overheadKB() // shared pages count once
		soft += max(0, held-s.Settings.Memory.Reservation<<10)
	}
	room, least := p.Host.MemoryKB-p.Host.kernelKB(), p.Host.minFreeKB()
	if need <= room-3*least || soft == 0 {
		return
	}
	free, gives := least*8/10, .98 // of the reclaimed memory: some is shared, some only compressed
	if need > room*11/10 {
		free, gives = least*45/100, .965
	}
	p.reclaim = min(.85, max(.005, float64(need-room+free)/gives/float64(soft)))
}

// held returns how much of its touched memory a VM may have.
func (s *Residency) held(touched int64) int64 {
	if limit := s.Settings.Memory.Limit; limit != unbounded {
		return min(touched, limit<<10)
	}
	return touched
}

// overheadKB returns the host's memory overhead for the VM.
func (s *Residency) overheadKB() int64 {
	return 30<<10 + s.Settings.MemoryMB<<10*7/1000 + s.Settings.VCPUs*(5<<10)
}

// deviceKind returns a disk's latency at low load in milliseconds, and its maximum I/Os per second.
func deviceKind(d Device) (millis, most float64) {
	switch {
	case d.Millis > 0:
		return d.Millis, d.IOPS
	case d.Local:
		return 1.1, 3000
	}
	return .7, 150_000
}

// deviceBursts is the ratio of the peak I/O rate to the average.
const deviceBursts = 8

func (p *Pressure) disks(id Stream, slot int64, noise *noise) {
	iops, queues := make([]float64, len(p.Host.Devices)), make([]float64, len(p.Host.Devices))
	for i, s := range p.Residencies {
		for n := range s.Settings.Disks {
			if at := p.Host.DeviceOf(s.Settings.Disks[n].Store); at >= 0 {
				reads, writes := s.diskShare(n, p.Wants[i])
				iops[at] += reads + writes
				queues[at]++
			}
		}
	}
	p.Devices = make([]devicePressure, len(iops))
	for i, d := range p.Host.Devices {
		millis, most := deviceKind(d)
		one := &p.Devices[i]
		full := iops[i] / most
		one.device = millis * p.level.between(.9, .2, id.Unit(noiseDisk+uint64(i)<<16, slot)) * (1 + 6*math.Pow(min(full, 1.3), 3))
		one.device *= noise.of(NewStream(d.Name), slot).cost
		open := min(iops[i]*one.device/1000*deviceBursts, max(1, 8*queues[i])) // guests wait for completions before they issue more
		crowd := p.hosts.of(func(h *Host) float64 { return open / float64(max(h.Devices[i].QueueDepth, 1)) })
		one.kernel = .02
		if crowd > 1 {
			one.Queue = min(12, 12*millis*(crowd-1))
			one.queued = max(0, int64(open)-d.QueueDepth)
		}
		one.kernel += one.Queue
		one.active = min(int64(open+.5), d.QueueDepth)
		if full > 1 && id.Unit(noiseAborts, slot) < .12 {
			one.aborts = 1 + int64(4*id.Unit(noiseAborts, -slot))
		}
	}
}

// DeviceOf returns the index of the disk behind a datastore, or -1.
func (h *Host) DeviceOf(store string) int {
	at := slices.IndexFunc(h.Volumes, func(v Volume) bool { return v.Name == store })
	if at < 0 {
		return -1
	}
	return slices.IndexFunc(h.Devices, func(d Device) bool { return d.Name == h.Volumes[at].Device })
}

// diskShare returns the I/O of the nth disk of a VM: a VM with data disks has little I/O on the first.
func (s *Residency) diskShare(n int, d demand) (reads, writes float64) {
	part := 1.0
	if others := len(s.Settings.Disks) - 1; others > 0 {
		part = .08
		if n > 0 {
			part = .92 / float64(others)
		}
	}
	reads, writes = d.reads*part, d.writes*part
	both := reads + writes
	most := d.settings.of(func(v *VM) float64 {
		if limit := float64(v.Disks[n].IOPSLimit); limit >= 0 {
			return min(both, limit)
		}
		return both
	})
	if most < both {
		reads, writes = reads*most/both, writes*most/both
	}
	return reads, writes
}

// uplinkOf returns the index of the NIC that a virtual NIC uses, or -1: ports are distributed in turn.
func (p *Pressure) uplinkOf(s *Residency, nic int) int {
	return p.Host.uplink(p.Host.switchOf(s.Settings.NICs[nic]), 1+s.Place+nic)
}

// firstUplinkOf returns the index of the NIC that the first of a VM's NICs with an uplink uses, or -1.
func (p *Pressure) firstUplinkOf(s *Residency) int {
	for n, nic := range s.Settings.NICs {
		if up := p.uplinkOf(s, n); up >= 0 && !nic.Bypass {
			return up
		}
	}
	return -1
}

// crossing returns the cost of packets of a NIC relative to their cost on its own node.
func (p *Pressure) crossing(nic int) float64 {
	return p.hosts.of(func(h *Host) float64 { return h.crossing(h.PNICs[nic]) })
}

func (h *Host) uplink(on, port int) int {
	if active := h.Switches[on].Active; len(active) > 0 {
		return active[port%len(active)]
	}
	return -1
}

// ringHolds returns how many packets per second a receive ring accepts without drops when they arrive in bursts: a small ring is
// full soon.
func ringHolds(descriptors int) float64 { return 308_000 * math.Pow(float64(descriptors)/1024, 2.8) }

func (p *Pressure) network() {
	p.uplinks = make([]uplinkPressure, len(p.Host.PNICs))
	for i, s := range p.Residencies {
		for n, nic := range s.Settings.NICs {
			if up := p.uplinkOf(s, n); up >= 0 && !nic.Bypass {
				part := 1 / float64(len(s.Settings.NICs))
				u := &p.uplinks[up]
				u.packets += p.Wants[i].rx * part
				u.frames += p.Wants[i].rx * part * p.Wants[i].frames
				u.rx += p.Wants[i].rx * s.does.RXBytes * part
				if !s.does.Paced {
					u.tx += p.Wants[i].tx * s.does.TXBytes * part
				}
			}
		}
	}
	p.pace()
	for i := range p.uplinks {
		u, nic := &p.uplinks[i], p.Host.PNICs[i]
		line := nic.line()
		u.through, u.sent = min(1, line/max(u.rx, 1)), min(1, line/max(u.tx, 1))
		over := p.hosts.of(func(h *Host) float64 { return max(0, u.packets*u.through/ringHolds(h.PNICs[i].Ring)-.9) })
		u.lost = min(.08, .03*over)
		u.crossing, u.frames = p.crossing(i), max(1, u.frames/max(u.packets, 1))
		if busy := OnRing(u.packets*u.through*pollSeconds*u.crossing, 0, nic.Rings); busy > TooBusyToPoll {
			u.lost = min(.08, u.lost+.1*(busy-TooBusyToPoll))
		}
		if full := u.rx / max(line, 1); full > .85 {
			u.lost = min(.08, u.lost+.02*(full-.85))
		}
	}
}

// line returns the bytes per second that a NIC carries in one direction, with frames of 1500 bytes.
func (n PNIC) line() float64 {
	line := float64(n.Mbps) * 1e6 / 8 * .94
	if !n.Full {
		line /= 2
	}
	return line
}

// pace limits VMs that fill the link to the capacity that the others leave. They are delayed, and nothing is lost.
func (p *Pressure) pace() {
	for i, s := range p.Residencies {
		if !s.does.Paced || len(s.Settings.NICs) == 0 {
			continue
		}
		room := 0.0
		for n, nic := range s.Settings.NICs {
			if up := p.uplinkOf(s, n); up >= 0 && !nic.Bypass {
				left := max(0, p.Host.PNICs[up].line()-p.uplinks[up].tx*1.08)
				p.uplinks[up].tx += min(left, p.Wants[i].tx*s.does.TXBytes/float64(len(s.Settings.NICs)))
				room += left
			}
		}
		p.Wants[i].tx = min(p.Wants[i].tx, room/s.does.TXBytes)
	}
}

// userWorldsKB is the memory of hostd and the host's other processes.
const userWorldsKB = 600 << 10

// polling returns the CPU use of the NICs, in cores.
func (p *Pressure) polling() (cores float64) {
	for i := range p.uplinks {
		u := &p.uplinks[i]
		cores += min(u.packets*u.through*pollSeconds*u.crossing, float64(p.Host.PNICs[i].Rings))
	}
	return cores
}

// gets returns a VM's demand within its limit, and how much of it the VM gets, in vCPUs.
func (p *Pressure) gets(s *Residency, d demand) (want, got float64) {
	want = d.CPU - d.limited
	firm := min(want, float64(s.Settings.CPU.Reservation)/float64(s.MHz))
	return want, firm + p.share*(want-firm)
}

// reserved reports whether nearly all of a VM's CPU is reserved, so that it does not wait.
func (s *Residency) reserved() bool {
	return s.Settings.CPU.Reservation*s.Settings.Threads >= s.Settings.VCPUs*s.MHz*9/10
}

// waiting returns the fraction of its time in which a VM's vCPUs wait for a busy core.
func (p *Pressure) waiting(s *Residency, d demand) float64 {
	if s.reserved() {
		return 0
	}
	n, speed := float64(s.Settings.VCPUs), p.Speed*p.alone
	want, got := p.gets(s, d)
	return ((want-got)/speed + min(got/speed, n)*p.queue*(1+n/32)) / n
}
