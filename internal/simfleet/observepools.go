package simfleet

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// poolLimits is what resource pools that hold their VMs back allow them. DRS deals a limit out by what VMs want; here each vCPU
// that was in the pool when the fleet began has as much of it as any other.
type poolLimits map[types.ManagedObjectReference]*poolLimit

type poolLimit struct {
	mhz   int64 // -1 is none
	vcpus int64
}

// limitsOf are those of a site's pools. Root pools are no limit: they have what their cluster has.
func limitsOf(b *builder) poolLimits {
	all := poolLimits{}
	for _, row := range b.site.pools {
		pool := b.pools[row.Cluster+"/"+row.Name]
		all[pool.Self] = &poolLimit{mhz: granted(&pool.Config.CpuAllocation).Limit}
	}
	for _, e := range b.hostOrder {
		for _, ref := range e.System.Vm {
			vm := get[*simulator.VirtualMachine](b, ref)
			if p := all.of(&vm.VirtualMachine); p != nil {
				p.vcpus += int64(vm.Config.Hardware.NumCPU)
			}
		}
	}
	return all
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
	return noLimit
}

func (p *poolLimit) share(vcpus int64) int64 {
	if p.mhz == noLimit {
		return noLimit
	}
	return p.mhz * vcpus / max(p.vcpus, vcpus)
}
