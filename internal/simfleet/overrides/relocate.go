package overrides

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// MigrateVMTask is the older call to move a VM to another host or pool.
//
// govmomi v0.56.0 simulator: it implements only the newer call.
func (*Service) MigrateVMTask(ctx *simulator.Context, req *types.MigrateVM_Task) soap.HasFault {
	body := new(methods.MigrateVM_TaskBody)
	vm, ok := ctx.Map.Get(req.This).(*simulator.VirtualMachine)
	if !ok {
		body.Fault_ = world.NotFound(req.This)
		return body
	}
	ctx.WithLock(vm, func() {
		res := vm.RelocateVMTask(ctx, &types.RelocateVM_Task{
			This: req.This, Spec: types.VirtualMachineRelocateSpec{Host: req.Host, Pool: req.Pool}, Priority: req.Priority,
		})
		body.Fault_ = res.Fault()
		if body.Fault_ == nil {
			ref := res.(*methods.RelocateVM_TaskBody).Res.Returnval
			body.Res = &types.MigrateVM_TaskResponse{Returnval: ref}
		}
	})
	return body
}
