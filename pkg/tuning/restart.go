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
	against, err := w.estate.Power.Evacuable(ctx, u.target)
	if err != nil {
		against = append(against, err.Error())
	}
	if len(against) > 0 {
		return w.stillWaiting(waiting, strings.Join(against, "; "))
	}
	if !c.Maintenance {
		if in, err := w.enterMaintenance(ctx, u.target); err != nil {
			if w.journal.broken != nil || in.Maintenance || in.Host == "" {
				return err
			}
			return w.stillWaiting(waiting, err.Error())
		}
	}
	err = w.reboot(ctx, u, c)
	if w.journal.broken != nil {
		return err
	}
	if now, looked := w.look(ctx, u.target); !c.Maintenance && (err == nil || looked == nil && now.Running && now.Maintenance) {
		_, left := w.exitMaintenance(ctx, u.target)
		err = errors.Join(err, left)
	}
	if err != nil {
		return err
	}
	return w.prove(ctx, u)
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
