package page

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/pkg/inventory"
)

// homeOf is where a VM was at home for most of the time that was watched, and of equal times the later.
func homeOf(vm *inventory.VM) (inventory.NUMAHome, bool) {
	var most inventory.NUMAHome
	homes, known := vm.NUMAHomes.Value()
	for _, h := range homes {
		if h.Samples >= most.Samples {
			most = h
		}
	}
	return most, known
}

// localShare is the part of a VM's memory that is on its home nodes: the median of the time.
func localShare(vm *inventory.VM) (float64, bool) {
	s := vm.Live["numa.local"]
	return min(max(s.Median/100, 0), 1), s.Samples > 0
}

// homeWords say what counters told of a VM's place on NUMA nodes; none where they did not.
func homeWords(vm *inventory.VM) []string {
	homes, known := vm.NUMAHomes.Value()
	if !known {
		return nil
	}
	parts := []string{"at home on " + stayWords(homes, vm)}
	if near, ok := localShare(vm); ok {
		parts = append(parts, part(near)+" of its memory local")
	}
	if n := networkOf(vm); n.known && n.words() != "" {
		parts = append(parts, n.words())
	}
	return parts
}

// stayWords are where a VM was at home, and for how long at each place.
func stayWords(homes []inventory.NUMAHome, vm *inventory.VM) string {
	if len(homes) == 1 {
		return placeWords(homes[0])
	}
	texts := make([]string, len(homes))
	for i, h := range homes {
		texts[i] = placeWords(h) + " in " + samplesOf(h, vm)
	}
	return strings.Join(texts, ", then ")
}

func placeWords(h inventory.NUMAHome) string {
	if len(h.Nodes) == 0 {
		return "no node"
	}
	return plural.Noun(len(h.Nodes), "node") + " " + nodeList(h.Nodes)
}

func nodeList(nodes []int64) string {
	texts := make([]string, len(nodes))
	for i, n := range nodes {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(texts, ", ")
}

// samplesOf is how many of the samples a home has.
func samplesOf(h inventory.NUMAHome, vm *inventory.VM) string {
	all := int64(0)
	for _, x := range valueOf(vm.NUMAHomes) {
		all += x.Samples
	}
	return whole(int(h.Samples)) + " of " + counted(int(all), "sample")
}

// whyHomeless says why VMs are not drawn in a node.
func whyHomeless(vms []*inventory.VM) string {
	var why []string
	for _, vm := range vms {
		home, known := homeOf(vm)
		switch {
		case isOff(vm):
			why = append(why, "powered off")
		case !known:
			why = append(why, "home node not known")
		case len(home.Nodes) == 0:
			why = append(why, "at home on no node")
		default:
			why = append(why, "at home on a node that was not read")
		}
	}
	slices.Sort(why)
	return "Below: " + strings.Join(slices.Compact(why), ", ")
}

// network is where what a VM sends and receives leaves its host: the NICs of its switches, as far as they are known.
type network struct {
	known      bool // of all NICs that it may go through
	near, away []string
	nodes      []int64 // of those away
}

// networkOf finds the NICs that the traffic of a VM may go through. A NIC without a link carries none.
func networkOf(vm *inventory.VM) network {
	h := vm.Host()
	home, told := homeOf(vm)
	if h == nil || !told || len(home.Nodes) == 0 {
		return network{}
	}
	pnics, read := h.PNICs.Value()
	switches, known := switchesOf(vm)
	if !read || !known {
		return network{}
	}
	n := network{known: true}
	for _, p := range pnics {
		sw, known := p.Switch.Value()
		if !known {
			return network{}
		}
		if !switches[sw] || isDown(p) {
			continue
		}
		node, known := p.NUMANode.Value()
		switch {
		case !known:
			return network{}
		case slices.Contains(home.Nodes, node):
			n.near = append(n.near, clean(p.Device))
		default:
			n.away, n.nodes = append(n.away, clean(p.Device)), append(n.nodes, node)
		}
	}
	slices.Sort(n.nodes)
	n.nodes = slices.Compact(n.nodes)
	return n
}

// switchesOf are the switches that a VM's NICs are on; false where that is not known of all of them.
func switchesOf(vm *inventory.VM) (switches map[string]bool, known bool) {
	vnics, known := vm.VNICs.Value()
	switches = map[string]bool{}
	for _, v := range vnics {
		sw, read := v.Switch.Value()
		known = known && read
		switches[sw] = sw != ""
	}
	return switches, known
}

// crosses reports whether all that leaves the host goes through NICs of other nodes.
func (n network) crosses() bool { return n.known && len(n.near) == 0 && len(n.away) > 0 }

func (n network) words() string {
	switch {
	case len(n.away) == 0:
		return ""
	case len(n.near) > 0:
		return "network through NICs of its own nodes and others"
	}
	return "network through NICs of other nodes only: " + someOf(n.away, 4) + " on " + plural.Noun(len(n.nodes), "node") + " " + nodeList(n.nodes)
}

// through are the NICs by whether they are on the VM's own nodes.
func (n network) through() string {
	var parts []string
	if len(n.near) > 0 {
		parts = append(parts, "near: "+someOf(n.near, 4))
	}
	if len(n.away) > 0 {
		parts = append(parts, "on "+plural.Noun(len(n.nodes), "node")+" "+nodeList(n.nodes)+": "+someOf(n.away, 4))
	}
	return cmp.Or(strings.Join(parts, "; "), "none")
}

// rates are what a VM received and sent, the medians; "" where nobody measured.
func rates(vm *inventory.VM) string {
	rx, tx := vm.Live["net.rx"], vm.Live["net.tx"]
	if rx.Samples == 0 || tx.Samples == 0 {
		return ""
	}
	return figure(rx.Median) + " in, " + figure(tx.Median) + " out"
}

// moves is how often the host moved a VM to another node while it was watched; false where nobody counted.
func moves(vm *inventory.VM) (int, bool) {
	s := vm.Live["numa.migrations"]
	return int(math.Round(s.Mean * float64(s.Samples))), s.Samples > 0
}
