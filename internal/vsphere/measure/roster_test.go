package measure

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

func TestRoster(t *testing.T) {
	t.Parallel()
	model := vspheretest.SmallVPX(3)
	model.Machine = 2
	s := vspheretest.Start(t, model, func(m *simulator.Model) {
		vspheretest.AddHosts(t, m, 7)
		for i, o := range m.Map().All(property.TypeVM) {
			vm := o.(*simulator.VirtualMachine)
			vm.Config.Hardware.NumCPU = int32(i + 2)
			vm.Runtime.Host = &vspheretest.HostsOf(m)[1].Self
			vm.Name = []string{"web%2f01", "twin", "twin", "alone"}[i]
		}
		vspheretest.HostsOf(m)[2].Runtime.ConnectionState = types.HostSystemConnectionStateDisconnected
	})
	session := s.Dial(t)
	before := session.Calls()
	roster, err := ReadRoster(t.Context(), session)
	require.NoError(t, err)

	after := session.Calls()
	require.Equal(t, 1, after["RetrievePropertiesEx"]-before["RetrievePropertiesEx"], "one retrieval, whatever there is")
	require.Equal(t, after["CreateContainerView"], after["DestroyView"])

	all, err := roster.Choose(tree.Scope{})
	require.NoError(t, err)
	require.Len(t, all, 10)
	require.IsIncreasing(t, rosterNames(all))
	part, err := roster.Choose(tree.Scope{Clusters: []string{"DC0_C0"}})
	require.NoError(t, err)
	require.Len(t, part, 2)
	require.Equal(t, "DC0_C0", part[0].Cluster)
	require.Equal(t, "poweredOn", part[0].Power)
	version, known := part[0].Version.Value()
	require.True(t, known)
	require.Positive(t, version.Major)

	down := roster.hosts[vspheretest.HostsOf(s.Model)[2].Self]
	require.Equal(t, "host disconnected (state disconnected)", down.Down)

	_, err = roster.Choose(tree.Scope{Hosts: []string{"DC0_C0_H"}})
	var none *inventory.NoMatchError
	require.ErrorAs(t, err, &none)
	require.Contains(t, none.Near, "DC0_C0_H0")

	on := vspheretest.HostsOf(s.Model)[1].Self.Value
	vm, found := roster.vm(on, "web/01")
	require.True(t, found, "%v", roster.VMs(on))
	require.Equal(t, on, vm.Host)
	require.Equal(t, 2, vm.VCPUs)
	require.NotEmpty(t, vm.MoID)
	_, found = roster.vm(on, "twin")
	require.False(t, found, "VMs with the same name cannot be distinguished")
	_, found = roster.vm(part[0].MoID+"x", "web/01")
	require.False(t, found)
}

func rosterNames(hosts []RosterHost) (list []string) {
	for _, h := range hosts {
		list = append(list, h.Name)
	}
	return list
}

// VMs move. A roster that cannot be read again stays unchanged.
func TestRosterRefresh(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(2), nil)
	session := s.Dial(t)
	roster, err := ReadRoster(t.Context(), session)
	require.NoError(t, err)
	vm := s.Map().Any(property.TypeVM).(*simulator.VirtualMachine)
	from := vm.Runtime.Host.Value
	_, found := roster.vm(from, vm.Name)
	require.True(t, found)

	var to types.ManagedObjectReference
	for _, h := range vspheretest.HostsOf(s.Model) {
		if h.Self.Value != from {
			to = h.Self
		}
	}
	vm.Runtime.Host = &to
	require.NoError(t, roster.Refresh(t.Context()))
	_, found = roster.vm(from, vm.Name)
	require.False(t, found)
	_, found = roster.vm(to.Value, vm.Name)
	require.True(t, found)

	require.NoError(t, s.Server.Config.Close())
	require.Error(t, roster.Refresh(t.Context()))
	_, found = roster.vm(to.Value, vm.Name)
	require.True(t, found)
}

// A standalone host is its own server.
func TestRosterOfAHost(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, simulator.ESX(), nil)
	roster, err := ReadRoster(t.Context(), s.Dial(t))
	require.NoError(t, err)
	all, err := roster.Choose(tree.Scope{})
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, "ha-host", all[0].MoID)
	require.Empty(t, all[0].Cluster)
	require.Empty(t, all[0].Down)
	require.NotEmpty(t, roster.VMs("ha-host"))
	h, found := roster.host("ha-host")
	require.True(t, found)
	require.Equal(t, all[0], h)
}
