package inventory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

// inPool is a VM in a pool, on host h-1.
func inPool(id, pool, power string) *inventory.VM {
	return &inventory.VM{
		Entity: inventory.Entity{ID: id, Name: id}, HostID: inventory.Known("h-1"),
		PoolID: inventory.Known(pool), PowerState: inventory.Known(power),
	}
}

func pooled(vms ...*inventory.VM) *inventory.VCenter {
	pool := func(id, parent string) *inventory.Pool {
		return &inventory.Pool{Entity: inventory.Entity{ID: id}, ClusterID: inventory.Known("c-1"), ParentID: inventory.Known(parent)}
	}
	return &inventory.VCenter{
		Clusters: []*inventory.Cluster{{Entity: inventory.Entity{ID: "c-1", Name: "c"}, HostIDs: inventory.Known([]string{"h-1"})}},
		Hosts:    []*inventory.Host{{Entity: inventory.Entity{ID: "h-1"}, ClusterID: inventory.Known("c-1")}},
		Pools:    []*inventory.Pool{pool("top", "none"), pool("child", "top"), pool("beside", "none")},
		VMs:      vms,
	}
}

func linked(v *inventory.VCenter) []*inventory.Pool {
	(&inventory.Snapshot{VCenters: []*inventory.VCenter{v}}).Link()
	return v.Pools
}

func TestPoolsCountRunningVMs(t *testing.T) {
	template := inPool("tmpl", "", "poweredOff")
	template.PoolID = inventory.Absent[string]()
	pools := linked(pooled(
		inPool("a", "top", "poweredOn"), inPool("b", "child", "poweredOn"), inPool("c", "child", "poweredOn"),
		inPool("off", "child", "poweredOff"), inPool("slept", "beside", "suspended"), template,
	))
	require.Equal(t, inventory.Known(int64(3)), pools[0].RunningVMs, "with those of the pool below")
	require.Equal(t, inventory.Known(int64(1)), pools[0].DirectRunningVMs)
	require.Equal(t, inventory.Known(int64(2)), pools[1].RunningVMs)
	require.Equal(t, inventory.Known(int64(0)), pools[2].RunningVMs, "nothing runs there")
}

func TestPoolsThatWereSeenInPartCountNothing(t *testing.T) {
	unread := func(v *inventory.VCenter, why string) {
		t.Helper()
		for _, p := range linked(v) {
			_, state, reason := p.RunningVMs.Get()
			require.Equal(t, inventory.StateUnread, state)
			require.Contains(t, reason, why)
			require.Equal(t, p.RunningVMs, p.DirectRunningVMs)
		}
	}
	silent := inPool("silent", "top", "")
	silent.PowerState = inventory.Unread[string]("host not responding")
	unread(pooled(inPool("a", "top", "poweredOn"), silent), "the power state of silent was not read: host not responding")

	nowhere := inPool("nowhere", "", "poweredOn")
	nowhere.PoolID = inventory.Unread[string]("no permission")
	unread(pooled(nowhere), "the pool of nowhere was not read: no permission")

	part := pooled(inPool("a", "top", "poweredOn"))
	part.Clusters[0].HostIDs = inventory.Known([]string{"h-1", "h-2"})
	unread(part, "1 of the cluster's 2 hosts were not asked for")

	chosen := pooled(inPool("a", "top", "poweredOn"))
	chosen.ChosenVMs = true
	unread(chosen, "only some")

	broken := pooled()
	broken.Unread = "its list of virtual machines is incomplete"
	unread(broken, "incomplete")
}

// TestPoolsInARingAreCounted: a file can contain a cycle of pools.
func TestPoolsInARingAreCounted(t *testing.T) {
	v := pooled(inPool("a", "top", "poweredOn"))
	v.Pools[0].ParentID = inventory.Known("child")
	require.NotPanics(t, func() { linked(v) })
}

func TestDatastoresOfPseudoHosts(t *testing.T) {
	host := func(id string, kind inventory.Fact[string]) *inventory.Host {
		return &inventory.Host{Entity: inventory.Entity{ID: id}, Kind: kind}
	}
	store := func(ids ...string) *inventory.Datastore {
		return &inventory.Datastore{Entity: inventory.Entity{ID: ids[0]}, HostIDs: inventory.Known(ids)}
	}
	v := &inventory.VCenter{
		Hosts: []*inventory.Host{
			host("pseudo", inventory.Known(inventory.HostPseudo)), host("real", inventory.Known(inventory.HostPhysical)),
			host("silent", inventory.Unread[string]("no permission")),
		},
		Datastores: []*inventory.Datastore{store("pseudo"), store("pseudo", "real"), store("silent"), store("silent", "pseudo"), store("elsewhere")},
	}
	linked(v)
	require.Equal(t, inventory.Known(true), v.Datastores[0].Pseudo)
	require.Equal(t, inventory.Known(false), v.Datastores[1].Pseudo, "a real host mounts it too")
	for _, d := range v.Datastores[2:] {
		_, state, _ := d.Pseudo.Get()
		require.Equal(t, inventory.StateUnread, state, d.ID)
	}
}
