package evacuation

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// TestWhatKeepsAHostInService has one case for each obstacle to evacuating a host, in a cluster of three hosts.
func TestWhatKeepsAHostInService(t *testing.T) {
	t.Parallel()
	has := func(d types.BaseVirtualDevice) func(clusterOfTwo, *simulator.HostSystem) {
		return func(c clusterOfTwo, _ *simulator.HostSystem) {
			c.vm.Config.Hardware.Device = append(c.vm.Config.Hardware.Device, d)
		}
	}
	free := func(h *simulator.HostSystem, mb int64) {
		hardware := *h.Hardware
		hardware.MemorySize = mb << 20
		h.Hardware = &hardware
	}
	const device = "bound to a device of the host: v would stay"
	for name, tc := range map[string]struct {
		shape func(c clusterOfTwo, third *simulator.HostSystem)
		want  []string
	}{
		"nothing":             {func(clusterOfTwo, *simulator.HostSystem) {}, nil},
		"a card passed on":    {has(&types.VirtualPCIPassthrough{}), []string{device}},
		"a disk passed on":    {has(&types.VirtualSCSIPassthrough{}), []string{device}},
		"a part of a NIC":     {has(&types.VirtualSriovEthernetCard{}), []string{device}},
		"USB of this host":    {has(&types.VirtualUSB{VirtualDevice: types.VirtualDevice{Backing: &types.VirtualUSBUSBBackingInfo{}}}), []string{device}},
		"USB of another host": {has(&types.VirtualUSB{VirtualDevice: types.VirtualDevice{Backing: &types.VirtualUSBRemoteHostBackingInfo{}}}), nil},
		"pinned to CPUs": {func(c clusterOfTwo, _ *simulator.HostSystem) {
			c.vm.Config.CpuAffinity = &types.VirtualMachineAffinityInfo{AffinitySet: []int32{1}}
		}, []string{"bound by CPU affinity: v would stay"}},
		"it is in standby":    {func(c clusterOfTwo, _ *simulator.HostSystem) { c.host.Runtime.StandbyMode = "in" }, []string{"planned absence: in standby"}},
		"it is in quarantine": {func(c clusterOfTwo, _ *simulator.HostSystem) { c.host.Runtime.InQuarantineMode = new(true) }, []string{"it is in quarantine"}},
		"the others are of no use": {func(c clusterOfTwo, third *simulator.HostSystem) {
			c.other.Runtime.InQuarantineMode, third.Runtime.StandbyMode = new(true), "in"
		}, []string{"no other host of the cluster can take its virtual machines"}},
		"no host has room for the largest": {func(c clusterOfTwo, third *simulator.HostSystem) {
			free(c.other, 60)
			free(third, 50)
			c.vm.Config.MemoryAllocation.Reservation = new(int64(61))
		}, []string{"its virtual machines reserve 61 MB (one of them 61 MB), and the other 2 hosts have 110 MB unreserved (one has 60 MB)"}},
		"room for the largest": {func(c clusterOfTwo, third *simulator.HostSystem) {
			free(c.other, 61)
			free(third, 50)
			c.vm.Config.MemoryAllocation.Reservation = new(int64(61))
		}, nil},
		"room for each, not for all": {func(c clusterOfTwo, third *simulator.HostSystem) {
			free(c.other, 60)
			free(third, 50)
			c.vm.Config.MemoryAllocation.Reservation = new(int64(60))
			c.guest("w").Config.MemoryAllocation.Reservation = new(int64(51))
		}, []string{"its virtual machines reserve 111 MB (one of them 60 MB), and the other 2 hosts have 110 MB unreserved (one has 60 MB)"}},
		"kept from the others by a rule": {func(c clusterOfTwo, third *simulator.HostSystem) {
			c.drs.Group = []types.BaseClusterGroupInfo{
				&types.ClusterVmGroup{ClusterGroupInfo: types.ClusterGroupInfo{Name: "vms"}, Vm: []types.ManagedObjectReference{c.vm.Self}},
				&types.ClusterHostGroup{ClusterGroupInfo: types.ClusterGroupInfo{Name: "hosts"}, Host: []types.ManagedObjectReference{c.other.Self, third.Self}},
			}
			c.drs.Rule = []types.BaseClusterRuleInfo{&types.ClusterVmHostRuleInfo{
				ClusterRuleInfo: types.ClusterRuleInfo{Name: "apart", Enabled: new(true), Mandatory: new(true)},
				VmGroupName:     "vms", AntiAffineHostGroupName: "hosts",
			}}
		}, []string{"tied to the host by rule apart: v would stay"}},
		"its devices are not seen": {func(c clusterOfTwo, _ *simulator.HostSystem) { c.vm.Config = nil },
			[]string{"its devices could not be read: the server returned no config: v would stay", "the memory reservation of v could not be read"}},
		"whether it has vSAN is not seen": {func(c clusterOfTwo, _ *simulator.HostSystem) { c.host.Config = nil },
			[]string{"whether it takes part in vSAN could not be read: the server returned no config"}},
		"DRS is not seen": {func(c clusterOfTwo, _ *simulator.HostSystem) { c.cluster.ConfigurationEx = nil },
			[]string{"the configuration of its cluster could not be read: the server returned no configurationEx: v would stay"}},
		"a host's memory is not seen": {func(c clusterOfTwo, _ *simulator.HostSystem) { c.other.Name, c.other.Hardware = "h2", nil },
			[]string{"how much memory h2 has could not be read"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var host tuning.Target
			m := vspheretest.SmallVPX(4)
			m.Machine = 2
			s := vspheretest.Start(t, m, func(m *simulator.Model) {
				c := newClusterOfTwo(m)
				tc.shape(c, c.third(t))
				host = tuning.Target{Kind: inventory.ScopeHost, ID: c.host.Self.Value, Name: "h1"}
			}).Dial(t)
			against, err := Obstacles(t.Context(), s, host)
			require.NoError(t, err)
			require.Equal(t, tc.want, against)
		})
	}
}

// third adds a third host to the cluster. Like the other two it has hardware of its own from now on, and only v runs.
func (c *clusterOfTwo) third(t *testing.T) *simulator.HostSystem {
	t.Helper()
	var third *simulator.HostSystem
	for _, h := range vspheretest.HostsOf(c.Model) {
		if *h.Parent != c.cluster.Self {
			continue
		}
		hardware := *h.Hardware
		h.Hardware = &hardware
		for _, r := range h.Vm {
			if vm := c.Map().Get(r).(*simulator.VirtualMachine); vm != c.vm {
				vm.Runtime.PowerState = types.VirtualMachinePowerStatePoweredOff
			}
		}
		if h != c.host && h != c.other {
			third = h
		}
	}
	require.NotNil(t, third)
	return third
}

// guest adds another VM that runs on the first host.
func (c clusterOfTwo) guest(name string) *simulator.VirtualMachine {
	for _, o := range c.Map().All(property.TypeVM) {
		vm := o.(*simulator.VirtualMachine)
		if vm == c.vm {
			continue
		}
		vm.Name, vm.Runtime.PowerState = name, types.VirtualMachinePowerStatePoweredOn
		vm.Config.MemoryAllocation = &types.ResourceAllocationInfo{Reservation: new(int64(0))}
		vm.Guest = &types.GuestInfo{}
		vm.Runtime.Host = &c.host.Self
		c.host.Vm = append(c.host.Vm, vm.Self)
		return vm
	}
	return nil
}
