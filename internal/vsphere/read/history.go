package read

import "github.com/vperf/vperf/pkg/inventory"

// addHistory sets which statistics history the vCenter keeps; a standalone host keeps an hour.
func (x *index) addHistory(vc *inventory.VCenter, needs inventory.Needs) {
	vc.Attributes = x.attributes[x.Root]
	switch {
	case !needs.Any("VCenter.statsIntervals"):
	case vc.Kind == inventory.EndpointESXi:
		vc.StatsIntervals = inventory.Absent[[]*inventory.StatsInterval]()
	default:
		vc.StatsIntervals = x.intervals
	}
}
