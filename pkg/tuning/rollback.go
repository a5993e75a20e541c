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
func Rollback(ctx context.Context, e Estate, runs *Runs, id string, t Terms) (*Outcome, error) {
	held := runs.locks("rollback of run "+id, &t)
	defer held.releaseAll()
	w, err := takeUp(e, runs, id, held, t)
	if err != nil {
		return nil, err
	}
	if err := w.settleOpen(ctx); err != nil {
		return w.outcome(), closing(w, fmt.Errorf("run %s was interrupted and its journal cannot be completed: %w", id, err))
	}
	if !w.run.has((*Result).there) && !w.run.has(waitsForAny) && !w.run.Open() {
		return w.outcome(), w.journal.file.Close()
	}
	if err := w.record(Record{Kind: RecordRollbackBegin, Begin: t.begin(e.Server)}); err != nil {
		return w.outcome(), closing(w, err)
	}
	return w.finish(w.backAndRestore(ctx))
}

// takeUp opens a run for a rollback, under the locks of its plan.
func takeUp(e Estate, runs *Runs, id string, held *locks, t Terms) (*work, error) {
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

// backAndRestore undoes all changes, and then restarts VMs and hosts that the run left stopped: the run's changes may
// be what keeps them from starting.
func (w *work) backAndRestore(ctx context.Context) error {
	err := w.back(ctx)
	if w.journal.broken != nil {
		return err
	}
	return errors.Join(err, w.restore(ctx))
}

func closing(w *work, err error) error {
	_ = w.journal.file.Close() // all records are synced
	return err
}

// waitsForAny reports whether a change was undone but its value is still in force.
func waitsForAny(c *Result) bool { return c.State == StateUndone && c.Waits != "" }

// back undoes all changes that are on the server.
func (w *work) back(ctx context.Context) error {
	var there []Result
	for _, c := range w.run.Results {
		if c.there() || waitsForAny(&c) {
			there = append(there, c)
		}
	}
	slices.SortStableFunc(there, func(a, b Result) int { return b.asOf.seq - a.asOf.seq })
	if len(there) == 0 {
		return nil
	}
	found, err := look(ctx, w.estate.Settings, targets(there, func(c Result) Target { return c.Target }))
	if err != nil {
		return err
	}
	if err := w.remember(ctx, found.hosts()...); err != nil {
		return err
	}
	moves, err := w.movesBack(ctx, there, found)
	if err != nil {
		return err
	}
	return w.all(ctx, unitsOf(moves))
}

// movesBack groups the changes of each step into moves that undo them. It reports and skips those that cannot be
// undone.
func (w *work) movesBack(ctx context.Context, there []Result, found survey) ([]move, error) {
	var moves []move
	for _, c := range there {
		t, why, err := w.foreseeBack(ctx, c, found[c.Target.Key()])
		if err != nil {
			return nil, err
		}
		m := move{step: c.Step, target: c.Target, back: true, turns: []turn{t}}
		if why != "" {
			if err := w.say([]move{m}, StateKept, why); err != nil {
				return nil, err
			}
			continue
		}
		if i := slices.IndexFunc(moves, func(m move) bool { return m.step == c.Step }); i >= 0 {
			moves[i].turns = append(moves[i].turns, t)
		} else {
			moves = append(moves, m)
		}
	}
	return moves, nil
}

// turnBack returns the turn that undoes a change.
func (c *Result) turnBack() turn {
	t := turn{
		Address: c.Address, before: c.Before, after: c.After, inverse: c.inverse, rules: c.Rules,
		from: c.Now, write: c.inverse.Write, extras: c.extras, held: *c,
	}
	for _, a := range c.inverse.Write {
		if a.Key() == c.Key() {
			t.to = append(t.to, a.Value)
		}
	}
	t.to = append(t.to, c.Before)
	return t
}

// foreseeBack returns what undoing a change needs on its target in its current state, or why it is skipped.
func (w *work) foreseeBack(ctx context.Context, c Result, condition Condition) (turn, string, error) {
	t := c.turnBack()
	if why := unfit(c.Target, condition); len(why) > 0 {
		return t, strings.Join(why, "; "), nil
	}
	if irreversible(c.inverse) {
		return t, strings.TrimSuffix("cannot be undone: "+c.inverse.About, ": "), nil
	}
	all, err := prospectsOf(ctx, w.estate.Settings, []Wish{{Condition: condition, Want: c.inverse.Write}})
	if err != nil {
		return t, "", err
	}
	prospects := all[0]
	t.activation = w.activationOf(c)
	var needed []string
	for _, p := range prospects {
		t.activation = stricter(t.activation, p.Activation)
		needed = append(needed, p.Privileges...)
	}
	if lacks := condition.missing(needed); len(lacks) > 0 {
		return t, "the account does not have the privilege " + strings.Join(lacks, ", ") + " on it", nil
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
