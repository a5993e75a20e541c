package load

// balloonShare is how much of a VM's memory its balloon may take, in percent.
const balloonShare = 65

func (p *Pressure) vmMemory(f *VMFigures, s *Stay, d demand, slot int64) {
	m, id := &f.Mem, s.Stream
	m.Size = s.Settings.MemoryMB << 10
	m.Overhead = s.overheadKB()
	m.OverheadMax = m.Overhead * 2
	held := s.held(d.touched)
	taken := d.touched - held + int64(p.reclaim*float64(max(0, held-s.Settings.Memory.Reservation<<10)))
	if s.Settings.BalloonDriver {
		m.BalloonMax = m.Size * balloonShare / 100
	}
	gentle := .95 // while there is time
	if taken*8 > d.touched {
		gentle = .75
	}
	m.Balloon = min(int64(float64(taken)*gentle*(.97+.03*id.Unit(noiseSwap, slot))), m.BalloonMax)
	m.BalloonTarget = min(taken, m.BalloonMax)
	if rest := taken - m.Balloon; rest > 0 && taken*20 > d.touched {
		m.Zipped = min(rest*3/20, m.Size/10)
		m.Swapped = rest - m.Zipped
		m.ZipUsed = m.Zipped / 2
		m.SwapTarget = m.Swapped
		wobble := .6 + .8*id.Unit(noiseSwap, slot+1)
		m.SwapIn = int64(float64(m.Swapped) * .0003 * wobble)
		m.SwapOut = int64(float64(m.Swapped) * .0002 * wobble)
		m.Unzip = int64(float64(m.Zipped) * .0006 * wobble)
		m.ZipIn = int64(float64(m.Zipped) * .0005 * wobble)
		m.stall = min(float64(m.SwapIn)/4*.0003, .3*float64(s.Settings.VCPUs))
	}
	m.Balloon = min(max(m.Balloon, int64(s.does.Balloon*float64(m.Size))), m.BalloonMax)
	m.Swapped = max(m.Swapped, int64(s.does.Swapped*float64(m.Size)))
	m.Granted = d.touched - m.Balloon - m.Swapped - m.Zipped
	m.Shared = m.Granted / 40
	m.Zero = m.Shared / 3
	m.saved = m.Shared / 2
	m.Consumed = m.Granted - m.saved
	m.Active = min(d.active, m.Granted)
	m.ActiveWrite = m.Active * 2 / 5
	m.Entitlement = held - int64(p.reclaim*float64(held)) + m.Overhead
	p.nodes(m, s, slot)
}

// muchMemoryMB is the memory of a VM from which one node rarely has room for all of it at once.
const muchMemoryMB = 128 << 10

// nodes finds out on which NUMA nodes a VM and its memory are.
func (p *Pressure) nodes(m *MemoryFigures, s *Stay, slot int64) {
	n := p.Host.Nodes
	m.Nodes = make([]int64, n)
	if n == 1 {
		m.Local, m.Nodes[0] = m.Granted, m.Granted
		return
	}
	id, cores := s.Stream, p.Host.Cores/n
	needs := min(n, (int(s.Settings.VCPUs)+cores-1)/cores)
	first := int(mix(uint64(id)) % uint64(n))
	wobble := .05 * (2*id.Unit(noiseNUMA, slot/45) - 1)
	away := id.Unit(noiseNUMA, 0) // some have moved, and part of their memory is on its way
	local := .985 - .06*away*away + wobble*.2
	switch {
	case s.Settings.Node >= 0: // what does not fit there is elsewhere
		first = s.Settings.Node % n
		local = .97 + wobble*.2
		if needs > 1 || s.Settings.MemoryMB<<10 > p.Host.MemoryKB/int64(n)*3/4 {
			local = .64 + wobble
		}
		needs = 1
	case s.Settings.Affinity != nil: // the scheduler does not look after nodes
		first = int(s.Settings.Affinity[0]) * n / (p.Host.Cores * p.Host.PerCore) % n
		local = .58 + wobble
	case s.Settings.UnevenNUMA && needs > 1: // the guest spreads its memory as it comes, and the scheduler goes after it
		local = .7 + wobble
		if id.Unit(noiseNUMA, -slot) < .02 {
			m.migrations = 1
		}
	case s.Settings.VCPUs > int64(cores) && s.Settings.VCPUs%int64(needs) != 0:
		local = .72 + wobble
	case !p.Host.NUMAMoves && needs == 1 && s.Settings.MemoryMB >= muchMemoryMB:
		local = .7 + wobble // pages stay where there was room when the guest touched them
	}
	if on := s.Settings.MemoryNode; on >= 0 && on < n { // its vCPUs go where there is room
		first, local = (on+1)%n, .04
	}
	for i := range needs {
		m.homes |= 1 << ((first + i) % n)
	}
	if needs == n {
		local = 1
	}
	m.Local = int64(float64(m.Granted) * min(local, 1))
	m.Remote = m.Granted - m.Local
	spread(m.Nodes, m.Local, func(i int) bool { return m.homes&(1<<i) != 0 })
	spread(m.Nodes, m.Remote, func(i int) bool { return m.homes&(1<<i) == 0 })
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
