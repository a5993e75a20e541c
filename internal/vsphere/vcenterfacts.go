package vsphere

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

const pathIntervals = "historicalInterval"

// vcenterTable: what the endpoint says about itself comes with the first call, before any property is read; the
// intervals of its statistics ride on the index, and libraries come over REST (libraries.go).
var vcenterTable = table[*inventory.VCenter]{
	entries: append(marks("VCenter", func(v *inventory.VCenter) *inventory.Entity { return &v.Entity }), []entry[*inventory.VCenter]{
		{facts: []string{"VCenter.version"}, fill: func(*props, *inventory.VCenter) {}},
		{facts: []string{"VCenter.libraries"}, fill: func(*props, *inventory.VCenter) {}},
		{facts: []string{"VCenter.statsIntervals"}, paths: []string{pathIntervals}, fill: func(*props, *inventory.VCenter) {}},
	}...),
}

func asIntervals(v any) ([]*inventory.StatsInterval, bool) {
	list, ok := asIs[types.ArrayOfPerfInterval](v)
	all := []*inventory.StatsInterval{}
	for _, i := range list.PerfInterval {
		all = append(all, &inventory.StatsInterval{
			Name: plain(i.Name), Seconds: int64(i.SamplingPeriod), Level: int64(i.Level), Enabled: i.Enabled,
		})
	}
	return all, ok
}
