package load

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// CPU use of the host itself: its processes and the kernel's worlds, and above all the worlds that poll its NICs.

// ownCores returns the host's own CPU use without its NICs, in cores.
func (h *Host) ownCores() float64 {
	return min(.02*float64(h.Cores), .12+.003*float64(h.Cores))
}

// CPU cost of the network.
const (
	pollSeconds   = 4e-6    // of a polling world, per packet with frames combined (LRO): 20 Gb/s of such packets keep it busy
	TooBusyToPoll = .6      // utilization of such a world: packets come in bursts, and some are dropped
	perNodeFast   = 1 / .8  // of a packet that crosses from the NIC's node to another: 20 % less without that
	perNode       = 1 / .93 // of a packet from a slower NIC: 7 % less
	FastNIC       = 40_000
	oneByOne      = 1.33   // of a stream without LRO: a core handled 33 % more with LRO, at messages of 64 KB
	frameBytes    = 1442.0 // per frame: 9.4 Gb/s were 815 000 frames per second
	wholeFrame    = 1514
	oneQueue      = 20e9 / 8 // bytes per second of streams from one queue to a virtual NIC
)

// ringShares are the relative loads of the rings, which differ because flows do.
var ringShares = [MostRings]float64{1, .8, .9, .7}

// MostRings is the maximum number of a NIC's rings that share the packets of one VM.
const MostRings = 4

// OnRing returns a ring's part of traffic for a number of rings.
func OnRing(traffic float64, ring, rings int) float64 {
	var sum float64
	for _, v := range ringShares[:rings] {
		sum += v
	}
	return traffic * ringShares[ring] / sum
}

// crossing returns the relative cost of packets, compared to worlds on the NIC's node: with NUMA-aware network I/O they run
// there.
func (h *Host) crossing(nic PNIC) float64 {
	switch {
	case h.Nodes == 1 || h.NUMAIO:
		return 1
	case nic.Mbps >= FastNIC:
		return perNodeFast
	}
	return perNode
}

// networked adds the guest's CPU cost of its packets: more without LRO, and from another node. If it has no CPU time for all, it
// transfers less.
func (p *Pressure) networked(s *Residency, d *demand) {
	up := p.firstUplinkOf(s)
	d.frames = p.hosts.of(func(h *Host) float64 { return h.framesOf(s) })
	cost := p.hosts.of(func(h *Host) float64 {
		cost := 1.0
		if up >= 0 {
			cost = h.crossing(h.PNICs[up])
		}
		if h.framesOf(s) > 1 {
			cost *= oneByOne
		}
		return cost
	})
	d.CPU *= 1 + s.does.Net*(cost-1)
	if most := float64(s.Settings.VCPUs); d.CPU > most {
		less := 1 - s.does.Net*(1-most/d.CPU)
		d.rx, d.tx, d.CPU = d.rx*less, d.tx*less, most
	}
}

// framesOf returns the frames per packet of a VM: more than one if the host does not combine them.
func (h *Host) framesOf(s *Residency) float64 {
	if size := s.does.RXBytes; !h.LRO && size > wholeFrame && slices.ContainsFunc(s.Settings.NICs, VNIC.joins) {
		return size / frameBytes
	}
	return 1
}

// joins reports whether a virtual NIC gets combined frames (LRO).
func (n VNIC) joins() bool { return n.Kind == Vmxnet3 && !n.Bypass }

// OwnWorld is a world of the host itself.
type OwnWorld struct {
	group, name string
	share       float64 // fraction of ownCores
	NIC, ring   int     // that it polls, by index in Host.PNICs; NIC is -1 for other worlds
}

// OwnWorlds returns the host's own worlds, by group in order. Polling worlds belong to the kernel.
func (h *Host) OwnWorlds() []OwnWorld {
	processes, most := fleetdata.Demo().Processes, 0
	for _, g := range processes {
		most += len(g.Worlds)
	}
	for _, nic := range h.PNICs {
		most += nic.Rings
	}
	list := make([]OwnWorld, 0, most)
	for i, g := range processes {
		if h.Alone && strings.HasPrefix(g.Name, "vpxa.") {
			continue
		}
		for _, name := range g.Worlds {
			list = append(list, OwnWorld{g.Name, name, g.Share / float64(len(g.Worlds)), -1, 0})
		}
		if i > 0 {
			continue
		}
		for n, nic := range h.PNICs {
			for ring := range nic.Rings {
				list = append(list, OwnWorld{g.Name, fmt.Sprintf("%s-pollWorld-%d", nic.Name, ring), 0, n, ring})
			}
		}
	}
	return list
}

// CapacityMHz returns the clock rate of all cores together, at nominal speed and without hyperthreading.
func (h *Host) CapacityMHz() int64 { return int64(h.Cores) * h.MHz }
