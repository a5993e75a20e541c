package load

import (
	"iter"
	"sync"
)

// spare holds memory for the values of one VM: Each takes it and puts it back.
var spare = sync.Pool{New: func() any { return new(VMFigures) }}

// Each iterates over the values of the VMs of the host, in order of arrival. The next VM overwrites the values of the last one: All returns
// values to keep.
func (p *Pressure) Each(slot int64) iter.Seq2[int, *VMFigures] {
	return func(yield func(int, *VMFigures) bool) {
		f := spare.Get().(*VMFigures)
		defer spare.Put(f)
		for i, s := range p.Residencies {
			p.compute(f, s, i, slot)
			if !yield(i, f) {
				return
			}
		}
	}
}

// All returns the values of all VMs of the host, in order of arrival.
func (p *Pressure) All(slot int64) []*VMFigures {
	list := make([]*VMFigures, len(p.Residencies))
	for i, s := range p.Residencies {
		list[i] = p.vm(s, i, slot)
	}
	return list
}

func (p *Pressure) sum(id Stream, slot int64) *HostFigures {
	f := &HostFigures{
		Pressure: p, Devices: make([]IO, len(p.Host.Devices)), PNICs: make([]Traffic, len(p.Host.PNICs)),
		Lost: make([]int64, len(p.Host.PNICs)), Nodes: make([]int64, p.Host.Nodes), Stores: map[string]*IO{},
	}
	for i, v := range p.Each(slot) {
		f.CPU.Plus(&v.CPU, Whole)
		f.hot = append(f.hot, v.hot()...)
		f.UsedMHz += v.UsedMHz
		f.Sum.plus(&v.Mem)
		for n, kb := range v.Mem.Nodes {
			f.Nodes[n] -= kb
		}
		for n := range v.Issue {
			f.onStore(p.Residencies[i].Settings.Disks[n].Store, &v.Issue[n])
			if at := v.devices[n]; at >= 0 {
				f.Devices[at].Plus(&v.Issue[n], Whole)
			}
		}
		for n := range v.NICs {
			if up := p.uplinkOf(p.Residencies[i], n); up >= 0 && !p.Residencies[i].Settings.NICs[n].Bypass {
				f.PNICs[up].Plus(v.NICs[n].onWire(), Whole)
			}
		}
	}
	for i := range f.Devices {
		own := p.ownIO(i, id, slot)
		f.Own = append(f.Own, own)
		f.Devices[i].Plus(&own, Whole)
		f.Paths = append(f.Paths, p.Host.Devices[i].split(f.Devices[i]))
	}
	for _, v := range p.Host.VMKs() {
		t := v.traffic(id, slot)
		f.VMKs = append(f.VMKs, t)
		if v.Uplink >= 0 {
			f.PNICs[v.Uplink].Plus(&t, Whole)
		}
	}
	for i := range f.Lost {
		f.Lost[i] = int64(p.uplinks[i].lost * float64(f.PNICs[i].RxPackets))
		if p.uplinks[i].lost > 0 {
			f.Lost[i]++
		}
	}
	f.memory()
	f.ownWork(id, slot)
	f.processors(id, slot)
	return f
}

// onWire returns a port's traffic on its uplink: packets that the port dropped on arrival crossed the wire, packets it could not
// send did not.
func (t *Traffic) onWire() *Traffic {
	own := *t
	own.DroppedRx, own.DroppedTx = 0, 0
	return &own
}

// ownIO returns the host's own I/O on a disk: heartbeats, and logs on its own.
func (p *Pressure) ownIO(device int, id Stream, slot int64) IO {
	reads, writes := .3, .2
	if p.Host.Devices[device].Local {
		reads, writes = 1, 4
	}
	kind := noiseOwn + uint64(device+1)<<16
	if p.Host.Devices[device].VSAN { // vSAN metadata and background work
		level := .4 + 1.2*id.swing(kind, float64(slot)/15)
		reads, writes = 14*level, 9*level
	}
	c := IO{Reads: id.count(reads, kind, slot), Writes: id.count(writes, kind, -slot), Aborts: p.Devices[device].aborts}
	c.Commands = c.Reads + c.Writes + 1 // a probe
	c.BlocksRead, c.BlocksWritten = 8*c.Reads, 16*c.Writes
	on := p.Devices[device]
	c.ReadIssue, c.WriteIssue = int64(float64(c.Reads)*on.device*1000), int64(float64(c.Writes)*on.device*800)
	c.ReadQueue, c.WriteQueue = int64(float64(c.Reads)*on.Queue*1000), int64(float64(c.Writes)*on.Queue*1000)
	c.ReadTotal, c.WriteTotal = c.ReadIssue+int64(float64(c.Reads)*on.kernel*1000), c.WriteIssue+int64(float64(c.Writes)*on.kernel*1000)
	return c
}

// split returns a device's I/O by path.
func (d Device) split(io IO) []IO {
	list := make([]IO, len(d.Paths))
	var used, n int64
	for _, p := range d.Paths {
		if p.Used {
			used++
		}
	}
	for i, p := range d.Paths {
		if p.Used {
			list[i] = io.part(n, used)
			n++
		}
	}
	return list
}

// VMK is a VMkernel adapter. Uplink is the index in Host.PNICs of the NIC that it uses.
type VMK struct {
	name       string
	on, Uplink int
}

// VMKs returns the VMkernel adapters of all switches, in the order of the switches.
func (h *Host) VMKs() (list []VMK) {
	for i, s := range h.Switches {
		for n, name := range s.VMKs {
			list = append(list, VMK{name, i, h.uplink(i, n)})
		}
	}
	return list
}

// managementVMK is the adapter with management traffic.
const managementVMK = "vmk0"

func (v VMK) traffic(id Stream, slot int64) Traffic {
	if v.Uplink < 0 || v.name != managementVMK {
		return Traffic{} // no vMotion traffic
	}
	level := .5 + id.Unit(noiseOwn, slot)
	t := Traffic{RxPackets: id.count(25*level, noiseOwn, slot), TxPackets: id.count(20*level, noiseOwn, -slot)}
	t.RxBytes, t.TxBytes = t.RxPackets*210, t.TxPackets*480
	t.RxMulticast, t.RxBroadcast = t.RxPackets/10, t.RxPackets/5
	return t
}

func (f *HostFigures) memory() {
	h, m := f.Host, &f.Mem
	m.Physical, m.Kernel = h.MemoryKB, h.kernelKB()
	m.Managed = m.Physical - m.Kernel/4
	m.Other = f.Sum.Consumed + f.Sum.ZipUsed + f.Sum.Overhead + userWorldsKB
	m.MinFree = h.minFreeKB()
	if m.Free = m.Physical - m.Kernel - m.Other; m.Free < m.MinFree/8 {
		m.Free = m.MinFree / 8
		m.Other = m.Physical - m.Kernel - m.Free
	}
	m.State = stateOf(m.Free, m.MinFree)
	var reserved int64
	for _, s := range f.Residencies {
		reserved += s.Settings.Memory.Reservation<<10 + s.overheadKB()
	}
	m.Reserved = min(reserved+userWorldsKB+m.Kernel/2, m.Managed)
	m.Unreserved = m.Managed - m.Reserved
	m.Shared, m.Common = f.Sum.Shared, f.Sum.Shared-f.Sum.saved
	m.Balloon, m.BalloonTarget, m.BalloonMax = f.Sum.Balloon, f.Sum.BalloonTarget, f.Sum.BalloonMax
	m.Swapped, m.SwapTarget = f.Sum.Swapped, f.Sum.SwapTarget
	m.SwapRead, m.SwapWritten = f.Sum.SwapIn*SlotSeconds, f.Sum.SwapOut*SlotSeconds
	m.Zipped, m.ZipSaved = f.Sum.Zipped, f.Sum.Zipped-f.Sum.ZipUsed
	over := max(0, (f.Sum.Size+f.Sum.Overhead)*100/max(m.Managed, 1)-100)
	m.Overcommit = [3]int64{over, over, over}
	f.freeByNode()
}

// freeByNode distributes free memory over the nodes, by the memory of their VMs.
func (f *HostFigures) freeByNode() {
	each, sum := f.Mem.Physical/int64(len(f.Nodes)), int64(0)
	for n := range f.Nodes {
		f.Nodes[n] = max(f.Nodes[n]+each, each/64)
		sum += f.Nodes[n]
	}
	left := f.Mem.Free
	for n := range f.Nodes {
		f.Nodes[n] = min(int64(float64(f.Mem.Free)*float64(f.Nodes[n])/float64(sum)), each)
		left -= f.Nodes[n]
	}
	f.Nodes[len(f.Nodes)-1] += left
}

// stateOf returns the memory state for an amount of free memory and the target.
func stateOf(free, least int64) int64 {
	for state, pct := range []int64{300, 100, 64, 32} {
		if free*100 > least*pct {
			return int64(state)
		}
	}
	return 4
}

// ownWork computes the CPU time of the host's own worlds. It varies by host, world and slot.
func (f *HostFigures) ownWork(id Stream, slot int64) {
	h := f.Host
	const micros = float64(SlotMillis * 1000)
	worlds := h.OwnWorlds()
	f.OwnRun = make([]int64, len(worlds))
	var sum int64
	for i, w := range worlds {
		busy := h.ownCores() * w.share
		if w.NIC >= 0 {
			on, packets := f.uplinks[w.NIC], float64(f.PNICs[w.NIC].RxPackets)/float64(SlotSeconds)
			busy = OnRing(packets/on.frames*pollSeconds*on.crossing, w.ring, h.PNICs[w.NIC].Rings) + 2e-5
		} else {
			kind := noiseOwn + uint64(i+1)<<16
			busy *= (.55 + .9*id.Unit(kind, 0)) * (.5 + id.swing(kind, float64(slot)/9)) * (.8 + .4*id.Unit(kind, slot))
		}
		f.OwnRun[i] = int64(min(busy*f.level.cost, .97) * micros)
		sum += f.OwnRun[i]
	}
	f.OwnMHz = sum * h.MHz / (SlotMillis * 1000)
	f.UsedMHz += f.OwnMHz
}
