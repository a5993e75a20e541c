package overrides

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// maintenancePoll is how often a host that enters maintenance mode checks whether its VMs are gone.
const maintenancePoll = 20 * time.Millisecond

// recentTasks is the number of recent tasks that an object lists.
const recentTasks = 200

// EnterMaintenanceModeTask waits until the running VMs are gone, up to the given timeout or for ever. Fully automated DRS moves
// VMs that can be moved; the rest must be moved or stopped by the user.
func (o *Service) EnterMaintenanceModeTask(ctx *simulator.Context, req *types.EnterMaintenanceMode_Task) soap.HasFault {
	e := o.Hosts[req.This]
	if e == nil {
		return &methods.EnterMaintenanceMode_TaskBody{Fault_: world.NotFound(req.This)}
	}
	ref := o.wait(ctx, e, "enterMaintenanceMode", func(own *simulator.Context, stop func() bool) types.BaseMethodFault {
		if e.InMaintenance(own) {
			return &types.InvalidState{}
		}
		began := time.Now()
		offToo := world.Deref(req.EvacuatePoweredOffVms)
		for occupied(own, e, offToo) {
			o.evacuate(own, e, offToo)
			if req.Timeout > 0 && time.Since(began) >= time.Duration(req.Timeout)*time.Second {
				return &types.Timedout{}
			}
			if stop() {
				return &types.RequestCanceled{}
			}
			time.Sleep(maintenancePoll)
		}
		if stop() { // while the last VM left
			return &types.RequestCanceled{}
		}
		setMaintenance(own, e, true)
		return nil
	})
	return &methods.EnterMaintenanceMode_TaskBody{Res: &types.EnterMaintenanceMode_TaskResponse{Returnval: ref}}
}

// ExitMaintenanceModeTask returns a fault if the host is not in maintenance mode.
func (o *Service) ExitMaintenanceModeTask(ctx *simulator.Context, req *types.ExitMaintenanceMode_Task) soap.HasFault {
	e := o.Hosts[req.This]
	if e == nil {
		return &methods.ExitMaintenanceMode_TaskBody{Fault_: world.NotFound(req.This)}
	}
	ref := o.wait(ctx, e, "exitMaintenanceMode", func(own *simulator.Context, _ func() bool) types.BaseMethodFault {
		if !e.InMaintenance(own) {
			return &types.InvalidState{}
		}
		setMaintenance(own, e, false)
		return nil
	})
	return &methods.ExitMaintenanceMode_TaskBody{Res: &types.ExitMaintenanceMode_TaskResponse{Returnval: ref}}
}

// wait runs a long task of a host. It starts with an object of its own, which is replaced by the host afterwards.
//
// govmomi v0.56.0 simulator: it locks a task's object until the task ends, so the host would not be readable meanwhile.
func (o *Service) wait(
	ctx *simulator.Context, e *esxi.Host, name string, do func(own *simulator.Context, stop func() bool) types.BaseMethodFault,
) types.ManagedObjectReference {
	stand := mo.SimpleCommand{Self: types.ManagedObjectReference{
		Type: "HostSystem", Value: fmt.Sprintf("task-of-%s-%d", e.System.Self.Value, o.tasks.Add(1)),
	}}
	own := &simulator.Context{Context: context.Background(), Map: ctx.Map}
	ready := make(chan struct{})
	task := simulator.CreateTask(stand, name, func(t *simulator.Task) (types.AnyType, types.BaseMethodFault) {
		<-ready
		return nil, do(own, func() bool { return o.closed() || cancelled(own, t) })
	})
	ref := task.Run(ctx)
	ctx.Map.AtomicUpdate(own, task, []types.PropertyChange{
		{Name: "info.entity", Val: e.System.Self}, {Name: "info.entityName", Val: e.System.Name},
	})
	own.WithLock(e.System, func() {
		recent := append(slices.Clone(e.System.RecentTask), ref)
		own.Update(e.System, []types.PropertyChange{{Name: "recentTask", Val: recent[max(0, len(recent)-recentTasks):]}})
	})
	close(ready)
	return ref
}

// closed reports whether the fleet was closed.
func (o *Service) closed() bool {
	select {
	case <-o.Gone:
		return true
	default:
		return false
	}
}

// cancelled reports whether the task was cancelled.
func cancelled(own *simulator.Context, t *simulator.Task) (yes bool) {
	own.WithLock(t, func() { yes = t.Info.Cancelled })
	return yes
}

func setMaintenance(ctx *simulator.Context, e *esxi.Host, on bool) {
	ctx.WithLock(e.System, func() {
		ctx.Update(e.System, []types.PropertyChange{{Name: "runtime.inMaintenanceMode", Val: on}})
	})
}

// occupied reports whether VMs run on the host or, with offToo, whether it has any VMs except templates.
func occupied(ctx *simulator.Context, e *esxi.Host, offToo bool) (yes bool) {
	for _, vm := range e.VMs(ctx) {
		ctx.WithLock(vm, func() {
			on := vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn
			yes = yes || on || offToo && !vm.Config.Template
		})
	}
	return yes
}
