package overrides

import (
	"cmp"
	"context"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// rebootTakes is how long a host is away during a restart. The task succeeds before that, and the vCenter notices with a delay.
const rebootTakes = 300 * time.Millisecond

// RebootHostTask restarts a host in maintenance mode or, with force, any host with its running VMs.
func (o *Service) RebootHostTask(ctx *simulator.Context, req *types.RebootHost_Task) soap.HasFault {
	e := o.Hosts[req.This]
	if e == nil {
		return &methods.RebootHost_TaskBody{Fault_: world.NotFound(req.This)}
	}
	ref := o.wait(ctx, e, "rebootHost", func(own *simulator.Context, _ func() bool) types.BaseMethodFault {
		if !req.Force && !e.InMaintenance(own) || !e.Rebooting.CompareAndSwap(false, true) {
			return &types.InvalidState{}
		}
		go o.reboot(e, &simulator.Context{Context: context.Background(), Map: own.Map})
		return nil
	})
	return &methods.RebootHost_TaskBody{Res: &types.RebootHost_TaskResponse{Returnval: ref}}
}

// reboot stops the host and starts it again. Earlier settings are saved when it stops.
func (o *Service) reboot(e *esxi.Host, ctx *simulator.Context) {
	defer e.Rebooting.Store(false)
	takes := cmp.Or(o.RebootTakes, rebootTakes)
	if !o.sleep(takes / 3) {
		return
	}
	e.Away.Store(true)
	reach(ctx, e, types.HostSystemConnectionStateNotResponding, types.HostSystemPowerStateUnknown)
	for _, vm := range e.VMs(ctx) {
		stop(ctx, vm)
	}
	if !o.sleep(takes) {
		return
	}
	e.Mu.Lock()
	e.Saved()
	e.Boot(ctx)
	e.Mu.Unlock()
	o.Loads.History.Restart(e.System.Self.Value)
	o.LoggedOut()
	reach(ctx, e, types.HostSystemConnectionStateConnected, types.HostSystemPowerStatePoweredOn)
	e.Away.Store(false)
}

// sleep returns false if the fleet was closed meanwhile.
func (o *Service) sleep(d time.Duration) bool {
	select {
	case <-o.Gone:
		return false
	case <-time.After(d):
		return true
	}
}

// reach sets the connection state of the host and its VMs in the vCenter.
func reach(ctx *simulator.Context, e *esxi.Host, state types.HostSystemConnectionState, power types.HostSystemPowerState) {
	ctx.WithLock(e.System, func() {
		ctx.Update(e.System, []types.PropertyChange{
			{Name: "runtime.connectionState", Val: state}, {Name: "runtime.powerState", Val: power},
		})
	})
	of := types.VirtualMachineConnectionStateConnected
	if state != types.HostSystemConnectionStateConnected {
		of = types.VirtualMachineConnectionStateDisconnected
	}
	for _, vm := range e.VMs(ctx) {
		ctx.WithLock(vm, func() {
			ctx.Update(vm, []types.PropertyChange{
				{Name: "runtime.connectionState", Val: of}, {Name: "summary.runtime.connectionState", Val: of},
			})
		})
	}
}
