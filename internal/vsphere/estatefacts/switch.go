package estatefacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tagging"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// SwitchTable defines how every fact of a distributed switch is read; it is part of the index if facts of switches are needed.
// NIOC's state and the UUID are set on every switch, so if they are missing, a nil of the other properties has no meaning.
var SwitchTable = property.Table[*inventory.Switch]{
	Of:     property.TypeSwitch,
	Always: []string{tree.PathName, tree.PathParent, PathNIOC, PathUUID, pathMembers},
	Entries: append(tagging.Entries("Switch", func(s *inventory.Switch) *inventory.Entity { return &s.Entity }), []property.Entry[*inventory.Switch]{
		property.Leaf("Switch.niocEnabled", PathNIOC, property.Bool, property.Required,
			func(s *inventory.Switch) *inventory.Fact[bool] { return &s.NIOCEnabled }),
		// Before 6.0 there was only one version, without a name.
		property.Leaf("Switch.niocVersion", "config.networkResourceControlVersion", property.Text, property.AbsentIfUnset,
			func(s *inventory.Switch) *inventory.Fact[string] { return &s.NIOCVersion }),
		{Facts: []string{"Switch.hostIds"}, Fill: func(*property.Props, *inventory.Switch) {}}, // newSwitch always reads it
		// The configuration is declared with the type for switches of any vendor, and a server knows no property paths into the
		// parts of VMware's switches.
		{Facts: []string{"Switch.mtu"}, Paths: []string{pathSwitch}, Fill: fillMTU},
		{Facts: []string{"Switch.uplinks"}, Fill: func(_ *property.Props, s *inventory.Switch) { s.Uplinks = inventory.Absent[[]string]() }},
		// Version 2 has pools of a different type.
		{Facts: []string{"Switch.trafficClasses", "TrafficClass.shares", "TrafficClass.sharesLevel", "TrafficClass.reservationMbps",
			"TrafficClass.limitMbps"}, Paths: []string{pathTraffic}, Fill: fillTraffic},
		// The index reads the groups; this property lists which ones the switch has.
		{Facts: PortgroupFacts, Paths: []string{PathGroups}, Fill: func(*property.Props, *inventory.Switch) {}},
		// The switches of virtual NICs are found among these.
		{Facts: []string{"VNIC.switch"}, Fill: func(*property.Props, *inventory.Switch) {}},
	}...),
}

// Properties of a distributed switch. Virtual NICs name their switch by its UUID.
const (
	PathNIOC    = "config.networkResourceManagementEnabled"
	pathMembers = "summary.hostMember"
	PathUUID    = "summary.uuid"
	pathSwitch  = "config"
	PathGroups  = "portgroup"
	pathTraffic = "config.infrastructureTrafficResourceConfig"
)

// NewSwitch creates a switch from its properties. Its member hosts decide whether it is in scope; a switch without members has no
// list.
func NewSwitch(p *property.Props, plan property.Plan[*inventory.Switch]) *inventory.Switch {
	s := &inventory.Switch{Kind: inventory.SwitchDistributed, HostIDs: property.Read(p, pathMembers, property.IDs, property.DefaultTo([]string{}))}
	if !p.Has("config") {
		s.Unread = p.SectionGap("config")
		return s
	}
	plan.Fill(p, s)
	return s
}

func fillMTU(p *property.Props, s *inventory.Switch) {
	s.MTU = property.Then(property.Read(p, pathSwitch, asMTU, property.Required), func(mtu int64) inventory.Fact[int64] {
		if mtu == 0 {
			return inventory.Unread[int64]("the server does not report the MTU of the switch")
		}
		return inventory.Known(mtu)
	})
}

// asMTU returns the MTU, or 0 for another vendor's switch and one without an MTU.
func asMTU(v any) (int64, bool) {
	config, ok := property.As[types.VMwareDVSConfigInfo](v)
	return int64(config.MaxMtu), ok || property.IsA[types.BaseDVSConfigInfo](v)
}

// fillTraffic sets the traffic classes. A switch without classes has an empty list or none.
func fillTraffic(p *property.Props, s *inventory.Switch) {
	all := property.Read(p, pathTraffic, asTraffic, property.AbsentIfUnset)
	s.TrafficClasses = property.Then(all, func(classes []*inventory.TrafficClass) inventory.Fact[[]*inventory.TrafficClass] {
		if len(classes) == 0 {
			return inventory.Absent[[]*inventory.TrafficClass]()
		}
		return inventory.Known(classes)
	})
}

func asTraffic(v any) ([]*inventory.TrafficClass, bool) {
	list, ok := property.As[types.ArrayOfDvsHostInfrastructureTrafficResource](v)
	all := []*inventory.TrafficClass{}
	for _, r := range list.DvsHostInfrastructureTrafficResource {
		c := &inventory.TrafficClass{Name: session.Plain(r.Key)}
		a := r.AllocationInfo
		c.LimitMbps = property.Reported(a.Limit, "how much "+c.Name+" may use")
		c.ReservationMbps = property.Reported(a.Reservation, "how much "+c.Name+" is guaranteed")
		c.Shares, c.SharesLevel = inventory.Unread[int64]("the server does not report the shares of "+c.Name), inventory.Unread[string]("the server does not report the shares of "+c.Name)
		if a.Shares != nil {
			c.Shares, c.SharesLevel = inventory.Known(int64(a.Shares.Shares)), property.ReportedText(a.Shares.Level, "the level of "+c.Name)
		}
		all = append(all, c)
	}
	return all, ok
}
