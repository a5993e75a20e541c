package vmfacts

import (
	"fmt"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// PathPortgroups is the property of a host that lists the port groups of its standard switches.
const PathPortgroups = "config.network.portgroup"

// Plugs finds the switches of virtual NICs: distributed switches by UUID, and standard switches by host and port group.
type Plugs struct {
	distributed map[string]string
	standard    map[ref]inventory.Fact[map[string]string]
}

// NewPlugs returns an empty Plugs.
func NewPlugs() Plugs {
	return Plugs{distributed: map[string]string{}, standard: map[ref]inventory.Fact[map[string]string]{}}
}

// AddDistributed adds a distributed switch.
func (g *Plugs) AddDistributed(uuid, name string) { g.distributed[uuid] = name }

// AddHost adds the port groups of a host.
func (g *Plugs) AddHost(p *property.Props) {
	g.standard[p.Ref] = property.Read(p, PathPortgroups, asPortgroups, property.DefaultTo(map[string]string{}))
}

// Fill sets the switch of each virtual NIC.
func (g *Plugs) Fill(p *property.Props, v *vm) {
	nics, _ := v.VNICs.Value()
	byKey := make(map[int32]*inventory.VNIC, len(nics))
	for _, n := range nics {
		byKey[n.Key] = n
	}
	devices, _ := p.Lookup(PathDevices)
	list, _ := property.As[types.ArrayOfVirtualDevice](devices)
	host, _ := property.Read(p, tree.PathVMHost, property.As[ref], property.Required).Value()
	for _, d := range list.VirtualDevice {
		if card, isCard := d.(types.BaseVirtualEthernetCard); isCard {
			b := card.GetVirtualEthernetCard().VirtualDevice
			byKey[b.Key].Switch = g.switchOf(host, b.Backing)
		}
	}
}

// switchOf returns the name of the switch in a NIC's backing, or "" for a NIC without a switch, or on one that vSphere does not
// manage.
func (g *Plugs) switchOf(host ref, backing types.BaseVirtualDeviceBackingInfo) inventory.Fact[string] {
	switch b := backing.(type) {
	case nil, *types.VirtualEthernetCardOpaqueNetworkBackingInfo:
		return inventory.Known("")
	case *types.VirtualEthernetCardDistributedVirtualPortBackingInfo:
		if name, ok := g.distributed[b.Port.SwitchUuid]; ok {
			return inventory.Known(name)
		}
		return inventory.Unread[string]("the server does not list distributed switch " + session.Plain(b.Port.SwitchUuid))
	case *types.VirtualEthernetCardNetworkBackingInfo:
		return g.onHost(host, b.DeviceName)
	}
	return inventory.Unread[string](fmt.Sprintf("vperf does not know a network of kind %T", backing))
}

func (g *Plugs) onHost(host ref, portgroup string) inventory.Fact[string] {
	groups, listed := g.standard[host]
	if !listed {
		return inventory.Unread[string]("the server does not report the host of the virtual machine")
	}
	return property.Then(groups, func(groups map[string]string) inventory.Fact[string] {
		if name, ok := groups[tree.Unescape(portgroup)]; ok {
			return inventory.Known(name)
		}
		return inventory.Unread[string]("its host has no port group " + session.Plain(tree.Unescape(portgroup)))
	})
}

// asPortgroups returns a host's port groups with their switches.
func asPortgroups(v any) (map[string]string, bool) {
	list, ok := property.As[types.ArrayOfHostPortGroup](v)
	groups := make(map[string]string, len(list.HostPortGroup))
	for _, g := range list.HostPortGroup {
		groups[tree.Unescape(g.Spec.Name)] = tree.Unescape(g.Spec.VswitchName)
	}
	return groups, ok
}
