package observe

import (
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// poolLimits is what resource pools that hold their VMs back allow them. DRS deals a limit out by what VMs want; here each vCPU
// that was in the pool when the fleet began has as much of it as any other.
type poolLimits map[types.ManagedObjectReference]*poolLimit

type poolLimit struct {
	mhz   int64 // -1 is none
	vcpus int64
}

// add notes what a pool allows its VMs. Root pools are no limit: they have what their cluster has.
func (l poolLimits) add(pool *mo.ResourcePool) {
	l[pool.Self] = &poolLimit{mhz: granted(&pool.Config.CpuAllocation).Limit}
}

// count has a VM share its pool's limit.
func (l poolLimits) count(vm *mo.VirtualMachine) {
	if p := l.of(vm); p != nil {
		p.vcpus += int64(vm.Config.Hardware.NumCPU)
	}
}

func (l poolLimits) of(vm *mo.VirtualMachine) *poolLimit {
	if vm.ResourcePool == nil {
		return nil
	}
	return l[*vm.ResourcePool]
}

// share is a VM's part of its pool's limit.
func (l poolLimits) share(vm *mo.VirtualMachine) int64 {
	if p := l.of(vm); p != nil {
		return p.share(int64(vm.Config.Hardware.NumCPU))
	}
	return world.NoLimit
}

func (p *poolLimit) share(vcpus int64) int64 {
	if p.mhz == world.NoLimit {
		return world.NoLimit
	}
	return p.mhz * vcpus / max(p.vcpus, vcpus)
}
