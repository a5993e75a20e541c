package vsphere

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// typeSwitch is the distributed switch of any maker.
const typeSwitch = "DistributedVirtualSwitch"

// switchTable says how every fact of a distributed switch is read; it is part of the index where facts of switches are
// needed. NIOC's state and the UUID are set on every switch, so where they are missing no nil beside them means
// anything.
var switchTable = table[*inventory.Switch]{
	of:     typeSwitch,
	always: []string{pathName, pathParent, pathNIOC, "summary.uuid", pathMembers},
	entries: []entry[*inventory.Switch]{
		leaf("Switch.niocEnabled", pathNIOC, asBool, must,
			func(s *inventory.Switch) *inventory.Fact[bool] { return &s.NIOCEnabled }),
		// Before 6.0 there was one version, which had no name.
		leaf("Switch.niocVersion", "config.networkResourceControlVersion", asText, none,
			func(s *inventory.Switch) *inventory.Fact[string] { return &s.NIOCVersion }),
		{facts: []string{"Switch.hostIds"}, fill: func(*props, *inventory.Switch) {}}, // newSwitch reads it always
	},
}

const (
	pathNIOC    = "config.networkResourceManagementEnabled"
	pathMembers = "summary.hostMember"
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

func asIDs(v any) ([]string, bool) {
	list, ok := asIs[types.ArrayOfManagedObjectReference](v)
	all := make([]string, len(list.ManagedObjectReference))
	for i, r := range list.ManagedObjectReference {
		all[i] = r.Value
	}
	return all, ok
}
