package advice

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

// twins returns two vCenters whose objects have the same ids. Each has a cluster of hosts a and b, and a standalone
// host z. On each host runs a VM with its name, and a second one on b. The VMs of a are in a pool and have files on a
// datastore, which is on a LUN of a.
func twins() *inventory.Snapshot {
	s := new(inventory.Snapshot)
	for n := range 2 {
		v := &inventory.VCenter{Kind: inventory.EndpointVCenter}
		v.ID = fmt.Sprint("vc", n)
		c, p, d, w := new(inventory.Cluster), new(inventory.Pool), new(inventory.Datastore), new(inventory.Switch)
		c.ID, p.ID, d.ID, w.ID = "cluster", "pool", "store", "switch"
		d.HostIDs, d.Extents = inventory.Known([]string{"a"}), inventory.Known([]string{"naa.1"})
		w.HostIDs = inventory.Known([]string{"b", "z"})
		v.Clusters, v.Pools, v.Datastores, v.Switches = []*inventory.Cluster{c}, []*inventory.Pool{p}, []*inventory.Datastore{d}, []*inventory.Switch{w}
		for _, id := range []string{"a", "b", "z"} {
			h := &inventory.Host{ClusterID: inventory.Known("cluster"), LUNs: inventory.Known([]*inventory.LUN{{Device: "naa.1"}, {Device: "naa.2"}})}
			h.ID = id
			if id == "z" {
				h.ClusterID = inventory.Absent[string]()
			}
			vm := &inventory.VM{HostID: inventory.Known(id), PowerState: inventory.Known("poweredOn")}
			vm.ID, vm.Name = "vm-"+id, fmt.Sprint(id, n)
			if id == "a" {
				vm.PoolID, vm.Disks = inventory.Known("pool"), inventory.Known([]*inventory.VDisk{{Label: "x"}, {Label: "y", DatastoreID: inventory.Known("store")}})
			}
			v.Hosts, v.VMs = append(v.Hosts, h), append(v.VMs, vm)
			if id == "b" {
				second := &inventory.VM{HostID: inventory.Known(id), PowerState: inventory.Known("poweredOn")}
				second.ID, second.Name = "vm-y", fmt.Sprint("y", n)
				v.VMs = append(v.VMs, second)
			}
		}
		s.VCenters = append(s.VCenters, v)
	}
	s.Link()
	return s
}

// TestWhoSuffers: the VMs that a fault affects are in the object's own vCenter, even if another has the same ids.
func TestWhoSuffers(t *testing.T) {
	s := twins()
	f := fleetOf(s)
	for n, v := range s.VCenters {
		h := v.Hosts[0]
		luns, _ := h.LUNs.Value()
		disks, _ := v.VMs[0].Disks.Value()
		for name, c := range map[string]struct {
			of   inventory.Object
			want string
		}{
			"a VM":                 {v.VMs[1], "b"},
			"a disk of a VM":       {disks[0], "a"},
			"a host":               {h, "a"},
			"a LUN with its files": {luns[0], "a"},
			"a LUN without files":  {luns[1], ""},
			"a cluster":            {v.Clusters[0], "aby"},
			"a pool":               {v.Pools[0], "a"},
			"a datastore":          {v.Datastores[0], "a"},
			"a switch":             {v.Switches[0], "byz"},
			"a vCenter":            {v, "abyz"},
		} {
			var got, want []string
			for _, vm := range f.vmsOf(c.of) {
				got = append(got, vm.Name)
			}
			for _, id := range c.want {
				want = append(want, fmt.Sprint(string(id), n))
			}
			require.Equal(t, want, got, name)
		}
	}
}

// TestWhoRuns: VMs that are off and templates are not affected; VMs in an unknown state may be.
func TestWhoRuns(t *testing.T) {
	for name, c := range map[string]struct {
		state    inventory.Fact[string]
		template inventory.Fact[bool]
		want     bool
	}{
		"on":                               {inventory.Known("poweredOn"), inventory.Known(false), true},
		"off":                              {inventory.Known("poweredOff"), inventory.Known(false), false},
		"suspended":                        {inventory.Known("suspended"), inventory.Known(false), false},
		"nobody knows":                     {inventory.Unread[string]("x"), inventory.Unread[bool]("x"), true},
		"a template":                       {inventory.Known("poweredOn"), inventory.Known(true), false},
		"perhaps one":                      {inventory.Unread[string]("x"), inventory.Known(true), false},
		"on, with an unread template flag": {inventory.Known("poweredOn"), inventory.Unread[bool]("x"), true},
	} {
		s := twins()
		vm := s.VCenters[0].VMs[0]
		vm.PowerState, vm.Template = c.state, c.template
		require.Equal(t, c.want, len(fleetOf(s).vmsOf(vm.Host())) == 1, name)
	}
	s := twins()
	s.VCenters[0].VMs[0].HostID = inventory.Unread[string]("x")
	s.Link()
	f := fleetOf(s)
	require.Empty(t, f.vmsOf(s.VCenters[0].Hosts[0]))
	require.Len(t, f.vmsOf(s.VCenters[0]), 3, "where it runs is not known")
}

// TestImpactOfSeveral: the loss is the sum of the known ones, or else the reason why it is unknown; the share is that
// of the object that had the symptom longest.
func TestImpactOfSeveral(t *testing.T) {
	s := twins()
	f, vms := fleetOf(s), s.VCenters[0].VMs
	on := func(o inventory.Object, lost inventory.Fact[float64], share ...float64) *Finding {
		x := &Finding{Evaluated: &Evaluated{object: o}, Lost: lost}
		for _, v := range share {
			x.Evidence = []Measured{{Name: "other", Value: inventory.Known[any](0.99)}, {Name: shareEvidence, Value: inventory.Known[any](v)}}
		}
		return x
	}
	unread, absent := inventory.Unread[float64]("dark"), inventory.Absent[float64]()
	require.Equal(t, Impact{Objects: 2, VMs: 2, Lost: inventory.Known(5.0), Share: inventory.Known(0.5)}, f.impact([]*Finding{
		on(vms[0], inventory.Known(2.0), 0.5), on(vms[1], inventory.Known(3.0), 0.25), on(vms[0], unread),
	}, nil), "an object with two symptoms is one")
	require.Equal(t, Impact{Objects: 1, VMs: 1, Lost: unread, Share: absent}, f.impact([]*Finding{on(vms[0], unread), on(vms[0], absent)}, nil))
	host := on(s.VCenters[0].Hosts[0], absent)
	require.Equal(t, Impact{Objects: 1, Lost: inventory.Unread[float64]("no counter measures the loss"), Share: absent},
		f.impact([]*Finding{host}, map[*Finding]bool{host: true}), "an object there is affected, but it is unknown which")
}
