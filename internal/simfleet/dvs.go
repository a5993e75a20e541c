package simfleet

import (
	"fmt"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// firstDVS is the number in the first switch's id; its uplink port group has the next.
const firstDVS = 501

// addSwitches registers complete switches.
//
// govmomi v0.56.0 simulator: its own method assigns random ids, and creates no members and no Network I/O Control.
func (b *builder) addSwitches() error {
	for i, row := range fleetdata.Demo().Switches {
		b.addSwitch(row, firstDVS+2*i)
	}
	return nil
}

func (b *builder) addSwitch(row fleetdata.Switch, id int) {
	s, group := new(simulator.DistributedVirtualSwitch), new(simulator.DistributedVirtualPortgroup)
	s.Self = types.ManagedObjectReference{Type: "VmwareDistributedVirtualSwitch", Value: fmt.Sprintf("dvs-%d", id)}
	group.Self = types.ManagedObjectReference{Type: "DistributedVirtualPortgroup", Value: fmt.Sprintf("dvportgroup-%d", id+1)}
	group.Name, s.Name = row.Name+"-DVUplinks", row.Name
	s.Uuid = world.UUID(row.Name)
	s.Portgroup = []types.ManagedObjectReference{group.Self}
	others := b.addGroups(s, row.Name)
	var members []types.DistributedVirtualSwitchHostMember
	for _, e := range b.hostOrder {
		if e.Row.DVS != row.Name {
			continue
		}
		members = append(members, join(e, s.Uuid, row))
		s.Summary.HostMember = append(s.Summary.HostMember, e.System.Self)
		e.System.Network = append(e.System.Network, group.Self)
	}
	product := &types.DistributedVirtualSwitchProductSpec{
		Name: "DVS", Vendor: "VMware, Inc.", Version: row.Product, Build: "24022515", ForwardingClass: "etherswitch",
	}
	s.Summary.Name, s.Summary.Uuid, s.Summary.ProductInfo = row.Name, s.Uuid, product
	s.Summary.NumHosts, s.Summary.PortgroupName = int32(len(members)), []string{group.Name}
	for _, o := range others {
		s.Summary.PortgroupName = append(s.Summary.PortgroupName, o.Name)
	}
	s.Config = &types.VMwareDVSConfigInfo{
		DVSConfigInfo: types.DVSConfigInfo{
			Uuid: s.Uuid, Name: row.Name, ConfigVersion: "3", MaxPorts: 8192, NumPorts: 8, CreateTime: created, Host: members,
			UplinkPortPolicy: &types.DVSNameArrayUplinkPortPolicy{UplinkPortName: []string{"Uplink 1", "Uplink 2"}},
			UplinkPortgroup:  s.Portgroup[:1], ProductInfo: *product, DefaultPortConfig: new(types.VMwareDVSPortSetting),
			NetworkResourceManagementEnabled: row.NIOC, NetworkResourceControlVersion: row.Version,
			InfrastructureTrafficResourceConfig: trafficOf(row),
		},
		MaxMtu: row.MTU, LinkDiscoveryProtocolConfig: &types.LinkDiscoveryProtocolConfig{Protocol: "cdp", Operation: "listen"},
	}
	configureUplinks(group, s)
	folder := get[*simulator.Folder](b, b.datacenter.NetworkFolder)
	folder.ChildEntity = append(folder.ChildEntity, s.Self, group.Self)
	b.datacenter.Network = append(b.datacenter.Network, group.Self)
	b.ctx.Map.PutEntity(folder, s)
	b.ctx.Map.PutEntity(folder, group)
	for _, o := range others {
		o.Host = s.Summary.HostMember
		folder.ChildEntity = append(folder.ChildEntity, o.Self)
		b.datacenter.Network = append(b.datacenter.Network, o.Self)
		b.ctx.Map.PutEntity(folder, o)
	}
}

func configureUplinks(group *simulator.DistributedVirtualPortgroup, s *simulator.DistributedVirtualSwitch) {
	self := s.Self
	group.Key, group.Host = group.Self.Value, s.Summary.HostMember
	group.Config = types.DVPortgroupConfigInfo{
		Key: group.Key, Name: group.Name, NumPorts: 2, DistributedVirtualSwitch: &self, Uplink: new(true),
		Type: string(types.DistributedVirtualPortgroupPortgroupTypeEarlyBinding), DefaultPortConfig: teaming(fleetdata.PortGroup{Policy: "loadbalance_srcid"}),
	}
	group.Summary = &types.NetworkSummary{Network: &group.Self, Name: group.Name, Accessible: true}
}

// join makes the host a member with the NICs that are not on its standard switches, and adds the switch to the host's own
// configuration.
func join(e *esxi.Host, id string, row fleetdata.Switch) types.DistributedVirtualSwitchHostMember {
	backing := new(types.DistributedVirtualSwitchHostMemberPnicBacking)
	n := e.System.Config.Network
	proxy := types.HostProxySwitch{DvsUuid: id, DvsName: row.Name, Key: "DvsPortset-0", NumPorts: 8192, Mtu: row.MTU}
	for _, nic := range n.Pnic[len(e.Uplinks()):len(e.Row.Server.Slots)] {
		backing.PnicSpec = append(backing.PnicSpec, types.DistributedVirtualSwitchHostMemberPnicSpec{PnicDevice: nic.Device})
		proxy.Pnic = append(proxy.Pnic, nic.Key)
	}
	proxy.Spec.Backing = backing
	n.ProxySwitch = append(n.ProxySwitch, proxy)
	host := e.System.Self
	return types.DistributedVirtualSwitchHostMember{
		Status: string(types.DistributedVirtualSwitchHostMemberHostComponentStateUp),
		Config: types.DistributedVirtualSwitchHostMemberConfigInfo{Host: &host, MaxProxySwitchPorts: 8192, Backing: backing},
	}
}
