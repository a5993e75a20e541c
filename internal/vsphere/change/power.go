package change

import (
	"context"
	"errors"
	"fmt"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/change/evacuation"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/tuning"
)

// power implements tuning.Power on a session: it shuts down and starts VMs and hosts.
type power struct{ *estate }

const pathTools = "guest.toolsRunningStatus"

// ShutDown implements tuning.Power. A guest shutdown cannot be cancelled: a guest that exceeds the limit may still power off
// later.
func (s *power) ShutDown(ctx context.Context, vm tuning.Target) error {
	if err := s.shutDownGuest(ctx, vmRef(vm)); err != nil {
		return fmt.Errorf("shutting down %s: %w", session.Plain(vm.Name), err)
	}
	return nil
}

// errNoTools reports a guest that cannot be asked to shut down.
var errNoTools = errors.New("VMware Tools are not running in it, so vperf cannot shut down its guest; shut it down manually: vperf never uses a hard power-off")

func (s *power) shutDownGuest(ctx context.Context, vm ref) error {
	p, err := s.object(ctx, vm, tree.PathPower, pathTools)
	if err != nil {
		return err
	}
	if isOff(p) {
		return nil
	}
	if tools, known := property.Read(p, pathTools, property.Text, property.AbsentIfUnset).Value(); known && tools != string(types.VirtualMachineToolsRunningStatusGuestToolsRunning) {
		return errNoTools
	}
	_, err = methods.ShutdownGuest(ctx, s, &types.ShutdownGuest{This: vm})
	if session.IsFault[*types.ToolsUnavailable](session.FaultOf(err)) {
		return errNoTools
	}
	if err != nil {
		return session.Unsure(ctx, err)
	}
	bounded, done := context.WithTimeoutCause(ctx, s.limits.shutDown, &lateError{s.limits.shutDown})
	defer done()
	err = s.untilVM(bounded, vm, isOff)
	if isLate(err) {
		return fmt.Errorf("%w: its guest was asked to shut down and still runs; vperf never uses a hard power-off", err)
	}
	return err
}

func isOff(p *property.Props) bool { return hasPower(p, types.VirtualMachinePowerStatePoweredOff) }
func isOn(p *property.Props) bool  { return hasPower(p, types.VirtualMachinePowerStatePoweredOn) }

func hasPower(p *property.Props, want types.VirtualMachinePowerState) bool {
	state, _ := property.Read(p, tree.PathPower, property.Text, property.Required).Value()
	return state == string(want)
}

// untilVM waits until a VM is in a state.
func (s *power) untilVM(ctx context.Context, vm ref, so func(*property.Props) bool) error {
	return s.until(ctx, func() (bool, error) {
		p, err := s.object(ctx, vm, tree.PathPower)
		if session.Transient(err) {
			return false, nil
		}
		return err != nil || so(p), err
	})
}

// Evacuable implements tuning.Power.
func (s *power) Evacuable(ctx context.Context, host tuning.Target) ([]string, error) {
	return evacuation.Obstacles(ctx, s.Session, host)
}

// PowerOn implements tuning.Power.
func (s *power) PowerOn(ctx context.Context, vm tuning.Target) error {
	res, err := methods.PowerOnVM_Task(ctx, s, &types.PowerOnVM_Task{This: vmRef(vm)})
	if err = session.Unsure(ctx, err); err == nil {
		err = s.await(ctx, "PowerOnVM_Task", res.Returnval, s.limits.powerOn)
	}
	if err == nil {
		bounded, done := context.WithTimeoutCause(ctx, s.limits.powerOn, &lateError{s.limits.powerOn})
		defer done()
		err = s.untilVM(bounded, vmRef(vm), isOn)
	}
	if err != nil {
		return fmt.Errorf("starting %s: %w", session.Plain(vm.Name), err)
	}
	return nil
}
