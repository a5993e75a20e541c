package simfleet

import (
	"fmt"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// firstGroup is the number in the id of the first port group for VMs.
const firstGroup = 601

// addGroups creates the port groups of a switch.
func (b *builder) addGroups(s *simulator.DistributedVirtualSwitch, dvs string) []*simulator.DistributedVirtualPortgroup {
	if b.groups == nil {
		b.groups = map[string]types.DistributedVirtualSwitchPortConnection{}
	}
	var made []*simulator.DistributedVirtualPortgroup
	for i, row := range fleetdata.Demo().PortGroups {
		if row.DVS != dvs {
			continue
		}
		g := new(simulator.DistributedVirtualPortgroup)
		g.Self = types.ManagedObjectReference{Type: "DistributedVirtualPortgroup", Value: fmt.Sprintf("dvportgroup-%d", firstGroup+i)}
		g.Name, g.Key = row.Name, g.Self.Value
		g.Config = types.DVPortgroupConfigInfo{
			Key: g.Key, Name: g.Name, NumPorts: 8, DistributedVirtualSwitch: new(s.Self), Uplink: new(false),
			Type: string(types.DistributedVirtualPortgroupPortgroupTypeEarlyBinding), DefaultPortConfig: teaming(row),
		}
		g.Summary = &types.NetworkSummary{Network: &g.Self, Name: g.Name, Accessible: true}
		s.Portgroup = append(s.Portgroup, g.Self)
		b.groups[row.Name] = types.DistributedVirtualSwitchPortConnection{SwitchUuid: s.Uuid, PortgroupKey: g.Key}
		made = append(made, g)
	}
	return made
}

func teaming(row fleetdata.PortGroup) *types.VMwareDVSPortSetting {
	return &types.VMwareDVSPortSetting{UplinkTeamingPolicy: &types.VmwareUplinkPortTeamingPolicy{
		Policy:          &types.StringPolicy{Value: row.Policy},
		ReversePolicy:   &types.BoolPolicy{Value: new(true)},
		NotifySwitches:  &types.BoolPolicy{Value: new(true)},
		RollingOrder:    &types.BoolPolicy{Value: new(false)},
		UplinkPortOrder: &types.VMwareUplinkPortOrderPolicy{ActiveUplinkPort: row.Active, StandbyUplinkPort: row.Standby},
	}}
}

// trafficOf returns the traffic classes of a switch; version 2 has pools of a different type.
func trafficOf(r fleetdata.Switch) []types.DvsHostInfrastructureTrafficResource {
	if r.Version != string(types.DistributedVirtualSwitchNetworkResourceControlVersionVersion3) {
		return nil
	}
	var all []types.DvsHostInfrastructureTrafficResource
	for _, u := range fleetdata.Demo().Traffic {
		given := r.Traffic[u.Class]
		shares := &types.SharesInfo{Level: types.SharesLevel(u.Level), Shares: u.Shares}
		if given.Shares > 0 {
			shares = &types.SharesInfo{Level: types.SharesLevelCustom, Shares: given.Shares}
		}
		all = append(all, types.DvsHostInfrastructureTrafficResource{
			Key: u.Class, Description: u.Class + " Traffic Type",
			AllocationInfo: types.DvsHostInfrastructureTrafficResourceAllocation{
				Limit: new(limit(given.Limit)), Reservation: new(given.Reservation), Shares: shares,
			},
		})
	}
	return all
}
