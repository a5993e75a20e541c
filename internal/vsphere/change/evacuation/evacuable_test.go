package evacuation

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// clusterOfTwo is a cluster of two hosts with one VM, which runs on the first host.
type clusterOfTwo struct {
	*simulator.Model
	cluster *simulator.ClusterComputeResource
	drs     *types.ClusterConfigInfoEx
	host    *simulator.HostSystem
	other   *simulator.HostSystem
	vm      *simulator.VirtualMachine
}

func newClusterOfTwo(m *simulator.Model) clusterOfTwo {
	c := clusterOfTwo{Model: m, cluster: m.Map().Any(property.TypeCluster).(*simulator.ClusterComputeResource)}
	c.drs = c.cluster.ConfigurationEx.(*types.ClusterConfigInfoEx)
	c.drs.DrsConfig = types.ClusterDrsConfigInfo{Enabled: new(true), DefaultVmBehavior: types.DrsBehaviorFullyAutomated}
	for _, h := range vspheretest.HostsOf(m) {
		if *h.Parent != c.cluster.Self {
			continue
		}
		if len(h.Vm) > 0 {
			c.host, c.vm = h, m.Map().Get(h.Vm[0]).(*simulator.VirtualMachine)
		} else {
			c.other = h
		}
	}
	for _, d := range m.Map().All("Datastore") {
		d.(*simulator.Datastore).Summary.MultipleHostAccess = new(true)
	}
	c.vm.Name, c.vm.Runtime.PowerState = "v", types.VirtualMachinePowerStatePoweredOn
	c.vm.Config.MemoryAllocation = &types.ResourceAllocationInfo{Reservation: new(int64(0))}
	c.vm.Guest = &types.GuestInfo{}
	return c
}

// promise gives the other host 1000 MB of memory and reserves 900 of them for a VM of its own.
func (c clusterOfTwo) promise(state types.VirtualMachinePowerState) *simulator.VirtualMachine {
	for _, o := range c.Map().All(property.TypeVM) {
		vm := o.(*simulator.VirtualMachine)
		if vm == c.vm {
			continue
		}
		vm.Name, vm.Runtime.PowerState, vm.Runtime.Host = "w", state, &c.other.Self
		vm.Config.MemoryAllocation = &types.ResourceAllocationInfo{Reservation: new(int64(900))}
		hardware := *c.other.Hardware
		hardware.MemorySize = 1000 << 20
		c.other.Hardware, c.other.Vm = &hardware, append(c.other.Vm, vm.Self)
		return vm
	}
	panic("the model has one VM only")
}

func TestEvacuable(t *testing.T) {
	t.Parallel()
	const vcenterMachine = "564d0000-1111-2222-3333-444455556666"
	tie := func(c clusterOfTwo, mandatory bool, hosts ...types.ManagedObjectReference) {
		c.drs.Group = []types.BaseClusterGroupInfo{
			&types.ClusterVmGroup{ClusterGroupInfo: types.ClusterGroupInfo{Name: "vms"}, Vm: []types.ManagedObjectReference{c.vm.Self}},
			&types.ClusterHostGroup{ClusterGroupInfo: types.ClusterGroupInfo{Name: "hosts"}, Host: hosts},
		}
		c.drs.Rule = []types.BaseClusterRuleInfo{&types.ClusterVmHostRuleInfo{
			ClusterRuleInfo: types.ClusterRuleInfo{Name: "licence", Enabled: new(true), Mandatory: new(mandatory)},
			VmGroupName:     "vms", AffineHostGroupName: "hosts",
		}}
	}
	for name, tc := range map[string]struct {
		shape func(clusterOfTwo)
		want  []string
	}{
		"well":    {func(clusterOfTwo) {}, nil},
		"DRS off": {func(c clusterOfTwo) { c.drs.DrsConfig.Enabled = new(false) }, []string{"DRS is off: v would stay"}},
		"idle": {func(c clusterOfTwo) {
			c.drs.DrsConfig.Enabled = new(false)
			c.vm.Runtime.PowerState = types.VirtualMachinePowerStatePoweredOff
		}, nil},
		"suspends": {func(c clusterOfTwo) {
			c.drs.DrsConfig.Enabled = new(false)
			c.vm.Runtime.PowerState = types.VirtualMachinePowerStateSuspended
		}, nil},
		"vCLS": {func(c clusterOfTwo) { c.drs.DrsConfig.Enabled = new(false); c.vm.Name = "vCLS-1" }, nil},
		"one VM moves by its own level": {func(c clusterOfTwo) {
			c.drs.DrsConfig.DefaultVmBehavior, c.drs.DrsConfig.EnableVmBehaviorOverrides = types.DrsBehaviorManual, new(true)
			c.drs.DrsVmConfig = []types.ClusterDrsVmConfigInfo{{Key: c.vm.Self, Enabled: new(true), Behavior: types.DrsBehaviorFullyAutomated}}
		}, nil},
		"levels of their own do not count": {func(c clusterOfTwo) {
			c.drs.DrsConfig.EnableVmBehaviorOverrides = new(false)
			c.drs.DrsVmConfig = []types.ClusterDrsVmConfigInfo{{Key: c.vm.Self, Enabled: new(false)}}
		}, nil},
		"local disk": {func(c clusterOfTwo) {
			d := c.Map().Any("Datastore").(*simulator.Datastore)
			d.Name, d.Summary.MultipleHostAccess = "scratch", new(false)
		}, []string{"on datastore scratch, which hosts do not share: v would stay"}},
		"high": {func(c clusterOfTwo) {
			c.vm.Config.LatencySensitivity = &types.LatencySensitivity{Level: types.LatencySensitivitySensitivityLevelHigh}
		}, []string{"their latency sensitivity is high, and DRS does not move such VMs: v would stay"}},
		"medium": {func(c clusterOfTwo) {
			c.vm.Config.LatencySensitivity = &types.LatencySensitivity{Level: types.LatencySensitivitySensitivityLevelMedium}
		}, nil},
		"tied":           {func(c clusterOfTwo) { tie(c, true, c.host.Self) }, []string{"tied to the host by rule licence: v would stay"}},
		"tied to both":   {func(c clusterOfTwo) { tie(c, true, c.host.Self, c.other.Self) }, nil},
		"tied by a wish": {func(c clusterOfTwo) { tie(c, false, c.host.Self) }, nil},
		"the other is in maintenance": {func(c clusterOfTwo) { c.other.Name = "h2"; c.other.Runtime.InMaintenanceMode = true },
			[]string{"h2 of the same cluster is in maintenance mode", "no other host of the cluster can take its virtual machines"}},
		"the other is down": {func(c clusterOfTwo) { c.other.Runtime.ConnectionState = types.HostSystemConnectionStateNotResponding },
			[]string{"no other host of the cluster can take its virtual machines"}},
		"it is down": {func(c clusterOfTwo) { c.host.Runtime.ConnectionState = types.HostSystemConnectionStateDisconnected },
			[]string{"host disconnected (state disconnected)"}},
		"no room": {func(c clusterOfTwo) {
			c.promise(types.VirtualMachinePowerStatePoweredOn)
			c.vm.Config.MemoryAllocation.Reservation = new(int64(101))
		}, []string{"its virtual machines reserve 101 MB (one of them 101 MB), and the other 1 host has 100 MB unreserved (one has 100 MB)"}},
		"room, since what is promised is to a VM that is off": {func(c clusterOfTwo) {
			c.promise(types.VirtualMachinePowerStatePoweredOff)
			c.vm.Config.MemoryAllocation.Reservation = new(int64(101))
		}, nil},
		"an unread promise": {func(c clusterOfTwo) {
			c.promise(types.VirtualMachinePowerStatePoweredOn).Config.MemoryAllocation = nil
		}, []string{"the memory reservation of w, on another host, could not be read"}},
		"just room": {func(c clusterOfTwo) {
			c.promise(types.VirtualMachinePowerStatePoweredOn)
			c.vm.Config.MemoryAllocation.Reservation = new(int64(100))
		}, nil},
		"unread guarantee": {func(c clusterOfTwo) { c.vm.Config.MemoryAllocation = nil }, []string{"the memory reservation of v could not be read"}},
		"the vCenter":      {func(c clusterOfTwo) { c.vm.Config.Uuid = vcenterMachine }, []string{"the vCenter itself runs on it, as v"}},
		"vSAN is well":     {vsanOf("healthy", `{"dom_objects":{}}`), nil},
		"vSAN is ill":      {vsanOf("unhealthy", `{"dom_objects":{}}`), []string{"vSAN reports the state of the host as unhealthy"}},
		"vSAN works":       {vsanOf("healthy", `{"dom_objects":{"a":{},"b":{}}}`), []string{"vSAN resynchronises 2 objects"}},
		"vSAN mumbles":     {vsanOf("healthy", `{"error":"x"}`), []string{"vSAN's state could not be read: the host lists resynchronizing objects in a form that vperf does not understand"}},
		"vSAN is silent": {func(c clusterOfTwo) {
			c.host.Config.VsanHostConfig = &types.VsanHostConfigInfo{Enabled: new(true)}
			c.host.ConfigManager.VsanSystem, c.host.ConfigManager.VsanInternalSystem = nil, nil
		},
			[]string{"vSAN's state could not be read: the host offers no vSAN system", "vSAN's state could not be read: the host offers no vSAN internal system"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var host tuning.Target
			s := vspheretest.Start(t, vspheretest.SmallVPX(3), func(m *simulator.Model) {
				settings := m.Map().OptionManager()
				settings.Setting = append(settings.Setting, &types.OptionValue{Key: "VirtualCenter.HostBiosUuid", Value: vcenterMachine})
				c := newClusterOfTwo(m)
				config, hardware := *c.host.Config, *c.other.Hardware
				c.host.Config, c.other.Hardware = &config, &hardware
				tc.shape(c)
				host = tuning.Target{Kind: inventory.ScopeHost, ID: c.host.Self.Value, Name: "h1"}
			}).Dial(t)
			against, err := Obstacles(t.Context(), s, host)
			require.NoError(t, err)
			require.Equal(t, tc.want, against)
			require.LessOrEqual(t, s.Calls()["RetrievePropertiesEx"], 2, "one for the host, one for its neighbours, whatever is on them")
		})
	}
}

// fakeVSAN returns the configured answers about vSAN.
type fakeVSAN struct {
	mo.HostVsanSystem
	health string
}

type fakeVSANInternal struct {
	mo.HostVsanInternalSystem
	syncing string
}

func (f *fakeVSAN) QueryHostStatus(*types.QueryHostStatus) soap.HasFault {
	return &methods.QueryHostStatusBody{Res: &types.QueryHostStatusResponse{Returnval: types.VsanHostClusterStatus{Health: f.health}}}
}

func (f *fakeVSANInternal) QuerySyncingVsanObjects(*types.QuerySyncingVsanObjects) soap.HasFault {
	return &methods.QuerySyncingVsanObjectsBody{Res: &types.QuerySyncingVsanObjectsResponse{Returnval: f.syncing}}
}

func vsanOf(health, syncing string) func(clusterOfTwo) {
	return func(c clusterOfTwo) {
		v, i := &fakeVSAN{health: health}, &fakeVSANInternal{syncing: syncing}
		v.Self, i.Self = ref{Type: "HostVsanSystem", Value: "vsan-1"}, ref{Type: "HostVsanInternalSystem", Value: "vsan-2"}
		c.Map().Put(v)
		c.Map().Put(i)
		c.host.Config.VsanHostConfig = &types.VsanHostConfigInfo{Enabled: new(true)}
		c.host.ConfigManager.VsanSystem, c.host.ConfigManager.VsanInternalSystem = &v.Self, &i.Self
	}
}

func TestListingIsBounded(t *testing.T) {
	names := []string{}
	for i := range 12 {
		names = append(names, strconv.Itoa(99-i))
	}
	require.Equal(t, "88, 89, 90, 91, 92, 93, 94, 95, 96, 97 and 2 more", Listing(names))
}
