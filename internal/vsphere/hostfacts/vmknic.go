package hostfacts

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

const pathVNICManager = "config.virtualNicManagerInfo.netConfig"

func fillVMKNICs(p *property.Props, h *host) {
	h.VMKNICs = property.Then(tree.ReadVMKs(p), func(list types.ArrayOfHostVirtualNic) inventory.Fact[[]*inventory.VMKNIC] {
		nics := make([]*inventory.VMKNIC, 0, len(list.HostVirtualNic))
		for _, n := range list.HostVirtualNic {
			nics = append(nics, vmknic(n))
		}
		return inventory.Known(nics)
	})
}

// vmknic converts a VMkernel NIC. A NIC without a named stack is in the default one. The MTU that the system picks is not
// reported.
func vmknic(n types.HostVirtualNic) *inventory.VMKNIC {
	nic := &inventory.VMKNIC{
		Device: n.Device, NetStack: inventory.Known("defaultTcpipStack"), MTU: inventory.Known(int64(n.Spec.Mtu)),
		Subnet: subnet(n), TSO: inventory.Known(n.Spec.TsoEnabled == nil || *n.Spec.TsoEnabled),
	}
	if n.Spec.NetStackInstanceKey != "" {
		nic.NetStack = inventory.Known(n.Spec.NetStackInstanceKey)
	}
	if n.Spec.Mtu == 0 {
		nic.MTU = inventory.Unread[int64]("the host does not report the MTU of " + session.Plain(n.Device))
	}
	return nic
}

// subnet returns the IPv4 subnet, or absent for a NIC without an IPv4 address.
func subnet(n types.HostVirtualNic) inventory.Fact[string] {
	if n.Spec.Ip == nil || n.Spec.Ip.IpAddress == "" {
		return inventory.Absent[string]()
	}
	address, err1 := netip.ParseAddr(n.Spec.Ip.IpAddress)
	mask, err2 := netip.ParseAddr(n.Spec.Ip.SubnetMask)
	bits, of := net.IPMask(mask.AsSlice()).Size() // 0 of 0 if the mask is not contiguous
	if err1 != nil || err2 != nil || !address.Is4() || of != 32 {
		return inventory.Unread[string]("the host gives no network of " + session.Plain(n.Device) + " that can be understood")
	}
	return inventory.Known(netip.PrefixFrom(address, bits).Masked().String())
}

// place is the switch that a NIC is connected to.
type place struct {
	name string
	mtu  inventory.Fact[int64]
}

// fillVMKSwitches finds the switch of each NIC: standard switches by port group, distributed switches by UUID.
func fillVMKSwitches(p *property.Props, h *host) {
	standard, distributed, opaque := standardPlaces(p), distributedPlaces(p), opaquePlace(p)
	list, _ := tree.ReadVMKs(p).Value()
	nics, _ := h.VMKNICs.Value()
	for i, n := range nics {
		at := inventory.Unread[place]("the host does not report which switch " + session.Plain(n.Device) + " is on")
		switch spec := list.HostVirtualNic[i].Spec; {
		case spec.DistributedVirtualPort != nil:
			at = pick(distributed, spec.DistributedVirtualPort.SwitchUuid, n.Device)
		case spec.OpaqueNetwork != nil:
			at = opaque
		case list.HostVirtualNic[i].Portgroup != "":
			at = pick(standard, list.HostVirtualNic[i].Portgroup, n.Device)
		}
		n.Switch = property.Then(at, func(s place) inventory.Fact[string] { return inventory.Known(s.name) })
		n.SwitchMTU = property.Then(at, func(s place) inventory.Fact[int64] { return s.mtu })
	}
}

func pick(places inventory.Fact[map[string]place], key, device string) inventory.Fact[place] {
	return property.Then(places, func(all map[string]place) inventory.Fact[place] {
		if s, ok := all[key]; ok {
			return inventory.Known(s)
		}
		return inventory.Unread[place]("the host does not list the switch that " + session.Plain(device) + " is on")
	})
}

// standardPlaces returns the standard switches by their port groups.
func standardPlaces(p *property.Props) inventory.Fact[map[string]place] {
	return property.Then(readVSwitches(p), func(switches types.ArrayOfHostVirtualSwitch) inventory.Fact[map[string]place] {
		return property.Then(readPortgroups(p), func(groups types.ArrayOfHostPortGroup) inventory.Fact[map[string]place] {
			byName, byGroup := map[string]place{}, map[string]place{}
			for _, s := range switches.HostVirtualSwitch {
				name := tree.Unescape(s.Name)
				byName[s.Name] = place{name, switchMTU(s.Mtu, name)}
			}
			for _, g := range groups.HostPortGroup {
				if s, ok := byName[g.Spec.VswitchName]; ok {
					byGroup[g.Spec.Name] = s
				}
			}
			return inventory.Known(byGroup)
		})
	})
}

// distributedPlaces returns the host's proxies of distributed switches, by UUID.
func distributedPlaces(p *property.Props) inventory.Fact[map[string]place] {
	list := property.Read(p, PathDistributed, property.As[types.ArrayOfHostProxySwitch], property.DefaultTo(types.ArrayOfHostProxySwitch{}))
	return property.Then(list, func(a types.ArrayOfHostProxySwitch) inventory.Fact[map[string]place] {
		byUUID := map[string]place{}
		for _, s := range a.HostProxySwitch {
			name := cmp.Or(tree.Unescape(s.DvsName), s.Key)
			byUUID[s.DvsUuid] = place{name, switchMTU(s.Mtu, name)}
		}
		return inventory.Known(byUUID)
	})
}

// opaquePlace returns the host's opaque switch, which reports no MTU. If there are several, networks do not show which one they
// belong to.
func opaquePlace(p *property.Props) inventory.Fact[place] {
	list := property.Read(p, PathOpaque, property.As[types.ArrayOfHostOpaqueSwitch], property.DefaultTo(types.ArrayOfHostOpaqueSwitch{}))
	return property.Then(list, func(a types.ArrayOfHostOpaqueSwitch) inventory.Fact[place] {
		if len(a.HostOpaqueSwitch) != 1 {
			return inventory.Unread[place]("the host does not report which of its opaque switches it is on")
		}
		s := a.HostOpaqueSwitch[0]
		return inventory.Known(place{cmp.Or(tree.Unescape(s.Name), s.Key), inventory.Absent[int64]()})
	})
}

// fillServices sets the services that each NIC is selected for. On hosts without the manager's information the services are
// unknown.
func fillServices(p *property.Props, h *host) {
	manager := property.Read(p, pathVNICManager, property.As[types.ArrayOfVirtualNicManagerNetConfig], property.Required)
	list, _ := tree.ReadVMKs(p).Value()
	nics, _ := h.VMKNICs.Value()
	for i, n := range nics {
		n.Services = property.Then(manager, func(m types.ArrayOfVirtualNicManagerNetConfig) inventory.Fact[[]string] {
			return inventory.Known(services(m.VirtualNicManagerNetConfig, list.HostVirtualNic[i]))
		})
	}
}

func services(configs []types.VirtualNicManagerNetConfig, nic types.HostVirtualNic) []string {
	all := []string{}
	for _, c := range configs {
		if slices.ContainsFunc(c.SelectedVnic, func(key string) bool { return selects(c, key, nic) }) {
			all = append(all, c.NicType)
		}
	}
	slices.Sort(all)
	return all
}

// selects reports whether a key selects a NIC. The keys are those of the candidates, which hosts build from the traffic type and
// the NIC's own key.
func selects(c types.VirtualNicManagerNetConfig, key string, nic types.HostVirtualNic) bool {
	for _, candidate := range c.CandidateVnic {
		if candidate.Key == key {
			return candidate.Device == nic.Device
		}
	}
	return key == nic.Key || strings.HasSuffix(key, "."+nic.Key)
}
