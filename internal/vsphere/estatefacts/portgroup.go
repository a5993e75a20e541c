package estatefacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// The type of distributed port groups, and the properties read of each.
const (
	TypeGroup       = "DistributedVirtualPortgroup"
	PathGroupSwitch = "config.distributedVirtualSwitch"
	pathGroupUplink = "config.uplink"
	pathGroupPolicy = "config.defaultPortConfig"
)

// PortgroupFacts lists the facts read of distributed port groups, which are part of the index if needed.
var PortgroupFacts = []string{"Switch.portgroups", "Portgroup.teaming", "Portgroup.active", "Portgroup.standby"}

// GroupSpec requests the properties that NewGroup needs, and the switch that a port group belongs to.
var GroupSpec = types.PropertySpec{Type: TypeGroup, PathSet: []string{tree.PathName, tree.PathParent, PathGroupSwitch, pathGroupUplink, pathGroupPolicy}}

// NewGroup creates a port group from its properties. The policy is declared with the type for switches of any vendor.
func NewGroup(p *property.Props, name string) *inventory.Portgroup {
	uplink, _ := property.Read(p, pathGroupUplink, property.Bool, property.DefaultTo(false)).Value()
	g := &inventory.Portgroup{Name: name, Uplink: uplink}
	policy := property.Then(property.Read(p, pathGroupPolicy, asTeaming, property.Required), func(t *types.VmwareUplinkPortTeamingPolicy) inventory.Fact[types.VmwareUplinkPortTeamingPolicy] {
		return property.Reported(t, "how port group "+session.Plain(name)+" uses its uplinks")
	})
	g.Teaming = property.Then(policy, func(t types.VmwareUplinkPortTeamingPolicy) inventory.Fact[string] {
		if t.Policy == nil {
			return inventory.Unread[string]("the server does not report how port group " + session.Plain(name) + " chooses an uplink")
		}
		return property.ReportedText(t.Policy.Value, "how port group "+session.Plain(name)+" chooses an uplink")
	})
	order := property.Then(policy, func(t types.VmwareUplinkPortTeamingPolicy) inventory.Fact[types.VMwareUplinkPortOrderPolicy] {
		return property.Reported(t.UplinkPortOrder, "in which order port group "+session.Plain(name)+" uses its uplinks")
	})
	g.Active = property.Then(order, func(o types.VMwareUplinkPortOrderPolicy) inventory.Fact[[]string] {
		return inventory.Known(Listed(o.ActiveUplinkPort))
	})
	g.Standby = property.Then(order, func(o types.VMwareUplinkPortOrderPolicy) inventory.Fact[[]string] {
		return inventory.Known(Listed(o.StandbyUplinkPort))
	})
	return g
}

func asTeaming(v any) (*types.VmwareUplinkPortTeamingPolicy, bool) {
	setting, ok := property.As[types.VMwareDVSPortSetting](v)
	return setting.UplinkTeamingPolicy, ok || property.IsA[types.BaseDVPortSetting](v)
}

// Listed returns a list that may be empty but is never nil, which JSON would write as null.
func Listed(names []string) []string { return append([]string{}, names...) }
