package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// How the recovery of a run and of a trial ends.
const (
	resultInterrupted = "interrupted"
	whyRestored       = "it was interrupted; the values from before the trial were restored"
)

// Recover settles the interrupted runs on a server: it reads the values of every change whose result is unknown, starts
// VMs that were shut down, and takes hosts out of maintenance mode. It does not undo changes; Rollback does. The
// exception is a trial: Recover restores the values from before it. It skips runs that are still in progress elsewhere.
func Recover(ctx context.Context, e Estate, runs *Runs, t Options) ([]*Outcome, error) {
	held := runs.locks("recovery", &t)
	defer held.releaseAll()
	settled, err := recoverAll(ctx, e, runs, held, &t)
	var outcomes []*Outcome
	for _, w := range settled {
		outcomes = append(outcomes, w.outcome())
	}
	return outcomes, err
}

// recoverAll settles all interrupted runs, and returns those that it worked on, whether or not they are settled now.
func recoverAll(ctx context.Context, e Estate, runs *Runs, held *locks, t *Options) ([]*work, error) {
	open, err := runs.of(e.Server)
	if err != nil {
		return nil, err
	}
	var all []*work
	var failed []error
	for _, run := range slices.Backward(open) { // oldest first
		if !run.Open() {
			continue
		}
		w, err := recoverOne(ctx, e, runs, run.ID, held.within(), t)
		if locked := (*LockedError)(nil); errors.As(err, &locked) {
			continue
		}
		if w != nil {
			all = append(all, w)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("completing the journal of run %s, which was interrupted: %w", run.ID, err))
		}
	}
	return all, errors.Join(failed...)
}

func recoverOne(ctx context.Context, e Estate, runs *Runs, id string, held *locks, t *Options) (*work, error) {
	defer held.releaseAll()
	w, err := runs.resume(e, id, held, *t)
	if err != nil {
		return nil, err
	}
	return w, errors.Join(w.recover(ctx), w.journal.close())
}

// settleOthers settles interrupted runs before a plan is applied. If that fails for one of the plan's targets, it
// returns an error; for other targets it only reports the failure. A damaged run cannot be settled; if it had ended, it
// does not matter here.
func settleOthers(ctx context.Context, e Estate, runs *Runs, held *locks, p *Plan, t *Options) error {
	_, failed := recoverAll(ctx, e, runs, held, t)
	open, err := runs.of(e.Server)
	if err != nil {
		return err
	}
	for _, run := range open {
		touches := func(s Step) bool {
			return run.has(func(c *Result) bool { return c.Target.Key() == s.Target.Key() }) ||
				slices.ContainsFunc(run.pendingActions, func(o pendingAction) bool { return o.target.Key() == s.Target.Key() })
		}
		unsettled := failed
		if run.Damaged && !run.Aside && run.ending.result == "" && run.ID != t.restores {
			unsettled = fmt.Errorf("%w; the run had not ended, and the plan changes the same objects: roll it back or set it aside first", run.breakage)
		} else if !run.Open() {
			continue
		}
		if unsettled != nil && slices.ContainsFunc(p.Steps, touches) {
			return &RefusedError{Why: []string{unsettled.Error()}}
		}
	}
	if failed != nil && t.OnProgress != nil {
		t.OnProgress(Progress{Text: failed.Error()})
	}
	return nil
}

// resume continues a run. It takes the run's lock before it reads the run, so that no other process can write to it.
func (r *Runs) resume(e Estate, id string, held *locks, t Options) (*work, error) {
	if err := held.take(ofRun(id)); err != nil {
		return nil, err
	}
	run := r.load(id)
	var things []string
	for _, c := range run.Results {
		things = append(things, ofTarget(run.Server, c.Target.Key()))
	}
	if err := held.take(things...); err != nil {
		return nil, err
	}
	return r.open(e, run, t)
}

// recover settles an open run, which then has the result "interrupted".
func (w *work) recover(ctx context.Context) error {
	if !w.run.Open() {
		return nil
	}
	w.progress(0, Target{}, "run "+w.run.ID+" was interrupted; checking its changes")
	if w.run.mustRestore() {
		return w.recoverTrial(ctx)
	}
	err := errors.Join(w.settleOpen(ctx), w.restore(ctx))
	if err != nil {
		return err // the run stays open
	}
	return w.record(Record{Kind: RecordRunEnd, Result: resultInterrupted, Text: "it was interrupted; the result of each change was read from the server"})
}

// settleOpen determines the result of every intent that has none.
func (w *work) settleOpen(ctx context.Context) error {
	var open []Result
	for _, c := range w.run.Results {
		if c.open() {
			open = append(open, c)
		}
	}
	if len(open) == 0 {
		return nil
	}
	found, err := surveyTargets(ctx, w.estate.Settings, targets(open, func(c Result) Target { return c.Target }))
	if err != nil {
		return err
	}
	var failed []error
	for _, c := range open {
		failed = append(failed, w.settleOne(ctx, c, found[c.Target.Key()]))
	}
	return errors.Join(failed...)
}

func (w *work) settleOne(ctx context.Context, c Result, condition Condition) error {
	t := c.rollbackEdit()
	record := Record{Kind: RecordRecovered, Step: c.Step, Target: &c.Target}
	entry := Entry{Address: c.Address}
	if reason := replaced(c.Target, condition); reason != "" {
		entry.State, entry.Why = StateForeign, reason
	} else {
		live, err := w.outcomeOf(ctx, c, t)
		if err != nil {
			return err
		}
		if _, state, reason := live[c.Key()].Get(); state == inventory.StateUnread {
			return fmt.Errorf("%s of %s cannot be read: %s", c.Key(), c.Target.Name, reason)
		}
		entry = c.settled(&t, live)
		if c.State == StateDoing {
			record.Extras = t.extrasIn(live)
		}
	}
	w.progress(c.Step, c.Target, fmt.Sprintf("%s: %s; %s", c.Key(), entry.State, entry.Why))
	record.Changes = []Entry{entry}
	return w.record(record)
}

// outcomeOf reads the values of a change whose result is unknown. In a trial, a write that may still be in progress must
// not come into force after the recovery: outcomeOf waits for tasks on the target, and reads the old value more than
// once.
func (w *work) outcomeOf(ctx context.Context, c Result, t edit) (values, error) {
	t.from = c.left()
	m := operation{target: c.Target, edits: []edit{t}}
	if !w.run.mustRestore() {
		return w.read(ctx, c.Target, m.addresses())
	}
	if _, err := w.awaitIdle(ctx, c.Target); err != nil {
		return nil, err
	}
	return w.readBack(ctx, m, w.options.now().Sub(c.Since) < stepLimit)
}

// settled returns the entry for the change's real result.
func (c *Result) settled(t *edit, live values) Entry {
	now := live[c.Key()]
	e := Entry{Address: c.Address, Now: now, Waits: c.Waits}
	if c.State == StateDoing {
		switch {
		case Same(c.Address, now, c.After):
			e.State, e.Why = written(c.Waits), "it was written before the run was interrupted"
			return e
		case Same(c.Address, now, c.Before):
			e.State, e.Waits, e.Why = StateUntouched, "", "the run was interrupted before it was written"
			if c.writes > 0 {
				e.State = StateUndone
			}
			return e
		}
	} else if c.State == StateUndoing && c.settledRollback(&e, t, live) {
		return e
	}
	e.State, e.Waits = StateForeign, ""
	e.Why = fmt.Sprintf("it is %s: neither the old nor the new value; needs manual review", formatFact(now))
	return e
}

// settledRollback completes the entry of a change whose rollback was in progress; it returns false if the value is neither
// the old nor the new one.
func (c *Result) settledRollback(e *Entry, t *edit, live values) bool {
	switch {
	case t.isRestored(live):
		e.State, e.Why = StateUndone, "it was undone before the run was interrupted"
	case anyOf(c.Address, e.Now, t.to):
		e.State, e.Waits, e.Why = StateWrong, "", t.notRestored(live)
	case c.beforeRollback != nil && Same(c.Address, e.Now, c.beforeRollback.Now):
		e.Now, e.State, e.Waits, e.Why = c.beforeRollback.Now, c.beforeRollback.State, c.beforeRollback.Waits, "the run was interrupted before it was undone"
	default:
		return false
	}
	return true
}

// replaced says why a target is not the same object as before, or "".
func replaced(want Target, c Condition) string {
	c.Untouchable, c.Busy = "", ""
	if why := unfit(want, c); len(why) > 0 {
		return why[0]
	}
	return ""
}

// restore returns VMs and hosts to their state before the run: it starts VMs that the run shut down, and ends
// maintenance modes that the run entered.
func (w *work) restore(ctx context.Context) error {
	var failed []error
	for _, o := range slices.Clone(w.run.pendingActions) {
		c, err := w.awaitIdle(ctx, o.target)
		switch {
		case err != nil:
		case replaced(o.target, c) != "" || o.action.achieved(c, nil):
			// It is restored already, or the object no longer exists.
			err = w.record(Record{Kind: RecordActionDone, Action: o.action, Target: &o.target, Booted: c.Booted, Running: c.Running, Text: replaced(o.target, c)})
		case o.action == ActionPowerOn:
			_, err = w.powerOn(ctx, o.target)
		default:
			_, err = w.exitMaintenance(ctx, o.target)
		}
		if err != nil {
			failed = append(failed, &actionError{err})
		}
	}
	return errors.Join(failed...)
}

// Limits for waiting until the tasks of an interrupted run have ended.
const (
	idleLimit = 10 * time.Minute
	idlePoll  = 200 * time.Millisecond
)

// awaitIdle polls a target until no task is running on it: a guest may still be shutting down, or a host still evacuating,
// after the run that asked for it has died.
func (w *work) awaitIdle(ctx context.Context, t Target) (Condition, error) {
	limit := time.Now().Add(idleLimit)
	for told := false; ; told = true {
		c, err := w.condition(ctx, t)
		switch {
		case err != nil || c.Busy == "":
			return c, err
		case time.Now().After(limit):
			return c, fmt.Errorf("%s is still busy after %s: %s", t.Name, idleLimit, c.Busy)
		case !told:
			w.progress(0, t, "waiting for "+t.Name+": "+c.Busy)
		}
		select {
		case <-ctx.Done():
			return c, ctx.Err()
		case <-time.After(idlePoll):
		}
	}
}
