package read

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// switchOfModel returns the distributed switch of SmallVPX.
func switchOfModel(m *simulator.Model) *simulator.DistributedVirtualSwitch {
	return m.Map().Any("DistributedVirtualSwitch").(*simulator.DistributedVirtualSwitch)
}

func TestSwitches(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SwitchedVPX(3), func(m *simulator.Model) {
		dvs := switchOfModel(m)
		config := dvs.Config.GetDVSConfigInfo()
		config.NetworkResourceManagementEnabled, config.NetworkResourceControlVersion = true, "version3"
		hosts := vspheretest.HostsOf(m)
		dvs.Summary.HostMember = []types.ManagedObjectReference{hosts[0].Self, hosts[2].Self}
	})
	for _, fact := range []string{"Switch.niocEnabled", "Switch.hostIds"} {
		vc := readSim(t, s, vspheretest.NeedsOf(fact))
		require.Equal(t, []string{"/DC0/network/DVS0"}, paths(vc.Switches))
		require.Equal(t, inventory.SwitchDistributed, vc.Switches[0].Kind)
		require.Equal(t, inventory.Known([]string{vc.Hosts[0].ID, vc.Hosts[2].ID}), vc.Switches[0].HostIDs)
	}
	require.Equal(t, inventory.Known(true), readSim(t, s, inventory.Everything()).Switches[0].NIOCEnabled)
	require.Len(t, readSim(t, s, inventory.Everything(), "DC0_H0").Switches, 1, "a target that is a member")
	require.Equal(t, []*inventory.Switch{}, readSim(t, s, inventory.Everything(), "DC0_C0_H1").Switches, "a target that is none")
	require.Equal(t, []*inventory.Switch{}, readSim(t, s, vspheretest.NeedsOf("Host.cores")).Switches, "switches are not needed")
}

// TestSwitchesOfBothTypes: VMware's own switch is a subtype of the general one.
func TestSwitchesOfBothTypes(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SwitchedVPX(1), func(m *simulator.Model) {
		own := new(simulator.DistributedVirtualSwitch)
		own.Self = types.ManagedObjectReference{Type: "VmwareDistributedVirtualSwitch", Value: "dvs-1000"}
		own.Name = "own%2fswitch"
		own.Config = new(types.VMwareDVSConfigInfo)
		own.Summary.Uuid = "u"
		ctx := m.Service.Context
		folder := ctx.Map.Get(*switchOfModel(m).Parent).(*simulator.Folder)
		own.Parent = new(folder.Self)
		ctx.Map.Put(own)
		folder.ChildEntity = append(folder.ChildEntity, own.Self)
	})
	session := s.Dial(t)
	vc, err := Inventory(t.Context(), session, tree.Scope{}, vspheretest.NeedsOf("Switch.niocEnabled"), nil)
	require.NoError(t, err)
	require.Equal(t, []string{"/DC0/network/DVS0", "/DC0/network/own%2fswitch"}, paths(vc.Switches))
	require.Equal(t, "own/switch", vc.Switches[1].Name)
	require.Equal(t, inventory.Known(false), vc.Switches[1].NIOCEnabled)
	require.Equal(t, map[string]int{
		"RetrieveServiceContent": 1, "Login": 1, "CurrentTime": 1, "CreateContainerView": 1, "RetrievePropertiesEx": 1, "DestroyView": 1,
	}, session.Calls(), "switches come with the index")
}

func TestNoPermissionOnSwitches(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SwitchedVPX(1), nil)
	value := regexp.MustCompile(`<propSet><name>(config\.network[^<]*|summary\.[^<]*)</name>.*?</propSet>`)
	s.Rewrite(func(_, answer []byte) []byte {
		return value.ReplaceAll(answer, []byte(`<missingSet><path>$1</path><fault><fault xsi:type="NoPermission"><privilegeId>System.Read</privilegeId></fault>`+
			`<localizedMessage></localizedMessage></fault></missingSet>`))
	})
	vc := readSim(t, s, vspheretest.NeedsOf("Switch.niocEnabled"))
	require.Equal(t, "no permission (privilege System.Read)", vc.Switches[0].Unread)
	require.Equal(t, "unread: no permission (privilege System.Read)", vspheretest.ReasonOf(&vc.Switches[0].HostIDs))
}
