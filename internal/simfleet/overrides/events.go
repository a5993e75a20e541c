package overrides

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// LogUserEvent adds a user event to an object.
//
// govmomi v0.56.0 simulator: it does not have this method.
func (o *Service) LogUserEvent(ctx *simulator.Context, req *types.LogUserEvent) soap.HasFault {
	body := new(methods.LogUserEventBody)
	manager, ok := ctx.Map.Get(req.This).(*simulator.EventManager)
	entity, is := ctx.Map.Get(req.Entity).(mo.Entity)
	switch {
	case !ok:
		body.Fault_ = world.NotFound(req.This)
		return body
	case !is:
		body.Fault_ = world.NotFound(req.Entity)
		return body
	case o.Denied.ReadOnly, o.Denied.Covers(ctx, req.Entity, o.Hosts[req.Entity]):
		body.Fault_ = simulator.Fault("Permission to perform this operation was denied.", world.NoPermission(req.Entity, "Global.LogEvent"))
		return body
	}
	name := ""
	ctx.WithLock(entity, func() { name = nameOf(entity) })
	event := &types.GeneralUserEvent{
		GeneralEvent: types.GeneralEvent{Message: req.Msg},
		Entity:       &types.ManagedEntityEventArgument{EntityEventArgument: types.EntityEventArgument{Name: name}, Entity: req.Entity},
	}
	event.FullFormattedMessage = "User logged event: " + req.Msg
	about(&event.Event, req.Entity, name)
	ctx.WithLock(manager, func() { manager.PostEvent(ctx, &types.PostEvent{This: req.This, EventToPost: event}) })
	body.Res = new(types.LogUserEventResponse)
	return body
}

// about sets the object of an event, in the field for its type.
func about(e *types.Event, ref types.ManagedObjectReference, name string) {
	arg := types.EntityEventArgument{Name: name}
	switch ref.Type {
	case "HostSystem":
		e.Host = &types.HostEventArgument{EntityEventArgument: arg, Host: ref}
	case "VirtualMachine":
		e.Vm = &types.VmEventArgument{EntityEventArgument: arg, Vm: ref}
	case "ClusterComputeResource", "ComputeResource":
		e.ComputeResource = &types.ComputeResourceEventArgument{EntityEventArgument: arg, ComputeResource: ref}
	case "Datastore":
		e.Ds = &types.DatastoreEventArgument{EntityEventArgument: arg, Datastore: ref}
	case "VmwareDistributedVirtualSwitch":
		e.Dvs = &types.DvsEventArgument{EntityEventArgument: arg, Dvs: ref}
	}
}

// nameOf returns the name of an object; networks and datastores have it in different fields.
func nameOf(e mo.Entity) string {
	switch o := e.(type) {
	case *mo.Network:
		return o.Name
	case *simulator.Datastore:
		return o.Name
	}
	return e.Entity().Name
}
