package perf

import (
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// poolUsage sums what VMs use, by their resource pool.
type poolUsage map[types.ManagedObjectReference]*types.ResourcePoolQuickStats

// add adds a running VM to its pool. The caller holds the VM's lock.
func (u poolUsage) add(vm *simulator.VirtualMachine) {
	if vm.ResourcePool != nil {
		u.sum(*vm.ResourcePool, int64(vm.Summary.QuickStats.OverallCpuUsage), int64(vm.Summary.QuickStats.HostMemoryUsage))
	}
}

func (u poolUsage) sum(pool types.ManagedObjectReference, mhz, mb int64) {
	of := u[pool]
	if of == nil {
		of = new(types.ResourcePoolQuickStats)
		u[pool] = of
	}
	of.OverallCpuUsage += mhz
	of.HostMemoryUsage += mb
}

// show sets the quick stats of pools. A pool includes the pools below it, which are after it in the list.
func (u poolUsage) show(ctx *simulator.Context, pools []*simulator.ResourcePool) {
	for _, pool := range slices.Backward(pools) {
		own := types.ResourcePoolQuickStats{}
		if of := u[pool.Self]; of != nil {
			own = *of
		}
		if above := pool.Parent; above != nil {
			u.sum(*above, own.OverallCpuUsage, own.HostMemoryUsage)
		}
		ctx.WithLock(pool, func() { pool.Summary.GetResourcePoolSummary().QuickStats = &own })
	}
}
