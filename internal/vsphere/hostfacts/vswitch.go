package hostfacts

import (
	"cmp"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

const pathPortgroup = "config.network.portgroup"

// ofVSwitches selects a fact of standard switches. Rules use the same fact for both kinds of switch, so a host's own switches are
// read if any switch is needed.
func ofVSwitches(fact string) func(inventory.Needs) bool {
	return func(n inventory.Needs) bool { return n.Any("Host.vswitches") && n.Any(fact) }
}

// readVSwitches returns the host's own list. An unset list means an empty one.
func readVSwitches(p *property.Props) inventory.Fact[types.ArrayOfHostVirtualSwitch] {
	return property.Read(p, PathStandard, property.As[types.ArrayOfHostVirtualSwitch], property.DefaultTo(types.ArrayOfHostVirtualSwitch{}))
}

// fillVSwitches lists the host's standard switches. They have no Network I/O Control, and no tags, because they are not managed
// objects.
func fillVSwitches(p *property.Props, h *host) {
	h.VSwitches = property.Then(readVSwitches(p), func(list types.ArrayOfHostVirtualSwitch) inventory.Fact[[]*inventory.Switch] {
		all := make([]*inventory.Switch, 0, len(list.HostVirtualSwitch))
		for _, s := range list.HostVirtualSwitch {
			name := tree.Unescape(s.Name)
			all = append(all, &inventory.Switch{
				Entity: inventory.Entity{
					ID: name, Name: name, Tags: inventory.Absent[[]string](), Attributes: inventory.Absent[map[string]string](),
				},
				Kind: inventory.SwitchStandard, MTU: switchMTU(s.Mtu, name),
				NIOCEnabled: inventory.Absent[bool](), NIOCVersion: inventory.Absent[string](),
				TrafficClasses: inventory.Absent[[]*inventory.TrafficClass](), HostIDs: inventory.Known([]string{p.Ref.Value}),
			})
		}
		return inventory.Known(all)
	})
}

func switchMTU(mtu int32, name string) inventory.Fact[int64] {
	if mtu == 0 {
		return inventory.Unread[int64]("the host does not report the MTU of switch " + session.Plain(name))
	}
	return inventory.Known(int64(mtu))
}

// eachVSwitch calls do for each fact and the switch it was made from; both lists have the same order.
func eachVSwitch(p *property.Props, h *host, do func(*inventory.Switch, types.HostVirtualSwitch)) {
	list, _ := readVSwitches(p).Value()
	all, _ := h.VSwitches.Value()
	for i, s := range all {
		do(s, list.HostVirtualSwitch[i])
	}
}

// fillVSwitchUplinks sets the names of the NICs, which a switch lists by key.
func fillVSwitchUplinks(p *property.Props, h *host) {
	names := property.Then(readPNICs(p), func(list types.ArrayOfPhysicalNic) inventory.Fact[map[string]string] {
		byKey := make(map[string]string, len(list.PhysicalNic))
		for _, n := range list.PhysicalNic {
			byKey[n.Key] = n.Device
		}
		return inventory.Known(byKey)
	})
	eachVSwitch(p, h, func(s *inventory.Switch, raw types.HostVirtualSwitch) {
		s.Uplinks = property.Then(names, func(byKey map[string]string) inventory.Fact[[]string] {
			all := []string{}
			for _, key := range raw.Pnic {
				all = append(all, cmp.Or(byKey[key], key))
			}
			return inventory.Known(all)
		})
	})
}

func readPortgroups(p *property.Props) inventory.Fact[types.ArrayOfHostPortGroup] {
	return property.Read(p, pathPortgroup, property.As[types.ArrayOfHostPortGroup], property.DefaultTo(types.ArrayOfHostPortGroup{}))
}

// fillPortgroups takes each group's effective policy, which the host computes from the group's and the switch's.
func fillPortgroups(p *property.Props, h *host) {
	list := readPortgroups(p)
	eachVSwitch(p, h, func(s *inventory.Switch, raw types.HostVirtualSwitch) {
		s.Portgroups = property.Then(list, func(all types.ArrayOfHostPortGroup) inventory.Fact[[]*inventory.Portgroup] {
			groups := []*inventory.Portgroup{}
			for _, g := range all.HostPortGroup {
				if g.Spec.VswitchName == raw.Name {
					groups = append(groups, portgroup(g, len(raw.Pnic) == 0))
				}
			}
			return inventory.Known(groups)
		})
	})
}

// portgroup converts a port group. A switch without NICs has no failover order.
func portgroup(g types.HostPortGroup, internal bool) *inventory.Portgroup {
	out := &inventory.Portgroup{Name: tree.Unescape(g.Spec.Name)}
	missing := "the host does not report the effective teaming of port group " + session.Plain(out.Name)
	out.Teaming = inventory.Unread[string](missing)
	out.Active, out.Standby = inventory.Unread[[]string](missing), inventory.Unread[[]string](missing)
	if internal {
		out.Active, out.Standby = inventory.Known([]string{}), inventory.Known([]string{})
	}
	t := g.ComputedPolicy.NicTeaming
	if t == nil {
		return out
	}
	if t.Policy != "" {
		out.Teaming = inventory.Known(t.Policy)
	}
	if t.NicOrder != nil {
		out.Active, out.Standby = inventory.Known(orEmpty(t.NicOrder.ActiveNic)), inventory.Known(orEmpty(t.NicOrder.StandbyNic))
	}
	return out
}

// orEmpty returns an empty list for nil: the list was read and is empty.
func orEmpty(all []string) []string {
	if all == nil {
		return []string{}
	}
	return all
}
