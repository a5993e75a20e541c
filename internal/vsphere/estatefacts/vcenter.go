package estatefacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tagging"
	"github.com/vperf/vperf/pkg/inventory"
)

// PathIntervals is the property of the performance manager that lists the statistics intervals.
const PathIntervals = "historicalInterval"

// VcenterTable defines how every fact of a vCenter is read. Facts about the endpoint come with the first call, before any
// property is read; the statistics intervals are read with the index, and libraries over REST (libraries.go).
var VcenterTable = property.Table[*inventory.VCenter]{
	Entries: append(tagging.Entries("VCenter", func(v *inventory.VCenter) *inventory.Entity { return &v.Entity }), []property.Entry[*inventory.VCenter]{
		{Facts: []string{"VCenter.version"}, Fill: func(*property.Props, *inventory.VCenter) {}},
		{Facts: []string{"VCenter.libraries"}, Fill: func(*property.Props, *inventory.VCenter) {}},
		{Facts: []string{"VCenter.statsIntervals"}, Paths: []string{PathIntervals}, Fill: func(*property.Props, *inventory.VCenter) {}},
	}...),
}

// AsIntervals decodes the value of PathIntervals. If the server has no intervals, the list is empty, not nil. AsIntervals reports
// false for a value of another type.
func AsIntervals(v any) ([]*inventory.StatsInterval, bool) {
	list, ok := property.As[types.ArrayOfPerfInterval](v)
	all := []*inventory.StatsInterval{}
	for _, i := range list.PerfInterval {
		all = append(all, &inventory.StatsInterval{
			Name: session.Plain(i.Name), Seconds: int64(i.SamplingPeriod), Level: int64(i.Level), Enabled: i.Enabled,
		})
	}
	return all, ok
}
