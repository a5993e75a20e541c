package load

import (
	"math"
	"slices"
)

// Pressure is what the guests of a host do to it together in a slot.
type Pressure struct {
	Host  *Host
	Stays []*Stay // that are on it, in the order in which they came
	Wants []demand

	Speed   float64 // of a busy core, of its nominal clock
	share   float64 // of what is wanted beyond reservations that the cores can give
	alone   float64 // what a thread does of what a core would, as the other one runs too
	queue   float64 // how long a vCPU waits before it runs, of the time that it then runs
	busy    float64 // threads that run VMs
	load    float64 // of all cores, what runs and what waits to
	reclaim float64 // of the memory that can be taken from VMs, what is

	Devices []devicePressure // as in the settings
	uplinks []uplinkPressure // by NIC
}

// devicePressure is how long a command takes, in milliseconds, and how many are given up in the slot.
type devicePressure struct {
	device, kernel, Queue float64
	active, queued        int64
	aborts                int64
}

// uplinkPressure is what gets through a NIC, in each direction, and which part of what arrives is lost.
type uplinkPressure struct {
	through, sent float64 // of what VMs are sent, and of what they send
	lost          float64
	rx, tx        float64 // bytes a second, wanted
	packets       float64 // that arrive a second, as guests see them where frames are joined
	frames        float64 // that each of them comes in
	crossing      float64 // what a packet costs, of what it costs on the NIC's own node
}

// busySpeed is what a busy core runs at under a power policy, of its nominal clock. The fastest policy has turbo to itself.
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

// secondThread is what the second thread of a core adds to the first.
const secondThread = .25

// processors shares the cores out: reservations first, then everybody alike. Second threads are used where cores are all busy.
func (p *Pressure) processors(id Stream, slot int64) {
	cores := float64(p.Host.Cores)
	p.Speed = p.Host.busySpeed() * (1 + .01*(2*id.Unit(noiseCPU, slot)-1))
	var wanted, firm float64
	for i, s := range p.Stays {
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

// kernelKB is what the VMkernel needs of the host's memory.
func (h *Host) kernelKB() int64 { return 1536<<10 + h.MemoryKB/100 }

// minFreeKB is what a host tries to keep free: less of the more it has.
func (h *Host) minFreeKB() int64 {
	const gb = 1 << 20
	least := func(from, to, pct int64) int64 { return max(0, min(h.MemoryKB, to)-from) * pct / 100 }
	return least(0, 4*gb, 6) + least(4*gb, 12*gb, 4) + least(12*gb, 28*gb, 2) + least(28*gb, math.MaxInt64, 1)
}

// memory finds out which part of what can be taken from VMs has to be. A host that is short keeps free a little less than
// it should, one that is very short much less.
func (p *Pressure) memory() {
	need, soft := int64(userWorldsKB), int64(0)
	for i, s := range p.Stays {
		held := s.held(p.Wants[i].touched)
		need += held - held/80 + s.overheadKB() // what VMs share counts once
		soft += max(0, held-s.Settings.Memory.Reservation<<10)
	}
	room, least := p.Host.MemoryKB-p.Host.kernelKB(), p.Host.minFreeKB()
	if need <= room-3*least || soft == 0 {
		return
	}
	free, gives := least*8/10, .98 // of what is taken: some is shared, some only compressed
	if need > room*11/10 {
		free, gives = least*45/100, .965
	}
	p.reclaim = min(.85, max(.005, float64(need-room+free)/gives/float64(soft)))
}

// held is what a VM may have of what it needs.
func (s *Stay) held(touched int64) int64 {
	if limit := s.Settings.Memory.Limit; limit != unbounded {
		return min(touched, limit<<10)
	}
	return touched
}

// overheadKB is what the host needs to run the VM at all.
func (s *Stay) overheadKB() int64 {
	return 30<<10 + s.Settings.MemoryMB<<10*7/1000 + s.Settings.VCPUs*(5<<10)
}

// deviceKind is how fast a disk answers, in milliseconds when it has little to do, and how many I/Os a second it can do.
func deviceKind(d Device) (millis, most float64) {
	switch {
	case d.Millis > 0:
		return d.Millis, d.IOPS
	case d.Local:
		return 1.1, 3000
	}
	return .7, 150_000
}

// deviceBursts is how much closer together I/Os come than they would on average.
const deviceBursts = 8

func (p *Pressure) disks(id Stream, slot int64) {
	iops, queues := make([]float64, len(p.Host.Devices)), make([]float64, len(p.Host.Devices))
	for i, s := range p.Stays {
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
		one.device = millis * (.9 + .2*id.Unit(noiseDisk+uint64(i)<<16, slot)) * (1 + 6*math.Pow(min(full, 1.3), 3))
		open := min(iops[i]*one.device/1000*deviceBursts, max(1, 8*queues[i])) // guests wait for answers before they go on
		crowd := open / float64(max(d.QueueDepth, 1))
		one.kernel = .02
		if crowd > 1 {
			one.Queue = min(12, 12*millis*(crowd-1))
			one.queued = int64(open) - d.QueueDepth
		}
		one.kernel += one.Queue
		one.active = min(int64(open+.5), d.QueueDepth)
		if full > 1 && id.Unit(noiseAborts, slot) < .12 {
			one.aborts = 1 + int64(4*id.Unit(noiseAborts, -slot))
		}
	}
}

// DeviceOf is the disk behind a datastore, or -1.
func (h *Host) DeviceOf(store string) int {
	at := slices.IndexFunc(h.Volumes, func(v Volume) bool { return v.Name == store })
	if at < 0 {
		return -1
	}
	return slices.IndexFunc(h.Devices, func(d Device) bool { return d.Name == h.Volumes[at].Device })
}

// diskShare is what the nth disk of a VM wants of its I/O: a VM with disks for data does little on the first.
func (s *Stay) diskShare(n int, d demand) (reads, writes float64) {
	part := 1.0
	if others := len(s.Settings.Disks) - 1; others > 0 {
		part = .08
		if n > 0 {
			part = .92 / float64(others)
		}
	}
	reads, writes = d.reads*part, d.writes*part
	if limit := float64(s.Settings.Disks[n].IOPSLimit); limit >= 0 && reads+writes > limit {
		reads, writes = reads*limit/(reads+writes), writes*limit/(reads+writes)
	}
	return reads, writes
}

// uplinkOf is the NIC that a virtual NIC goes through, or -1: ports take turns.
func (p *Pressure) uplinkOf(s *Stay, nic int) int {
	return p.Host.uplink(p.Host.switchOf(s.Settings.NICs[nic]), 1+s.Place+nic)
}

// crossingOf is what the packets of a VM cost, by the first of its NICs that a NIC of the host carries.
func (p *Pressure) crossingOf(s *Stay) float64 {
	for n, nic := range s.Settings.NICs {
		if up := p.uplinkOf(s, n); up >= 0 && !nic.Bypass {
			return p.Host.crossing(p.Host.PNICs[up])
		}
	}
	return 1
}

func (h *Host) uplink(on, port int) int {
	if active := h.Switches[on].Active; len(active) > 0 {
		return active[port%len(active)]
	}
	return -1
}

// ringHolds is how many packets a second a receive ring takes in without losing some when they come in bursts: of a small one
// little is left when a burst begins.
func ringHolds(descriptors int) float64 { return 308_000 * math.Pow(float64(descriptors)/1024, 2.8) }

func (p *Pressure) network() {
	p.uplinks = make([]uplinkPressure, len(p.Host.PNICs))
	for i, s := range p.Stays {
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
		over := max(0, u.packets*u.through/ringHolds(nic.Ring)-.9)
		u.lost = min(.08, .03*over)
		u.crossing, u.frames = p.Host.crossing(nic), max(1, u.frames/max(u.packets, 1))
		if busy := OnRing(u.packets*u.through*pollSeconds*u.crossing, 0, nic.Rings); busy > TooBusyToPoll {
			u.lost = min(.08, u.lost+.1*(busy-TooBusyToPoll))
		}
		if full := u.rx / max(line, 1); full > .85 {
			u.lost = min(.08, u.lost+.02*(full-.85))
		}
	}
}

// line is how many bytes a second a NIC carries in one direction, at frames of 1500 bytes.
func (n PNIC) line() float64 {
	line := float64(n.Mbps) * 1e6 / 8 * .94
	if !n.Full {
		line /= 2
	}
	return line
}

// pace has those that fill the wire send what others leave room for. They wait for their turn, and nothing is lost.
func (p *Pressure) pace() {
	for i, s := range p.Stays {
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

// userWorldsKB is what hostd and the others of the host have.
const userWorldsKB = 600 << 10

// polling is what the NICs need, in cores.
func (p *Pressure) polling() (cores float64) {
	for i := range p.uplinks {
		u := &p.uplinks[i]
		cores += min(u.packets*u.through*pollSeconds*u.crossing, float64(p.Host.PNICs[i].Rings))
	}
	return cores
}

// gets is what a VM wants but for its limit, and what it gets of that, in vCPUs.
func (p *Pressure) gets(s *Stay, d demand) (want, got float64) {
	want = d.CPU - d.limited
	firm := min(want, float64(s.Settings.CPU.Reservation)/float64(s.MHz))
	return want, firm + p.share*(want-firm)
}

// reserved reports a VM that has next to all of its clock guaranteed: it does not wait.
func (s *Stay) reserved() bool {
	return s.Settings.CPU.Reservation*s.Settings.Threads >= s.Settings.VCPUs*s.MHz*9/10
}

// waiting is the part of its time that a VM's vCPUs wait for a core as others have them.
func (p *Pressure) waiting(s *Stay, d demand) float64 {
	if s.reserved() {
		return 0
	}
	n, speed := float64(s.Settings.VCPUs), p.Speed*p.alone
	want, got := p.gets(s, d)
	return ((want-got)/speed + min(got/speed, n)*p.queue*(1+n/32)) / n
}
