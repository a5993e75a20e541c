package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// Rollback undoes a run, newest change first. It skips and reports changes that somebody else has changed since, and
// those that cannot be undone. It can be interrupted and repeated, and needs the same approvals as Apply.
func Rollback(ctx context.Context, e Estate, runs *Runs, id string, t Options) (*Outcome, error) {
	held := runs.locks("rollback of run "+id, &t)
	defer held.releaseAll()
	w, err := openForRollback(e, runs, id, held, t)
	if err != nil {
		return nil, err
	}
	if err := w.settleOpen(ctx); err != nil {
		return w.outcome(), closing(w, fmt.Errorf("run %s was interrupted and its journal cannot be completed: %w", id, err))
	}
	if !w.run.has((*Result).isApplied) && !w.run.has(waitsForAny) && !w.run.Open() {
		return w.outcome(), w.journal.close()
	}
	if err := runs.room(w.run, "rollback"); err != nil {
		return nil, closing(w, err)
	}
	if err := w.record(Record{Kind: RecordRollbackBegin, Begin: t.begin(e.Server)}); err != nil {
		return w.outcome(), closing(w, err)
	}
	return w.finish(w.rollbackAndRestart(ctx))
}

// openForRollback opens a run for a rollback, under the locks of its plan.
func openForRollback(e Estate, runs *Runs, id string, held *locks, t Options) (*work, error) {
	run, err := runs.Get(id)
	if err != nil {
		return nil, err
	}
	if run.breakage != nil {
		return nil, run.breakage
	}
	if err := t.mayStart(e, run.Server); err != nil {
		return nil, err
	}
	if run.Plan != nil {
		if err := held.take(ofPlan(run.Plan, &t)...); err != nil {
			return nil, err
		}
	}
	return runs.resume(e, id, held, t)
}

// rollbackAndRestart undoes all changes, and then restarts VMs and hosts that the run left stopped: the run's changes may
// be what keeps them from starting.
func (w *work) rollbackAndRestart(ctx context.Context) error {
	err := w.rollback(ctx)
	if w.journal.broken != nil {
		return err
	}
	err = errors.Join(err, w.restore(ctx))
	if w.run.Trial() && w.journal.broken == nil {
		err = errors.Join(err, w.saveUnsaved(ctx))
	}
	return err
}

func closing(w *work, err error) error {
	_ = w.journal.close() // all records are synced
	return err
}

// waitsForAny reports whether a change was undone but its value is still in force.
func waitsForAny(c *Result) bool { return c.State == StateUndone && c.Waits != "" }

// rollback undoes all changes that are on the server.
func (w *work) rollback(ctx context.Context) error {
	var applied []Result
	for _, c := range w.run.Results {
		if c.isApplied() || waitsForAny(&c) {
			applied = append(applied, c)
		}
	}
	slices.SortStableFunc(applied, func(a, b Result) int { return b.asOf.seq - a.asOf.seq })
	if len(applied) == 0 {
		return nil
	}
	found, err := surveyTargets(ctx, w.estate.Settings, targets(applied, func(c Result) Target { return c.Target }))
	if err != nil {
		return err
	}
	if !w.restoring {
		if err := w.remember(ctx, found.hosts()...); err != nil {
			return err
		}
	}
	operations, err := w.rollbackOperations(ctx, applied, found)
	if err != nil && !w.restoring {
		return err
	}
	return errors.Join(err, w.changeAll(ctx, unitsOf(operations)))
}

// rollbackOperations groups the changes of each step into operations that undo them. It reports and skips those that cannot be
// undone.
func (w *work) rollbackOperations(ctx context.Context, applied []Result, found survey) ([]operation, error) {
	var operations []operation
	var failed []error
	for _, c := range applied {
		t, why, err := w.previewRollback(ctx, c, found[c.Target.Key()])
		if err != nil && !w.restoring {
			return nil, err
		}
		m := operation{step: c.Step, target: c.Target, rollback: true, edits: []edit{t}}
		if err == nil && why != "" {
			err = w.recordSkipped([]operation{m}, w.keeps(c.Target, found[c.Target.Key()], why), why)
		}
		if w.journal.broken != nil {
			return nil, err
		}
		if failed = append(failed, err); err != nil || why != "" {
			continue
		}
		if i := slices.IndexFunc(operations, func(m operation) bool { return m.step == c.Step }); i >= 0 {
			operations[i].edits = append(operations[i].edits, t)
		} else {
			operations = append(operations, m)
		}
	}
	return operations, errors.Join(failed...)
}

// rollbackEdit returns the edit that undoes a change.
func (c *Result) rollbackEdit() edit {
	t := edit{
		Address: c.Address, before: c.Before, after: c.After, inverse: c.inverse, rules: c.Rules,
		from: c.Now, write: c.inverse.Write, extras: c.extras, beforeRollback: *c,
	}
	for _, a := range c.inverse.Write {
		if a.Key() == c.Key() {
			t.to = append(t.to, a.Value)
		}
	}
	t.to = append(t.to, c.Before)
	return t
}

// previewRollback returns what undoing a change needs on its target in its current state, or why it is skipped.
func (w *work) previewRollback(ctx context.Context, c Result, condition Condition) (edit, string, error) {
	t := c.rollbackEdit()
	if why := unfit(c.Target, condition); len(why) > 0 {
		return t, strings.Join(why, "; "), nil
	}
	if irreversible(c.inverse) {
		return t, strings.TrimSuffix("cannot be undone: "+c.inverse.About, ": "), nil
	}
	all, err := previewsOf(ctx, w.estate.Settings, []Request{{Condition: condition, Assignments: c.inverse.Write}})
	if err != nil {
		return t, "", err
	}
	previews := all[0]
	t.activation = w.activationOf(c)
	var needed []string
	for _, p := range previews {
		t.activation = stricter(t.activation, p.Activation)
		needed = append(needed, p.Privileges...)
	}
	if missing := condition.missingPrivileges(needed); len(missing) > 0 {
		return t, "the account does not have the privilege " + strings.Join(missing, ", ") + " on it", nil
	}
	return t, "", nil
}

// activationOf returns the plan's activation of a change. Whether the VM must be off because it is running is asked
// anew.
func (w *work) activationOf(c Result) inventory.Activation {
	if w.run.Plan == nil {
		return c.Waits
	}
	for _, s := range w.run.Plan.Steps {
		for _, change := range s.Changes {
			if s.ID == c.Step && change.Key() == c.Key() {
				return change.Activation
			}
		}
	}
	return c.Waits
}
