package vsphere

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

const (
	typeGroup       = "DistributedVirtualPortgroup"
	pathGroupSwitch = "config.distributedVirtualSwitch"
	pathGroupUplink = "config.uplink"
	pathGroupPolicy = "config.defaultPortConfig"
)

// portgroupFacts are read of the distributed port groups, which are part of the index where they are needed.
var portgroupFacts = []string{"Switch.portgroups", "Portgroup.teaming", "Portgroup.active", "Portgroup.standby"}

var groupSpec = types.PropertySpec{Type: typeGroup, PathSet: []string{pathName, pathParent, pathGroupSwitch, pathGroupUplink, pathGroupPolicy}}

// newGroup makes a port group of its properties. The policy is declared as that of any maker's switch.
func newGroup(p *props, name string) *inventory.Portgroup {
	uplink, _ := read(p, pathGroupUplink, asBool, means(false)).Value()
	g := &inventory.Portgroup{Name: name, Uplink: uplink}
	policy := then(read(p, pathGroupPolicy, asTeaming, must), func(t *types.VmwareUplinkPortTeamingPolicy) inventory.Fact[types.VmwareUplinkPortTeamingPolicy] {
		return stated(t, "how port group "+plain(name)+" uses its uplinks")
	})
	g.Teaming = then(policy, func(t types.VmwareUplinkPortTeamingPolicy) inventory.Fact[string] {
		if t.Policy == nil {
			return inventory.Unread[string]("the server does not say how port group " + plain(name) + " chooses an uplink")
		}
		return statedWord(t.Policy.Value, "how port group "+plain(name)+" chooses an uplink")
	})
	order := then(policy, func(t types.VmwareUplinkPortTeamingPolicy) inventory.Fact[types.VMwareUplinkPortOrderPolicy] {
		return stated(t.UplinkPortOrder, "in which order port group "+plain(name)+" uses its uplinks")
	})
	g.Active = then(order, func(o types.VMwareUplinkPortOrderPolicy) inventory.Fact[[]string] {
		return inventory.Known(listed(o.ActiveUplinkPort))
	})
	g.Standby = then(order, func(o types.VMwareUplinkPortOrderPolicy) inventory.Fact[[]string] {
		return inventory.Known(listed(o.StandbyUplinkPort))
	})
	return g
}

func asTeaming(v any) (*types.VmwareUplinkPortTeamingPolicy, bool) {
	setting, ok := asIs[types.VMwareDVSPortSetting](v)
	return setting.UplinkTeamingPolicy, ok || isA[types.BaseDVPortSetting](v)
}

// listed is a list that may be empty, but never nil: in JSON that would be null.
func listed(names []string) []string { return append([]string{}, names...) }
