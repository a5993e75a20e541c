package tuning

import (
	"context"
	"errors"
	"fmt"
)

// actionError is returned when a VM or host did not reach the state that an action should bring it to.
type actionError struct{ err error }

func (e *actionError) Error() string { return e.err.Error() }
func (e *actionError) Unwrap() error { return e.err }

// act runs an action on a VM or host, with a journal record before and after it, and returns the target's condition
// afterwards. If the condition shows that the action succeeded, act ignores the error of do: the state of the target
// decides.
func (w *work) act(ctx context.Context, a Action, target Target, do func(ctx context.Context) error) (Condition, error) {
	ctx = context.WithoutCancel(ctx) // the action has its own limits and must not stop half-way
	if err := w.record(Record{Kind: RecordActionBegin, Action: a, Target: &target}); err != nil {
		return Condition{}, err
	}
	w.progress(0, target, a.sentence(target))
	did := do(ctx)
	c, err := w.condition(ctx, target)
	if err != nil {
		return c, &actionError{errors.Join(did, err)} // open: recovery checks again
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
			did = fmt.Errorf("%s %s: the server reported success, but nothing changed", a, target.Name)
		}
		return c, &actionError{did}
	}
	return c, nil
}

// sentence describes the action on target, such as "starting vm01".
func (a Action) sentence(target Target) string {
	verb := map[Action]string{
		ActionShutDown: "shutting down", ActionPowerOn: "starting", ActionEnterMaintenance: "entering maintenance mode on",
		ActionExitMaintenance: "ending maintenance mode on", ActionReboot: "restarting",
	}[a]
	return verb + " " + target.Name
}

// achieved reports whether condition c is the one that the action should bring about.
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

// save makes the host write its configuration to its boot device. If that fails, a crash of the host can revert the
// changes; save records a warning.
func (w *work) save(ctx context.Context, host Target) error {
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
	return w.warn(0, host, "durability unknown: %s did not save its configuration, so a crash of the host may lose the change: %v", host.Name, saved)
}
