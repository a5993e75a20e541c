package guard

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// MoveUpdates listens to the registry and sends updates of parents and connection states.
//
// govmomi v0.56.0 simulator: it changes them in place, and watchers are not told.
type MoveUpdates struct{ world.Listener }

// NewMoveUpdates returns a listener that the caller adds to the server's registry.
func NewMoveUpdates() *MoveUpdates { return &MoveUpdates{world.Listener{Name: "moves"}} }

// UpdateObject is called for ended tasks. The simulator has released the locks of their objects by then.
func (*MoveUpdates) UpdateObject(ctx *simulator.Context, obj mo.Reference, _ []types.PropertyChange) {
	task, ok := obj.(*mo.Task)
	if !ok || task.Info.State != types.TaskInfoStateSuccess || task.Info.Entity == nil {
		return
	}
	on := ctx.Map.Get(*task.Info.Entity)
	switch task.Info.DescriptionId {
	case "Folder.moveIntoFolder":
		if f, ok := on.(*simulator.Folder); ok {
			sendParents(ctx, f, func() []types.ManagedObjectReference { return f.ChildEntity })
		}
	case "ClusterComputeResource.moveInto":
		if c, ok := on.(*simulator.ClusterComputeResource); ok {
			sendParents(ctx, c, func() []types.ManagedObjectReference { return c.Host })
		}
	case "HostSystem.disconnectHost", "HostSystem.reconnectHost":
		if h, ok := on.(*simulator.HostSystem); ok {
			ctx.WithLock(h, func() {
				ctx.Update(h, []types.PropertyChange{{Name: "runtime.connectionState", Val: h.Runtime.ConnectionState}})
			})
		}
	}
}

// sendParents sends the parent of all objects in a container: a task does not say what it moved.
func sendParents(ctx *simulator.Context, parent mo.Entity, in func() []types.ManagedObjectReference) {
	var children []types.ManagedObjectReference
	self := parent.Reference()
	ctx.WithLock(parent, func() { children = append(children, in()...) })
	for _, ref := range children {
		if child, ok := ctx.Map.Get(ref).(mo.Entity); ok {
			ctx.WithLock(child, func() { ctx.Update(child, []types.PropertyChange{{Name: "parent", Val: &self}}) })
		}
	}
}

// Templates replaces the simulator's methods that convert a VM to a template and back.
//
// govmomi v0.56.0 simulator: it sends no updates of them.
type Templates struct{ world.Replacement }

// NewTemplates returns a Templates that the caller registers for its methods.
func NewTemplates() *Templates { return &Templates{world.NewReplacement("templates")} }

// Answers returns the methods that it implements.
func (*Templates) Answers() []string {
	return []string{"VirtualMachine.MarkAsTemplate", "VirtualMachine.MarkAsVirtualMachine"}
}

// MarkAsTemplate converts a VM and sends the update.
func (*Templates) MarkAsTemplate(ctx *simulator.Context, req *types.MarkAsTemplate) soap.HasFault {
	return marked(ctx, req.This, &methods.MarkAsTemplateBody{Fault_: world.NotFound(req.This)},
		func(vm *simulator.VirtualMachine) soap.HasFault { return vm.MarkAsTemplate(req) })
}

// MarkAsVirtualMachine converts a template and sends the update, including the host.
func (*Templates) MarkAsVirtualMachine(ctx *simulator.Context, req *types.MarkAsVirtualMachine) soap.HasFault {
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
