package tuning

import (
	"context"
	"errors"
	"fmt"

	"github.com/vperf/vperf/pkg/inventory"
)

// powerCycle shuts a VM down, makes the changes that need it off, and starts it again. It also does so for written
// changes that wait for a power cycle. It forces nothing: without approval, or if the VM does not shut down, the
// changes are deferred.
func (w *work) powerCycle(ctx context.Context, u *unit, c Condition, later []operation) error {
	waiting := w.resultIndexes(u, waitsFor(inventory.ActivationPowerCycle, inventory.ActivationPowerOff))
	switch {
	case !c.Running || len(later)+len(waiting) == 0:
		return nil
	case !w.options.PowerCycle:
		why := u.target.Name + " is running and must be off for this change"
		if w.options.Hints.PowerCycle != "" {
			why += "; " + w.options.Hints.PowerCycle
		}
		return w.deferred(later, why)
	}
	if err := w.mayBegin(ctx); err != nil {
		return err
	}
	off, err := w.shutDown(ctx, u.target)
	switch {
	case err != nil && (w.journal.broken != nil || !off.Running):
		return err
	case err != nil:
		return errors.Join(w.deferred(later, err.Error()), w.stillWaiting(waiting, err.Error()))
	}
	err = w.doAll(ctx, later, off)
	if w.journal.broken != nil {
		return err
	}
	return errors.Join(err, w.restartVM(ctx, u, c)) // also if a write failed: the VM ran before
}

// restartVM starts a VM that ran before, and verifies the values written while it was off.
func (w *work) restartVM(ctx context.Context, u *unit, before Condition) error {
	on, err := w.powerOn(ctx, u.target)
	if err != nil {
		return err
	}
	if !before.Booted.IsZero() && !on.Booted.IsZero() && !on.Booted.After(before.Booted) {
		return fmt.Errorf("%s runs again, but its start time did not change: there is no proof that it was off", u.target.Name)
	}
	return w.prove(ctx, u)
}

// deferred records operations that cannot be performed until the VM is off.
func (w *work) deferred(operations []operation, why string) error {
	for _, m := range operations {
		state := StateDeferred
		if m.rollback {
			state = StateUndoDeferred
		}
		if err := w.recordSkipped([]operation{m}, state, why); err != nil {
			return err
		}
	}
	return nil
}

// stillWaiting records why pending changes are still pending.
func (w *work) stillWaiting(results []int, why string) error {
	for _, i := range results {
		c := w.run.Results[i]
		w.progress(c.Step, c.Target, fmt.Sprintf("%s still waits for a %s: %s", c.Key(), c.Waits, why))
		entry := Entry{Address: c.Address, State: c.State, Waits: c.Waits, Why: why}
		if err := w.record(Record{Kind: RecordSkipped, Step: c.Step, Target: &c.Target, Changes: []Entry{entry}}); err != nil {
			return err
		}
	}
	return nil
}
