package load

// balloonShare is the maximum share of a VM's memory for its balloon, in percent.
const balloonShare = 65

func (p *Pressure) vmMemory(f *VMFigures, s *Residency, d demand, slot int64) {
	m, id := &f.Mem, s.Stream
	m.Size = s.Settings.MemoryMB << 10
	m.Overhead = s.overheadKB()
	m.OverheadMax = m.Overhead * 2
	held := s.held(d.touched)
	taken := d.touched - held + int64(p.reclaim*float64(max(0, held-s.Settings.Memory.Reservation<<10)))
	if s.Settings.BalloonDriver {
		m.BalloonMax = m.Size * balloonShare / 100
	}
	gentle := .95 // slow reclamation is possible
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

// muchMemoryMB is the memory size from which a VM's memory rarely fits on one node.
const muchMemoryMB = 128 << 10

// nodes computes the NUMA nodes of a VM and of its memory.
func (p *Pressure) nodes(m *MemoryFigures, s *Residency, slot int64) {
	n := p.Host.Nodes
	m.Nodes = sized(m.Nodes, n)
	if n == 1 {
		m.Local, m.Nodes[0] = m.Granted, m.Granted
		return
	}
	first, homes := p.homes(s)
	local, moves := p.locality(s, slot)
	m.migrations = moves
	if on := s.Settings.MemoryNode; on >= 0 && on < n { // its vCPUs go where there is room
		first, local = (on+1)%n, .04
	}
	for i := range homes {
		m.homes |= 1 << ((first + i) % n)
	}
	if homes == n {
		local = 1
	}
	m.Local = int64(float64(m.Granted) * min(local, 1))
	m.Remote = m.Granted - m.Local
	spread(m.Nodes, m.Local, func(i int) bool { return m.homes&(1<<i) != 0 })
	spread(m.Nodes, m.Remote, func(i int) bool { return m.homes&(1<<i) == 0 })
}

// nodesFor returns how many nodes have enough cores for a VM.
func (h *Host) nodesFor(s *Residency) int {
	cores := h.Cores / h.Nodes
	return min(h.Nodes, (int(s.Settings.VCPUs)+cores-1)/cores)
}

// homes returns the first home node of a VM, and the number of consecutive home nodes.
func (p *Pressure) homes(s *Residency) (first, count int) {
	n := p.Host.Nodes
	switch {
	case s.Settings.Node >= 0: // vCPUs beyond the node's cores run elsewhere
		return s.Settings.Node % n, 1
	case s.Settings.Affinity != nil: // the NUMA scheduler does not place the VM
		first = int(s.Settings.Affinity[0]) * n / (p.Host.Cores * p.Host.PerCore) % n
	default:
		first = int(mix(uint64(s.Stream)) % uint64(n))
	}
	return first, p.Host.nodesFor(s)
}

// locality returns the fraction of a VM's memory on its home nodes, and how often it moved between nodes in the slot.
func (p *Pressure) locality(s *Residency, slot int64) (local float64, moves int64) {
	id, n, needs := s.Stream, p.Host.Nodes, p.Host.nodesFor(s)
	wobble := .05 * (2*id.Unit(noiseNUMA, slot/45) - 1)
	switch {
	case s.Settings.Node >= 0:
		if needs > 1 || s.Settings.MemoryMB<<10 > p.Host.MemoryKB/int64(n)*3/4 {
			return .64 + wobble, 0
		}
		return .97 + wobble*.2, 0
	case s.Settings.Affinity != nil:
		return .58 + wobble, 0
	case s.Settings.UnevenNUMA && needs > 1: // the guest allocates memory without regard to nodes, and the scheduler moves it later
		if id.Unit(noiseNUMA, -slot) < .02 {
			moves = 1
		}
		return .7 + wobble, moves
	case s.Settings.VCPUs > int64(p.Host.Cores/n) && s.Settings.VCPUs%int64(needs) != 0:
		return .72 + wobble, 0
	case !p.Host.NUMAMoves && needs == 1 && s.Settings.MemoryMB >= muchMemoryMB:
		return .7 + wobble, 0 // pages stay on the node where the guest first touched them
	}
	away := id.Unit(noiseNUMA, 0) // after moves a part of the memory is still on other nodes
	return .985 - .06*away*away + wobble*.2, 0
}

// spread adds a sum in equal parts to the selected elements of a list.
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
