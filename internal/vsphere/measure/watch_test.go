package measure

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// watchSim starts a simulator with some objects of each kind in a roster.
func watchSim(t *testing.T) *vspheretest.Sim {
	t.Helper()
	model := vspheretest.SmallVPX(3)
	model.Machine, model.Cluster, model.ClusterHost, model.Folder = 3, 2, 2, 0
	return vspheretest.Start(t, model, func(m *simulator.Model) {
		for _, h := range vspheretest.HostsOf(m) {
			h.Config.Network.Vnic = []types.HostVirtualNic{{Device: "vmk0", Spec: types.HostVirtualNicSpec{Ip: &types.HostIpConfig{IpAddress: "192.0.2.7"}}}}
		}
	})
}

func watched(t *testing.T, s *session.Session) *Roster {
	t.Helper()
	r, err := WatchRoster(t.Context(), s)
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close(context.WithoutCancel(t.Context())) })
	return r
}

// sameAsFresh compares a roster with one that is read now.
func sameAsFresh(t *testing.T, s *session.Session, r *Roster) {
	t.Helper()
	fresh, err := ReadRoster(t.Context(), s)
	require.NoError(t, err)
	require.NotEmpty(t, fresh.hosts)
	require.Equal(t, fresh.hosts, r.hosts)
	require.Equal(t, fresh.vms, r.vms)
	require.Equal(t, pathsOf(fresh.tree), pathsOf(r.tree))
	for of, n := range fresh.tree.Nodes {
		require.Equal(t, n, r.tree.Nodes[of])
	}
	require.ElementsMatch(t, fresh.tree.Order, r.tree.Order)
	require.Equal(t, fresh.Hosts(), r.Hosts())
}

func pathsOf(x *tree.Tree) map[string]string {
	paths := map[string]string{}
	for of := range x.Nodes {
		paths[of.String()] = x.Path(of)
	}
	return paths
}

// publish changes an object in the way of servers that send updates.
func publish(s *vspheretest.Sim, of mo.Reference, path string, to any) {
	s.Map().AtomicUpdate(s.Service.Context, of, []types.PropertyChange{{Name: path, Val: to}})
}

// A watched roster equals a roster that is read anew, for one call each time.
func TestWatchedRosterFollows(t *testing.T) {
	t.Parallel()
	s := watchSim(t)
	session := s.Dial(t)
	r := watched(t, session)
	sameAsFresh(t, session, r)
	vms := vspheretest.VmsOf(s.Model)
	hosts := vspheretest.HostsOf(s.Model)
	clusters := s.Map().All("ClusterComputeResource")
	dc := s.Map().Any("Datacenter")
	inFolder := func() *simulator.Folder { return s.Map().Get(*vms[0].Parent).(*simulator.Folder) }
	away := other(hosts, *vms[0].Runtime.Host)
	for _, step := range []struct {
		name    string
		change  func()
		reads   int // retrievals in addition to the one call
		differs func() bool
	}{
		{name: "nothing", change: func() {}},
		{"VM renamed", func() { publish(s, vms[0], "name", "web%2f01") }, 0, func() bool {
			return vmSeen(r, vms[0]).Name == "web/01" && strings.HasSuffix(vmSeen(r, vms[0]).Path, "/web%2f01")
		}},
		{"VM powered on", func() { publish(s, vms[0], "runtime.powerState", types.VirtualMachinePowerStatePoweredOn) }, 0,
			func() bool { return vmSeen(r, vms[0]).Power == "poweredOn" }},
		{"VM vMotioned", func() {
			publish(s, vms[0], "runtime.host", &away)
		}, 0, func() bool { return vmSeen(r, vms[0]).Host == away.Value }},
		{"VM grown", func() {
			publish(s, vms[0], "config.hardware.numCPU", int32(12))
			publish(s, vms[0], "config.hardware.memoryMB", int32(4096))
		}, 0, func() bool { return vmSeen(r, vms[0]).VCPUs == 12 && vmSeen(r, vms[0]).MemoryBytes == 4<<30 }},
		{"VM has another guest", func() { publish(s, vms[0], "config.guestId", "sles15_64Guest") }, 0, func() bool { return vmSeen(r, vms[0]).Guest == "sles15_64Guest" }},
		{"VM made a template", func() { publish(s, vms[0], "config.template", true) }, 0, func() bool { return vmSeen(r, vms[0]).Template }},
		{"VM removed", func() { destroy(t, s, session, vms[1].Self) }, 0, func() bool { return vmSeen(r, vms[1]).MoID == "" }},
		{"VM created", func() { create(t, s, session, inFolder(), "new-1") }, 0, func() bool { return slices.Contains(allVMs(r), "new-1") }},
		{"folder renamed", func() { publish(s, inFolder(), "name", "machines") }, 0, func() bool { return strings.Contains(vmSeen(r, vms[2]).Path, "/machines/") }},
		{"datacenter renamed", func() { publish(s, dc, "name", "east") }, 0, func() bool {
			return strings.HasPrefix(vmSeen(r, vms[2]).Path, "/east/") && r.Hosts()[0].Datacenter == "east" && strings.HasPrefix(r.Hosts()[0].Path, "/east/host/")
		}},
		{"cluster renamed", func() { publish(s, clusters[0], "name", "general") }, 0, func() bool {
			return slices.ContainsFunc(r.Hosts(), func(h RosterHost) bool { return h.Cluster == "general" })
		}},
		{"folder created, VM moved there", func() {
			made, err := methods.CreateFolder(t.Context(), session, &types.CreateFolder{This: inFolder().Self, Name: "deep"})
			require.NoError(t, err)
			publish(s, vms[2], "parent", &made.Returnval)
			s.Map().WithLock(s.Service.Context, inFolder(), func() {
				simulator.RemoveReference(&inFolder().ChildEntity, vms[2].Self)
			})
			to := s.Map().Get(made.Returnval).(*simulator.Folder)
			s.Map().WithLock(s.Service.Context, to, func() { to.ChildEntity = append(to.ChildEntity, vms[2].Self) })
		}, 0, func() bool { return strings.Contains(vmSeen(r, vms[2]).Path, "/deep/") }},
		{"host disconnected", func() { publish(s, hosts[0], "runtime.connectionState", types.HostSystemConnectionStateDisconnected) }, 0,
			func() bool { return hostNow(r, hosts[0]).Down != "" }},
		{"host in maintenance mode", func() { publish(s, hosts[0], "runtime.inMaintenanceMode", true) }, 0, func() bool { return isTrue(hostNow(r, hosts[0]).Maintenance) }},
		{"host off", func() { publish(s, hosts[0], "runtime.powerState", types.HostSystemPowerStatePoweredOff) }, 0, func() bool { return hostNow(r, hosts[0]).Power == "poweredOff" }},
		{"host upgraded", func() {
			publish(s, hosts[0], "config.product.version", "8.0.3")
			publish(s, hosts[0], "config.product.build", "24022510")
		}, 0, func() bool { return hostNow(r, hosts[0]).Build == "24022510" }},
		{"host in another cluster", func() {
			from, to := clusters[0].(*simulator.ClusterComputeResource), clusters[1].(*simulator.ClusterComputeResource)
			if *hosts[0].Parent == to.Self {
				from, to = to, from
			}
			publish(s, hosts[0], "parent", &to.Self)
			simulator.RemoveReference(&from.Host, hosts[0].Self)
			to.Host = append(to.Host, hosts[0].Self)
		}, 0, func() bool { return hostNow(r, hosts[0]).Cluster != "" }},
		{"host added", func() {
			vspheretest.AddHosts(t, s.Model, 1)
			for _, o := range slices.Concat(s.Map().All(property.TypeHost), s.Map().All("ResourcePool")) {
				s.Map().Put(o) // the simulator's view has missed what was not in its folder yet
			}
		}, 1, func() bool { return len(r.Hosts()) == len(hosts)+1 }},
		{"host removed", func() {
			for _, h := range vspheretest.HostsOf(s.Model) {
				if strings.HasPrefix(h.Name, "more") {
					destroy(t, s, session, h.Self)
				}
			}
		}, 0, func() bool { return len(r.Hosts()) == len(hosts) }},
	} {
		if step.differs != nil {
			require.False(t, step.differs() && step.name != "host in another cluster", "%s: it shows before it is done", step.name)
		}
		step.change()
		calls := vspheretest.CallsOf(session, func() { require.NoError(t, r.Refresh(t.Context()), step.name) })
		want := map[string]int{"WaitForUpdatesEx": 1}
		if step.reads > 0 {
			want["RetrievePropertiesEx"] = step.reads
		}
		require.Equal(t, want, calls, step.name)
		if step.differs != nil {
			require.True(t, step.differs(), step.name)
		}
		sameAsFresh(t, session, r)
	}
}

func vmSeen(r *Roster, vm *simulator.VirtualMachine) RosterVM {
	for _, list := range r.vms {
		for _, v := range list {
			if v.MoID == vm.Self.Value {
				return v
			}
		}
	}
	return RosterVM{}
}

func allVMs(r *Roster) (names []string) {
	for _, list := range r.vms {
		for _, v := range list {
			names = append(names, v.Name)
		}
	}
	return names
}

func hostNow(r *Roster, h *simulator.HostSystem) RosterHost {
	host, _ := r.host(h.Self.Value)
	return host
}

func other(hosts []*simulator.HostSystem, than ref) ref {
	for _, h := range hosts {
		if h.Self != than {
			return h.Self
		}
	}
	return ref{}
}

func destroy(t *testing.T, _ *vspheretest.Sim, session *session.Session, object ref) {
	t.Helper()
	task, err := methods.Destroy_Task(t.Context(), session, &types.Destroy_Task{This: object})
	require.NoError(t, err)
	require.NoError(t, vspheretest.AwaitTask(t.Context(), session, task.Returnval))
}

func create(t *testing.T, s *vspheretest.Sim, session *session.Session, in *simulator.Folder, name string) {
	t.Helper()
	host := vspheretest.HostsOf(s.Model)[0]
	var pool ref
	switch parent := s.Map().Get(*host.Parent).(type) {
	case *simulator.ClusterComputeResource:
		pool = *parent.ResourcePool
	case *mo.ComputeResource:
		pool = *parent.ResourcePool
	}
	store := s.Map().Any("Datastore").(*simulator.Datastore).Name
	task, err := methods.CreateVM_Task(t.Context(), session, &types.CreateVM_Task{
		This: in.Self, Pool: pool, Host: &host.Self,
		Config: types.VirtualMachineConfigSpec{Name: name, Files: &types.VirtualMachineFileInfo{VmPathName: "[" + store + "]"}},
	})
	require.NoError(t, err)
	require.NoError(t, vspheretest.AwaitTask(t.Context(), session, task.Returnval))
}

func isTrue(f inventory.Fact[bool]) bool {
	yes, _ := f.Value()
	return yes
}
