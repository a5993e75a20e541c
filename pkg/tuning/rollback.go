package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// Rollback takes a run back, newest first. What somebody else changed since is left alone and said, as is what nothing takes
// back. It can be cut short and repeated, and obeys the same terms as Apply.
func Rollback(ctx context.Context, e Estate, runs *Runs, id string, t Terms) (*Outcome, error) {
	held := runs.locks("rollback of run "+id, &t)
	defer held.releaseAll()
	w, err := takeUp(e, runs, id, held, t)
	if err != nil {
		return nil, err
	}
	if err := w.settleOpen(ctx); err != nil {
		return w.outcome(), closing(w, fmt.Errorf("run %s was cut short and cannot be settled: %w", id, err))
	}
	if !w.run.has((*Result).there) && !w.run.has(waitsForAny) && !w.run.Open() {
		return w.outcome(), w.journal.file.Close()
	}
	if err := w.record(Record{Kind: RecordRollbackBegin, Begin: t.begin(e.Server)}); err != nil {
		return w.outcome(), closing(w, err)
	}
	return w.finish(w.backAndRestore(ctx))
}

// takeUp takes up a run to take it back, under the locks of its plan.
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

// backAndRestore takes everything back, and then starts VMs and hosts that the run left behind: what keeps them from
// starting may be what it wrote.
func (w *work) backAndRestore(ctx context.Context) error {
	err := w.back(ctx)
	if w.journal.broken != nil {
		return err
	}
	return errors.Join(err, w.restore(ctx))
}

func closing(w *work, err error) error {
	_ = w.journal.file.Close() // what was written is synced
	return err
}

// waitsForAny reports a change that was taken back and is still in force.
func waitsForAny(c *Result) bool { return c.State == StateUndone && c.Waits != "" }

// back takes everything back that is there.
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

// movesBack puts the changes of each step together, as they went. What cannot go back is said and left out.
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

// turnBack is a change the other way round.
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

// foreseeBack says what taking a change back needs on its target as it is now, or why it is left alone.
func (w *work) foreseeBack(ctx context.Context, c Result, condition Condition) (turn, string, error) {
	t := c.turnBack()
	if why := unfit(c.Target, condition); len(why) > 0 {
		return t, strings.Join(why, "; "), nil
	}
	if irreversible(c.inverse) {
		return t, strings.TrimSuffix("nothing takes it back: "+c.inverse.About, ": "), nil
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
		return t, "the account lacks the privilege " + strings.Join(lacks, ", ") + " there", nil
	}
	return t, "", nil
}

// activationOf is what the plan says about a change. What needed the VM off only because it ran then is asked anew.
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
