package page

import (
	"cmp"
	"slices"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/inventory"
)

// homes describes the NUMA placement of VMs, as text and as a table of the conspicuous VMs.
type homes struct {
	Drawn bool // VMs are drawn in nodes
	Say   string
	Rows  []homeRow
	More  string
}

type homeRow struct {
	At                                    object
	VCPUs, Home, Local, LocalSort         string
	Worst, WorstSort, Moves, Net, Through string

	vm *inventory.VM
}

// mostHomes is the maximum number of conspicuous VMs in the table.
const mostHomes = 20

// localLimit returns the share of local memory, in percent, below which a rule reports the VM.
var localLimit = limit{"numa-locality", "local"}

func (s *show) homes() homes {
	var n homeCount
	var rows []homeRow
	for _, v := range s.Snapshot.VCenters {
		for _, vm := range v.VMs {
			n.add(vm)
			if _, known := vm.NUMAHomes.Value(); known && s.standsOut(vm) {
				rows = append(rows, s.homeRow(vm))
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b homeRow) int {
		x, _ := localShare(a.vm)
		y, _ := localShare(b.vm)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.At.Name, b.At.Name))
	})
	out := homes{Drawn: n.homed > 0, Say: n.words(s.Typed)}
	shown, more := first(rows, s.limit(mostHomes))
	if out.Rows = shown; more > 0 {
		out.More = "The " + whole(len(shown)) + " with the least local memory are shown; " + whole(more) + " more"
	}
	return out
}

// standsOut reports whether a VM was moved, or has memory or network on other nodes.
func (s *show) standsOut(vm *inventory.VM) bool {
	near, measured := localShare(vm)
	least, judged := s.param(localLimit)
	moved, _ := moves(vm)
	return len(valueOf(vm.NUMAHomes)) > 1 || moved > 0 || measured && judged && near*100 < least || networkOf(vm).crosses()
}

func (s *show) homeRow(vm *inventory.VM) homeRow {
	r := homeRow{
		At: s.object(vm.Ref()), VCPUs: known(vm.VCPUs, func(n int64) string { return whole(int(n)) }), Home: stayWords(valueOf(vm.NUMAHomes), vm),
		Local: "–", Worst: "–", Moves: "–", Net: cmp.Or(rates(vm), "–"), Through: "not known", vm: vm,
	}
	if near, ok := localShare(vm); ok {
		r.Local, r.LocalSort = figure(near*100), number(near*100)
		r.Worst, r.WorstSort = figure(vm.Live.Of("numa.local").Worst), number(vm.Live.Of("numa.local").Worst)
	}
	if n, ok := moves(vm); ok {
		r.Moves = whole(n)
	}
	if n := networkOf(vm); n.known {
		r.Through = n.through()
	}
	return r
}

// homeCount counts running VMs by the state of their NUMA homes. It ignores VMs on hosts with one node.
type homeCount struct{ homed, several, moved, crossing, none, unknown int }

func (n *homeCount) add(vm *inventory.VM) {
	homes, state, _ := vm.NUMAHomes.Get()
	nodes, known := nodesKnown(vm.Host())
	switch {
	case isOff(vm) || valueOf(vm.Template) || state == inventory.StateAbsent || known && nodes < 2:
		return
	case state == inventory.StateUnread:
		n.unknown++
		return
	}
	home, _ := homeOf(vm)
	if len(home.Nodes) == 0 {
		n.none++
		return
	}
	n.homed++
	if len(home.Nodes) > 1 {
		n.several++
	}
	if len(homes) > 1 {
		n.moved++
	}
	if networkOf(vm).crosses() {
		n.crossing++
	}
}

func nodesKnown(h *inventory.Host) (int, bool) {
	if h == nil {
		return 0, false
	}
	nodes, known := h.NUMANodes.Value()
	return len(nodes), known
}

func (n *homeCount) words(from typed.Source) string {
	how := "only esxtop reports it (NHN): use " + from.Command("report", "HOST", "--source", "esxtop") + ", or a capture with all counters (esxtop -b -a)."
	switch {
	case n.homed+n.none+n.unknown == 0:
		return ""
	case n.homed+n.none == 0:
		return "The NUMA nodes of VMs are unknown, so VMs are drawn below all nodes: " + how
	case n.homed+n.unknown == 0:
		return "ESXi reports no home node for " + counted(n.none, "VM") + ", as on a host with one NUMA node."
	}
	text := counted(n.homed, "VM") + plural.Form(n.homed, " is", " are") + " drawn in the NUMA node where ESXi ran them most of the time: " +
		whole(n.several) + " on several, " + whole(n.moved) + " moved, " + whole(n.crossing) + " with all NICs on other nodes."
	if n.none > 0 {
		text += " " + counted(n.none, "VM") + plural.Form(n.none, " has", " have") + " no home node."
	}
	if n.unknown > 0 {
		text += " Home nodes of " + counted(n.unknown, "running VM") + " are unknown: " + how
	}
	return text
}
