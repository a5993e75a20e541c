package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/change/condition"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/tuning"
)

// Reboot implements tuning.Power. A restart cannot be cancelled: when the limit runs out or ctx ends, the host may still come
// back later.
func (s *power) Reboot(ctx context.Context, host tuning.Target, booted time.Time) (time.Time, error) {
	since, err := s.rebootHost(ctx, targetHost(host), booted)
	if err != nil {
		return time.Time{}, fmt.Errorf("restarting %s: %w", session.Plain(host.Name), err)
	}
	return since, nil
}

func (s *power) rebootHost(ctx context.Context, host ref, booted time.Time) (time.Time, error) {
	if booted.IsZero() {
		return booted, errors.New("its last boot time is not known, so a restart could not be verified")
	}
	res, err := methods.RebootHost_Task(ctx, s, &types.RebootHost_Task{This: host, Force: false})
	if err != nil {
		return booted, session.Unsure(ctx, err)
	}
	bounded, done := context.WithTimeoutCause(ctx, s.limits.reboot, &lateError{s.limits.reboot})
	defer done()
	last := "its task has not ended"
	err = s.ended(bounded, "RebootHost_Task", res.Returnval)
	if err == nil || s.isUnreachable(err) {
		last = "vperf stopped checking it"
		booted, err = s.awaitReboot(bounded, host, booted, &last)
	}
	if isLate(err) {
		return booted, fmt.Errorf("it did not come back within %s: %s", s.limits.reboot, last)
	}
	return booted, err
}

// awaitReboot waits until a host is connected and was started after before. last describes its last seen state.
func (s *power) awaitReboot(ctx context.Context, host ref, before time.Time, last *string) (since time.Time, err error) {
	err = s.until(ctx, func() (bool, error) {
		p, err := s.object(ctx, host, tree.PathConnection, condition.PathBooted)
		if s.isUnreachable(err) {
			*last = session.Cause(err)
			return false, nil
		}
		if err != nil {
			return true, err
		}
		since = condition.Booted(p)
		*last = cmp.Or(tree.HostUnreadReason(p), "it is connected, and was last started at "+since.Format(time.RFC3339))
		return tree.HostUnreadReason(p) == "" && since.After(before), nil
	})
	return since, err
}

// isUnreachable reports whether the server cannot be reached at the moment. A host that is asked directly is unreachable while it
// restarts, and loses its sessions and its tasks.
func (s *power) isUnreachable(err error) bool {
	_, broken := errors.AsType[*session.ConnectError](err)
	return broken || !s.Client().IsVC() && (session.Expired(err) || errors.Is(err, tuning.ErrUnsure))
}

// Save implements tuning.Power. The host answers with the address of a backup of its configuration for download. vperf does not
// download it; the call makes the host save its configuration.
func (s *power) Save(ctx context.Context, host tuning.Target) error {
	if err := s.save(ctx, targetHost(host)); err != nil {
		return fmt.Errorf("having %s save its configuration: %w", session.Plain(host.Name), err)
	}
	return nil
}

const pathFirmware = "configManager.firmwareSystem"

func (s *power) save(ctx context.Context, host ref) error {
	p, err := s.object(ctx, host, pathFirmware)
	if err != nil {
		return err
	}
	system, ok := property.Read(p, pathFirmware, property.As[ref], property.Required).Value()
	if !ok {
		return errors.New("it has no firmware system, or the account cannot see it")
	}
	_, err = methods.BackupFirmwareConfiguration(ctx, s, &types.BackupFirmwareConfiguration{This: system})
	return session.Unsure(ctx, err)
}
