package vsphere

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// switchTable says how every fact of a distributed switch is read; it is part of the index where facts of switches are
// needed. NIOC's state and the UUID are set on every switch, so where they are missing no nil beside them means
// anything.
var switchTable = table[*inventory.Switch]{
	of:     typeSwitch,
	always: []string{pathName, pathParent, pathNIOC, pathUUID, pathMembers},
	entries: append(marks("Switch", func(s *inventory.Switch) *inventory.Entity { return &s.Entity }), []entry[*inventory.Switch]{
		leaf("Switch.niocEnabled", pathNIOC, asBool, must,
			func(s *inventory.Switch) *inventory.Fact[bool] { return &s.NIOCEnabled }),
		// Before 6.0 there was one version, which had no name.
		leaf("Switch.niocVersion", "config.networkResourceControlVersion", asText, none,
			func(s *inventory.Switch) *inventory.Fact[string] { return &s.NIOCVersion }),
		{facts: []string{"Switch.hostIds"}, fill: func(*props, *inventory.Switch) {}}, // newSwitch reads it always
		// The configuration is declared as that of any maker's switch, and a server knows no path into what VMware's has beside.
		{facts: []string{"Switch.mtu"}, paths: []string{pathSwitch}, fill: fillMTU},
		{facts: []string{"Switch.uplinks"}, fill: func(_ *props, s *inventory.Switch) { s.Uplinks = inventory.Absent[[]string]() }},
		// Version 2 has pools of another kind.
		{facts: []string{"Switch.trafficClasses", "TrafficClass.shares", "TrafficClass.sharesLevel", "TrafficClass.reservationMbps",
			"TrafficClass.limitMbps"}, paths: []string{pathTraffic}, fill: fillTraffic},
		// The index has the groups; the switch knows how many there are.
		{facts: portgroupFacts, paths: []string{pathGroups}, fill: func(*props, *inventory.Switch) {}},
		// Where virtual NICs are told their switches, these are what they are told of.
		{facts: []string{"VNIC.switch"}, fill: func(*props, *inventory.Switch) {}},
	}...),
}

const (
	pathNIOC    = "config.networkResourceManagementEnabled"
	pathMembers = "summary.hostMember"
	pathUUID    = "summary.uuid"
	pathSwitch  = "config"
	pathGroups  = "portgroup"
	pathTraffic = "config.infrastructureTrafficResourceConfig"
)

// newSwitch makes a switch of its properties. Its members say whether it is in scope; one without has no list of them.
func newSwitch(p *props, plan plan[*inventory.Switch]) *inventory.Switch {
	s := &inventory.Switch{Kind: inventory.SwitchDistributed, HostIDs: read(p, pathMembers, asIDs, means([]string{}))}
	if !p.has("config") {
		s.Unread = p.whole("config")
		return s
	}
	plan.fill(p, s)
	return s
}

func fillMTU(p *props, s *inventory.Switch) {
	s.MTU = then(read(p, pathSwitch, asMTU, must), func(mtu int64) inventory.Fact[int64] {
		if mtu == 0 {
			return inventory.Unread[int64]("the server names no MTU of the switch")
		}
		return inventory.Known(mtu)
	})
}

// asMTU is 0 for another maker's switch, and for one without an MTU.
func asMTU(v any) (int64, bool) {
	config, ok := asIs[types.VMwareDVSConfigInfo](v)
	return int64(config.MaxMtu), ok || isA[types.BaseDVSConfigInfo](v)
}

// fillTraffic: a switch without classes may have an empty list of them, or none.
func fillTraffic(p *props, s *inventory.Switch) {
	all := read(p, pathTraffic, asTraffic, none)
	s.TrafficClasses = then(all, func(classes []*inventory.TrafficClass) inventory.Fact[[]*inventory.TrafficClass] {
		if len(classes) == 0 {
			return inventory.Absent[[]*inventory.TrafficClass]()
		}
		return inventory.Known(classes)
	})
}

func asTraffic(v any) ([]*inventory.TrafficClass, bool) {
	list, ok := asIs[types.ArrayOfDvsHostInfrastructureTrafficResource](v)
	all := []*inventory.TrafficClass{}
	for _, r := range list.DvsHostInfrastructureTrafficResource {
		c := &inventory.TrafficClass{Name: plain(r.Key)}
		a := r.AllocationInfo
		c.LimitMbps = stated(a.Limit, "how much "+c.Name+" may use")
		c.ReservationMbps = stated(a.Reservation, "how much "+c.Name+" is guaranteed")
		c.Shares, c.SharesLevel = inventory.Unread[int64]("the server names no shares of "+c.Name), inventory.Unread[string]("the server names no shares of "+c.Name)
		if a.Shares != nil {
			c.Shares, c.SharesLevel = inventory.Known(int64(a.Shares.Shares)), statedWord(a.Shares.Level, "the level of "+c.Name)
		}
		all = append(all, c)
	}
	return all, ok
}
