package read

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tagging"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

func TestBestEVC(t *testing.T) {
	cluster := ref{Type: "ClusterComputeResource", Value: "c"}
	modes, ok := estatefacts.AsEVCTiers(types.ArrayOfEVCMode{EVCMode: []types.EVCMode{
		{ElementDescription: types.ElementDescription{Key: "intel-old"}, Vendor: "intel", VendorTier: 1},
		{ElementDescription: types.ElementDescription{Key: "intel-new"}, Vendor: "intel", VendorTier: 2},
		{ElementDescription: types.ElementDescription{Key: "amd-new"}, Vendor: "amd", VendorTier: 1},
	}})
	require.True(t, ok)
	of := func(down string, keys ...string) inventory.Fact[string] {
		x := newIndex(ref{})
		x.evc = inventory.Known(modes)
		for i, k := range keys {
			r := ref{Type: "HostSystem", Value: string(rune('a' + i))}
			x.Nodes[r] = &tree.Node{Ref: r, Name: r.Value, Parent: cluster, UnreadReason: down}
			x.bestModes[r] = inventory.Known(k)
			if k == "?" {
				x.bestModes[r] = inventory.Unread[string]("no permission")
			}
			x.Order = append(x.Order, r)
		}
		return x.bestEVC(cluster)
	}
	require.Equal(t, inventory.Known("intel-old"), of("", "intel-new", "intel-old"))
	require.Equal(t, inventory.Known("intel-new"), of("", "intel-new", "intel-new"))
	require.Equal(t, inventory.Known(""), of("", "intel-new", "amd-new"), "two makers")
	require.Equal(t, inventory.Known(""), of("", "intel-new", ""))
	require.Equal(t, inventory.Known(""), of(""))
	require.Equal(t, inventory.Unread[string]("of b: no permission"), of("", "intel-new", "?"))
	require.Equal(t, inventory.Unread[string]("of host a, which cannot be read reliably: host not responding"), of("host not responding", "intel-new"))
	require.Equal(t, inventory.Unread[string]("the server does not list EVC mode intel-next"), of("", "intel-next"))
}

func TestPortgroups(t *testing.T) {
	policy := func(p types.BaseDVPortSetting) *inventory.Portgroup {
		return estatefacts.NewGroup(vspheretest.Properties(map[string]any{"config.defaultPortConfig": p, "config.uplink": true}), "a/b")
	}
	g := policy(&types.VMwareDVSPortSetting{UplinkTeamingPolicy: &types.VmwareUplinkPortTeamingPolicy{
		Policy:          &types.StringPolicy{Value: "failover_explicit"},
		UplinkPortOrder: &types.VMwareUplinkPortOrderPolicy{ActiveUplinkPort: []string{"Uplink 1"}},
	}})
	require.Equal(t, &inventory.Portgroup{
		Name: "a/b", Uplink: true, Teaming: inventory.Known("failover_explicit"), Active: inventory.Known([]string{"Uplink 1"}), Standby: inventory.Known([]string{}),
	}, g)
	g = policy(new(types.VMwareDVSPortSetting))
	require.Equal(t, "unread: the server does not report how port group a/b uses its uplinks", vspheretest.ReasonOf(&g.Teaming))
	g = policy(new(types.DVPortSetting))
	require.Equal(t, "unread: the server does not report how port group a/b uses its uplinks", vspheretest.ReasonOf(&g.Active), "another maker's")
	g = policy(&types.VMwareDVSPortSetting{UplinkTeamingPolicy: new(types.VmwareUplinkPortTeamingPolicy)})
	require.Equal(t, "unread: the server does not report how port group a/b chooses an uplink", vspheretest.ReasonOf(&g.Teaming))
	require.Equal(t, "unread: the server does not report in which order port group a/b uses its uplinks", vspheretest.ReasonOf(&g.Standby))

	x := newIndex(ref{})
	on := &tree.Node{Ref: ref{Value: "dvs"}}
	x.has[on.Ref] = inventory.Known(int64(2))
	x.groups[ref{Value: "1"}] = dvGroup{on.Ref, g}
	require.Equal(t, inventory.Unread[[]*inventory.Portgroup]("the server lists only 1 of the switch's 2 port groups"), x.groupsOf(on))
}

// TestDatastoresInScope: a datastore is in scope with the hosts that mount it.
func TestDatastoresInScope(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(3), func(m *simulator.Model) {
		d := m.Map().Any("Datastore").(*simulator.Datastore)
		d.Host = d.Host[:1]
	})
	vc := readSim(t, s, inventory.Everything())
	require.Equal(t, []string{"/DC0/datastore/LocalDS_0"}, paths(vc.Datastores))
	on, _ := vc.Datastores[0].Hosts.Value()
	require.Len(t, on, 1)
	for _, h := range vc.Hosts {
		got := readSim(t, s, vspheretest.NeedsOf("Datastore.kind"), h.Name).Datastores
		require.Equal(t, h == on[0], len(got) == 1, h.Name)
	}
	require.Nil(t, readSim(t, s, vspheretest.NeedsOf("Host.cores")).Datastores, "datastores are not needed")
}

func TestCustomAttributes(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SwitchedVPX(2), func(m *simulator.Model) {
		fields := m.Map().CustomFieldsManager()
		fields.Field = []types.CustomFieldDef{{Key: 1, Name: "vperf.profile"}, {Key: 2, Name: "owner"}, {Key: 3, Name: "vperf.waive"}}
		marked := []types.BaseCustomFieldValue{
			&types.CustomFieldStringValue{CustomFieldValue: types.CustomFieldValue{Key: 1}, Value: "latency"},
			&types.CustomFieldStringValue{CustomFieldValue: types.CustomFieldValue{Key: 2}, Value: "hush-hush"},
		}
		vspheretest.VmsOf(m)[0].CustomValue = marked
		vspheretest.HostsOf(m)[0].CustomValue = marked
		m.Map().Any("ClusterComputeResource").(*simulator.ClusterComputeResource).CustomValue = marked
		m.Map().Any("Datastore").(*simulator.Datastore).CustomValue = marked
		m.Map().Get(m.ServiceContent.RootFolder).(*simulator.Folder).CustomValue = marked
		switchOfModel(m).CustomValue = marked
	})
	want := inventory.Known(map[string]string{"vperf.profile": "latency"})
	session := s.Dial(t)
	vc, err := Inventory(t.Context(), session, tree.Scope{}, vspheretest.NeedsOf("VM.attributes", "Host.attributes", "Cluster.attributes", "Pool.attributes", "Datastore.attributes", "VCenter.attributes", "Switch.attributes"), nil)
	require.NoError(t, err)
	require.Equal(t, want, vc.VMs[0].Attributes)
	require.Equal(t, want, vc.Hosts[0].Attributes)
	require.Equal(t, want, vc.Clusters[0].Attributes)
	require.Equal(t, want, vc.Datastores[0].Attributes)
	require.Equal(t, want, vc.Switches[0].Attributes)
	require.Equal(t, want, vc.Attributes)
	require.Equal(t, inventory.Known(map[string]string{}), vc.Pools[0].Attributes)
	require.True(t, vc.VMs[0].Tags.IsZero(), "tags are not needed")
	require.Equal(t, map[string]int{
		"RetrieveServiceContent": 1, "Login": 1, "CurrentTime": 1, "CreateContainerView": 1, "RetrievePropertiesEx": 2, "DestroyView": 1,
	}, session.Calls(), "they ride on the index and on the VMs")

	s.Rewrite(deny(tagging.PathFields, "System.Read"))
	vc = readSim(t, s, vspheretest.NeedsOf("VM.attributes"))
	require.Equal(t, "unread: no permission (privilege System.Read)", vspheretest.ReasonOf(&vc.VMs[0].Attributes), "without their names they say nothing")
	require.True(t, vc.Hosts[0].Attributes.IsZero())
}

// TestAttributesWithoutDefinition: a value that no definition names can be any attribute of its object.
func TestAttributesWithoutDefinition(t *testing.T) {
	t.Parallel()
	def := func(key int32, name string) types.CustomFieldDef { return types.CustomFieldDef{Key: key, Name: name} }
	const unread = "unread: the server lists no name for key 7 of its customValue"
	for name, c := range map[string]struct {
		fields []types.CustomFieldDef
		want   string
	}{
		"no definition":      {nil, unread},
		"of another key":     {[]types.CustomFieldDef{def(1, "vperf.waive")}, unread},
		"without a name":     {[]types.CustomFieldDef{def(7, "")}, unread},
		"with a damaged one": {[]types.CustomFieldDef{def(7, "vperf.w\uFFFDive")}, unread},
		"not needed":         {[]types.CustomFieldDef{def(7, "owner")}, "known"},
		"needed":             {[]types.CustomFieldDef{def(7, "vperf.waive")}, "known"},
	} {
		s := vspheretest.Start(t, vspheretest.SmallVPX(2), func(m *simulator.Model) {
			m.Map().CustomFieldsManager().Field = c.fields
			vspheretest.HostsOf(m)[0].CustomValue = []types.BaseCustomFieldValue{
				&types.CustomFieldStringValue{CustomFieldValue: types.CustomFieldValue{Key: 7}, Value: "cpu-limit until 2027-01-31 x"},
			}
		})
		vc := readSim(t, s, vspheretest.NeedsOf("Host.attributes"))
		require.Equal(t, c.want, vspheretest.ReasonOf(&vc.Hosts[0].Attributes), name)
		require.Equal(t, "known", vspheretest.ReasonOf(&vc.Hosts[1].Attributes), name)
	}
}

// TestIndexAsksForLittle: facts of the index that are not needed are not read.
func TestIndexAsksForLittle(t *testing.T) {
	t.Parallel()
	r := &inventoryReader{property.NewReader(vspheretest.Start(t, vspheretest.SmallVPX(1), nil).Dial(t))}
	asked := func(facts ...string) (specs map[string][]string, plan indexPlan) {
		plan, specs = r.planIndex(vspheretest.NeedsOf(facts...), false), map[string][]string{}
		for _, s := range plan.paths {
			specs[s.Type] = s.PathSet
		}
		return specs, plan
	}
	few := []string{tree.PathName, tree.PathParent}
	specs, plan := asked("Host.cores", "Cluster.hostIds", "VM.vcpus")
	require.Equal(t, map[string][]string{
		"Folder": few, "Datacenter": few, "ComputeResource": few, "ResourcePool": few, "HostSystem": {tree.PathName, tree.PathParent, tree.PathConnection, tree.PathMaintenance, tree.PathPower, tree.PathStandby},
	}, specs)
	require.Equal(t, property.ViewTypes, plan.sees)
	require.Empty(t, plan.beside)

	specs, plan = asked("Cluster.drsEnabled", "VCenter.statsIntervals", "VCenter.attributes", "Switch.portgroups", "Datastore.kind")
	require.Equal(t, []string{estatefacts.PathCluster, tree.PathName, tree.PathParent}, specs["ClusterComputeResource"])
	require.Equal(t, []string{estatefacts.PathIntervals}, specs["PerformanceManager"])
	require.Equal(t, []string{tagging.PathAttributes, tree.PathName, tree.PathParent}, specs["Folder"])
	require.Len(t, plan.beside, 3)
	require.Subset(t, plan.sees, []string{estatefacts.TypeGroup, property.TypeSwitch, property.TypeDatastore})
}

func TestAttributesOfWhatWasNotRead(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), func(m *simulator.Model) {
		vspheretest.VmsOf(m)[0].Runtime.ConnectionState = types.VirtualMachineConnectionStateOrphaned
	})
	v := readSim(t, s, vspheretest.NeedsOf("VM.attributes")).VMs[0]
	require.NotEmpty(t, v.Unread)
	require.True(t, v.Attributes.IsZero(), "the VM says why")
}
