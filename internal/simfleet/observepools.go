package simfleet

import (
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// poolLimits holds the limits of resource pools. DRS distributes a limit by demand; here each vCPU that was in the pool at the
// start of the fleet gets an equal part.
type poolLimits map[types.ManagedObjectReference]*poolLimit

type poolLimit struct {
	mhz   int64 // -1: no limit
	vcpus int64
}

// add stores a pool's limit. Root pools have no limit beyond their cluster's capacity.
func (l poolLimits) add(pool *mo.ResourcePool) {
	l[pool.Self] = &poolLimit{mhz: granted(&pool.Config.CpuAllocation).Limit}
}

// count adds a VM to those that share its pool's limit.
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

// share returns a VM's part of its pool's limit.
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
