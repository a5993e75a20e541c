package estatefacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/marks"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// PathIntervals is the property of the performance manager that lists the statistics intervals.
const PathIntervals = "historicalInterval"

// VcenterTable says how every fact of a vCenter is read: what the endpoint says about itself comes with the first call, before any property is read; the
// intervals of its statistics ride on the index, and libraries come over REST (libraries.go).
var VcenterTable = property.Table[*inventory.VCenter]{
	Entries: append(marks.Entries("VCenter", func(v *inventory.VCenter) *inventory.Entity { return &v.Entity }), []property.Entry[*inventory.VCenter]{
		{Facts: []string{"VCenter.version"}, Fill: func(*property.Props, *inventory.VCenter) {}},
		{Facts: []string{"VCenter.libraries"}, Fill: func(*property.Props, *inventory.VCenter) {}},
		{Facts: []string{"VCenter.statsIntervals"}, Paths: []string{PathIntervals}, Fill: func(*property.Props, *inventory.VCenter) {}},
	}...),
}

// AsIntervals decodes the value of PathIntervals. The list is empty, not nil, if the server has no intervals; AsIntervals reports
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
