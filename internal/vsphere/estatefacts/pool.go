package estatefacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tagging"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// PoolTable defines how every fact of a resource pool is read; it is part of the index.
var PoolTable = property.Table[*inventory.Pool]{
	Of:     "ResourcePool",
	Always: []string{tree.PathName, tree.PathParent},
	Entries: append(tagging.Entries("Pool", func(p *inventory.Pool) *inventory.Entity { return &p.Entity }), []property.Entry[*inventory.Pool]{
		{Facts: []string{"Pool.clusterId"}, Fill: func(*property.Props, *inventory.Pool) {}}, // the index sets it
		{Facts: []string{"Pool.parentId"}, Fill: fillParentPool},
		property.Leaf("Pool.cpuLimitMHz", PathPoolLimit, property.Int, property.Required,
			func(p *inventory.Pool) *inventory.Fact[int64] { return &p.CPULimitMHz }),
		property.Leaf("Pool.memoryLimitMB", PathPoolMemoryLimit, property.Int, property.Required,
			func(p *inventory.Pool) *inventory.Fact[int64] { return &p.MemoryLimitMB }),
		property.Leaf("Pool.cpuShares", "config.cpuAllocation.shares.shares", property.Int, property.Required,
			func(p *inventory.Pool) *inventory.Fact[int64] { return &p.CPUShares }),
		property.Leaf("Pool.memoryShares", "config.memoryAllocation.shares.shares", property.Int, property.Required,
			func(p *inventory.Pool) *inventory.Fact[int64] { return &p.MemoryShares }),
		property.Leaf("Pool.cpuReservationMHz", "config.cpuAllocation.reservation", property.Int, property.Required,
			func(p *inventory.Pool) *inventory.Fact[int64] { return &p.CPUReservationMHz }),
		property.Leaf("Pool.memoryReservationMB", "config.memoryAllocation.reservation", property.Int, property.Required,
			func(p *inventory.Pool) *inventory.Fact[int64] { return &p.MemoryReservationMB }),
		{Facts: []string{"Pool.cpuUsageMHz", "Pool.memoryUsageMB"}, Paths: []string{pathPoolStats, pathPoolName}, Fill: fillPoolUsage},
		// Servers before 7.0 do not know the property. If a limit, which is always set, was read, then unset means off.
		{Facts: []string{"Pool.scaleShares"}, Paths: []string{pathScale, PathPoolLimit}, Fill: fillPoolScale},
		// A pool without VMs has no list of them.
		property.Leaf("Pool.vmCount", "vm", property.Count, property.DefaultTo(int64(0)), func(p *inventory.Pool) *inventory.Fact[int64] { return &p.VMCount }),
		{Facts: []string{"Pool.runningVMs", "Pool.directRunningVMs"}, Fill: func(*property.Props, *inventory.Pool) {}}, // Link computes them
	}...),
}

// Properties of a resource pool. Limits are in MHz and MB; -1 is no limit.
const (
	pathScale           = "config.scaleDescendantsShares"
	pathPoolStats       = "summary.quickStats"
	pathPoolName        = "summary.name" // is always set: without it, the account may not see the summary
	PathPoolLimit       = "config.cpuAllocation.limit"
	PathPoolMemoryLimit = "config.memoryAllocation.limit"
)

// fillParentPool sets the parent pool. The parent of a root pool is not a pool.
func fillParentPool(p *property.Props, pool *inventory.Pool) {
	pool.ParentID = property.Then(property.Read(p, tree.PathParent, property.As[ref], property.Required), func(above ref) inventory.Fact[string] {
		if !property.IsPool(above) {
			return inventory.Absent[string]()
		}
		return inventory.Known(above.Value)
	})
}

// fillPoolUsage reads the quick stats. A server that does not keep them leaves them unset; within them, a 0 is not sent.
func fillPoolUsage(p *property.Props, pool *inventory.Pool) {
	stats := property.Read(p, pathPoolStats, property.As[types.ResourcePoolQuickStats], property.AbsentIfUnset)
	pool.CPUUsageMHz = property.Then(stats, func(q types.ResourcePoolQuickStats) inventory.Fact[int64] { return inventory.Known(q.OverallCpuUsage) })
	pool.MemoryUsageMB = property.Then(stats, func(q types.ResourcePoolQuickStats) inventory.Fact[int64] { return inventory.Known(q.HostMemoryUsage) })
}

func fillPoolScale(p *property.Props, pool *inventory.Pool) {
	pool.ScaleShares = property.Then(property.Read(p, pathScale, property.Text, property.DefaultTo("")), func(word string) inventory.Fact[bool] {
		return inventory.Known(scales(word))
	})
}
