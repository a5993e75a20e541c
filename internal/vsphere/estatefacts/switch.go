package estatefacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/marks"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// SwitchTable says how every fact of a distributed switch is read; it is part of the index where facts of switches are
// needed. NIOC's state and the UUID are set on every switch, so where they are missing no nil beside them means
// anything.
var SwitchTable = property.Table[*inventory.Switch]{
	Of:     property.TypeSwitch,
	Always: []string{tree.PathName, tree.PathParent, PathNIOC, PathUUID, pathMembers},
	Entries: append(marks.Entries("Switch", func(s *inventory.Switch) *inventory.Entity { return &s.Entity }), []property.Entry[*inventory.Switch]{
		property.Leaf("Switch.niocEnabled", PathNIOC, property.Bool, property.Must,
			func(s *inventory.Switch) *inventory.Fact[bool] { return &s.NIOCEnabled }),
		// Before 6.0 there was one version, which had no name.
		property.Leaf("Switch.niocVersion", "config.networkResourceControlVersion", property.Text, property.None,
			func(s *inventory.Switch) *inventory.Fact[string] { return &s.NIOCVersion }),
		{Facts: []string{"Switch.hostIds"}, Fill: func(*property.Props, *inventory.Switch) {}}, // newSwitch reads it always
		// The configuration is declared as that of any maker's switch, and a server knows no path into what VMware's has beside.
		{Facts: []string{"Switch.mtu"}, Paths: []string{pathSwitch}, Fill: fillMTU},
		{Facts: []string{"Switch.uplinks"}, Fill: func(_ *property.Props, s *inventory.Switch) { s.Uplinks = inventory.Absent[[]string]() }},
		// Version 2 has pools of another kind.
		{Facts: []string{"Switch.trafficClasses", "TrafficClass.shares", "TrafficClass.sharesLevel", "TrafficClass.reservationMbps",
			"TrafficClass.limitMbps"}, Paths: []string{pathTraffic}, Fill: fillTraffic},
		// The index has the groups; the switch knows how many there are.
		{Facts: PortgroupFacts, Paths: []string{PathGroups}, Fill: func(*property.Props, *inventory.Switch) {}},
		// Where virtual NICs are told their switches, these are what they are told of.
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

// NewSwitch makes a switch of its properties. Its members say whether it is in scope; one without has no list of them.
func NewSwitch(p *property.Props, plan property.Plan[*inventory.Switch]) *inventory.Switch {
	s := &inventory.Switch{Kind: inventory.SwitchDistributed, HostIDs: property.Read(p, pathMembers, property.IDs, property.Means([]string{}))}
	if !p.Has("config") {
		s.Unread = p.Whole("config")
		return s
	}
	plan.Fill(p, s)
	return s
}

func fillMTU(p *property.Props, s *inventory.Switch) {
	s.MTU = property.Then(property.Read(p, pathSwitch, asMTU, property.Must), func(mtu int64) inventory.Fact[int64] {
		if mtu == 0 {
			return inventory.Unread[int64]("the server names no MTU of the switch")
		}
		return inventory.Known(mtu)
	})
}

// asMTU is 0 for another maker's switch, and for one without an MTU.
func asMTU(v any) (int64, bool) {
	config, ok := property.As[types.VMwareDVSConfigInfo](v)
	return int64(config.MaxMtu), ok || property.IsA[types.BaseDVSConfigInfo](v)
}

// fillTraffic: a switch without classes may have an empty list of them, or none.
func fillTraffic(p *property.Props, s *inventory.Switch) {
	all := property.Read(p, pathTraffic, asTraffic, property.None)
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
		c.LimitMbps = property.Stated(a.Limit, "how much "+c.Name+" may use")
		c.ReservationMbps = property.Stated(a.Reservation, "how much "+c.Name+" is guaranteed")
		c.Shares, c.SharesLevel = inventory.Unread[int64]("the server names no shares of "+c.Name), inventory.Unread[string]("the server names no shares of "+c.Name)
		if a.Shares != nil {
			c.Shares, c.SharesLevel = inventory.Known(int64(a.Shares.Shares)), property.StatedWord(a.Shares.Level, "the level of "+c.Name)
		}
		all = append(all, c)
	}
	return all, ok
}
