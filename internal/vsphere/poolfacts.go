package vsphere

import (
	"github.com/vperf/vperf/pkg/inventory"
)

// poolTable says how every fact of a resource pool is read; it is part of the index.
var poolTable = table[*inventory.Pool]{
	of:     "ResourcePool",
	always: []string{pathName, pathParent},
	entries: append(marks("Pool", func(p *inventory.Pool) *inventory.Entity { return &p.Entity }), []entry[*inventory.Pool]{
		{facts: []string{"Pool.clusterId"}, fill: func(*props, *inventory.Pool) {}}, // the index knows it
		{facts: []string{"Pool.parentId"}, fill: fillParentPool},
		leaf("Pool.cpuLimitMHz", pathPoolLimit, asInt, must,
			func(p *inventory.Pool) *inventory.Fact[int64] { return &p.CPULimitMHz }),
		leaf("Pool.memoryLimitMB", pathPoolMemoryLimit, asInt, must,
			func(p *inventory.Pool) *inventory.Fact[int64] { return &p.MemoryLimitMB }),
		leaf("Pool.cpuShares", "config.cpuAllocation.shares.shares", asInt, must,
			func(p *inventory.Pool) *inventory.Fact[int64] { return &p.CPUShares }),
		leaf("Pool.memoryShares", "config.memoryAllocation.shares.shares", asInt, must,
			func(p *inventory.Pool) *inventory.Fact[int64] { return &p.MemoryShares }),
		// Servers before 7.0 do not know the property; beside a limit, which is always set, unset is off.
		{facts: []string{"Pool.scaleShares"}, paths: []string{pathScale, pathPoolLimit}, fill: fillPoolScale},
		// A pool without VMs has no list of them.
		leaf("Pool.vmCount", "vm", asCount, means(int64(0)), func(p *inventory.Pool) *inventory.Fact[int64] { return &p.VMCount }),
		{facts: []string{"Pool.runningVMs", "Pool.directRunningVMs"}, fill: func(*props, *inventory.Pool) {}}, // Link counts them
	}...),
}

const (
	pathScale           = "config.scaleDescendantsShares"
	pathPoolLimit       = "config.cpuAllocation.limit"
	pathPoolMemoryLimit = "config.memoryAllocation.limit"
)

// fillParentPool: what a root pool lies in is no pool.
func fillParentPool(p *props, pool *inventory.Pool) {
	pool.ParentID = then(read(p, pathParent, asIs[ref], must), func(above ref) inventory.Fact[string] {
		if !isPool(above) {
			return inventory.Absent[string]()
		}
		return inventory.Known(above.Value)
	})
}

func fillPoolScale(p *props, pool *inventory.Pool) {
	pool.ScaleShares = then(read(p, pathScale, asText, means("")), func(word string) inventory.Fact[bool] {
		return inventory.Known(scales(word))
	})
}
