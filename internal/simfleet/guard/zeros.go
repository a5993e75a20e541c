package guard

import (
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// ArrayOfInt is a list of numbers. Its name is the one on the wire.
//
// govmomi v0.56.0 simulator: the encoder omits zeros in lists of numbers, so that a VM bound to CPU 0 seems to be unbound.
type ArrayOfInt struct {
	Int []int32 `xml:"int" json:"_value"`
}

// affinities are the lists that contain zeros.
var affinities = map[string]func(*types.VirtualMachineConfigInfo) *types.VirtualMachineAffinityInfo{
	"config.cpuAffinity.affinitySet":    func(c *types.VirtualMachineConfigInfo) *types.VirtualMachineAffinityInfo { return c.CpuAffinity },
	"config.memoryAffinity.affinitySet": func(c *types.VirtualMachineConfigInfo) *types.VirtualMachineAffinityInfo { return c.MemoryAffinity },
}

// withZeros reads a list again that the simulator has copied without its zeros.
func withZeros(ctx *simulator.Context, object types.ManagedObjectReference, p *types.DynamicProperty) {
	of, ok := affinities[p.Name]
	if !ok {
		return
	}
	vm, ok := ctx.Map.Get(object).(*simulator.VirtualMachine)
	if !ok {
		return
	}
	ctx.WithLock(vm, func() {
		if list := of(vm.Config); list != nil {
			p.Val = ArrayOfInt{slices.Clone(list.AffinitySet)}
		}
	})
}
