package vsphere

import "github.com/vperf/vperf/pkg/inventory"

// poolTable says how every fact of a resource pool is read; it is part of the index.
var poolTable = table[*inventory.Pool]{
	of:     "ResourcePool",
	always: []string{pathName, pathParent},
	entries: []entry[*inventory.Pool]{
		{facts: []string{"Pool.clusterId"}, fill: func(*props, *inventory.Pool) {}}, // the index knows it
		leaf("Pool.cpuLimitMHz", "config.cpuAllocation.limit", asInt, must,
			func(p *inventory.Pool) *inventory.Fact[int64] { return &p.CPULimitMHz }),
	},
}

// vcenterTable: what the endpoint says about itself comes with the first call, before any property is read.
var vcenterTable = table[*inventory.VCenter]{
	entries: []entry[*inventory.VCenter]{{facts: []string{"VCenter.version"}, fill: func(*props, *inventory.VCenter) {}}},
}
