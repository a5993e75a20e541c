package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// actionError is a VM or a host that was not brought to where it has to be, or back to where it was.
type actionError struct{ err error }

func (e *actionError) Error() string { return e.err.Error() }
func (e *actionError) Unwrap() error { return e.err }

// act does something to a VM or host, with a record before and after, and says how it is then. An error that the look
// afterwards disproves is none: what counts is how the target is.
func (w *work) act(ctx context.Context, a Action, target Target, do func(ctx context.Context) error) (Condition, error) {
	ctx = context.WithoutCancel(ctx) // it ends within limits of its own, and is not left half done
	if err := w.record(Record{Kind: RecordActionBegin, Action: a, Target: &target}); err != nil {
		return Condition{}, err
	}
	w.tell(0, target, string(a)+" "+target.Name)
	did := do(ctx)
	c, err := w.look(ctx, target)
	if err != nil {
		return c, &actionError{errors.Join(did, err)} // open: recovery looks again
	}
	achieved := a.achieved(c, did)
	done := Record{Kind: RecordActionDone, Action: a, Target: &target, Failed: !achieved, Booted: c.Booted, Running: c.Running}
	if did != nil {
		done.Text = did.Error()
	}
	if err := w.record(done); err != nil {
		return c, err
	}
	if !achieved {
		if did == nil {
			did = fmt.Errorf("%s %s: the server said yes and nothing happened", a, target.Name)
		}
		return c, &actionError{did}
	}
	return c, nil
}

// achieved says whether a target is where an action should bring it.
func (a Action) achieved(c Condition, did error) bool {
	switch a {
	case ActionShutDown:
		return !c.Running
	case ActionPowerOn:
		return c.Running
	case ActionEnterMaintenance:
		return c.Maintenance
	case ActionExitMaintenance:
		return !c.Maintenance
	}
	return did == nil
}

func (w *work) shutDown(ctx context.Context, vm Target) (Condition, error) {
	return w.act(ctx, ActionShutDown, vm, func(ctx context.Context) error { return w.estate.Power.ShutDown(ctx, vm) })
}

func (w *work) powerOn(ctx context.Context, vm Target) (Condition, error) {
	return w.act(ctx, ActionPowerOn, vm, func(ctx context.Context) error { return w.estate.Power.PowerOn(ctx, vm) })
}

func (w *work) enterMaintenance(ctx context.Context, host Target) (Condition, error) {
	return w.act(ctx, ActionEnterMaintenance, host, func(ctx context.Context) error { return w.estate.Power.EnterMaintenance(ctx, host) })
}

func (w *work) exitMaintenance(ctx context.Context, host Target) (Condition, error) {
	return w.act(ctx, ActionExitMaintenance, host, func(ctx context.Context) error { return w.estate.Power.ExitMaintenance(ctx, host) })
}

// save has a host keep what was written. Where it cannot, a crash of the host may take the changes back: that is said.
func (w *work) save(ctx context.Context, host Target) error {
	if w.journal.broken != nil {
		return nil // there is nowhere to write it down
	}
	if err := w.record(Record{Kind: RecordActionBegin, Action: ActionSave, Target: &host}); err != nil {
		return err
	}
	saved := w.estate.Power.Save(context.WithoutCancel(ctx), host)
	done := Record{Kind: RecordActionDone, Action: ActionSave, Target: &host, Failed: saved != nil}
	if saved != nil {
		done.Text = saved.Error()
	}
	if err := w.record(done); err != nil || saved == nil {
		return err
	}
	return w.warn(0, host, "durability unknown: %s did not save its configuration, a crash of it may take the change back: %v", host.Name, saved)
}

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

// prove reads after a restart what was written before it, or while the VM was off.
func (w *work) prove(ctx context.Context, u *unit) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepLimit)
	defer cancel()
	written := w.of(u, func(c *Result) bool { return c.State == StatePending || c.State == StateDone || c.State == StateUndone })
	var addresses []Address
	for _, i := range written {
		addresses = append(addresses, w.run.Results[i].Address)
	}
	if len(addresses) == 0 {
		return nil
	}
	live, err := w.read(ctx, u.target, addresses)
	if err != nil {
		return err
	}
	var gone []string
	for _, i := range slices.Backward(written) {
		c := w.run.Results[i]
		record, lost := c.proof(live[c.Key()])
		if err := w.record(record); err != nil {
			return err
		}
		if lost != "" {
			gone = append(gone, lost)
		}
	}
	return sentences(gone)
}

// proof is what a restart has shown about a change.
func (c *Result) proof(now value) (Record, string) {
	entry := Entry{Address: c.Address, Now: now, State: StateProven}
	record := Record{Kind: RecordProven, Step: c.Step, Target: &c.Target}
	switch {
	case Same(c.Address, now, c.Now) && c.State == StateUndone:
		entry.State = StateUndone
	case Same(c.Address, now, c.Now):
	default:
		why := fmt.Sprintf("after the restart %s of %s is %s, not %s", c.Key(), c.Target.Name, show(now), show(c.Now))
		record.Kind, record.Text = RecordFailed, why
		entry.State, entry.Why = StateWrong, why
		if c.State != StateUndone && Same(c.Address, now, c.Before) {
			entry.State = StateFailed
		}
		if _, state, _ := now.Get(); state == inventory.StateUnread {
			entry.State, entry.Waits = c.State, c.Waits
		}
		record.Changes = []Entry{entry}
		return record, why
	}
	record.Changes = []Entry{entry}
	return record, ""
}
