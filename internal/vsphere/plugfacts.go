package vsphere

import (
	"fmt"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

const pathPortgroups = "config.network.portgroup"

// plugs knows the switches that virtual NICs are plugged into: distributed ones by UUID, and those of each host by port
// group.
type plugs struct {
	distributed map[string]string
	standard    map[ref]inventory.Fact[map[string]string]
}

func newPlugs() plugs {
	return plugs{distributed: map[string]string{}, standard: map[ref]inventory.Fact[map[string]string]{}}
}

// addDistributed takes in a distributed switch.
func (g *plugs) addDistributed(uuid, name string) { g.distributed[uuid] = name }

// addHost takes in the port groups of a host.
func (g *plugs) addHost(p *props) {
	g.standard[p.ref] = read(p, pathPortgroups, asPortgroups, means(map[string]string{}))
}

// fill finds the switch of each virtual NIC.
func (g *plugs) fill(p *props, v *vm) {
	nics, _ := v.VNICs.Value()
	byKey := make(map[int32]*inventory.VNIC, len(nics))
	for _, n := range nics {
		byKey[n.Key] = n
	}
	devices, _ := p.look(pathDevices)
	list, _ := asIs[types.ArrayOfVirtualDevice](devices)
	host, _ := read(p, pathVMHost, asIs[ref], must).Value()
	for _, d := range list.VirtualDevice {
		if card, isCard := d.(types.BaseVirtualEthernetCard); isCard {
			b := card.GetVirtualEthernetCard().VirtualDevice
			byKey[b.Key].Switch = g.switchOf(host, b.Backing)
		}
	}
}

// switchOf is the name of the switch that a backing names, or "" for a NIC on none, or on one that vSphere does not run.
func (g *plugs) switchOf(host ref, backing types.BaseVirtualDeviceBackingInfo) inventory.Fact[string] {
	switch b := backing.(type) {
	case nil, *types.VirtualEthernetCardOpaqueNetworkBackingInfo:
		return inventory.Known("")
	case *types.VirtualEthernetCardDistributedVirtualPortBackingInfo:
		if name, ok := g.distributed[b.Port.SwitchUuid]; ok {
			return inventory.Known(name)
		}
		return inventory.Unread[string]("the server shows no distributed switch " + plain(b.Port.SwitchUuid))
	case *types.VirtualEthernetCardNetworkBackingInfo:
		return g.onHost(host, b.DeviceName)
	}
	return inventory.Unread[string](fmt.Sprintf("vperf does not know a network of kind %T", backing))
}

func (g *plugs) onHost(host ref, portgroup string) inventory.Fact[string] {
	groups, listed := g.standard[host]
	if !listed {
		return inventory.Unread[string]("the server shows no host of the virtual machine")
	}
	return then(groups, func(groups map[string]string) inventory.Fact[string] {
		if name, ok := groups[unescape(portgroup)]; ok {
			return inventory.Known(name)
		}
		return inventory.Unread[string]("its host has no port group " + plain(unescape(portgroup)))
	})
}

// asPortgroups are a host's port groups and the switch each is on.
func asPortgroups(v any) (map[string]string, bool) {
	list, ok := asIs[types.ArrayOfHostPortGroup](v)
	groups := make(map[string]string, len(list.HostPortGroup))
	for _, g := range list.HostPortGroup {
		groups[unescape(g.Spec.Name)] = unescape(g.Spec.VswitchName)
	}
	return groups, ok
}
