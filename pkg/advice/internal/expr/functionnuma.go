package expr

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/vperf/vperf/pkg/inventory"
)

// homeFact is the name in gaps for a VM's home nodes: NHN of esxtop.
const homeFact = "numa.homeNodes"

// homes returns the NUMA home nodes of the VM while counters were measured, in ascending order.
func homes(v ref.Val) ref.Val {
	nodes, gap := homesOf(v)
	if gap != nil {
		return gap
	}
	return types.NewDynamicList(types.DefaultTypeAdapter, nodes)
}

// neverOnNodes reports whether a VM was always at home on other NUMA nodes than the given ones. It is false if there is only
// one given node and the VM was only on it; otherwise it is unknown, since no counter shows which packets cross nodes.
func neverOnNodes(v, list ref.Val) ref.Val {
	home, gap := homesOf(v)
	if gap != nil {
		return gap
	}
	var nodes []int64
	for it := list.(traits.Lister).Iterator(); it.HasNext() == types.True; {
		n, ok := it.Next().(types.Int)
		if !ok {
			return types.NewErr("%s takes a list of nodes", fnAway)
		}
		nodes = append(nodes, int64(n))
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	switch {
	case len(nodes) == 0, len(home) == 0:
		return Unread(v.Value(), homeFact, "no node is known to compare")
	case !slices.ContainsFunc(home, func(n int64) bool { return slices.Contains(nodes, n) }):
		return types.True
	case len(home) == 1 && slices.Equal(home, nodes):
		return types.False
	}
	return Unread(v.Value(), homeFact, fmt.Sprintf("the VM's home is %s and its NICs are on %s, and no counter shows which packets cross the nodes",
		nodeWords(home), nodeWords(nodes)))
}

// homesOf returns the home nodes of a VM, or an unknown or error in their place.
func homesOf(v ref.Val) ([]int64, ref.Val) {
	vm, ok := v.Value().(*inventory.VM)
	if !ok {
		return nil, types.NewErr("%s of a %s, not of a VM", fnAway, v.Type().TypeName())
	}
	stays, state, _ := vm.NUMAHomes.Get()
	switch {
	case state == inventory.StateAbsent:
		return nil, types.WrapErr(fmt.Errorf("%s: the host has one NUMA node, which %w", homeFact, ErrAbsent))
	case state == inventory.StateUnread && len(vm.Live) == 0:
		return nil, types.WrapErr(NoLiveCountersError{vm})
	case state == inventory.StateUnread:
		return nil, Unread(vm, homeFact, "the source of the counters does not provide it")
	}
	nodes := []int64{}
	for _, s := range stays {
		nodes = append(nodes, s.Nodes...)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes), nil
}

func nodeWords(nodes []int64) string {
	word := "node "
	if len(nodes) > 1 {
		word = "nodes "
	}
	return word + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(nodes)), ", "), "[]")
}
