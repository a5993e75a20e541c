package load

const (
	coreSwing   = .75 // maximum relative deviation of a core from the mean
	halfLost    = .5  // fraction of its time that a thread is not charged while the other thread runs
	deepAtLeast = .55
)

// processors distributes the running time over the cores and their threads: the sum of Busy is the time of the VMs, of the host,
// and of the host's work for VMs. Cores are used first; second threads only if the cores do not suffice.
func (f *HostFigures) processors(id Stream, slot int64) {
	h := f.Host
	total := float64(f.CPU.Run+f.CPU.Sys) / float64(SlotMillis)
	for _, micros := range f.OwnRun {
		total += float64(micros) / float64(SlotMillis*1000)
	}
	f.LCPUs = make([]LCPUFigures, 0, h.Cores*h.PerCore)
	var given, shared float64 // distributed so far, exactly and in whole milliseconds
	var whole int64
	clocks, awake := 0.0, 0.0
	speeds := make([]float64, h.Cores)
	shares := h.coreShares(id, slot, min(total/float64(h.Cores), float64(h.PerCore)))
	keepHot(shares, f.hot)
	for c, share := range shares {
		given += share * float64(SlotMillis)
		ms := min(int64(given+.5)-whole, SlotMillis*int64(h.PerCore))
		whole += ms
		threads, both := h.threadShares(id, slot, c, ms)
		speeds[c] = h.coreSpeed(id, slot, c, f.Speed)
		core := int64(0)
		for _, busy := range threads {
			core += busy
		}
		core -= both
		clocks, awake = clocks+speeds[c]*float64(core), awake+float64(core)
		shared += float64(both)
		for _, busy := range threads {
			one := LCPUFigures{Busy: busy, Core: core, Used: both} // the clock rate is computed later
			if h.Policy != HighPerformance {
				rest := deepAtLeast + .35*id.Unit(noiseThread+uint64(len(f.LCPUs)+1)<<16, slot/3)
				one.Deep = int64(float64(SlotMillis-busy) * rest)
			}
			f.LCPUs = append(f.LCPUs, one)
		}
	}
	for i := range f.LCPUs {
		l := &f.LCPUs[i]
		clock := speeds[i/h.PerCore] * f.Speed * awake / max(clocks, 1e-9) // their average is the host's clock rate
		l.Clocked = int64(float64(l.Busy)*clock + .5)
		l.Used = int64((float64(l.Busy)-halfLost*float64(l.Used))*clock + .5)
		l.Slow = int64(float64(l.Busy) * min(1, max(0, 2*(1-clock))))
	}
	f.power()
}

// coreShares distributes a mean over the cores, from 0 to 2 for each with two threads. The sum is kept: the higher the load, the
// more equal the cores.
func (h *Host) coreShares(id Stream, slot int64, mean float64) []float64 {
	list := make([]float64, h.Cores)
	var sum float64
	for c := range list {
		kind := noiseCore + uint64(c+1)<<16
		list[c] = .4*id.Unit(kind, 0) + .9*id.swing(kind, float64(slot)/6) + .7*id.Unit(kind, slot)
		sum += list[c]
	}
	room, floor := 1.0, 0.0 // a core has one thread to give until all cores are in use
	if mean > 1 {
		room, floor = float64(h.PerCore), 1
	}
	most, least := 0.0, 0.0
	for c := range list {
		list[c] -= sum / float64(h.Cores)
		most, least = max(most, list[c]), min(least, list[c])
	}
	by := coreSwing * mean
	if most > 0 {
		by = min(by, (room-mean)/most)
	}
	if least < 0 {
		by = min(by, (mean-floor)/-least)
	}
	for c := range list {
		list[c] = mean + list[c]*max(by, 0)
	}
	return list
}

// hotFrom is the fraction of time from which a vCPU keeps a core for itself.
const hotFrom = .8

// keepHot makes a core run as much as each of the busiest vCPUs. The others run correspondingly less, so that the sum is kept.
func keepHot(list, hot []float64) {
	var sum, moved, rest float64
	for _, v := range list {
		sum += v
	}
	if len(hot) == 0 || 2*len(hot) > len(list) || sum/float64(len(list)) > hotFrom {
		return // on a full host all are busy
	}
	slots := make([]int, 0, len(hot))
	for c := range list { // evenly spaced, so that they are not all on one node
		if len(slots) < len(hot) && c*len(hot)/len(list) == len(slots) {
			slots = append(slots, c)
		}
	}
	for i, c := range slots {
		moved += hot[i] - list[c]
		rest -= list[c]
	}
	rest += sum
	if moved <= 0 || moved > rest/2 {
		return
	}
	by := 1 - moved/rest
	for c := range list {
		list[c] *= by
	}
	for i, c := range slots {
		list[c] = hot[i]
	}
}

// threadShares distributes a core's running time over its threads, and returns how long both ran.
func (h *Host) threadShares(id Stream, slot int64, core int, ms int64) (threads []int64, both int64) {
	if h.PerCore == 1 {
		return []int64{ms}, 0
	}
	kind := noiseThread + uint64(core+1)<<16
	first := int64(float64(ms) * (.2 + .5*id.Unit(kind, 0) + .25*id.Unit(kind, slot)))
	first = min(max(first, ms-SlotMillis), SlotMillis, ms)
	second := ms - first
	both = max(ms-SlotMillis, first*second/SlotMillis/5) // occasionally the scheduler finds no idle core
	return []int64{first, second}, min(both, first, second)
}

// coreSpeed returns the clock rate of a core: cores of a host that saves power differ more.
func (h *Host) coreSpeed(id Stream, slot int64, core int, mean float64) float64 {
	by := .03
	if h.Policy == HighPerformance {
		by = .008
	}
	return mean * (1 + by*(2*id.Unit(noiseClock+uint64(core+1)<<16, slot)-1))
}

// idlePower returns the power consumption of an idle host, as a fraction of its maximum.
func (h *Host) idlePower() float64 {
	if h.Policy == HighPerformance {
		return .45 // it never enters deep C-states
	}
	return .32
}

// power computes the host's power consumption.
func (f *HostFigures) power() {
	h := f.Host
	most := float64(h.Sockets) * 205
	idle := f.hosts.of((*Host).idlePower)
	f.Watts = int64(most * (idle + (1-idle)*min(1, float64(f.UsedMHz)/float64(h.CapacityMHz())/1.1)))
}
