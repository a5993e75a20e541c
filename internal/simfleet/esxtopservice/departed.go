package esxtopservice

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// dropDeparted removes the VMs that no longer run on the host. The load has whole slots, and includes a VM until the end of the slot
// in which it left; a host removes it immediately.
func dropDeparted(c *load.HostCounters, running []*load.Residency) {
	here := map[int64]bool{}
	for _, s := range running {
		here[s.Leader()] = true
	}
	gone := map[int64]bool{} // ids of worlds
	for i := range c.Groups {
		if g := &c.Groups[i]; g.VM && !here[g.Leader] {
			gone[g.Leader] = true
			for _, h := range g.Hidden {
				gone[h.ID] = true
			}
		}
	}
	c.Groups = slices.DeleteFunc(c.Groups, func(g load.GroupCounters) bool { return gone[g.Leader] })
	for i := range c.Devices {
		d := &c.Devices[i]
		d.Worlds = slices.DeleteFunc(d.Worlds, func(w load.DeviceWorld) bool { return gone[w.World] })
	}
	for i := range c.Portsets {
		s := &c.Portsets[i]
		s.Ports = slices.DeleteFunc(s.Ports, func(p load.PortCounters) bool { return gone[p.Leader] })
	}
}

// First world ids: they start at a different number since 6.7.
const (
	oldFirstWorld = 65_536
	newFirstWorld = 2_097_152
	newWorldsFrom = "6.7"
)

// renumber gives the host's own worlds the ids of its version, and its processes the corresponding names: hostd.2097500.
func renumber(c *load.HostCounters, version string) {
	shift := int64(0)
	if version >= newWorldsFrom {
		shift = newFirstWorld - oldFirstWorld
	}
	for i := range c.Groups {
		g := &c.Groups[i]
		if g.VM {
			continue
		}
		for k := range g.Worlds {
			g.Worlds[k].ID += shift
		}
		if g.Mem == nil {
			g.Leader = 0 // parts of the kernel have no leader
			continue
		}
		g.Leader += shift
		name, _, _ := strings.Cut(g.Name, ".")
		g.Name = name + "." + strconv.FormatInt(g.Leader, 10)
		g.Display = g.Name
	}
}
