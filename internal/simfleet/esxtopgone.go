package simfleet

import (
	"slices"
	"strconv"
	"strings"
)

// dropGone takes out the VMs that do not run on the host any more. The load knows whole slots, and has a VM until the end of the
// one in which it went; a host forgets it at once.
func dropGone(c *hostCounters, running []*stay) {
	here := map[int64]bool{}
	for _, s := range running {
		here[s.leader()] = true
	}
	gone := map[int64]bool{} // worlds
	for i := range c.groups {
		if g := &c.groups[i]; g.vm && !here[g.leader] {
			gone[g.leader] = true
			for _, h := range g.hidden {
				gone[h.id] = true
			}
		}
	}
	c.groups = slices.DeleteFunc(c.groups, func(g groupCounters) bool { return gone[g.leader] })
	for i := range c.devices {
		d := &c.devices[i]
		d.worlds = slices.DeleteFunc(d.worlds, func(w deviceWorld) bool { return gone[w.world] })
	}
	for i := range c.portsets {
		s := &c.portsets[i]
		s.ports = slices.DeleteFunc(s.ports, func(p portCounters) bool { return gone[p.leader] })
	}
}

// World ids begin elsewhere since 6.7.
const (
	oldFirstWorld = 65_536
	newFirstWorld = 2_097_152
	newWorldsFrom = "6.7"
)

// renumber gives the host's own worlds the ids that those of its version have, and its processes the names that go with them:
// hostd.2097500.
func renumber(c *hostCounters, version string) {
	shift := int64(0)
	if version >= newWorldsFrom {
		shift = newFirstWorld - oldFirstWorld
	}
	for i := range c.groups {
		g := &c.groups[i]
		if g.vm {
			continue
		}
		for k := range g.worlds {
			g.worlds[k].id += shift
		}
		if g.mem == nil {
			g.leader = 0 // parts of the kernel have none
			continue
		}
		g.leader += shift
		name, _, _ := strings.Cut(g.name, ".")
		g.name = name + "." + strconv.FormatInt(g.leader, 10)
		g.display = g.name
	}
}
