package simfleet

// memoryFigures is a VM's memory in a slot, in kilobytes; rates are kilobytes a second.
type memoryFigures struct {
	size, granted, consumed, active, activeWrite int64
	shared, zero, saved, overhead, overheadMax   int64
	balloon, balloonTarget, balloonMax           int64
	swapped, swapTarget, swapIn, swapOut         int64
	zipped, zipUsed, zipIn, unzip                int64 // zipIn and unzip are rates
	entitlement                                  int64
	homes, migrations                            int64 // bit mask of nodes; moves between them in the slot
	local, remote                                int64
	nodes                                        []int64
	stall                                        float64 // vCPUs that wait for pages
}

// balloonShare is how much of a VM's memory its balloon may take, in percent.
const balloonShare = 65

func (p *pressure) vmMemory(f *vmFigures, s *stay, d demand, slot int64) {
	m, id := &f.mem, s.stream
	m.size = s.settings.memoryMB << 10
	m.overhead = s.overheadKB()
	m.overheadMax = m.overhead * 2
	held := s.held(d.touched)
	taken := d.touched - held + int64(p.reclaim*float64(max(0, held-s.settings.memory.reservation<<10)))
	if s.settings.balloonDriver {
		m.balloonMax = m.size * balloonShare / 100
	}
	gentle := .95 // while there is time
	if taken*8 > d.touched {
		gentle = .75
	}
	m.balloon = min(int64(float64(taken)*gentle*(.97+.03*id.unit(noiseSwap, slot))), m.balloonMax)
	m.balloonTarget = min(taken, m.balloonMax)
	if rest := taken - m.balloon; rest > 0 && taken*20 > d.touched {
		m.zipped = min(rest*3/20, m.size/10)
		m.swapped = rest - m.zipped
		m.zipUsed = m.zipped / 2
		m.swapTarget = m.swapped
		wobble := .6 + .8*id.unit(noiseSwap, slot+1)
		m.swapIn = int64(float64(m.swapped) * .0003 * wobble)
		m.swapOut = int64(float64(m.swapped) * .0002 * wobble)
		m.unzip = int64(float64(m.zipped) * .0006 * wobble)
		m.zipIn = int64(float64(m.zipped) * .0005 * wobble)
		m.stall = min(float64(m.swapIn)/4*.0003, .3*float64(s.settings.vcpus))
	}
	m.balloon = min(max(m.balloon, int64(s.does.Balloon*float64(m.size))), m.balloonMax)
	m.swapped = max(m.swapped, int64(s.does.Swapped*float64(m.size)))
	m.granted = d.touched - m.balloon - m.swapped - m.zipped
	m.shared = m.granted / 40
	m.zero = m.shared / 3
	m.saved = m.shared / 2
	m.consumed = m.granted - m.saved
	m.active = min(d.active, m.granted)
	m.activeWrite = m.active * 2 / 5
	m.entitlement = held - int64(p.reclaim*float64(held)) + m.overhead
	p.nodes(m, s, slot)
}

// muchMemoryMB is the memory of a VM from which one node rarely has room for all of it at once.
const muchMemoryMB = 128 << 10

// nodes finds out on which NUMA nodes a VM and its memory are.
func (p *pressure) nodes(m *memoryFigures, s *stay, slot int64) {
	n := p.host.nodes
	m.nodes = make([]int64, n)
	if n == 1 {
		m.local, m.nodes[0] = m.granted, m.granted
		return
	}
	id, cores := s.stream, p.host.cores/n
	needs := min(n, (int(s.settings.vcpus)+cores-1)/cores)
	first := int(mix(uint64(id)) % uint64(n))
	wobble := .05 * (2*id.unit(noiseNUMA, slot/45) - 1)
	away := id.unit(noiseNUMA, 0) // some have moved, and part of their memory is on its way
	local := .985 - .06*away*away + wobble*.2
	switch {
	case s.settings.node >= 0: // what does not fit there is elsewhere
		first = s.settings.node % n
		local = .97 + wobble*.2
		if needs > 1 || s.settings.memoryMB<<10 > p.host.memoryKB/int64(n)*3/4 {
			local = .64 + wobble
		}
		needs = 1
	case s.settings.affinity != nil: // the scheduler does not look after nodes
		first = int(s.settings.affinity[0]) * n / (p.host.cores * p.host.perCore) % n
		local = .58 + wobble
	case s.settings.unevenNUMA && needs > 1: // the guest spreads its memory as it comes, and the scheduler goes after it
		local = .7 + wobble
		if id.unit(noiseNUMA, -slot) < .02 {
			m.migrations = 1
		}
	case s.settings.vcpus > int64(cores) && s.settings.vcpus%int64(needs) != 0:
		local = .72 + wobble
	case !p.host.numaMoves && needs == 1 && s.settings.memoryMB >= muchMemoryMB:
		local = .7 + wobble // pages stay where there was room when the guest touched them
	}
	if on := s.settings.memoryNode; on >= 0 && on < n { // its vCPUs go where there is room
		first, local = (on+1)%n, .04
	}
	for i := range needs {
		m.homes |= 1 << ((first + i) % n)
	}
	if needs == n {
		local = 1
	}
	m.local = int64(float64(m.granted) * min(local, 1))
	m.remote = m.granted - m.local
	spread(m.nodes, m.local, func(i int) bool { return m.homes&(1<<i) != 0 })
	spread(m.nodes, m.remote, func(i int) bool { return m.homes&(1<<i) == 0 })
}

// spread adds a sum to those of a list that are meant, in equal parts.
func spread(list []int64, sum int64, meant func(int) bool) {
	n, last := int64(0), 0
	for i := range list {
		if meant(i) {
			n, last = n+1, i
		}
	}
	for i := range list {
		if meant(i) {
			list[i] += sum / n
		}
	}
	if n > 0 {
		list[last] += sum % n
	}
}
