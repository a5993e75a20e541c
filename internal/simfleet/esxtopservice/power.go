package esxtopservice

import (
	"strings"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// The vectors of every host; the timer has the remaining interrupts.
var (
	firstVectors = []vector{
		{0, "VMK dmar", 0, -1, 0}, {1, "VMK dmar", 0, -1, 0}, {2, "VMK ACPI Interrupt", 0, -1, 0}, {3, "VMK hpet", 0, -1, 0}, {4, "VMK keyboard", 0, -1, 0},
		{5, "", 0, -1, 0}, {13, "VMK mouse", 0, -1, 0}, {17, "VMK xhci0 intr", 1, 0, 0}, {18, "VMK ehci1 intr, VMK ehci0 intr", 1, 0, 0},
	}
	lastVectors = []vector{
		{timerVector, "VMK timer", 0, -1, 0}, {243, "VMK hv_ipi", 4, -1, 0}, {244, "VMK timer-ipi", 2, -1, 0}, {245, "VMK monitor", 6, -1, 0},
		{246, "VMK resched", 20, -1, 0}, {247, "", 0, -1, 0}, {248, "VMK tlb", 8, -1, 0}, {250, "VMK perfctr", 1, -1, 0}, {252, "VMK thermal", 0, -1, 0},
		{254, "VMK error", 0, -1, 0}, {255, "VMK spurious", 0, -1, 0},
	}
)

const (
	timerVector = 239
	ioVectors   = 20 // the first vector of NICs and adapters
	perNIC      = 4
	allWeights  = 100

	packetsPerInterrupt  = 8 // per interrupt
	commandsPerInterrupt = 2
	interruptMicros      = 3
)

func (s *snapshot) interruptVectors() []vector {
	list := append([]vector(nil), firstVectors...)
	add := func(device string, interrupts int64) {
		n := len(list) - len(firstVectors)
		list = append(list, vector{int64(ioVectors + n), device, 0, n * 2 % max(len(s.counted.LCPUs), 1), interrupts})
	}
	packets, commands := byDevice(&s.counted)
	for i, card := range s.node.Cards() {
		n := &s.counted.PNICs[i] // the host lists them in the same order
		for q := range perNIC {
			interrupts := int64(0)
			if q < n.Rings {
				interrupts = int64(load.OnRing(float64(packets[n.Name]/packetsPerInterrupt), q, n.Rings))
			}
			add("VMK "+card.PCI()+"-rxq"+string(rune('0'+q)), interrupts)
		}
	}
	for _, a := range s.counted.Adapters {
		add("VMK "+a.Name, commands[a.Name]/commandsPerInterrupt)
	}
	return append(list, lastVectors...)
}

// byDevice returns the number of packets by NIC and of commands by adapter.
func byDevice(c *load.HostCounters) (packets, commands map[string]int64) {
	packets, commands = map[string]int64{}, map[string]int64{}
	for i := range c.Portsets {
		for _, p := range c.Portsets[i].Ports {
			if p.Uplink {
				packets[p.Client] = p.Traffic.RxPackets
			}
		}
	}
	for i := range c.Paths {
		commands[c.Paths[i].Adapter] += c.Paths[i].IO.Commands
	}
	return packets, commands
}

func (s *snapshot) treeOfPower(r *rows) {
	c := &s.counted
	r.open("Interrupt").count("InterruptVector", len(s.vectors)).end()
	for _, v := range s.vectors {
		r.open("InterruptVector").id("VectorID", v.id).count("InterruptPerCPU", len(c.LCPUs)).end()
	}
	cs, ps, ts := s.states()
	r.open("Power").count("CState", cs).count("PState", ps).count("TState", ts).count("LCPU", len(c.LCPUs)).end()
	for i := range c.LCPUs {
		r.open("LCPUPower").id("LCPUID", int64(c.LCPUs[i].ID)).count("CStates", cs).count("PStates", ps).count("TStates", ts).end()
	}
}

// states returns the number of C-states, P-states and T-states of the firmware.
func (s *snapshot) states() (c, p, t int) {
	c = 2 // running and halted
	if strings.Contains(s.node.Row.PowerHardware, "C-states") {
		c = 3
	}
	if strings.Contains(s.node.Row.PowerHardware, "P-states") {
		p, t = 3, 8
	}
	return c, p, t
}

func (s *snapshot) valuesOfPower(r *rows) {
	c := &s.counted
	s.valuesOfInterrupts(r)
	r.open("Power").n(int64(len(c.LCPUs)), c.Watts, 0).end()
	cs, ps, ts := s.states()
	for kind, n := range []int{cs, ps, ts} {
		for id := range n {
			r.open([]string{"CStateInfo", "PStateInfo", "TStateInfo"}[kind]).n(int64(id)).end()
		}
	}
	for i := range c.LCPUs {
		s.valuesOfCPUPower(r, &c.LCPUs[i], cs, ps, ts)
	}
}

// bothThreadsFrom is the first version that has aperf and mperf of both threads of a core.
const bothThreadsFrom = "6.7"

// valuesOfCPUPower writes the states of a logical CPU. While it runs, it is in the first P-state or, as far as its clock
// requires, in the last, in which it also is while halted; it is never throttled.
func (s *snapshot) valuesOfCPUPower(r *rows, l *load.LCPUCounters, cs, ps, ts int) {
	aperf, mperf := l.Aperf, l.Mperf
	if s.node.Row.Version < bothThreadsFrom && l.ID%2 == 1 && s.node.PerCore.Count() > 1 {
		aperf, mperf = 0, 0
	}
	r.open("LCPUPower").n(int64(l.ID), aperf, mperf, int64(cs), int64(ps), int64(ts)).end()
	in := l.Cstates
	if cs == 2 {
		in[1] += in[2]
	}
	for id := range cs {
		r.open("CState").n(int64(id), in[id]).end()
	}
	mhz, all := l.Hz/1_000_000, in[0]+l.Cstates[1]+l.Cstates[2]
	if cs == 2 {
		all = in[0] + in[1]
	}
	for id, p := range [][2]int64{{mhz + 1, in[0] - l.Slow}, {mhz, 0}, {mhz / 2, all - in[0] + l.Slow}}[:ps] {
		r.open("PState").n(int64(id), p[0], p[1]).end()
	}
	for id := range ts {
		spent := int64(0)
		if id == 0 {
			spent = all
		}
		r.open("TState").n(int64(id), spent).end()
	}
}

// valuesOfInterrupts distributes the interrupts of each logical CPU over the vectors.
func (s *snapshot) valuesOfInterrupts(r *rows) {
	lcpus := s.counted.LCPUs
	left := make([]int64, len(lcpus)) // weight for the timer
	for i := range left {
		left[i] = allWeights
	}
	for _, v := range s.vectors {
		if v.lcpu >= 0 {
			left[v.lcpu] -= v.weight
			continue
		}
		for i := range left {
			left[i] -= v.weight
		}
	}
	r.open("Interrupt").n(int64(len(s.vectors))).end()
	for _, v := range s.vectors {
		r.open("InterruptVector").n(v.id).s(v.devices).n(int64(len(lcpus))).end()
		for i := range lcpus {
			weight := int64(0)
			switch {
			case v.id == timerVector:
				weight = left[i]
			case v.lcpu < 0 || v.lcpu == i:
				weight = v.weight
			}
			count, micros := lcpus[i].Interrupts*weight/allWeights, lcpus[i].InterruptMicros*weight/allWeights
			if v.lcpu == i {
				count, micros = count+v.interrupts, micros+v.interrupts*interruptMicros
			}
			r.open("InterruptPerCPU").n(int64(lcpus[i].ID), count, micros).end()
		}
	}
}
