package estatefacts

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

func clusterOf(config any, server inventory.Version) *inventory.Cluster {
	values := map[string]any{}
	if config != nil {
		values[PathCluster] = config
	}
	p, c := vspheretest.Properties(values), new(inventory.Cluster)
	p.Server = server
	ClusterTable.Plan(inventory.Everything()).Fill(p, c)
	return c
}

// TestNilOfClusterFacts lists the meaning of nil for each fact.
func TestNilOfClusterFacts(t *testing.T) {
	c := clusterOf(ClusterConfig{}, inventory.Version{Major: 8})
	for f, want := range map[inventory.Reader]string{
		&c.DRSEnabled:       "unread: the server does not report whether DRS is on",
		&c.DRSAutomation:    "unread: the server does not report how far DRS is automated",
		&c.DRSMigrationRate: "unread: the server does not report how readily DRS moves virtual machines",
		&c.DPMEnabled:       "unread: the server returned no configurationEx.dpmConfigInfo",
		&c.SwapPlacement:    "unread: the server does not report where virtual machines swap",
		&c.EVCMode:          "unread: the server returned no summary",
	} {
		require.Equal(t, want, vspheretest.ReasonOf(f))
	}
	require.Equal(t, inventory.Known(int64(0)), c.DRSOverrides)
	require.Equal(t, inventory.Known([]string{}), c.DRSOverrideVMs)
	require.Equal(t, inventory.Known(int64(0)), c.Rules)
	require.Equal(t, inventory.Known(false), c.ScaleShares)
	require.Equal(t, inventory.Absent[bool](), clusterOf(ClusterConfig{}, inventory.Version{Major: 6, Minor: 7}).ScaleShares)

	c = clusterOf(nil, inventory.Version{Major: 8})
	require.Equal(t, "unread: the server returned no configurationEx", vspheretest.ReasonOf(&c.Rules), "nil means nothing where there is no configuration")
	require.Equal(t, "unread: the server returned no configurationEx", vspheretest.ReasonOf(&c.ScaleShares))
}

func TestClusterFacts(t *testing.T) {
	yes, no := new(true), new(false)
	rule := func(enabled, mandatory, made *bool) types.BaseClusterRuleInfo {
		return &types.ClusterAffinityRuleSpec{ClusterRuleInfo: types.ClusterRuleInfo{Enabled: enabled, Mandatory: mandatory, UserCreated: made}}
	}
	override := func(id string, enabled *bool) types.ClusterDrsVmConfigInfo {
		return types.ClusterDrsVmConfigInfo{Key: ref{Type: "VirtualMachine", Value: id}, Enabled: enabled}
	}
	config := ClusterConfig{
		DrsConfig:                 types.ClusterDrsConfigInfo{Enabled: yes, DefaultVmBehavior: "manual", VmotionRate: 5, ScaleDescendantsShares: "scaleCpuAndMemoryShares"},
		DrsVmConfig:               []types.ClusterDrsVmConfigInfo{override("vm-1", no), override("vm-2", yes), override("vm-3", nil)},
		DpmConfigInfo:             &types.ClusterDpmConfigInfo{Enabled: yes},
		ComputeResourceConfigInfo: types.ComputeResourceConfigInfo{VmSwapPlacement: "hostLocal"},
		Rule:                      []types.BaseClusterRuleInfo{rule(yes, yes, yes), rule(yes, nil, nil), rule(no, yes, yes), rule(yes, yes, no), nil},
	}
	for _, form := range []any{config, &config} {
		c := clusterOf(form, inventory.Version{Major: 6})
		require.Equal(t, inventory.Known(true), c.DRSEnabled)
		require.Equal(t, inventory.Known("manual"), c.DRSAutomation)
		require.Equal(t, inventory.Known(int64(5)), c.DRSMigrationRate)
		require.Equal(t, inventory.Known(int64(3)), c.DRSOverrides)
		require.Equal(t, inventory.Known(int64(1)), c.DRSDisabledVMs)
		require.Equal(t, inventory.Known([]string{"vm-1", "vm-2", "vm-3"}), c.DRSOverrideVMs)
		require.Equal(t, inventory.Known(int64(2)), c.Rules, "one is off, one is vSphere's own")
		require.Equal(t, inventory.Known(int64(1)), c.MandatoryRules)
		require.Equal(t, inventory.Known(true), c.DPMEnabled)
		require.Equal(t, inventory.Known("hostLocal"), c.SwapPlacement)
		require.Equal(t, inventory.Known(true), c.ScaleShares)
	}
	c := clusterOf("odd", inventory.Version{})
	require.Contains(t, vspheretest.ReasonOf(&c.DRSEnabled), "in a form that vperf does not understand")
}

func TestPoolFacts(t *testing.T) {
	fill := func(values map[string]any) *inventory.Pool {
		p := new(inventory.Pool)
		PoolTable.Plan(inventory.Everything()).Fill(vspheretest.Properties(values), p)
		return p
	}
	p := fill(map[string]any{"config.cpuAllocation.limit": int64(-1), tree.PathParent: ref{Type: "ClusterComputeResource", Value: "domain-c1"}})
	require.Equal(t, inventory.Absent[string](), p.ParentID, "a root pool")
	require.Equal(t, inventory.Known(false), p.ScaleShares)
	require.Equal(t, inventory.Known(int64(0)), p.VMCount)
	require.Equal(t, "unread: the server returned no config.cpuAllocation.shares.shares", vspheretest.ReasonOf(&p.CPUShares))
	p = fill(map[string]any{
		"config.cpuAllocation.limit": int64(-1), tree.PathParent: ref{Type: "VirtualApp", Value: "resgroup-v1"}, pathScale: "scaleCpuAndMemoryShares",
		"vm": types.ArrayOfManagedObjectReference{ManagedObjectReference: make([]ref, 3)},
	})
	require.Equal(t, inventory.Known("resgroup-v1"), p.ParentID)
	require.Equal(t, inventory.Known(true), p.ScaleShares)
	require.Equal(t, inventory.Known(int64(3)), p.VMCount)
	p = fill(nil)
	require.Equal(t, "unread: the server returned no config", vspheretest.ReasonOf(&p.ScaleShares))
	require.Equal(t, "unread: the server returned no parent", vspheretest.ReasonOf(&p.ParentID))
}

func TestSwitchMTUAndTraffic(t *testing.T) {
	s := switchProps(map[string]any{
		PathNIOC: true, PathUUID: "x", pathSwitch: types.VMwareDVSConfigInfo{MaxMtu: 9000},
		pathTraffic: types.ArrayOfDvsHostInfrastructureTrafficResource{DvsHostInfrastructureTrafficResource: []types.DvsHostInfrastructureTrafficResource{
			{Key: "vsan", AllocationInfo: types.DvsHostInfrastructureTrafficResourceAllocation{Limit: new(int64(-1)), Reservation: new(int64(500)), Shares: &types.SharesInfo{Shares: 100, Level: "high"}}},
			{Key: "nfs"},
		}},
	})
	require.Equal(t, inventory.Known(int64(9000)), s.MTU)
	classes, _ := s.TrafficClasses.Value()
	require.Equal(t, &inventory.TrafficClass{
		Name: "vsan", Shares: inventory.Known(int64(100)), SharesLevel: inventory.Known("high"),
		ReservationMbps: inventory.Known(int64(500)), LimitMbps: inventory.Known(int64(-1)),
	}, classes[0])
	require.Equal(t, "unread: the server does not report how much nfs may use", vspheretest.ReasonOf(&classes[1].LimitMbps))
	require.Equal(t, "unread: the server does not report the shares of nfs", vspheretest.ReasonOf(&classes[1].Shares))

	s = switchProps(map[string]any{PathNIOC: true, PathUUID: "x", pathSwitch: types.DVSConfigInfo{}})
	require.Equal(t, "unread: the server does not report the MTU of the switch", vspheretest.ReasonOf(&s.MTU), "another maker's")
	require.Equal(t, inventory.Absent[[]*inventory.TrafficClass](), s.TrafficClasses)
	s = switchProps(map[string]any{PathNIOC: true, PathUUID: "x", pathTraffic: types.ArrayOfDvsHostInfrastructureTrafficResource{}})
	require.Equal(t, inventory.Absent[[]*inventory.TrafficClass](), s.TrafficClasses, "version 2")
	require.Equal(t, inventory.Absent[[]string](), s.Uplinks)
}

func store(values map[string]any) *inventory.Datastore {
	all := map[string]any{PathAccessible: true, "summary.type": "VMFS"}
	maps.Copy(all, values)
	return NewStore(vspheretest.Properties(all), StoreTable.Plan(inventory.Everything()))
}

// TestNilOfDatastoreFacts lists the meaning of nil for each fact.
func TestNilOfDatastoreFacts(t *testing.T) {
	d := store(nil)
	require.Equal(t, "unread: the server returned no info", vspheretest.ReasonOf(&d.VMFSVersion))
	require.Equal(t, "unread: the server returned no summary.capacity", vspheretest.ReasonOf(&d.CapacityMB))
	require.Equal(t, "absent", vspheretest.ReasonOf(&d.SIOCEnabled))
	require.Equal(t, "absent", vspheretest.ReasonOf(&d.SIOCMode))
	require.Equal(t, "absent", vspheretest.ReasonOf(&d.SIOCThresholdMillis))
	require.Equal(t, inventory.Known([]string{}), d.HostIDs)
	require.Equal(t, inventory.Known(int64(0)), d.VMCount)
	require.Equal(t, inventory.Known(true), d.Accessible)
	require.Equal(t, "absent", vspheretest.ReasonOf(&d.UncommittedMB))
	require.Equal(t, "absent", vspheretest.ReasonOf(&d.InMaintenance))

	d = store(map[string]any{PathInfo: types.VmfsDatastoreInfo{Vmfs: &types.HostVmfsVolume{MajorVersion: 6}}})
	require.Equal(t, "unread: the server does not report how space is reclaimed", vspheretest.ReasonOf(&d.UnmapPriority))
	require.Equal(t, "unread: the server does not report whether it is in one host", vspheretest.ReasonOf(&d.Local))
	require.Equal(t, "unread: the server does not report whether it is on flash", vspheretest.ReasonOf(&d.SSD))
	require.Equal(t, inventory.Known([]string{}), d.Extents)

	d = store(map[string]any{PathAccessible: false, "summary.capacity": int64(1 << 40)})
	require.Equal(t, "no host reaches the datastore", d.Unread)
	require.Equal(t, inventory.Known(false), d.Accessible)
	require.True(t, d.CapacityMB.IsZero(), "it is as it was when a host last reached it")
	d = NewStore(vspheretest.Properties(nil), StoreTable.Plan(inventory.Everything()))
	require.Equal(t, "the server returned no summary", d.Unread)
	require.Equal(t, "unread: the server returned no summary", vspheretest.ReasonOf(&d.Accessible))
	d = NewStore(&property.Props{Unknown: vspheretest.NoUnknownPaths, Missing: map[string]types.BaseMethodFault{"summary": &types.NoPermission{PrivilegeId: "System.Read"}}}, StoreTable.Plan(inventory.Everything()))
	require.Equal(t, "no permission (privilege System.Read)", d.Unread)
}

func TestDatastoreFacts(t *testing.T) {
	d := store(map[string]any{
		"summary.capacity": int64(10 << 30), "summary.freeSpace": int64(1 << 30), "summary.uncommitted": int64(3 << 30), PathStoreMaintenance: "normal",
		PathInfo: types.VmfsDatastoreInfo{Vmfs: &types.HostVmfsVolume{
			MajorVersion: 6, UnmapPriority: "low", Local: new(false), Ssd: new(true), Extent: []types.HostScsiDiskPartition{{DiskName: "naa.1"}},
		}},
		"iormConfiguration.enabled": true, pathSIOC: "manual", "iormConfiguration.congestionThreshold": int32(25),
		PathMounts: types.ArrayOfDatastoreHostMount{DatastoreHostMount: []types.DatastoreHostMount{
			{Key: ref{Value: "host-1"}}, {Key: ref{Value: "host-2"}, MountInfo: types.HostMountInfo{Mounted: new(false)}}, {Key: ref{Value: "host-3"}, MountInfo: types.HostMountInfo{Mounted: new(true)}},
		}},
	})
	require.Equal(t, inventory.Known(int64(10240)), d.CapacityMB)
	require.Equal(t, inventory.Known(int64(1024)), d.FreeMB)
	require.Equal(t, inventory.Known(int64(3072)), d.UncommittedMB)
	require.Equal(t, inventory.Known(false), d.InMaintenance)
	for _, mode := range []string{"inMaintenance", "enteringMaintenance"} {
		require.Equal(t, inventory.Known(true), store(map[string]any{PathStoreMaintenance: mode}).InMaintenance)
	}
	require.Equal(t, inventory.Known(int64(6)), d.VMFSVersion)
	require.Equal(t, inventory.Known("low"), d.UnmapPriority)
	require.Equal(t, inventory.Known([]string{"naa.1"}), d.Extents)
	require.Equal(t, inventory.Known(false), d.Local)
	require.Equal(t, inventory.Known(true), d.SSD)
	require.Equal(t, inventory.Known(int64(25)), d.SIOCThresholdMillis)
	require.Equal(t, inventory.Known([]string{"host-1", "host-3"}), d.HostIDs, "host-2 has let go of it")

	d = store(map[string]any{PathInfo: types.VmfsDatastoreInfo{Vmfs: &types.HostVmfsVolume{MajorVersion: 5}}, pathSIOC: "automatic", "iormConfiguration.congestionThreshold": int32(30)})
	require.Equal(t, inventory.Absent[string](), d.UnmapPriority)
	require.Equal(t, inventory.Absent[int64](), d.SIOCThresholdMillis, "not created by a user")
	for _, other := range []any{types.NasDatastoreInfo{}, &types.VsanDatastoreInfo{}, types.VmfsDatastoreInfo{}} {
		d := store(map[string]any{PathInfo: other})
		require.Equal(t, inventory.Absent[int64](), d.VMFSVersion)
		require.Equal(t, inventory.Absent[[]string](), d.Extents)
	}
	d = store(map[string]any{PathInfo: "odd"})
	require.Contains(t, vspheretest.ReasonOf(&d.VMFSVersion), "in a form that vperf does not understand")
}

func switchProps(values map[string]any) *inventory.Switch {
	p := &property.Props{Values: values, Unknown: vspheretest.NoUnknownPaths, Needs: inventory.Everything()}
	return NewSwitch(p, SwitchTable.Plan(inventory.Everything()))
}

func TestNilOfSwitchFacts(t *testing.T) {
	s := switchProps(map[string]any{PathNIOC: false, "summary.uuid": "x"})
	require.Equal(t, inventory.Known(false), s.NIOCEnabled)
	require.Equal(t, "absent", vspheretest.ReasonOf(&s.NIOCVersion))
	require.Equal(t, inventory.Known([]string{}), s.HostIDs)
	require.Empty(t, s.Unread)

	s = switchProps(map[string]any{PathNIOC: false})
	require.Equal(t, "unread: the server returned no summary", vspheretest.ReasonOf(&s.HostIDs))
	s = switchProps(map[string]any{"summary.uuid": "x"})
	require.Equal(t, "the server returned no config", s.Unread)
	require.True(t, s.NIOCEnabled.IsZero())
}
