package simfleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	pnicKeyPrefix = "key-vim.host.PhysicalNic-"
	netmask       = "255.255.255.0"
)

// The VMkernel adapters: one manages the host, one moves VMs.
const (
	vmkManagement = "vmk0"
	vmkVMotion    = "vmk1"
	vmkKeyPrefix  = "key-vim.host.VirtualNic-"
	vmotionGroup  = "vMotion"
	firstVMK      = 0x80 // in the last byte of a MAC address
)

// dressNetwork gives the host its NICs, switches and VMkernel adapters, and its name. The simulator copied the whole
// network configuration for this host, so its parts may be changed in place.
func (e *esxi) dressNetwork() {
	n := e.host.Config.Network
	n.Pnic = e.pnics()
	e.dressSwitch(&n.Vswitch[0])
	n.Portgroup = append(n.Portgroup, vmotionPortgroup(n.Portgroup))
	n.Vnic = e.vmknics(n.Vnic[0])
	short, domain, _ := strings.Cut(e.row.name, ".")
	dns := types.HostDnsConfig{HostName: short, DomainName: domain, Address: []string{"192.0.2.2"}, SearchDomain: []string{domain}}
	n.DnsConfig = &dns
	for i := range n.NetStackInstance {
		if n.NetStackInstance[i].Key == "defaultTcpipStack" {
			own := dns
			n.NetStackInstance[i].DnsConfig = &own
		}
	}
	n.IpRouteConfig = &types.HostIpRouteConfig{DefaultGateway: "192.0.2.1"}
	e.host.Config.VirtualNicManagerInfo = &types.HostVirtualNicManagerInfo{NetConfig: e.services()}
}

func (e *esxi) pnics() []types.PhysicalNic {
	var nics []types.PhysicalNic
	for i, c := range e.cards() {
		name := fmt.Sprintf("vmnic%d", i)
		nic := types.PhysicalNic{
			Key: pnicKeyPrefix + name, Device: name, Pci: c.pci(), Driver: c.driver,
			LinkSpeed: e.linkOf(i, c), ValidLinkSpecification: c.speeds(),
			Spec: types.PhysicalNicSpec{Ip: &types.HostIpConfig{}}, Mac: mac("24:8a:07", e.number, i),
			AutoNegotiateSupported: new(true), WakeOnLanSupported: false,
		}
		e.dressEDP(&nic, c)
		nics = append(nics, nic)
	}
	return nics
}

// linkOf is nil for a NIC that is down.
func (e *esxi) linkOf(i int, c card) *types.PhysicalNicLinkInfo {
	if i >= len(e.row.server.slots) {
		return nil // the board's
	}
	l, own := e.row.links[i]
	switch {
	case !own:
		return &types.PhysicalNicLinkInfo{SpeedMb: c.mbps, Duplex: true}
	case l.mbps == 0:
		return nil
	}
	return &types.PhysicalNicLinkInfo{SpeedMb: l.mbps, Duplex: !l.half}
}

// speeds are what a NIC can be set to. Copper NICs can be slow; fast ones know one speed.
func (n nicModel) speeds() []types.PhysicalNicLinkInfo {
	var list []types.PhysicalNicLinkInfo
	for _, s := range []types.PhysicalNicLinkInfo{
		{SpeedMb: 100}, {SpeedMb: 100, Duplex: true}, {SpeedMb: 1000, Duplex: true}, {SpeedMb: 10_000, Duplex: true},
	} {
		if s.SpeedMb < n.mbps && n.driver != mellanox40.driver && n.driver != mellanox40old.driver && n.driver != virtual10.driver {
			list = append(list, s)
		}
	}
	return append(list, types.PhysicalNicLinkInfo{SpeedMb: n.mbps, Duplex: true})
}

// dressEDP fills the fields that came with Enhanced Data Path, and those that came with 8.0.
func (e *esxi) dressEDP(nic *types.PhysicalNic, c card) {
	if e.row.edp == edpSilent {
		return
	}
	able := c.driver != onboard.driver && c.driver != virtual10.driver
	on := able && e.row.edp == edpOn
	nic.EnhancedNetworkingStackSupported = new(able)
	nic.EnsInterruptSupported = new(able)
	nic.Spec.EnableEnhancedNetworkingStack = new(on)
	nic.Spec.EnsInterruptEnabled = new(on)
	if e.row.version >= "8" {
		nic.DriverVersion, nic.FirmwareVersion = c.driverVersion, c.firmware
	}
}

// uplinks are the NICs on vSwitch0.
func (e *esxi) uplinks() []types.PhysicalNic {
	n := len(e.row.server.slots)
	if e.row.uplinks > 0 {
		n = e.row.uplinks
	}
	return e.host.Config.Network.Pnic[:n]
}

func (e *esxi) dressSwitch(s *types.HostVirtualSwitch) {
	s.Pnic = nil
	var names []string
	for _, nic := range e.uplinks() {
		s.Pnic = append(s.Pnic, nic.Key)
		names = append(names, nic.Device)
	}
	s.Spec.Bridge = &types.HostVirtualSwitchBondBridge{NicDevice: names}
	s.Spec.Policy = &types.HostNetworkPolicy{NicTeaming: &types.HostNicTeamingPolicy{
		Policy: "loadbalance_srcid", NotifySwitches: new(true), RollingOrder: new(false),
		NicOrder: &types.HostNicOrderPolicy{ActiveNic: names},
	}}
}

// vmotionPortgroup is made after the stock ones.
func vmotionPortgroup(stock []types.HostPortGroup) types.HostPortGroup {
	g := stock[0]
	g.Key = "key-vim.host.PortGroup-" + vmotionGroup
	g.Spec.Name, g.Port = vmotionGroup, nil
	return g
}

func (e *esxi) vmknics(stock types.HostVirtualNic) []types.HostVirtualNic {
	management, vmotion := stock, stock
	management.Device, management.Key = vmkManagement, vmkKeyPrefix+vmkManagement
	e.dressVMK(&management, 0, e.row.address)
	vmotion.Device, vmotion.Key = vmkVMotion, vmkKeyPrefix+vmkVMotion
	vmotion.Portgroup, vmotion.Spec.Portgroup = vmotionGroup, vmotionGroup
	e.dressVMK(&vmotion, 1, e.vmotionAddress())
	return []types.HostVirtualNic{management, vmotion}
}

// vmotionAddress is in a range for benchmarks, beside those of the clones.
func (e *esxi) vmotionAddress() string {
	return fmt.Sprintf("198.18.%d.%d", 128+e.number>>8, e.number&0xff)
}

func (e *esxi) dressVMK(v *types.HostVirtualNic, n int, address string) {
	v.Spec.Ip = &types.HostIpConfig{IpAddress: address, SubnetMask: netmask}
	v.Spec.Mac = mac("24:8a:07", e.number, firstVMK+n)
	v.Spec.NetStackInstanceKey = "defaultTcpipStack"
	v.Spec.Mtu, v.Spec.TsoEnabled = 1500, new(true)
}

// mirrorNetwork has the host's network system tell what its configuration does. The lists that it edits are its own.
func (e *esxi) mirrorNetwork(s *simulator.HostNetworkSystem) {
	own := *e.host.Config.Network
	own.Vswitch, own.Portgroup = slices.Clone(own.Vswitch), slices.Clone(own.Portgroup)
	s.NetworkInfo = &own
	s.DnsConfig = own.DnsConfig
}

// services lists each kind of traffic with the adapters that could carry it and the one that does.
func (e *esxi) services() []types.VirtualNicManagerNetConfig {
	var list []types.VirtualNicManagerNetConfig
	for _, kind := range []string{"faultToleranceLogging", "management", "vmotion", "vSphereReplication", "vsan"} {
		c := types.VirtualNicManagerNetConfig{NicType: kind, MultiSelectAllowed: true}
		for _, vmk := range e.host.Config.Network.Vnic {
			vmk.Key = kind + "." + vmk.Key
			c.CandidateVnic = append(c.CandidateVnic, vmk)
			if carries[vmk.Device] == kind {
				c.SelectedVnic = append(c.SelectedVnic, vmk.Key)
			}
		}
		list = append(list, c)
	}
	return list
}

// carries is the traffic of each adapter.
var carries = map[string]string{vmkManagement: "management", vmkVMotion: "vmotion"}

// mirrorServices has the manager of VMkernel adapters tell what the configuration does.
func (e *esxi) mirrorServices(m *simulator.HostVirtualNicManager) {
	m.Info = types.HostVirtualNicManagerInfo{NetConfig: e.services()}
}
