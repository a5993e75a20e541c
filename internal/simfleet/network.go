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

// dressNetwork gives the host its NICs, all of them uplinks of vSwitch0, its name and its management address. The
// simulator copied the whole network configuration for this host, so its parts may be changed in place.
func (e *esxi) dressNetwork() {
	n := e.host.Config.Network
	n.Pnic = e.pnics()
	e.dressSwitch(&n.Vswitch[0])
	e.dressVMK(&n.Vnic[0])
	n.Vnic = n.Vnic[:1]
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
	e.dressServices()
}

func (e *esxi) pnics() []types.PhysicalNic {
	m := e.row.server.nic
	var nics []types.PhysicalNic
	for i, at := range e.row.server.slots {
		link := types.PhysicalNicLinkInfo{SpeedMb: m.mbps, Duplex: true}
		name := fmt.Sprintf("vmnic%d", i)
		nic := types.PhysicalNic{
			Key: pnicKeyPrefix + name, Device: name, Pci: at.pci(), Driver: m.driver,
			LinkSpeed: &link, ValidLinkSpecification: []types.PhysicalNicLinkInfo{link},
			Spec: types.PhysicalNicSpec{Ip: &types.HostIpConfig{}}, Mac: mac("24:8a:07", e.number, i),
			AutoNegotiateSupported: new(true), WakeOnLanSupported: false,
		}
		e.dressEDP(&nic)
		nics = append(nics, nic)
	}
	return nics
}

// dressEDP fills the fields that came with Enhanced Data Path, and those that came with 8.0.
func (e *esxi) dressEDP(nic *types.PhysicalNic) {
	if e.row.edp == edpSilent {
		return
	}
	on := e.row.edp == edpOn
	nic.EnhancedNetworkingStackSupported = new(true)
	nic.EnsInterruptSupported = new(true)
	nic.Spec.EnableEnhancedNetworkingStack = new(on)
	nic.Spec.EnsInterruptEnabled = new(on)
	if e.row.version >= "8" {
		nic.DriverVersion, nic.FirmwareVersion = e.row.server.nic.driverVersion, e.row.server.nic.firmware
	}
}

func (e *esxi) dressSwitch(s *types.HostVirtualSwitch) {
	s.Pnic = nil
	var names []string
	for _, nic := range e.host.Config.Network.Pnic {
		s.Pnic = append(s.Pnic, nic.Key)
		names = append(names, nic.Device)
	}
	s.Spec.Bridge = &types.HostVirtualSwitchBondBridge{NicDevice: names}
	s.Spec.Policy = &types.HostNetworkPolicy{NicTeaming: &types.HostNicTeamingPolicy{
		Policy: "loadbalance_srcid", NotifySwitches: new(true), RollingOrder: new(false),
		NicOrder: &types.HostNicOrderPolicy{ActiveNic: names},
	}}
}

func (e *esxi) dressVMK(v *types.HostVirtualNic) {
	v.Spec.Ip = &types.HostIpConfig{IpAddress: e.row.address, SubnetMask: netmask}
	v.Spec.Mac = mac("24:8a:07", e.number, 0x80)
}

// mirrorNetwork has the host's network system tell what its configuration does. The lists that it edits are its own.
func (e *esxi) mirrorNetwork(s *simulator.HostNetworkSystem) {
	own := *e.host.Config.Network
	own.Vswitch, own.Portgroup = slices.Clone(own.Vswitch), slices.Clone(own.Portgroup)
	s.NetworkInfo = &own
	s.DnsConfig = own.DnsConfig
}

// dressServices tells each service (management, vMotion …) of the one VMkernel adapter there is.
func (e *esxi) dressServices() {
	info := e.host.Config.VirtualNicManagerInfo
	if info == nil {
		return
	}
	for i := range info.NetConfig {
		c := &info.NetConfig[i]
		vmk := e.host.Config.Network.Vnic[0]
		vmk.Key = c.NicType + "." + vmk.Key
		c.CandidateVnic = []types.HostVirtualNic{vmk}
		if c.SelectedVnic != nil {
			c.SelectedVnic = []string{vmk.Key}
		}
	}
}
