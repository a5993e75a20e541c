package load

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// What the host does itself: its processes and the kernel's worlds, and above all the worlds that poll its NICs.

// ownCores is what the host needs for itself but for its NICs, in cores.
func (h *Host) ownCores() float64 {
	return min(.02*float64(h.Cores), .12+.003*float64(h.Cores))
}

// What the network costs.
const (
	pollSeconds   = 4e-6    // of a world that polls, for a packet as guests see it where frames are joined: 20 Gb/s of such keep it busy
	TooBusyToPoll = .6      // of such a world: packets come in bursts, and some do not wait
	perNodeFast   = 1 / .8  // of a packet that crosses from the NIC's node to another: without that it was 20 % less
	perNode       = 1 / .93 // of one from a slower NIC, where it was 7 % less
	FastNIC       = 40_000
	oneByOne      = 1.33   // of a stream whose frames nobody joins: with that a core did 33 % more at messages of 64 KB
	frameBytes    = 1442.0 // of one of its frames: 9.4 Gb/s came in 815 000 a second
	wholeFrame    = 1514
	oneQueue      = 20e9 / 8 // bytes a second of streams that one queue hands to a virtual NIC
)

// ringShares is how much of what arrives each ring gets: flows are not alike.
var ringShares = [MostRings]float64{1, .8, .9, .7}

// MostRings are those that a NIC has at most to share what arrives for one VM.
const MostRings = 4

// OnRing is what of some traffic a ring gets of so many.
func OnRing(traffic float64, ring, rings int) float64 {
	var sum float64
	for _, v := range ringShares[:rings] {
		sum += v
	}
	return traffic * ringShares[ring] / sum
}

// crossing is what packets cost, of what they would if the worlds that handle them were on the NIC's node: with NUMA-aware
// network I/O they are.
func (h *Host) crossing(nic PNIC) float64 {
	switch {
	case h.Nodes == 1 || h.NUMAIO:
		return 1
	case nic.Mbps >= FastNIC:
		return perNodeFast
	}
	return perNode
}

// networked has a guest pay for how its packets come: one by one where the host joins no frames, and from another node. Where it
// has no time for all, it moves less.
func (h *Host) networked(s *Stay, d *demand, crossing float64) {
	d.frames = 1
	if size := s.does.RXBytes; !h.LRO && size > wholeFrame && slices.ContainsFunc(s.Settings.NICs, VNIC.joins) {
		d.frames = size / frameBytes
	}
	cost := crossing
	if d.frames > 1 {
		cost *= oneByOne
	}
	d.CPU *= 1 + s.does.Net*(cost-1)
	if most := float64(s.Settings.VCPUs); d.CPU > most {
		less := 1 - s.does.Net*(1-most/d.CPU)
		d.rx, d.tx, d.CPU = d.rx*less, d.tx*less, most
	}
}

// joins reports a virtual NIC that gets its frames joined.
func (n VNIC) joins() bool { return n.Kind == Vmxnet3 && !n.Bypass }

// OwnWorld is a world of the host itself.
type OwnWorld struct {
	group, name string
	share       float64 // of ownCores
	NIC, ring   int     // that it polls, by index in Host.PNICs; NIC is -1 of all others
}

// OwnWorlds are the host's own, by group in their order. Those that poll are the kernel's.
func (h *Host) OwnWorlds() (list []OwnWorld) {
	for i, g := range fleetdata.Demo().Processes {
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

// CapacityMHz returns the clock of all cores together, at their nominal speed and without hyper-threading.
func (h *Host) CapacityMHz() int64 { return int64(h.Cores) * h.MHz }
