package overrides

import (
	"slices"
	"strings"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// taskOf returns the name of the task that a method starts, if it starts one.
func taskOf(method string) (name string, is bool) {
	name, is = strings.CutSuffix(method, "_Task")
	return strings.ToLower(name[:1]) + name[1:], is
}

// taskUsers listens to the registry and sets the user of each task, and its times by the fleet's clock. Like a vCenter it
// logs an event for each.
//
// govmomi v0.56.0 simulator: all tasks have the same user and the real time, and log nothing.
type taskUsers struct {
	world.Listener
	now func() time.Time
}

// NewTaskUsers returns a listener that sets the user and the times of each task.
func NewTaskUsers(now func() time.Time) simulator.RegisterObject {
	return &taskUsers{world.Listener{Name: "task-users"}, now}
}

// UpdateObject handles tasks that begin or end.
func (u *taskUsers) UpdateObject(ctx *simulator.Context, obj mo.Reference, changes []types.PropertyChange) {
	task, ok := obj.(*mo.Task)
	if !ok {
		return
	}
	changed := func(name string) bool {
		return slices.ContainsFunc(changes, func(c types.PropertyChange) bool { return c.Name == name })
	}
	if changed("info.startTime") && task.Info.StartTime != nil {
		task.Info.QueueTime, task.Info.StartTime = u.now(), new(u.now())
		if ctx.Session != nil {
			task.Info.Reason = &types.TaskReasonUser{UserName: ctx.Session.UserName}
			post(ctx, taskEvent(ctx, &task.Info))
		}
	}
	if changed("info.completeTime") && task.Info.CompleteTime != nil {
		task.Info.CompleteTime = new(u.now())
	}
}

// taskEvent returns the event of a task that begins, about its object. The caller may hold the object's lock.
func taskEvent(ctx *simulator.Context, info *types.TaskInfo) *types.TaskEvent {
	e := &types.TaskEvent{Info: *info}
	e.FullFormattedMessage = "Task: " + info.Name
	if info.Entity == nil {
		return e
	}
	about(&e.Event, *info.Entity, info.EntityName)
	if vm, ok := ctx.Map.Get(*info.Entity).(*simulator.VirtualMachine); ok && vm.Runtime.Host != nil {
		e.Host = &types.HostEventArgument{EntityEventArgument: types.EntityEventArgument{Name: vm.Runtime.Host.Value}, Host: *vm.Runtime.Host}
	}
	return e
}

// otherUser is the user of the busy host's task.
const otherUser = `VSPHERE.LOCAL\backup`

// KeepBusy runs a task of another user on a host until it is cancelled.
func (o *Service) KeepBusy(ctx *simulator.Context, e *esxi.Host) {
	ref := o.wait(ctx, e, "scanHostPatchV2", func(_ *simulator.Context, stop func() bool) types.BaseMethodFault {
		for !stop() {
			o.sleep(maintenancePoll)
		}
		return &types.RequestCanceled{}
	})
	task := ctx.Map.Get(ref).(*simulator.Task)
	ctx.WithLock(task, func() { task.Info.Reason = &types.TaskReasonUser{UserName: otherUser} })
}
