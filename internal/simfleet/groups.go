package simfleet

import (
	"fmt"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// Port groups that VMs are plugged into.
const (
	groupWeb    = "pg-web"
	groupLegacy = "pg-legacy"
)

// firstGroup is the number in the id of the first port group for VMs.
const firstGroup = 601

// groupRow is a port group of a distributed switch.
type groupRow struct {
	dvs, name       string
	policy          string
	active, standby []string
}

// groupTable has a switch whose groups go by the load, and one where half of the uplinks wait and the rest are chosen
// blindly.
var groupTable = []groupRow{
	{dvs: dvsGeneral, name: groupWeb, policy: "loadbalance_loadbased", active: []string{"Uplink 1", "Uplink 2"}},
	{dvs: dvsGeneral, name: groupLegacy, policy: "loadbalance_loadbased", active: []string{"Uplink 1", "Uplink 2"}},
	{dvs: dvsArchive, name: "pg-backup", policy: "failover_explicit", active: []string{"Uplink 1"}, standby: []string{"Uplink 2"}},
	{dvs: dvsArchive, name: "pg-restore", policy: "failover_explicit", active: []string{"Uplink 1"}, standby: []string{"Uplink 2"}},
	{dvs: dvsLowlat, name: "pg-trading", policy: "loadbalance_srcid", active: []string{"Uplink 1", "Uplink 2"}},
}

// addGroups makes the port groups of a switch.
func (b *builder) addGroups(s *simulator.DistributedVirtualSwitch, dvs string) []*simulator.DistributedVirtualPortgroup {
	if b.groups == nil {
		b.groups = map[string]types.DistributedVirtualSwitchPortConnection{}
	}
	var made []*simulator.DistributedVirtualPortgroup
	for i, row := range groupTable {
		if row.dvs != dvs {
			continue
		}
		g := new(simulator.DistributedVirtualPortgroup)
		g.Self = types.ManagedObjectReference{Type: "DistributedVirtualPortgroup", Value: fmt.Sprintf("dvportgroup-%d", firstGroup+i)}
		g.Name, g.Key = row.name, g.Self.Value
		g.Config = types.DVPortgroupConfigInfo{
			Key: g.Key, Name: g.Name, NumPorts: 8, DistributedVirtualSwitch: new(s.Self), Uplink: new(false),
			Type: string(types.DistributedVirtualPortgroupPortgroupTypeEarlyBinding), DefaultPortConfig: teaming(row),
		}
		g.Summary = &types.NetworkSummary{Network: &g.Self, Name: g.Name, Accessible: true}
		s.Portgroup = append(s.Portgroup, g.Self)
		b.groups[row.name] = types.DistributedVirtualSwitchPortConnection{SwitchUuid: s.Uuid, PortgroupKey: g.Key}
		made = append(made, g)
	}
	return made
}

func teaming(row groupRow) *types.VMwareDVSPortSetting {
	return &types.VMwareDVSPortSetting{UplinkTeamingPolicy: &types.VmwareUplinkPortTeamingPolicy{
		Policy:          &types.StringPolicy{Value: row.policy},
		ReversePolicy:   &types.BoolPolicy{Value: new(true)},
		NotifySwitches:  &types.BoolPolicy{Value: new(true)},
		RollingOrder:    &types.BoolPolicy{Value: new(false)},
		UplinkPortOrder: &types.VMwareUplinkPortOrderPolicy{ActiveUplinkPort: row.active, StandbyUplinkPort: row.standby},
	}}
}

// usualTraffic is what version 3 of Network I/O Control gives each kind of traffic when it is turned on.
var usualTraffic = []struct {
	class  string
	level  types.SharesLevel
	shares int32
}{
	{"management", types.SharesLevelNormal, 50}, {"faultTolerance", types.SharesLevelNormal, 50}, {"vmotion", types.SharesLevelNormal, 50},
	{"virtualMachine", types.SharesLevelHigh, 100}, {"iSCSI", types.SharesLevelNormal, 50}, {"nfs", types.SharesLevelNormal, 50},
	{"hbr", types.SharesLevelNormal, 50}, {"vsan", types.SharesLevelNormal, 50}, {"vdp", types.SharesLevelNormal, 50},
	{"backupNfc", types.SharesLevelNormal, 50}, {"nvmetcp", types.SharesLevelNormal, 50},
}

// trafficRow is what somebody gave one kind of traffic.
type trafficRow struct {
	shares, reservation, limit int64 // 0 is as it was, nothing and none
}

// trafficTable is by switch and kind: promises and limits where shares would do.
var trafficTable = map[string]map[string]trafficRow{
	dvsLab:     {"vmotion": {limit: 5000}, "virtualMachine": {reservation: 4000}, "nfs": {reservation: 5000}},
	"dvs-vsan": {"vsan": {shares: 25, reservation: 2000}, "vmotion": {shares: 100}},
}

// traffic is the switch's; version 2 has pools of another kind.
func (r dvsRow) traffic() []types.DvsHostInfrastructureTrafficResource {
	if r.version != niocV3 {
		return nil
	}
	var all []types.DvsHostInfrastructureTrafficResource
	for _, u := range usualTraffic {
		given := trafficTable[r.name][u.class]
		shares := &types.SharesInfo{Level: u.level, Shares: u.shares}
		if given.shares > 0 {
			shares = &types.SharesInfo{Level: types.SharesLevelCustom, Shares: int32(given.shares)}
		}
		all = append(all, types.DvsHostInfrastructureTrafficResource{
			Key: u.class, Description: u.class + " Traffic Type",
			AllocationInfo: types.DvsHostInfrastructureTrafficResourceAllocation{
				Limit: new(limit(given.limit)), Reservation: new(given.reservation), Shares: shares,
			},
		})
	}
	return all
}
