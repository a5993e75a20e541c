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

// homeOf returns the NUMA home that a VM had for most of the measurement; of equal times, the later one.
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

// localShare returns the share of a VM's memory on its home nodes: the median over time.
func localShare(vm *inventory.VM) (float64, bool) {
	s := vm.Live.Of("numa.local")
	return min(max(s.Median/100, 0), 1), s.Samples > 0
}

// homeWords describes a VM's placement on NUMA nodes; it returns none without such counters.
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

// stayWords lists the home nodes of a VM, and the time on each.
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

// samplesOf returns the number of samples of a home.
func samplesOf(h inventory.NUMAHome, vm *inventory.VM) string {
	all := int64(0)
	for _, x := range valueOf(vm.NUMAHomes) {
		all += x.Samples
	}
	return whole(int(h.Samples)) + " of " + counted(int(all), "sample")
}

// whyHomeless returns the reason why VMs are not drawn in a node.
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

// network is the path of a VM's traffic out of its host: the known NICs of its switches.
type network struct {
	known      bool // for all NICs that may carry the traffic
	near, away []string
	nodes      []int64 // of the remote NICs
}

// networkOf returns the NICs that may carry the traffic of a VM. A NIC without a link carries none.
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

// switchesOf returns the switches of a VM's NICs, and false unless all are known.
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

// crosses reports whether all outgoing traffic goes through NICs of other nodes.
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

// through groups the NICs by whether they are on the VM's own nodes.
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

// rates returns the median receive and send rates of a VM, or "" if they were not measured.
func rates(vm *inventory.VM) string {
	rx, tx := vm.Live.Of("net.rx"), vm.Live.Of("net.tx")
	if rx.Samples == 0 || tx.Samples == 0 {
		return ""
	}
	return figure(rx.Median) + " in, " + figure(tx.Median) + " out"
}

// moves returns how often the host moved a VM to another node during the measurement, and false if this was not counted.
func moves(vm *inventory.VM) (int, bool) {
	s := vm.Live.Of("numa.migrations")
	return int(math.Round(s.Mean * float64(s.Samples))), s.Samples > 0
}
