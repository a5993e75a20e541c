package module

import (
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

const mhz = 1e6

// poolColumns are figures of resource pools and vApps. A limit of -1 is none.
var poolColumns = []column[*inventory.Pool]{
	{
		"esxi_resource_pool_cpu_usage_hertz", "CPU that the VMs in the pool, and in pools below it, use (summary.quickStats.overallCpuUsage).",
		func(p *inventory.Pool) (float64, bool) { return number(p.CPUUsageMHz, mhz) },
	},
	{
		"esxi_resource_pool_cpu_limit_hertz", "CPU limit of the pool; absent if there is no limit (config.cpuAllocation.limit).",
		func(p *inventory.Pool) (float64, bool) { return limited(p.CPULimitMHz, mhz) },
	},
	{
		"esxi_resource_pool_cpu_reservation_hertz", "CPU reservation of the pool (config.cpuAllocation.reservation).",
		func(p *inventory.Pool) (float64, bool) { return number(p.CPUReservationMHz, mhz) },
	},
	{
		"esxi_resource_pool_cpu_shares", "CPU shares of the pool, in relation to those of its siblings (config.cpuAllocation.shares.shares).",
		func(p *inventory.Pool) (float64, bool) { return number(p.CPUShares, 1) },
	},
	{
		"esxi_resource_pool_memory_usage_bytes", "Host memory of the VMs in the pool, and in pools below it, with their overhead (summary.quickStats.hostMemoryUsage).",
		func(p *inventory.Pool) (float64, bool) { return number(p.MemoryUsageMB, mib) },
	},
	{
		"esxi_resource_pool_memory_limit_bytes", "Memory limit of the pool; absent if there is no limit (config.memoryAllocation.limit).",
		func(p *inventory.Pool) (float64, bool) { return limited(p.MemoryLimitMB, mib) },
	},
	{
		"esxi_resource_pool_memory_reservation_bytes", "Memory reservation of the pool (config.memoryAllocation.reservation).",
		func(p *inventory.Pool) (float64, bool) { return number(p.MemoryReservationMB, mib) },
	},
	{
		"esxi_resource_pool_memory_shares", "Memory shares of the pool, in relation to those of its siblings (config.memoryAllocation.shares.shares).",
		func(p *inventory.Pool) (float64, bool) { return number(p.MemoryShares, 1) },
	},
	{
		"esxi_resource_pool_running_vms", "VMs that are powered on, in the pool and in pools below it (VM resourcePool, runtime.powerState).",
		func(p *inventory.Pool) (float64, bool) { return number(p.RunningVMs, 1) },
	},
}

func limited(f inventory.Fact[int64], times float64) (float64, bool) {
	v, known := number(f, times)
	return v, known && v >= 0
}

func poolModule() Surveyed {
	return Surveyed{
		Name: Pool,
		Needs: needsOf("Pool.clusterId", "Pool.parentId", "Pool.cpuLimitMHz", "Pool.memoryLimitMB", "Pool.cpuReservationMHz", "Pool.memoryReservationMB",
			"Pool.cpuShares", "Pool.memoryShares", "Pool.cpuUsageMHz", "Pool.memoryUsageMB", "Pool.runningVMs", "VM.poolId", "VM.powerState", "Cluster.hostIds"),
		Write: func(w *exposition.Writer, v *inventory.VCenter) { writePools(w, usersPools(v)) },
		Coverage: func(v *inventory.VCenter) (int, int, string) {
			return covered(v.Unread, usersPools(v), func(p *inventory.Pool) []inventory.Reader {
				return []inventory.Reader{
					&p.CPULimitMHz, &p.MemoryLimitMB, &p.CPUReservationMHz, &p.MemoryReservationMB, &p.CPUShares, &p.MemoryShares,
					&p.CPUUsageMHz, &p.MemoryUsageMB, &p.RunningVMs,
				}
			})
		},
	}
}

// usersPools are the pools except root pools, which repeat the capacity of their cluster or host.
func usersPools(v *inventory.VCenter) (pools []*inventory.Pool) {
	for _, p := range v.Pools {
		if !p.Root {
			pools = append(pools, p)
		}
	}
	return pools
}

func writePools(w *exposition.Writer, pools []*inventory.Pool) {
	names := map[string]string{}
	for _, p := range pools {
		names[p.ID] = p.Name
	}
	writeInfo(w, "esxi_resource_pool_info", "Resource pool or vApp: its cluster, and the pool above it, unless that is the root pool (owner, parent).", pools,
		func(p *inventory.Pool) exposition.Labels {
			cluster, parent := "", text(p.ParentID)
			if c := p.Cluster(); c != nil {
				cluster = c.Name
			}
			if _, shown := names[parent]; !shown {
				parent = ""
			}
			return exposition.NewLabels("resource_pool", p.Name, "moid", p.ID, "vsphere_cluster", cluster, "parent", names[parent], "parent_moid", parent)
		})
	writeColumns(w, pools, poolLabels, poolColumns)
}

func poolLabels(p *inventory.Pool) exposition.Labels {
	return exposition.NewLabels("resource_pool", p.Name, "moid", p.ID)
}
