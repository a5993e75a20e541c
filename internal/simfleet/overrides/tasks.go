package overrides

import (
	"slices"
	"strings"

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

// taskUsers listens to the registry and sets the user of each task: all of the simulator's have the same user.
type taskUsers struct{ world.Listener }

// NewTaskUsers returns a listener that sets the user of each task.
func NewTaskUsers() simulator.RegisterObject { return &taskUsers{world.Listener{Name: "task-users"}} }

// UpdateObject handles a new task.
func (*taskUsers) UpdateObject(ctx *simulator.Context, obj mo.Reference, changes []types.PropertyChange) {
	task, ok := obj.(*mo.Task)
	begins := func(c types.PropertyChange) bool { return c.Name == "info.startTime" }
	if ok && ctx.Session != nil && slices.ContainsFunc(changes, begins) {
		task.Info.Reason = &types.TaskReasonUser{UserName: ctx.Session.UserName}
	}
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
