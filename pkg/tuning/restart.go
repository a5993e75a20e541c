package tuning

import (
	"context"
	"errors"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// restart takes a host out of service, restarts it and brings it back, for what was written and waits for it. What stands
// against it is asked each time anew, since the host before may have changed it.
func (w *work) restart(ctx context.Context, u *unit, c Condition) error {
	waiting := w.of(u, waitsFor(inventory.ActivationHostReboot, inventory.ActivationDriverReload))
	if len(waiting) == 0 || !w.terms.HostReboot {
		return nil
	}
	if err := w.mayBegin(ctx); err != nil {
		return err
	}
	if out, err := w.outOfService(ctx, u, c, waiting); !out {
		return err
	}
	err := w.reboot(ctx, u, c)
	if w.journal.broken != nil {
		return err
	}
	if !c.Maintenance {
		err = w.backInService(ctx, u.target, err)
	}
	if err != nil {
		return err
	}
	return w.prove(ctx, u)
}

// outOfService brings a host into maintenance mode. Where it does not get there, what waits still does.
func (w *work) outOfService(ctx context.Context, u *unit, c Condition, waiting []int) (out bool, err error) {
	if against := w.againstEvacuating(ctx, u.target); len(against) > 0 {
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

// againstEvacuating says what stands against taking a host out of service now.
func (w *work) againstEvacuating(ctx context.Context, host Target) []string {
	against, err := w.estate.Power.Evacuable(ctx, host)
	if err != nil {
		against = append(against, err.Error())
	}
	return against
}

// backInService ends maintenance mode after a restart. A host that did not restart leaves it too, if it runs.
func (w *work) backInService(ctx context.Context, host Target, failed error) error {
	now, err := w.look(ctx, host)
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
			err = errors.New("it says that it was started at the same time as before: nothing proves a restart")
		}
		return err
	})
	u.restarted = true
	return err
}
