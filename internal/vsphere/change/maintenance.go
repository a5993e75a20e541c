package change

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/change/evacuation"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/tuning"
)

// EnterMaintenance implements tuning.Power. When the limit runs out, the task is cancelled. The server has a limit of its own,
// somewhat later, in case vperf has ended by then; with equal limits the outcome of the task would be unclear. Powered-off VMs
// stay where they are, and so does vSAN data as long as every object stays accessible. VMs that had moved before the cancellation
// are not moved back.
func (s *power) EnterMaintenance(ctx context.Context, host tuning.Target) error {
	h := targetHost(host)
	res, err := methods.EnterMaintenanceMode_Task(ctx, s, &types.EnterMaintenanceMode_Task{
		This: h, Timeout: seconds(s.limits.enter + s.limits.cancel), EvacuatePoweredOffVms: new(false),
		MaintenanceSpec: &types.HostMaintenanceSpec{VsanMode: &types.VsanHostDecommissionMode{
			ObjectAction: string(types.VsanHostDecommissionModeObjectActionEnsureObjectAccessibility),
		}},
	})
	if err = session.Unsure(ctx, err); err == nil {
		err = timeLimitError(s.await(ctx, "EnterMaintenanceMode_Task", res.Returnval, s.limits.enter))
		if err == nil {
			err = s.proveMaintenance(ctx, h, true)
		}
		if err == nil && ctx.Err() != nil { // the host entered maintenance mode while the task was being cancelled
			err = s.Interrupted(ctx, "EnterMaintenanceMode_Task")
		}
		if err != nil {
			err = s.checkNotInMaintenance(ctx, host, err)
		}
	}
	if err != nil {
		return fmt.Errorf("moving %s into maintenance mode: %w", session.Plain(host.Name), err)
	}
	return nil
}

// checkNotInMaintenance verifies that a host is not in maintenance mode after a failed attempt, and names the VMs that still run on it.
func (s *power) checkNotInMaintenance(ctx context.Context, host tuning.Target, failed error) error {
	after, done := context.WithTimeout(context.WithoutCancel(ctx), s.limits.cancel)
	defer done()
	h := targetHost(host)
	found, err := s.objects(after, "the VMs that remain on the host", []types.ObjectSpec{{Obj: h, SelectSet: []types.BaseSelectionSpec{property.Traverse(property.TypeHost, "vm")}}},
		types.PropertySpec{Type: property.TypeHost, PathSet: []string{tree.PathMaintenance}},
		types.PropertySpec{Type: property.TypeVM, PathSet: []string{tree.PathName, tree.PathPower}})
	if err != nil {
		return fmt.Errorf("%w; the state of the host could not be read: %s", failed, session.Cause(err))
	}
	var names []string
	for _, p := range found {
		if in, _ := property.Read(p, tree.PathMaintenance, property.Bool, property.AbsentIfUnset).Value(); p.Ref == h && in {
			if err := s.ExitMaintenance(after, host); err != nil {
				return fmt.Errorf("%w; the host is still in maintenance mode: %w", failed, err)
			}
		}
		if p.Ref.Type == property.TypeVM && isOn(p) {
			names = append(names, session.Plain(tree.NameOf(p)))
		}
	}
	if len(names) == 0 {
		return failed
	}
	return fmt.Errorf("%w; still on it: %s", failed, evacuation.Listing(names))
}

// ExitMaintenance implements tuning.Power.
func (s *power) ExitMaintenance(ctx context.Context, host tuning.Target) error {
	res, err := methods.ExitMaintenanceMode_Task(ctx, s, &types.ExitMaintenanceMode_Task{This: targetHost(host), Timeout: seconds(s.limits.exit)})
	if err = session.Unsure(ctx, err); err == nil {
		err = timeLimitError(s.await(ctx, "ExitMaintenanceMode_Task", res.Returnval, s.limits.exit))
	}
	if err == nil {
		err = s.proveMaintenance(ctx, targetHost(host), false)
	}
	if err != nil {
		return fmt.Errorf("ending maintenance mode of %s: %w", session.Plain(host.Name), err)
	}
	return nil
}

// timeLimitError converts the error of a task that the server stopped at its time limit. Unlike a host that does not answer in time, such
// a task has definitely ended.
func timeLimitError(err error) error {
	if open, is := errors.AsType[*session.UnsureError](err); is && session.IsFault[*types.Timedout](session.FaultOf(err)) {
		return open.Cause
	}
	return err
}

// proveMaintenance does not trust the task: it reads whether the host is in maintenance mode or out of it.
func (s *power) proveMaintenance(ctx context.Context, host ref, want bool) error {
	bounded, done := context.WithTimeoutCause(ctx, s.limits.prove, errors.New("the task reports success, but the host's maintenance mode did not change"))
	defer done()
	return s.until(bounded, func() (bool, error) {
		p, err := s.object(bounded, host, tree.PathMaintenance)
		if err != nil {
			return !session.Transient(err), err
		}
		in, known := property.Read(p, tree.PathMaintenance, property.Bool, property.Required).Value()
		return known && in == want, nil
	})
}

// seconds rounds d up to at least 1 second; servers take 0 for no limit.
func seconds(d time.Duration) int32 { return int32(max(1, (d+time.Second-1)/time.Second)) }
