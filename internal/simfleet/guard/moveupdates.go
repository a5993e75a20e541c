package guard

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
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
