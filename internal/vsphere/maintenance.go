package vsphere

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/tuning"
)

// EnterMaintenance implements tuning.Power. When the time is up the task is cancelled. The server gives up by itself some time later,
// for a vperf that has ended by then: were it at the same moment, nobody could tell what became of the task. VMs that are off
// stay where they are, and so does vSAN's data as long as every object can be reached. VMs that had moved when it was cancelled
// stay where they are then.
func (s *power) EnterMaintenance(ctx context.Context, host tuning.Target) error {
	h := targetHost(host)
	res, err := methods.EnterMaintenanceMode_Task(ctx, s, &types.EnterMaintenanceMode_Task{
		This: h, Timeout: seconds(s.limits.enter + s.limits.cancel), EvacuatePoweredOffVms: new(false),
		MaintenanceSpec: &types.HostMaintenanceSpec{VsanMode: &types.VsanHostDecommissionMode{
			ObjectAction: string(types.VsanHostDecommissionModeObjectActionEnsureObjectAccessibility),
		}},
	})
	if err = unsure(ctx, err); err == nil {
		err = gaveUp(s.await(ctx, "EnterMaintenanceMode_Task", res.Returnval, s.limits.enter))
		if err == nil {
			err = s.proveMaintenance(ctx, h, true)
		}
		if err == nil && ctx.Err() != nil { // it got there while it was being cancelled
			err = s.Interrupted(ctx, "EnterMaintenanceMode_Task")
		}
		if err != nil {
			err = s.leftBehind(ctx, host, err)
		}
	}
	if err != nil {
		return fmt.Errorf("moving %s into maintenance mode: %w", plain(host.Name), err)
	}
	return nil
}

// leftBehind sees to it that a host is not in maintenance mode after all, and names the VMs that still run on it.
func (s *power) leftBehind(ctx context.Context, host tuning.Target, failed error) error {
	after, done := context.WithTimeout(context.WithoutCancel(ctx), s.limits.cancel)
	defer done()
	h := targetHost(host)
	found, err := s.objects(after, "what is left on the host", []types.ObjectSpec{{Obj: h, SelectSet: []types.BaseSelectionSpec{along(typeHost, "vm")}}},
		types.PropertySpec{Type: typeHost, PathSet: []string{pathMaintenance}},
		types.PropertySpec{Type: typeVM, PathSet: []string{pathName, pathPower}})
	if err != nil {
		return fmt.Errorf("%w; and how the host is now could not be read: %s", failed, why(err))
	}
	var names []string
	for _, p := range found {
		if in, _ := read(p, pathMaintenance, asBool, none).Value(); p.ref == h && in {
			if err := s.ExitMaintenance(after, host); err != nil {
				return fmt.Errorf("%w; and it was left in it: %w", failed, err)
			}
		}
		if p.ref.Type == typeVM && isOn(p) {
			names = append(names, plain(nameOf(p)))
		}
	}
	if len(names) == 0 {
		return failed
	}
	return fmt.Errorf("%w; still on it: %s", failed, listing(names))
}

// ExitMaintenance implements tuning.Power.
func (s *power) ExitMaintenance(ctx context.Context, host tuning.Target) error {
	res, err := methods.ExitMaintenanceMode_Task(ctx, s, &types.ExitMaintenanceMode_Task{This: targetHost(host), Timeout: seconds(s.limits.exit)})
	if err = unsure(ctx, err); err == nil {
		err = gaveUp(s.await(ctx, "ExitMaintenanceMode_Task", res.Returnval, s.limits.exit))
	}
	if err == nil {
		err = s.proveMaintenance(ctx, targetHost(host), false)
	}
	if err != nil {
		return fmt.Errorf("ending maintenance mode of %s: %w", plain(host.Name), err)
	}
	return nil
}

// gaveUp is the error of a task that was given a time. That it is up leaves nothing open, as it does where a host does not
// answer in time.
func gaveUp(err error) error {
	if open, is := errors.AsType[*unsureError](err); is && isFault[*types.Timedout](faultOf(err)) {
		return open.cause
	}
	return err
}

// proveMaintenance believes no task: it looks whether the host is in maintenance mode, or out of it.
func (s *power) proveMaintenance(ctx context.Context, host ref, want bool) error {
	bounded, done := context.WithTimeoutCause(ctx, s.limits.prove, errors.New("the task says that it is done, and the host does not show it"))
	defer done()
	return s.until(bounded, func() (bool, error) {
		p, err := s.object(bounded, host, pathMaintenance)
		if err != nil {
			return !transient(err), err
		}
		in, known := read(p, pathMaintenance, asBool, must).Value()
		return known && in == want, nil
	})
}

// seconds is never 0, which servers take for ever.
func seconds(d time.Duration) int32 { return int32(max(1, (d+time.Second-1)/time.Second)) }
