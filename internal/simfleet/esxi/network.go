package esxi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

const (
	pnicKeyPrefix = "key-vim.host.PhysicalNic-"
	netmask       = "255.255.255.0"
)

// The VMkernel adapters: the first is for management, the second for vMotion.
const (
	vmkKeyPrefix    = "key-vim.host.VirtualNic-"
	managementGroup = "Management Network"
	vmotionGroup    = "vMotion"
	firstVMK        = 0x80 // in the last byte of a MAC address
)

const (
	switchKeyPrefix = "key-vim.host.VirtualSwitch-"
	defaultMTU      = int32(1500)
)

// configureNetwork sets the host's NICs, switches, VMkernel adapters and name. The simulator has copied the whole network
// configuration for this host, so it may be changed in place.
func (e *Host) configureNetwork() {
	n := e.System.Config.Network
	n.Pnic = e.pnics()
	e.configureSwitches(n)
	n.Vnic = e.vmknics(n.Vnic[0])
	short, domain, _ := strings.Cut(e.Row.Name, ".")
	dns := types.HostDnsConfig{HostName: short, DomainName: domain, Address: []string{"192.0.2.2"}, SearchDomain: []string{domain}}
	n.DnsConfig = &dns
	for i := range n.NetStackInstance {
		if n.NetStackInstance[i].Key == "defaultTcpipStack" {
			own := dns
			n.NetStackInstance[i].DnsConfig = &own
		}
	}
	n.IpRouteConfig = &types.HostIpRouteConfig{DefaultGateway: "192.0.2.1"}
	e.System.Config.VirtualNicManagerInfo = &types.HostVirtualNicManagerInfo{NetConfig: e.services()}
}

func (e *Host) pnics() []types.PhysicalNic {
	var nics []types.PhysicalNic
	for i, c := range e.Cards() {
		name := nicName(i)
		nic := types.PhysicalNic{
			Key: pnicKeyPrefix + name, Device: name, Pci: c.PCI(), Driver: c.Driver,
			LinkSpeed: e.linkOf(i, c), ValidLinkSpecification: speedsOf(c),
			Spec: types.PhysicalNicSpec{Ip: &types.HostIpConfig{}}, Mac: world.MAC("24:8a:07", e.number, i),
			AutoNegotiateSupported: new(true), WakeOnLanSupported: false,
		}
		e.configureEDP(&nic, c)
		nics = append(nics, nic)
	}
	return nics
}

// linkOf returns the link state, or nil for a NIC that is down.
func (e *Host) linkOf(i int, c world.Card) *types.PhysicalNicLinkInfo {
	if i >= len(e.Row.Server.Slots)+e.Row.Board { // the unused onboard NIC
		return nil
	}
	l, own := e.Row.Links[nicName(i)]
	switch {
	case !own:
		return &types.PhysicalNicLinkInfo{SpeedMb: c.Mbps, Duplex: true}
	case l.Mbps == 0:
		return nil
	}
	return &types.PhysicalNicLinkInfo{SpeedMb: l.Mbps, Duplex: !l.Half}
}

// speedsOf returns the speeds of a NIC. Copper NICs support lower speeds; fast ones have a single speed.
func speedsOf(c world.Card) []types.PhysicalNicLinkInfo {
	var list []types.PhysicalNicLinkInfo
	for _, s := range []types.PhysicalNicLinkInfo{
		{SpeedMb: 100}, {SpeedMb: 100, Duplex: true}, {SpeedMb: 1000, Duplex: true}, {SpeedMb: 10_000, Duplex: true},
	} {
		if c.Copper && s.SpeedMb < c.Mbps {
			list = append(list, s)
		}
	}
	return append(list, types.PhysicalNicLinkInfo{SpeedMb: c.Mbps, Duplex: true})
}

// configureEDP sets the fields introduced with Enhanced Data Path, and those of 8.0.
func (e *Host) configureEDP(nic *types.PhysicalNic, c world.Card) {
	if !e.Row.HasEDP() {
		return
	}
	able, on := c.EDPCapable, c.EDPCapable && e.Row.EDP
	nic.EnhancedNetworkingStackSupported = new(able)
	nic.EnsInterruptSupported = new(able)
	nic.Spec.EnableEnhancedNetworkingStack = new(on)
	nic.Spec.EnsInterruptEnabled = new(on)
	if e.Row.Version >= "8" {
		nic.DriverVersion, nic.FirmwareVersion = c.DriverVersion, c.Firmware
	}
}

// Uplinks returns the NICs on vSwitch0.
func (e *Host) Uplinks() []types.PhysicalNic {
	n := len(e.Row.Server.Slots)
	if e.Row.Uplinks > 0 {
		n = e.Row.Uplinks
	}
	return e.System.Config.Network.Pnic[:n]
}

// switchRows returns the host's standard switches. vMotion is on the first unless another has a port group for it.
func (e *Host) switchRows() []fleetdata.HostSwitch {
	first := fleetdata.HostSwitch{Name: "vSwitch0", MTU: e.Row.MTU, Groups: []string{world.VMNetwork, managementGroup}}
	for i := range e.Uplinks() {
		first.NICs = append(first.NICs, nicName(i))
	}
	if !slices.ContainsFunc(e.Row.Switches, func(r fleetdata.HostSwitch) bool { return slices.Contains(r.Groups, vmotionGroup) }) {
		first.Groups = append(first.Groups, vmotionGroup)
	}
	return append([]fleetdata.HostSwitch{first}, e.Row.Switches...)
}

// configureSwitches creates switches and port groups from the simulator's templates.
func (e *Host) configureSwitches(n *types.HostNetworkInfo) {
	stockSwitch, stockGroups := n.Vswitch[0], n.Portgroup
	n.Vswitch, n.Portgroup = nil, nil
	for _, row := range e.switchRows() {
		s := e.vswitch(stockSwitch, row)
		for _, name := range row.Groups {
			g := e.portgroup(stockGroups, name, row)
			s.Portgroup = append(s.Portgroup, g.Key)
			n.Portgroup = append(n.Portgroup, g)
		}
		n.Vswitch = append(n.Vswitch, s)
	}
}

func (e *Host) vswitch(s types.HostVirtualSwitch, row fleetdata.HostSwitch) types.HostVirtualSwitch {
	s.Name, s.Key, s.Mtu = row.Name, switchKeyPrefix+row.Name, cmp.Or(row.MTU, defaultMTU)
	s.Pnic, s.Portgroup = nil, nil
	for _, nic := range row.NICs {
		s.Pnic = append(s.Pnic, pnicKeyPrefix+nic)
	}
	team := nicTeaming(fleetdata.Team{Active: row.NICs})
	s.Spec.Bridge = &types.HostVirtualSwitchBondBridge{NicDevice: team.NicOrder.ActiveNic}
	s.Spec.Policy = &types.HostNetworkPolicy{NicTeaming: team}
	return s
}

// portgroup returns the template group of that name, or a copy of the first. Its teaming policy is its switch's unless it has its
// own.
func (e *Host) portgroup(stock []types.HostPortGroup, name string, on fleetdata.HostSwitch) types.HostPortGroup {
	g := stock[0]
	if i := slices.IndexFunc(stock, func(g types.HostPortGroup) bool { return g.Spec.Name == name }); i >= 0 {
		g = stock[i]
	} else {
		g.Port = nil
	}
	g.Key, g.Spec.Name = "key-vim.host.PortGroup-"+name, name
	g.Vswitch, g.Spec.VswitchName = switchKeyPrefix+on.Name, on.Name
	g.Spec.Policy.NicTeaming = nil
	g.ComputedPolicy.NicTeaming = nicTeaming(fleetdata.Team{Active: on.NICs})
	if own, ok := e.Row.Teams[name]; ok {
		g.Spec.Policy.NicTeaming, g.ComputedPolicy.NicTeaming = nicTeaming(own), nicTeaming(own)
	}
	return g
}

func nicTeaming(row fleetdata.Team) *types.HostNicTeamingPolicy {
	order := &types.HostNicOrderPolicy{ActiveNic: row.Active, StandbyNic: row.Standby}
	return &types.HostNicTeamingPolicy{
		Policy: cmp.Or(row.Policy, "loadbalance_srcid"), NotifySwitches: new(true), RollingOrder: new(false), NicOrder: order,
	}
}

func nicName(i int) string { return fmt.Sprintf("vmnic%d", i) }

func (e *Host) vmknics(stock types.HostVirtualNic) []types.HostVirtualNic {
	rows := append([]fleetdata.VMK{
		{Group: managementGroup, Address: e.Row.Address},
		{Group: vmotionGroup, Address: e.vmotionAddress(), MTU: e.Row.VMotionMTU},
	}, e.Row.VMKs...)
	list := make([]types.HostVirtualNic, len(rows))
	for i, row := range rows {
		v := stock
		v.Device = vmkName(i)
		v.Key = vmkKeyPrefix + v.Device
		v.Portgroup, v.Spec.Portgroup = row.Group, row.Group
		e.configureVMK(&v, i, row)
		list[i] = v
	}
	return list
}

func vmkName(i int) string { return fmt.Sprintf("vmk%d", i) }

// vmotionAddress returns an address in the benchmark range, next to those of the clones.
func (e *Host) vmotionAddress() string {
	return fmt.Sprintf("198.18.%d.%d", 128+e.number>>8, e.number&0xff)
}

func (e *Host) configureVMK(v *types.HostVirtualNic, n int, row fleetdata.VMK) {
	v.Spec.Ip = &types.HostIpConfig{IpAddress: row.Address, SubnetMask: netmask}
	v.Spec.Mac = world.MAC("24:8a:07", e.number, firstVMK+n)
	v.Spec.NetStackInstanceKey = "defaultTcpipStack"
	v.Spec.Mtu, v.Spec.TsoEnabled = cmp.Or(row.MTU, defaultMTU), new(true)
	if row.DVS != "" {
		v.Spec.DistributedVirtualPort = &types.DistributedVirtualSwitchPortConnection{SwitchUuid: world.UUID(row.DVS), PortKey: "10"}
	}
}

// mirrorNetwork sets the host's network system to the configuration. The lists that it edits are copies.
func (e *Host) mirrorNetwork(s *simulator.HostNetworkSystem) {
	own := *e.System.Config.Network
	own.Vswitch, own.Portgroup = slices.Clone(own.Vswitch), slices.Clone(own.Portgroup)
	s.NetworkInfo = &own
	s.DnsConfig = own.DnsConfig
}

// services lists each kind of traffic with its candidate adapters and the selected one.
func (e *Host) services() []types.VirtualNicManagerNetConfig {
	var list []types.VirtualNicManagerNetConfig
	for _, kind := range []string{"faultToleranceLogging", "management", "vmotion", "vSphereReplication", "vsan"} {
		c := types.VirtualNicManagerNetConfig{NicType: kind, MultiSelectAllowed: true}
		for _, vmk := range e.System.Config.Network.Vnic {
			vmk.Key = kind + "." + vmk.Key
			c.CandidateVnic = append(c.CandidateVnic, vmk)
			if e.carries(vmk.Device) == kind {
				c.SelectedVnic = append(c.SelectedVnic, vmk.Key)
			}
		}
		list = append(list, c)
	}
	return list
}

// carries returns the traffic of an adapter.
func (e *Host) carries(device string) string {
	for i, service := range e.Row.Services() {
		if vmkName(i) == device {
			return service
		}
	}
	return ""
}

// mirrorServices sets the manager of VMkernel adapters to the configuration.
func (e *Host) mirrorServices(m *simulator.HostVirtualNicManager) {
	m.Info = types.HostVirtualNicManagerInfo{NetConfig: e.services()}
}
