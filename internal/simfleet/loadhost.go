package simfleet

import (
	"math"
)

// hostFigures is what a host did in a slot: the sums over its VMs, and a little of its own.
type hostFigures struct {
	*pressure
	cpu     worldFigures // of all vCPUs
	usedMHz int64
	ownMHz  int64   // of that the host's own
	ownRun  []int64 // microseconds of its own worlds, as in the settings
	lcpus   []lcpuFigures
	hot     []float64  // of the time that the busiest vCPUs run
	mem     hostMemory // swapRead and swapWritten are those of the slot
	sum     memoryFigures
	nodes   []int64 // free, by NUMA node
	devices []ioCounters
	own     []ioCounters           // of those the host's
	paths   [][]ioCounters         // by device
	stores  map[string]*ioCounters // what VMs see of datastores
	pnics   []traffic
	lost    []int64 // packets that a NIC did not take in
	vmks    []traffic
	watts   int64
}

// host works out a slot of a host, or remembers it. It is nil before there was the host.
func (l *loads) host(host string, slot int64) *hostFigures {
	k := l.of(host)
	k.mu.Lock()
	defer k.mu.Unlock()
	return l.hostOf(k, host, slot)
}

func (l *loads) hostOf(k *knownHost, host string, slot int64) *hostFigures {
	if f := k.figures[slot]; f != nil {
		return f
	}
	p := l.pressureOf(k, host, slot)
	if p == nil {
		return nil
	}
	f := p.sum(p.host.stream, p.all(slot), slot)
	remember(k.figures, slot, f)
	return f
}

// all are the VMs of the host, as they came.
func (p *pressure) all(slot int64) []*vmFigures {
	list := make([]*vmFigures, len(p.stays))
	for i, s := range p.stays {
		list[i] = p.vm(s, i, slot)
	}
	return list
}

func (p *pressure) sum(id stream, vms []*vmFigures, slot int64) *hostFigures {
	f := &hostFigures{
		pressure: p, devices: make([]ioCounters, len(p.host.devices)), pnics: make([]traffic, len(p.host.pnics)),
		lost: make([]int64, len(p.host.pnics)), nodes: make([]int64, p.host.nodes), stores: map[string]*ioCounters{},
	}
	for i, v := range vms {
		f.cpu.plus(&v.cpu, whole)
		f.hot = append(f.hot, v.hot()...)
		f.usedMHz += v.usedMHz
		f.sum.plus(&v.mem)
		for n, kb := range v.mem.nodes {
			f.nodes[n] -= kb
		}
		for n := range v.issue {
			f.onStore(p.stays[i].settings.disks[n].store, &v.issue[n])
			if at := v.devices[n]; at >= 0 {
				f.devices[at].plus(&v.issue[n], whole)
			}
		}
		for n := range v.nics {
			if up := p.uplinkOf(p.stays[i], n); up >= 0 && !p.stays[i].settings.nics[n].bypass {
				f.pnics[up].plus(v.nics[n].onWire(), whole)
			}
		}
	}
	for i := range f.devices {
		own := p.ownIO(i, id, slot)
		f.own = append(f.own, own)
		f.devices[i].plus(&own, whole)
		f.paths = append(f.paths, p.host.devices[i].split(f.devices[i]))
	}
	for _, v := range p.host.vmks() {
		t := v.traffic(id, slot)
		f.vmks = append(f.vmks, t)
		if v.uplink >= 0 {
			f.pnics[v.uplink].plus(&t, whole)
		}
	}
	for i := range f.lost {
		f.lost[i] = int64(p.uplinks[i].lost * float64(f.pnics[i].rxPackets))
		if p.uplinks[i].lost > 0 {
			f.lost[i]++
		}
	}
	f.memory()
	f.ownWork(id, slot)
	f.processors(id, slot)
	return f
}

func (f *hostFigures) onStore(name string, io *ioCounters) {
	if f.stores[name] == nil {
		f.stores[name] = new(ioCounters)
	}
	f.stores[name].plus(io, whole)
}

// onWire is a port's traffic as its uplink has it: what the port dropped came over the wire all the same, what it could not
// send did not go.
func (t *traffic) onWire() *traffic {
	own := *t
	own.droppedRx, own.droppedTx = 0, 0
	return &own
}

func (h *hostSettings) capacityMHz() int64 { return int64(h.cores) * h.mhz }

// ownIO is what the host itself does on a disk: heartbeats, and logs on its own.
func (p *pressure) ownIO(device int, id stream, slot int64) ioCounters {
	reads, writes := .3, .2
	if p.host.devices[device].local {
		reads, writes = 1, 4
	}
	kind := noiseOwn + uint64(device+1)<<16
	if p.host.devices[device].vsan { // what it keeps of itself, and looks after
		level := .4 + 1.2*id.swing(kind, float64(slot)/15)
		reads, writes = 14*level, 9*level
	}
	c := ioCounters{reads: id.whole(reads, kind, slot), writes: id.whole(writes, kind, -slot), aborts: p.devices[device].aborts}
	c.commands = c.reads + c.writes + 1 // a probe
	c.blocksRead, c.blocksWritten = 8*c.reads, 16*c.writes
	on := p.devices[device]
	c.readIssue, c.writeIssue = int64(float64(c.reads)*on.device*1000), int64(float64(c.writes)*on.device*800)
	c.readQueue, c.writeQueue = int64(float64(c.reads)*on.queue*1000), int64(float64(c.writes)*on.queue*1000)
	c.readTotal, c.writeTotal = c.readIssue+int64(float64(c.reads)*on.kernel*1000), c.writeIssue+int64(float64(c.writes)*on.kernel*1000)
	return c
}

// split is a device's I/O by path.
func (d deviceSettings) split(io ioCounters) []ioCounters {
	list := make([]ioCounters, len(d.paths))
	var used, n int64
	for _, p := range d.paths {
		if p.used {
			used++
		}
	}
	for i, p := range d.paths {
		if p.used {
			list[i] = io.part(n, used)
			n++
		}
	}
	return list
}

// vmk is a VMkernel adapter and the NIC that it goes through.
type vmk struct {
	name       string
	on, uplink int
}

func (h *hostSettings) vmks() (list []vmk) {
	for i, s := range h.switches {
		for n, name := range s.vmks {
			list = append(list, vmk{name, i, h.uplink(i, n)})
		}
	}
	return list
}

// managementVMK is the one that carries something.
const managementVMK = "vmk0"

func (v vmk) traffic(id stream, slot int64) traffic {
	if v.uplink < 0 || v.name != managementVMK {
		return traffic{} // nothing moves
	}
	level := .5 + id.unit(noiseOwn, slot)
	t := traffic{rxPackets: id.whole(25*level, noiseOwn, slot), txPackets: id.whole(20*level, noiseOwn, -slot)}
	t.rxBytes, t.txBytes = t.rxPackets*210, t.txPackets*480
	t.rxMulticast, t.rxBroadcast = t.rxPackets/10, t.rxPackets/5
	return t
}

func (m *memoryFigures) plus(o *memoryFigures) {
	m.size += o.size
	m.granted += o.granted
	m.consumed += o.consumed
	m.active += o.active
	m.activeWrite += o.activeWrite
	m.shared += o.shared
	m.zero += o.zero
	m.saved += o.saved
	m.overhead += o.overhead
	m.balloon += o.balloon
	m.balloonTarget += o.balloonTarget
	m.balloonMax += o.balloonMax
	m.swapped += o.swapped
	m.swapTarget += o.swapTarget
	m.swapIn += o.swapIn
	m.swapOut += o.swapOut
	m.zipped += o.zipped
	m.zipUsed += o.zipUsed
	m.zipIn += o.zipIn
	m.unzip += o.unzip
}

// userWorldsKB is what hostd and the others of the host have.
const userWorldsKB = 600 << 10

func (f *hostFigures) memory() {
	h, m := f.host, &f.mem
	m.physical, m.kernel = h.memoryKB, h.kernelKB()
	m.managed = m.physical - m.kernel/4
	m.other = f.sum.consumed + f.sum.zipUsed + f.sum.overhead + userWorldsKB
	m.minFree = h.minFreeKB()
	if m.free = m.physical - m.kernel - m.other; m.free < m.minFree/8 {
		m.free = m.minFree / 8
		m.other = m.physical - m.kernel - m.free
	}
	m.state = stateOf(m.free, m.minFree)
	var reserved int64
	for _, s := range f.stays {
		reserved += s.settings.memory.reservation<<10 + s.overheadKB()
	}
	m.reserved = min(reserved+userWorldsKB+m.kernel/2, m.managed)
	m.unreserved = m.managed - m.reserved
	m.shared, m.common = f.sum.shared, f.sum.shared-f.sum.saved
	m.balloon, m.balloonTarget, m.balloonMax = f.sum.balloon, f.sum.balloonTarget, f.sum.balloonMax
	m.swapped, m.swapTarget = f.sum.swapped, f.sum.swapTarget
	m.swapRead, m.swapWritten = f.sum.swapIn*slotSeconds, f.sum.swapOut*slotSeconds
	m.zipped, m.zipSaved = f.sum.zipped, f.sum.zipped-f.sum.zipUsed
	over := max(0, (f.sum.size+f.sum.overhead)*100/max(m.managed, 1)-100)
	m.overcommit = [3]int64{over, over, over}
	f.freeByNode()
}

// freeByNode deals what is free out to the nodes, by what their VMs leave.
func (f *hostFigures) freeByNode() {
	each, sum := f.mem.physical/int64(len(f.nodes)), int64(0)
	for n := range f.nodes {
		f.nodes[n] = max(f.nodes[n]+each, each/64)
		sum += f.nodes[n]
	}
	left := f.mem.free
	for n := range f.nodes {
		f.nodes[n] = min(int64(float64(f.mem.free)*float64(f.nodes[n])/float64(sum)), each)
		left -= f.nodes[n]
	}
	f.nodes[len(f.nodes)-1] += left
}

// stateOf is the state of free memory, by how much there should be.
func stateOf(free, least int64) int64 {
	for state, pct := range []int64{300, 100, 64, 32} {
		if free*100 > least*pct {
			return int64(state)
		}
	}
	return 4
}

// loadAverage is the load over some minutes, in hundredths of a percent of all cores.
func (l *loads) loadAverage(host string, slot int64, minutes int64) int64 {
	var sum, n int64
	step := max(1, minutes)
	for back := int64(0); back < minutes*60/slotSeconds; back += step {
		if p := l.pressure(host, slot-back); p != nil {
			sum, n = sum+int64(math.Round(p.load*10_000)), n+1
		}
	}
	return sum / max(n, 1)
}
