package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// unit is all operations for one object, performed before those for the next object.
type unit struct {
	target     Target
	operations []operation
	rollback   bool
	// ran is true if the VM was running when the unit began.
	ran bool
	// restarted is true if the host was restarted: its links and paths need time to come up.
	restarted bool
}

// unitsOf groups the operations by target, in the order in which targets first appear.
func unitsOf(operations []operation) []*unit {
	var all []*unit
	of := map[string]*unit{}
	for _, m := range operations {
		key := m.target.Key()
		if of[key] == nil {
			of[key] = &unit{target: m.target, rollback: m.rollback}
			all = append(all, of[key])
		}
		of[key].operations = append(of[key].operations, m)
	}
	return all
}

// batches splits units into the first one alone, as a canary, and then groups of size, with a health check after each.
func batches(all []*unit, size int) [][]*unit {
	if len(all) == 0 {
		return nil
	}
	if size <= 0 {
		size = 5
	}
	return append([][]*unit{all[:1]}, slices.Collect(slices.Chunk(all[1:], size))...)
}

// changeAll works through the units batch by batch, and checks after each batch that nothing got worse. In a run, the first
// failure ends it; a rollback goes on with other objects if it can.
func (w *work) changeAll(ctx context.Context, units []*unit) error {
	var failed []error
	for _, batch := range batches(units, w.options.Batch) {
		for _, u := range batch {
			err := w.changeObject(ctx, u)
			if err == nil {
				continue
			}
			failed = append(failed, err)
			if !u.rollback || !w.canContinue(err) {
				return errors.Join(failed...)
			}
		}
		if w.restoring {
			continue
		}
		if err := w.gate(ctx, batch); err != nil {
			return errors.Join(append(failed, err)...)
		}
	}
	return errors.Join(failed...)
}

// canContinue reports whether a failure concerns only one object, so that the rollback can continue with others.
func (w *work) canContinue(err error) bool {
	var ended *stop
	var action *actionError
	return w.journal.broken == nil && !errors.As(err, &ended) && !errors.As(err, &action)
}

// changeObject performs all operations of one object.
func (w *work) changeObject(ctx context.Context, u *unit) error {
	c, reasons, err := w.prepare(ctx, u)
	switch {
	case err != nil:
		return err
	case len(reasons) > 0:
		return w.skipUnit(u, c, reasons)
	}
	now, later := u.split(c)
	err = w.saveAfter(ctx, u, w.doAll(ctx, now, c))
	switch {
	case err != nil:
		return err
	case isVM(u.target):
		return w.powerCycle(ctx, u, c, later)
	case isHost(u.target):
		return w.restart(ctx, u, c)
	}
	return nil
}

// prepare checks a unit's object before anything is changed, and stores the health of its host. The reasons say why
// the object must not be changed.
func (w *work) prepare(ctx context.Context, u *unit) (c Condition, reasons []string, err error) {
	if err := w.mayBegin(ctx); err != nil {
		return c, nil, err
	}
	if c, err = w.condition(ctx, u.target); err != nil {
		return c, nil, err
	}
	if reasons = unfit(u.target, c); len(reasons) > 0 {
		return c, reasons, nil
	}
	u.ran = isVM(u.target) && c.Running
	if w.restoring {
		return c, nil, nil
	}
	return c, nil, w.remember(ctx, c.Host)
}

// split splits the operations into those that can be performed now, and those that need the running VM to be off.
func (u *unit) split(c Condition) (now, later []operation) {
	for _, m := range u.operations {
		if isVM(u.target) && c.Running && m.needsOff() {
			later = append(later, m)
		} else {
			now = append(now, m)
		}
	}
	return now, later
}

// doAll performs operations one after the other, until one fails.
func (w *work) doAll(ctx context.Context, operations []operation, c Condition) error {
	for _, m := range operations {
		if err := w.mayBegin(ctx); err != nil {
			return err
		}
		if err := w.perform(ctx, m, c); err != nil {
			return err
		}
	}
	return nil
}

// saveAfter makes a host save its configuration after writes, even if one failed. If nothing was written, it does not.
func (w *work) saveAfter(ctx context.Context, u *unit, failed error) error {
	if !isHost(u.target) || w.restoring || w.journal.broken != nil || len(w.resultIndexes(u, (*Result).wrote)) == 0 {
		return failed
	}
	return errors.Join(failed, w.save(ctx, u.target))
}

// unfit returns the reasons not to change a target in its current state.
func unfit(want Target, c Condition) []string {
	var why []string
	switch {
	case c.Gone != "":
		return []string{fmt.Sprintf("%s: %s", want.Name, c.Gone)}
	case want.UUID != "" && c.Target.UUID != want.UUID:
		return []string{fmt.Sprintf("%s: another %s has its id (%s) now: %s instead of %s", want.Name, want.Kind, want.ID, orAbsent(c.Target.UUID), want.UUID)}
	}
	if c.Untouchable != "" {
		why = append(why, fmt.Sprintf("%s: %s", want.Name, c.Untouchable))
	}
	if c.Busy != "" {
		why = append(why, fmt.Sprintf("%s: another task is running on it: %s", want.Name, c.Busy))
	}
	return why
}

func orAbsent(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// skipUnit skips an object that is not as it was when the run began.
func (w *work) skipUnit(u *unit, c Condition, reasons []string) error {
	why := strings.Join(reasons, "; ")
	if !u.rollback {
		return errors.New(why)
	}
	return w.recordSkipped(u.operations, w.keeps(u.target, c, why), why)
}

// keeps returns the state of changes that a rollback skips on a target in condition c. A trial restores them later,
// unless the target no longer exists.
func (w *work) keeps(target Target, c Condition, why string) State {
	switch {
	case !w.restoring:
	case replaced(target, c) != "":
		return StateForeign
	default:
		w.unreached = append(w.unreached, why)
	}
	return StateKept
}

// recordSkipped reports and records that operations are skipped.
func (w *work) recordSkipped(operations []operation, state State, why string) error {
	for _, m := range operations {
		w.progress(m.step, m.target, fmt.Sprintf("%s: %s", state, why))
		if err := w.record(m.uniformRecord(RecordSkipped, state, why)); err != nil {
			return err
		}
	}
	return nil
}

// resultIndexes returns the indexes in the run's results of the unit's changes for which is returns true.
func (w *work) resultIndexes(u *unit, is func(*Result) bool) []int {
	var all []int
	for _, m := range u.operations {
		for _, t := range m.edits {
			if i := w.run.index(m.step, t.Key()); i >= 0 && is(&w.run.Results[i]) {
				all = append(all, i)
			}
		}
	}
	return all
}

// waitsFor returns a function that reports whether a change waits for one of activations.
func waitsFor(activations ...inventory.Activation) func(*Result) bool {
	return func(c *Result) bool {
		return (c.State == StatePending || c.State == StateUndone) && slices.Contains(activations, c.Waits)
	}
}
