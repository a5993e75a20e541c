package live

import (
	"math"
	"math/bits"
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// homes are the NUMA home nodes of VMs, by VM and host, because the nodes of hosts differ.
type homes map[place]*nodeSets

type place struct{ vm, host string }

// nodeSets are the home nodes of a VM, in order.
type nodeSets struct {
	last    int  // slot that was counted
	oneNode bool // the host has one node
	all     []nodeSet
}

// nodeSet is a set of nodes as bits; an empty one means no home.
type nodeSet struct {
	nodes   uint32
	samples int64
}

// take reads the home nodes of the VMs of a frame.
func (h homes) take(f *esxtop.Frame, slot int) {
	rows := f.Rows(esxtop.Group)
	for i := range rows {
		nodes, present := homeOf(&rows[i])
		oneNode := len(f.Rows(esxtop.Node)) == 1
		if !rows[i].VM || rows[i].MoID == "" || !present && !oneNode {
			continue
		}
		at := place{rows[i].MoID, f.MoID}
		s := h[at]
		if s == nil {
			s = &nodeSets{last: -1}
			h[at] = s
		}
		s.oneNode = s.oneNode || oneNode
		s.count(nodes, slot)
	}
}

// homeOf returns the nodes of a VM's group. Frames omit a mask of 0; if a frame has the VM's remote memory, it has the
// mask.
func homeOf(r *esxtop.Row) (nodes uint32, present bool) {
	v, ok := r.Value(homeNodes)
	switch {
	case !ok:
		_, present = r.Value(remote)
		return 0, present
	case v < 0 || v > math.MaxUint32 || v != math.Trunc(v):
		return 0, false
	}
	return uint32(v), true
}

// count adds a sample, at most one for each slot.
func (s *nodeSets) count(nodes uint32, slot int) {
	if slot <= s.last {
		return
	}
	s.last = slot
	i := slices.IndexFunc(s.all, func(x nodeSet) bool { return x.nodes == nodes })
	if i < 0 {
		i, s.all = len(s.all), append(s.all, nodeSet{nodes: nodes})
	}
	s.all[i].samples++
}

// of returns the home nodes of a VM on its host; unread if no frame had them.
func (h homes) of(vm, host string) inventory.Fact[[]inventory.NUMAHome] {
	s := h[place{vm, host}]
	switch {
	case s == nil:
		return inventory.Fact[[]inventory.NUMAHome]{}
	case s.oneNode:
		return inventory.Absent[[]inventory.NUMAHome]()
	}
	out := make([]inventory.NUMAHome, len(s.all))
	for i, x := range s.all {
		out[i] = inventory.NUMAHome{Nodes: nodesOf(x.nodes), Samples: x.samples}
	}
	return inventory.Known(out)
}

// nodesOf returns the set bits.
func nodesOf(mask uint32) []int64 {
	nodes := make([]int64, 0, bits.OnesCount32(mask))
	for ; mask != 0; mask &= mask - 1 {
		nodes = append(nodes, int64(bits.TrailingZeros32(mask)))
	}
	return nodes
}
