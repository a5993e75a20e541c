package overrides

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// shutdownTakes is how long a guest takes to shut down.
const shutdownTakes = 100 * time.Millisecond

// ShutdownGuest shuts down the guest through VMware Tools; the answer comes before the VM is off.
func (o *Service) ShutdownGuest(ctx *simulator.Context, req *types.ShutdownGuest) soap.HasFault {
	body := new(methods.ShutdownGuestBody)
	vm, ok := ctx.Map.Get(req.This).(*simulator.VirtualMachine)
	if !ok {
		body.Fault_ = world.NotFound(req.This)
		return body
	}
	ctx.WithLock(vm, func() {
		switch {
		case vm.Runtime.PowerState != types.VirtualMachinePowerStatePoweredOn:
			body.Fault_ = simulator.Fault("The attempted operation cannot be performed in the current state.", &types.InvalidPowerState{
				RequestedState: types.VirtualMachinePowerStatePoweredOn, ExistingState: vm.Runtime.PowerState,
			})
		case vm.Guest.ToolsRunningStatus != world.ToolsRunning:
			body.Fault_ = simulator.Fault("Cannot complete operation because VMware Tools is not running in this virtual machine.",
				&types.ToolsUnavailable{})
		default:
			body.Res = new(types.ShutdownGuestResponse)
			guest := *vm.Guest // the old one may be in use for an answer
			vm.Guest = &guest
			ctx.Update(vm, []types.PropertyChange{{Name: "guest.guestState", Val: string(types.VirtualMachineGuestStateShuttingDown)}})
			go o.shutDown(&simulator.Context{Context: context.Background(), Map: ctx.Map}, vm)
		}
	})
	return body
}

func (o *Service) shutDown(ctx *simulator.Context, vm *simulator.VirtualMachine) {
	if o.sleep(cmp.Or(o.ShutdownTakes, shutdownTakes)) {
		stop(ctx, vm)
	}
}

// stop powers off a running VM.
func stop(ctx *simulator.Context, vm *simulator.VirtualMachine) {
	ctx.WithLock(vm, func() {
		if vm.Runtime.PowerState != types.VirtualMachinePowerStatePoweredOn {
			return
		}
		off := types.VirtualMachinePowerStatePoweredOff
		ctx.Update(vm, []types.PropertyChange{
			{Name: "runtime.powerState", Val: off}, {Name: "summary.runtime.powerState", Val: off},
		})
	})
}

// starts listens to the registry and completes the effects of a VM's start and stop.
//
// govmomi v0.56.0 simulator: it omits most of them, and uses the real clock.
type starts struct {
	world.Listener
	now func() time.Time
}

// NewStarts returns such a listener that uses the clock now.
func NewStarts(now func() time.Time) simulator.RegisterObject {
	return &starts{world.Listener{Name: "starts"}, now}
}

// UpdateObject handles a change. The caller holds the VM's lock.
func (s *starts) UpdateObject(ctx *simulator.Context, obj mo.Reference, changes []types.PropertyChange) {
	vm, ok := obj.(*mo.VirtualMachine)
	if !ok || !slices.ContainsFunc(changes, func(c types.PropertyChange) bool { return c.Name == "runtime.powerState" }) {
		return
	}
	var list []types.PropertyChange
	add := func(value any, names ...string) {
		for _, n := range names {
			list = append(list, types.PropertyChange{Name: n, Val: value})
		}
	}
	const booted, bootedToo = "runtime.bootTime", "summary.runtime.bootTime"
	tools, status, state := world.ToolsStopped, types.VirtualMachineToolsStatusToolsNotRunning, types.VirtualMachineGuestStateNotRunning
	switch vm.Runtime.PowerState {
	case types.VirtualMachinePowerStatePoweredOn:
		add(new(s.now()), booted, bootedToo)
		tools, status, state = world.ToolsRunning, types.VirtualMachineToolsStatusToolsOk, types.VirtualMachineGuestStateRunning
	case types.VirtualMachinePowerStatePoweredOff:
		add(nil, booted, bootedToo)
	default:
	}
	if vm.Guest != nil && vm.Summary.Guest != nil && vm.Guest.ToolsVersionStatus2 != world.ToolsMissing {
		guest, summary := *vm.Guest, *vm.Summary.Guest // the old ones may be in use for an answer
		vm.Guest, vm.Summary.Guest = &guest, &summary
		add(tools, "guest.toolsRunningStatus", "summary.guest.toolsRunningStatus")
		add(status, "guest.toolsStatus", "summary.guest.toolsStatus")
		add(string(state), "guest.guestState")
	}
	ctx.Update(vm, list)
}
