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

// maintenancePoll is how often a host that wants to enter maintenance mode looks whether its VMs are gone.
const maintenancePoll = 20 * time.Millisecond

// recentTasks are how many of its last tasks an object names.
const recentTasks = 200

// EnterMaintenanceModeTask waits for the running VMs to go: for as long as the caller said, or for ever. Where DRS does
// so without asking, it moves those that can be moved; the rest somebody has to move or stop.
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
		if stop() { // while the last VM went
			return &types.RequestCanceled{}
		}
		setMaintenance(own, e, true)
		return nil
	})
	return &methods.EnterMaintenanceMode_TaskBody{Res: &types.EnterMaintenanceMode_TaskResponse{Returnval: ref}}
}

// ExitMaintenanceModeTask refuses where there is nothing to leave.
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

// wait runs a task of a host that may take long. The simulator holds the lock of a task's object until the task ends,
// and nobody could read the host meanwhile; so the task is given an object of its own first and the host afterwards.
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

// closed reports whether the fleet is no more.
func (o *Service) closed() bool {
	select {
	case <-o.Gone:
		return true
	default:
		return false
	}
}

// cancelled reports whether somebody cancelled the task.
func cancelled(own *simulator.Context, t *simulator.Task) (yes bool) {
	own.WithLock(t, func() { yes = t.Info.Cancelled })
	return yes
}

func setMaintenance(ctx *simulator.Context, e *esxi.Host, on bool) {
	ctx.WithLock(e.System, func() {
		ctx.Update(e.System, []types.PropertyChange{{Name: "runtime.inMaintenanceMode", Val: on}})
	})
}

// occupied reports whether VMs run on the host, or if they matter too, whether any but templates are there.
func occupied(ctx *simulator.Context, e *esxi.Host, offToo bool) (yes bool) {
	for _, vm := range e.VMs(ctx) {
		ctx.WithLock(vm, func() {
			on := vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn
			yes = yes || on || offToo && !vm.Config.Template
		})
	}
	return yes
}
