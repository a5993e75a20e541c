package change

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/change/condition"
	"github.com/vperf/vperf/internal/vsphere/hostfacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

func TestHealthOfTheFleet(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter", "host-down"))
	all := targets(t, s.Session)
	before := s.Calls()["RetrievePropertiesEx"]
	found, err := s.tuning().Power.Health(t.Context(), []tuning.Target{
		all["host04.demo.local"], all["host08.demo.local"], {Kind: inventory.ScopeHost, ID: "host-9999"}, all["host06.demo.local"], all["host05.demo.local"],
	})
	require.NoError(t, err)
	require.Equal(t, []string{"Host memory usage"}, found[4].RedAlarms)
	require.Equal(t, before+2, s.Calls()["RetrievePropertiesEx"])
	require.Empty(t, found[0].Trouble)
	require.Equal(t, all["host04.demo.local"], found[0].Host)
	require.Equal(t, []string{"vmnic3"}, found[0].DeadUplinks)
	require.Positive(t, found[0].LivePaths)
	require.Equal(t, "host not responding (state notResponding)", found[1].Trouble)
	require.Equal(t, "the server no longer has it", found[2].Trouble)
	require.Empty(t, found[3].Trouble)
	require.Empty(t, found[3].DeadUplinks)
	require.Empty(t, found[3].RedAlarms)
	none, err := s.tuning().Power.Health(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestHealth(t *testing.T) {
	t.Parallel()
	lun := func(states ...string) types.HostMultipathInfoLogicalUnit {
		var u types.HostMultipathInfoLogicalUnit
		for _, s := range states {
			u.Path = append(u.Path, types.HostMultipathInfoPath{State: s})
		}
		return u
	}
	var hosts []tuning.Target
	sim := vspheretest.Start(t, vspheretest.SmallVPX(3), func(m *simulator.Model) {
		alarms := m.Map().AllReference("Alarm")
		require.Greater(t, len(alarms), 2)
		on := func(i int, status types.ManagedEntityStatus, e ref) types.AlarmState {
			return types.AlarmState{Key: "k", Entity: e, Alarm: alarms[i].Reference(), OverallStatus: status}
		}
		for i, h := range vspheretest.HostsOf(m) {
			hosts = append(hosts, tuning.Target{Kind: inventory.ScopeHost, ID: h.Self.Value})
			config := *h.Config
			h.Config = &config
			config.StorageDevice = &types.HostStorageDeviceInfo{MultipathInfo: &types.HostMultipathInfo{Lun: []types.HostMultipathInfoLogicalUnit{
				lun("active", "dead"), lun("standby", "disabled"),
			}}}
			switch i {
			case 0:
				h.TriggeredAlarmState = []types.AlarmState{
					on(1, types.ManagedEntityStatusRed, h.Self), on(0, types.ManagedEntityStatusRed, h.Self), on(0, types.ManagedEntityStatusRed, h.Self),
					on(2, types.ManagedEntityStatusYellow, h.Self), on(2, types.ManagedEntityStatusRed, ref{Type: property.TypeVM, Value: "vm-1"}),
				}
			case 1:
				h.TriggeredAlarmState = []types.AlarmState{on(1, types.ManagedEntityStatusRed, h.Self)}
			case 2:
				h.Config = nil
			}
		}
		alarms[0].(*simulator.Alarm).Info.Name, alarms[1].(*simulator.Alarm).Info.Name = "b\nad", "a fan"
	})
	s := estateOn(sim.Dial(t))
	found, err := s.tuning().Power.Health(t.Context(), hosts)
	require.NoError(t, err)
	require.Equal(t, []string{"a fan", "b ad"}, found[0].RedAlarms)
	require.Equal(t, []string{"a fan"}, found[1].RedAlarms)
	require.Equal(t, 2, found[0].LivePaths)
	require.Empty(t, found[0].Trouble)
	require.Equal(t, "its uplinks could not be read: the server returned no config", found[2].Trouble)
	require.Equal(t, 2, s.Calls()["RetrievePropertiesEx"], "for any number of hosts and alarms")
}

// A host's health cannot be relied on if a property that must not get worse cannot be read: a change for the worse would go
// unnoticed.
func TestHealthThatCannotBeSeen(t *testing.T) {
	all := map[string]any{
		tree.PathName: "h", tree.PathConnection: types.HostSystemConnectionStateConnected, tree.PathPower: types.HostSystemPowerStatePoweredOn,
		tree.PathStandby: "none", condition.PathQuarantine: false, tree.PathVersion: "8.0.3", pathAlarms: types.ArrayOfAlarmState{}, hostfacts.PathPNIC: types.ArrayOfPhysicalNic{},
		hostfacts.PathStandard: types.ArrayOfHostVirtualSwitch{}, hostfacts.PathDistributed: types.ArrayOfHostProxySwitch{}, hostfacts.PathMultipath: types.HostMultipathInfo{},
	}
	see := func(hidden string, instead any) tuning.Health {
		p := &property.Props{Ref: ref{Type: property.TypeHost, Value: "host-1"}, Values: map[string]any{}, Unknown: func(string) bool { return false }}
		for path, v := range all {
			if path != hidden {
				p.Values[path] = v
			}
		}
		if instead != nil {
			p.Values[hidden] = instead
		} else {
			p.Missing = map[string]types.BaseMethodFault{hidden: &types.NoPermission{}}
		}
		return health(tuning.Target{ID: "host-1"}, p, nil)
	}
	require.Empty(t, see("none", 1).Trouble)
	for _, path := range []string{tree.PathConnection, tree.PathPower, tree.PathStandby, condition.PathQuarantine, pathAlarms, hostfacts.PathPNIC, hostfacts.PathMultipath} {
		require.NotEmpty(t, see(path, nil).Trouble, path)
	}
	require.Equal(t, "planned absence: in standby", see(tree.PathStandby, "in").Trouble)
	require.Equal(t, "it is in quarantine", see(condition.PathQuarantine, true).Trouble)
	nic := types.PhysicalNic{Device: "vmnic0", Key: "key-vmnic0"}
	idle := see(hostfacts.PathPNIC, types.ArrayOfPhysicalNic{PhysicalNic: []types.PhysicalNic{nic}})
	require.Empty(t, idle.Trouble)
	require.Empty(t, idle.DeadUplinks, "a NIC that no switch uses is not an uplink")
}
