package overrides

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// MarkAsTemplate converts a VM and sends the update.
//
// govmomi v0.56.0 simulator: it sends no updates of these two methods.
func (*Service) MarkAsTemplate(ctx *simulator.Context, req *types.MarkAsTemplate) soap.HasFault {
	return marked(ctx, req.This, &methods.MarkAsTemplateBody{Fault_: world.NotFound(req.This)},
		func(vm *simulator.VirtualMachine) soap.HasFault { return vm.MarkAsTemplate(req) })
}

// MarkAsVirtualMachine converts a template and sends the update, including the host.
func (*Service) MarkAsVirtualMachine(ctx *simulator.Context, req *types.MarkAsVirtualMachine) soap.HasFault {
	return marked(ctx, req.This, &methods.MarkAsVirtualMachineBody{Fault_: world.NotFound(req.This)},
		func(vm *simulator.VirtualMachine) soap.HasFault { return vm.MarkAsVirtualMachine(req) })
}

func marked(ctx *simulator.Context, ref types.ManagedObjectReference, body soap.HasFault, mark func(*simulator.VirtualMachine) soap.HasFault) soap.HasFault {
	vm, ok := ctx.Map.Get(ref).(*simulator.VirtualMachine)
	if !ok {
		return body
	}
	ctx.WithLock(vm, func() {
		if body = mark(vm); body.Fault() == nil {
			ctx.Update(vm, []types.PropertyChange{
				{Name: "config.template", Val: vm.Config.Template}, {Name: "runtime.host", Val: vm.Runtime.Host},
			})
		}
	})
	return body
}

// CreateContainerView prevents VMs from moving meanwhile.
//
// govmomi v0.56.0 simulator: a container view reads hosts' lists of VMs without a lock.
func (o *Service) CreateContainerView(ctx *simulator.Context, req *types.CreateContainerView) soap.HasFault {
	manager, ok := ctx.Map.Get(req.This).(*simulator.ViewManager)
	if !ok {
		return &methods.CreateContainerViewBody{Fault_: world.NotFound(req.This)}
	}
	o.Listing.Lock()
	defer o.Listing.Unlock()
	return manager.CreateContainerView(ctx, req)
}
