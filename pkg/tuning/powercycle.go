package tuning

import (
	"context"
	"errors"
	"fmt"

	"github.com/vperf/vperf/pkg/inventory"
)

// powerCycle shuts a VM down, writes what needs it off, and starts it again: for that, and for what was written and waits
// for it. Without leave to, or when the VM does not shut down, nothing is forced: the changes wait.
func (w *work) powerCycle(ctx context.Context, u *unit, c Condition, later []move) error {
	waiting := w.of(u, waitsFor(inventory.ActivationPowerCycle, inventory.ActivationPowerOff))
	if !c.Running || len(later) == 0 && len(waiting) == 0 {
		return nil
	}
	if !w.terms.PowerCycle {
		return w.deferred(later, u.target.Name+" runs and must be off for it; --allow power-cycle shuts it down and starts it again")
	}
	if err := w.mayBegin(ctx); err != nil {
		return err
	}
	off, err := w.shutDown(ctx, u.target)
	if err != nil {
		if w.journal.broken != nil || !off.Running {
			return err
		}
		return errors.Join(w.deferred(later, err.Error()), w.stillWaiting(waiting, err.Error()))
	}
	for _, m := range later {
		if err = w.mayBegin(ctx); err == nil {
			err = w.do(ctx, m, off)
		}
		if err != nil {
			break
		}
	}
	if w.journal.broken != nil {
		return err
	}
	on, started := w.powerOn(ctx, u.target) // also when a write failed: it ran when we came
	if started != nil {
		return errors.Join(err, started)
	}
	if !c.Booted.IsZero() && !on.Booted.IsZero() && !on.Booted.After(c.Booted) {
		return errors.Join(err, fmt.Errorf("%s runs again, but it was started at the same time as before: nothing proves that it was off", u.target.Name))
	}
	return errors.Join(err, w.prove(ctx, u))
}

// deferred writes down what is not done until the VM is off.
func (w *work) deferred(moves []move, why string) error {
	for _, m := range moves {
		state := StateDeferred
		if m.back {
			state = StateUndoDeferred
		}
		if err := w.say([]move{m}, state, why); err != nil {
			return err
		}
	}
	return nil
}

// stillWaiting writes down why what waits still does.
func (w *work) stillWaiting(results []int, why string) error {
	for _, i := range results {
		c := w.run.Results[i]
		w.tell(c.Step, c.Target, fmt.Sprintf("%s still waits for a %s: %s", c.Key(), c.Waits, why))
		entry := Entry{Address: c.Address, State: c.State, Waits: c.Waits, Why: why}
		if err := w.record(Record{Kind: RecordSkipped, Step: c.Step, Target: &c.Target, Changes: []Entry{entry}}); err != nil {
			return err
		}
	}
	return nil
}
