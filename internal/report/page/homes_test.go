package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

type home = inventory.NUMAHome

// resident is a VM on the first host of a sample, whose two nodes have 16 cores each.
func resident(h *inventory.Host, name string, vcpus int64, homes ...home) *inventory.VM {
	vm := &inventory.VM{
		Entity: inventory.Entity{ID: name, Name: name}, HostID: text(h.ID), VCPUs: count(vcpus), PowerState: text("poweredOn"),
	}
	if homes != nil {
		vm.NUMAHomes = inventory.Known(homes)
	}
	return vm
}

// near gives a VM so many percent of local memory.
func near(vm *inventory.VM, percent float64) *inventory.VM {
	vm.Live.Set("numa.local", inventory.Series{Median: percent, P95: percent, Worst: percent - 5, Samples: 3, Below: true})
	return vm
}

func settled(t *testing.T, nodes int, vms func(*inventory.Host) []*inventory.VM) (*show, drawing) {
	t.Helper()
	a := sampleReport(1, 0)
	v := a.Snapshot.VCenters[0]
	h := v.Hosts[0]
	list := make([]*inventory.NUMANode, nodes)
	for i := range list {
		list[i] = &inventory.NUMANode{ID: int64(i)}
	}
	h.NUMANodes = inventory.Known(list)
	v.VMs = vms(h)
	a.Snapshot.Link()
	s := newShow(view.New(a))
	return s, s.draw(h, v.VMs, large)
}

func titled(t *testing.T, d drawing, begin string) vmBox {
	t.Helper()
	for _, b := range d.VMs {
		if strings.HasPrefix(b.Title, begin) {
			return b
		}
	}
	require.Fail(t, "no VM begins with "+begin)
	return vmBox{}
}

func at(t *testing.T, number string) float64 {
	t.Helper()
	var v float64
	_, err := fmt.Sscan(number, &v)
	require.NoError(t, err)
	return v
}

func TestVMsAreDrawnAtHome(t *testing.T) {
	s, d := settled(t, 2, func(h *inventory.Host) []*inventory.VM {
		return []*inventory.VM{
			resident(h, "left", 4, home{Nodes: []int64{0}, Samples: 3}),
			near(resident(h, "right", 8, home{Nodes: []int64{1}, Samples: 3}), 75),
			resident(h, "wide", 24, home{Nodes: []int64{0, 1}, Samples: 3}),
			resident(h, "moved", 4, home{Nodes: []int64{0}, Samples: 1}, home{Nodes: []int64{1}, Samples: 2}),
			resident(h, "nowhere", 4, home{Nodes: []int64{}, Samples: 3}),
			resident(h, "beyond", 4, home{Nodes: []int64{5}, Samples: 3}),
			resident(h, "unknown", 4),
		}
	})
	require.Len(t, d.Rooms, 2)
	inside := func(b vmBox, room int) bool {
		r := d.Rooms[room]
		x, y := at(t, b.X), at(t, b.Y)
		return x >= at(t, r.X) && x+at(t, b.Width) <= at(t, r.X)+at(t, r.Width) && y >= at(t, d.Nodes[room].Height) && y+at(t, b.Height) <= at(t, r.Y)+at(t, r.Height)
	}
	require.True(t, inside(titled(t, d, "left,"), 0))
	require.True(t, inside(titled(t, d, "right,"), 1))
	require.True(t, inside(titled(t, d, "moved, "), 1), "where it was longest")
	require.True(t, inside(titled(t, d, "moved was here in 1 of 3 samples"), 0))
	require.Equal(t, "vm was", titled(t, d, "moved was here").Class)
	wide := titled(t, d, "wide,")
	require.False(t, inside(wide, 0) || inside(wide, 1))
	require.InDelta(t, at(t, d.Width)-9, at(t, wide.Width), 0.1, "over both")
	require.Less(t, at(t, wide.Y), at(t, titled(t, d, "left,").Y), "and above those in one")
	bottom := at(t, d.Rooms[0].Y) + at(t, d.Rooms[0].Height)
	for _, name := range []string{"nowhere", "beyond", "unknown"} {
		require.Greater(t, at(t, titled(t, d, name).Y), bottom, name)
	}
	h := s.Snapshot.VCenters[0].Hosts[0]
	require.Equal(t, "Below: at home on a node that was not read, at home on no node, home node not known", s.draw(h, s.Snapshot.VCenters[0].VMs, roomy).Rest.Text)
	require.Equal(t, "Below: at home on a node that was not read, at home on n…", d.Rest.Text)
	require.Contains(t, titled(t, d, "moved, ").Title, "at home on node 0 in 1 of 3 samples, then node 1 in 2 of 3 samples")
	require.Contains(t, titled(t, d, "wide,").Title, "at home on nodes 0, 1")
	require.Contains(t, titled(t, d, "nowhere").Title, "at home on no node")
	require.Contains(t, titled(t, d, "beyond").Title, "at home on node 5")
	require.NotContains(t, titled(t, d, "unknown").Title, "home")
	require.Contains(t, d.Label, "7 VMs, 4 of them drawn in their home nodes")
	for _, b := range d.VMs {
		require.LessOrEqual(t, at(t, b.Y)+at(t, b.Height), at(t, d.Height), b.Title)
	}
}

// TestSharesOfMemory: the bar is as long as the part of the memory that is on other nodes.
func TestSharesOfMemory(t *testing.T) {
	_, d := settled(t, 2, func(h *inventory.Host) []*inventory.VM {
		on := home{Nodes: []int64{1}, Samples: 3}
		return []*inventory.VM{near(resident(h, "some", 12, on), 75), near(resident(h, "all", 12, on), 100), resident(h, "untold", 12, on)}
	})
	some := titled(t, d, "some,")
	require.InDelta(t, at(t, some.Width)/4, at(t, some.Far.Width), 0.2)
	require.InDelta(t, at(t, some.X)+at(t, some.Width), at(t, some.Far.X)+at(t, some.Far.Width), 0.2)
	require.Equal(t, "75\u00a0%", some.Near.Text)
	require.Contains(t, some.Title, "75\u00a0% of its memory local")
	require.Nil(t, titled(t, d, "all,").Far)
	require.Equal(t, "100\u00a0%", titled(t, d, "all,").Near.Text)
	require.Nil(t, titled(t, d, "untold").Far, "nobody measured")
	require.Empty(t, titled(t, d, "untold").Near.Text)
}

// TestNodesApart: a VM on nodes that do not lie side by side is drawn in each, and joined.
func TestNodesApart(t *testing.T) {
	_, d := settled(t, 4, func(h *inventory.Host) []*inventory.VM {
		return []*inventory.VM{resident(h, "apart", 12, home{Nodes: []int64{0, 2, 3}, Samples: 3}), resident(h, "between", 2, home{Nodes: []int64{1}, Samples: 3})}
	})
	b := titled(t, d, "apart,")
	require.Len(t, b.More, 1)
	require.Len(t, b.Joins, 1)
	require.Greater(t, at(t, b.More[0].Width), at(t, b.Width), "two of them lie side by side")
	require.Greater(t, at(t, titled(t, d, "between").Y), at(t, b.Y), "nothing lies below the line")
}

// TestNodesOfACapture checks that hosts without read nodes are drawn with the home nodes of their VMs.
func TestNodesOfACapture(t *testing.T) {
	h := &inventory.Host{Entity: inventory.Entity{ID: "h", Name: "h", Unread: "a capture has counters only"}}
	vms := []*inventory.VM{resident(h, "a", 2, home{Nodes: []int64{3}, Samples: 2}), resident(h, "b", 2, home{Nodes: []int64{1, 3}, Samples: 2})}
	d := newShow(view.New(sampleReport(1, 0))).draw(h, vms, small)
	require.Len(t, d.Nodes, 2)
	require.Contains(t, d.Nodes[0].Title+d.Nodes[1].Title, "node 1")
	require.Len(t, d.Rooms, 2)
	require.Empty(t, d.Rest.Text)
	require.Empty(t, newShow(view.New(sampleReport(1, 0))).draw(h, []*inventory.VM{resident(h, "c", 2)}, small).Nodes)
}

func TestNetworkThatCrossesNodes(t *testing.T) {
	pnic := func(name, sw string, node inventory.Fact[int64], mbps int64) *inventory.PNIC {
		return &inventory.PNIC{Device: name, Switch: text(sw), NUMANode: node, LinkMbps: count(mbps)}
	}
	lost := inventory.Unread[int64]("no PCI device")
	on0 := home{Nodes: []int64{0}, Samples: 1}
	for name, test := range map[string]struct {
		pnics   []*inventory.PNIC
		sw      inventory.Fact[string]
		home    home
		crosses bool
		known   bool
		through string
	}{
		"away":                     {[]*inventory.PNIC{pnic("vmnic0", "a", count(1), 1000)}, text("a"), on0, true, true, "on node 1: vmnic0"},
		"near":                     {[]*inventory.PNIC{pnic("vmnic0", "a", count(0), 1000)}, text("a"), on0, false, true, "near: vmnic0"},
		"both":                     {[]*inventory.PNIC{pnic("vmnic0", "a", count(0), 1000), pnic("vmnic1", "a", count(1), 1000)}, text("a"), on0, false, true, "near: vmnic0; on node 1: vmnic1"},
		"the near one has no link": {[]*inventory.PNIC{pnic("vmnic0", "a", count(0), 0), pnic("vmnic1", "a", count(1), 1000)}, text("a"), on0, true, true, "on node 1: vmnic1"},
		"another switch":           {[]*inventory.PNIC{pnic("vmnic0", "b", count(1), 1000)}, text("a"), on0, false, true, "none"},
		"on no switch":             {[]*inventory.PNIC{pnic("vmnic0", "", count(1), 1000)}, text(""), on0, false, true, "none"},
		"one NIC's node not read":  {[]*inventory.PNIC{pnic("vmnic0", "a", count(1), 1000), pnic("vmnic1", "a", lost, 1000)}, text("a"), on0, false, false, ""},
		"its switch not read":      {[]*inventory.PNIC{pnic("vmnic0", "a", count(1), 1000)}, inventory.Unread[string]("x"), on0, false, false, ""},
		"no home":                  {[]*inventory.PNIC{pnic("vmnic0", "a", count(1), 1000)}, text("a"), home{}, false, false, ""},
	} {
		var n network
		settled(t, 2, func(h *inventory.Host) []*inventory.VM {
			h.PNICs = inventory.Known(test.pnics)
			vm := resident(h, "vm", 2, test.home)
			vm.VNICs = inventory.Known([]*inventory.VNIC{{Switch: test.sw}})
			v := &inventory.VCenter{Hosts: []*inventory.Host{h}, VMs: []*inventory.VM{vm}}
			(&inventory.Snapshot{VCenters: []*inventory.VCenter{v}}).Link()
			n = networkOf(vm)
			return nil
		})
		require.Equal(t, test.crosses, n.crosses(), name)
		require.Equal(t, test.known, n.known, name)
		if n.known {
			require.Equal(t, test.through, n.through(), name)
		}
	}
}

func TestWhatIsKnownOfHomes(t *testing.T) {
	a := sampleReport(2, 14)
	s := newShow(view.New(a))
	h := s.homes()
	require.True(t, h.Drawn)
	require.Equal(t, "12 VMs are drawn in the NUMA node where ESXi ran them most of the time: 1 on several, 3 moved, 5 with all NICs on "+
		"other nodes. 1 VM has no home node. Home nodes of 13 running VMs are unknown: only esxtop reports it (NHN): use vperf report HOST "+
		"--source esxtop, or a capture with all counters (esxtop -b -a).", h.Say)
	for _, r := range h.Rows {
		require.Contains(t, r.Home+r.Through, "node", r.At.Name)
	}
	require.Len(t, h.Rows, 6, "those that moved, or whose NICs are elsewhere")

	few := *readyRule
	few.ID, few.Params = "numa-locality", map[string]advice.Param{"local": {Value: 80.0}}
	a.Rules = append(a.Rules, &few)
	all := newShow(view.New(a)).homes()
	require.Greater(t, len(all.Rows), len(h.Rows), "with the rule's limit those with too little local memory too")
	for i, r := range all.Rows[1:] {
		require.LessOrEqual(t, at(t, all.Rows[i].LocalSort), at(t, r.LocalSort), "the least first")
	}

	vms := a.Snapshot.VCenters[0].VMs
	for _, vm := range vms {
		vm.NUMAHomes = inventory.Known([]home{{Nodes: []int64{}, Samples: 1}})
	}
	require.Equal(t, "ESXi reports no home node for 26 VMs, as on a host with one NUMA node.", newShow(view.New(a)).homes().Say)
	for _, vm := range vms {
		vm.NUMAHomes = inventory.Fact[[]home]{}
	}
	h = newShow(view.New(a)).homes()
	require.False(t, h.Drawn)
	require.Contains(t, h.Say, "The NUMA nodes of VMs are unknown, so VMs are drawn below all nodes: ")
	for _, h := range a.Snapshot.VCenters[0].Hosts {
		h.NUMANodes = inventory.Known([]*inventory.NUMANode{{}})
	}
	require.Empty(t, newShow(view.New(a)).homes().Say, "hosts with one node have nothing to tell")
}
