package tuning

import (
	"context"
	"errors"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// restart takes a host out of service, restarts it and brings it back, so that written changes come into force. It
// checks each time whether the host can be evacuated, because the restart of another host may have changed that.
func (w *work) restart(ctx context.Context, u *unit, c Condition) error {
	waiting := w.resultIndexes(u, waitsFor(inventory.ActivationHostReboot, inventory.ActivationDriverReload))
	if len(waiting) == 0 || !w.options.HostReboot {
		return nil
	}
	if err := w.mayBegin(ctx); err != nil {
		return err
	}
	if out, err := w.takeOutOfService(ctx, u, c, waiting); !out {
		return err
	}
	err := w.reboot(ctx, u, c)
	if w.journal.broken != nil {
		return err
	}
	if !c.Maintenance {
		err = w.leaveMaintenance(ctx, u.target, err)
	}
	if err != nil {
		return err
	}
	return w.prove(ctx, u)
}

// takeOutOfService brings a host into maintenance mode. If that fails, the pending changes stay pending.
func (w *work) takeOutOfService(ctx context.Context, u *unit, c Condition, waiting []int) (out bool, err error) {
	if against := w.reasonsAgainstEvacuation(ctx, u.target); len(against) > 0 {
		return false, w.stillWaiting(waiting, strings.Join(against, "; "))
	}
	if c.Maintenance {
		return true, nil
	}
	in, err := w.enterMaintenance(ctx, u.target)
	switch {
	case err == nil:
		return true, nil
	case w.journal.broken != nil || in.Maintenance || in.Host == "":
		return false, err
	}
	return false, w.stillWaiting(waiting, err.Error())
}

// reasonsAgainstEvacuation returns the reasons why a host cannot be taken out of service now.
func (w *work) reasonsAgainstEvacuation(ctx context.Context, host Target) []string {
	against, err := w.estate.Power.Evacuable(ctx, host)
	if err != nil {
		against = append(against, err.Error())
	}
	return against
}

// leaveMaintenance ends maintenance mode after a restart, and also if the restart failed and the host is running.
func (w *work) leaveMaintenance(ctx context.Context, host Target, failed error) error {
	now, err := w.condition(ctx, host)
	if failed != nil && (err != nil || !now.Running || !now.Maintenance) {
		return failed
	}
	_, err = w.exitMaintenance(ctx, host)
	return errors.Join(failed, err)
}

func (w *work) reboot(ctx context.Context, u *unit, before Condition) error {
	var booted Condition
	_, err := w.act(ctx, ActionReboot, u.target, func(ctx context.Context) (err error) {
		booted.Booted, err = w.estate.Power.Reboot(ctx, u.target, before.Booted)
		if err == nil && !booted.Booted.After(before.Booted) {
			err = errors.New("the boot time did not change: there is no proof of a restart")
		}
		return err
	})
	u.restarted = true
	return err
}
