package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// perform carries out an operation: it reads the values, records the intent, writes, reads again and records the result. Once it has
// begun, it ignores the cancellation of ctx.
func (w *work) perform(ctx context.Context, m operation, c Condition) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepLimit)
	defer cancel()
	live, err := w.read(ctx, m.target, m.addresses())
	if err != nil {
		return err
	}
	if m, err = w.compare(m, live, c); err != nil || len(m.edits) == 0 {
		return err
	}
	if err := w.carryOut(ctx, m, c); err != nil {
		return err
	}
	return w.post(ctx, m)
}

// carryOut makes an operation whose live values are the expected ones: it records the intent, writes, reads and records the
// result.
func (w *work) carryOut(ctx context.Context, m operation, c Condition) error {
	if err := w.record(m.intent(c)); err != nil {
		return err
	}
	w.progress(m.step, m.target, m.sentence())
	wrote := w.estate.Settings.Write(ctx, m.target, m.assignments())
	if wrote == nil {
		if err := w.record(Record{Kind: RecordAcknowledged, Step: m.step, Target: &m.target}); err != nil {
			return err
		}
	}
	return w.settle(ctx, m, c, wrote)
}

// values maps an address's key to its live value.
type values map[string]value

func (w *work) read(ctx context.Context, target Target, addresses []Address) (values, error) {
	facts, err := w.estate.Settings.Read(ctx, target, addresses)
	if err == nil && len(facts) != len(addresses) {
		err = errors.New("unexpected number of values in the answer")
	}
	if err != nil {
		return nil, fmt.Errorf("reading settings of %s: %w", target.Name, err)
	}
	all := values{}
	for i, a := range addresses {
		all[a.Key()] = facts[i]
	}
	return all, nil
}

// anyOf reports whether v is equivalent to one of all.
func anyOf(a Address, v value, all []value) bool {
	return slices.ContainsFunc(all, func(b value) bool { return Same(a, v, b) })
}

// compare compares live values with the expected ones. In a run, a changed value is an error. In a rollback, somebody
// else has changed it, so compare drops its change from the operation.
func (w *work) compare(m operation, live values, c Condition) (operation, error) {
	if m.rollback {
		return w.compareBack(m, live, c)
	}
	for _, t := range m.edits {
		if now := live[t.Key()]; !Same(t.Address, now, t.from) {
			why := fmt.Sprintf("%s of %s is %s now, no longer %s: somebody else is changing it", t.Key(), m.target.Name, formatFact(now), formatFact(t.from))
			return m, errors.Join(errors.New(why), w.record(m.uniformRecord(RecordSkipped, StateUntouched, why)))
		}
	}
	return m, nil
}

func (w *work) compareBack(m operation, live values, c Condition) (operation, error) {
	var todo []edit
	var kept, back []Entry
	for _, t := range m.edits {
		now, home := live[t.Key()], t.isRestored(live)
		_, state, reason := now.Get()
		switch {
		case state == inventory.StateUnread:
			why := "it cannot be read: " + reason
			w.unreached = append(w.unreached, fmt.Sprintf("%s of %s: %s", t.Key(), m.target.Name, why))
			kept = append(kept, t.keep(why))
		case home:
			back = append(back, Entry{Address: t.Address, Now: now, State: StateUndone, Why: "it already has its old value", Waits: waitsAfterRollback(m.target, t, c)})
		case !Same(t.Address, now, t.from) && !anyOf(t.Address, now, t.to):
			entry := t.keep(fmt.Sprintf("it is now %s: somebody else changed it after the run wrote %s", formatFact(now), formatFact(t.from)))
			if w.restoring {
				entry.State = StateForeign // this is final; what a trial could not reach, it restores later
			}
			kept = append(kept, entry)
		default:
			if moved := t.changedExtra(live); moved != "" {
				kept = append(kept, t.keep(moved))
				continue
			}
			todo = append(todo, t)
		}
	}
	m.edits = todo
	for _, r := range []Record{{Kind: RecordRollbackDone, Changes: back}, {Kind: RecordSkipped, Changes: kept}} {
		if len(r.Changes) == 0 {
			continue
		}
		r.Step, r.Target, r.Booted, r.Running = m.step, &m.target, c.Booted, c.Running
		if err := w.record(r); err != nil {
			return m, err
		}
		for _, e := range r.Changes {
			w.progress(m.step, m.target, e.Key()+": "+e.Why)
		}
	}
	return m, nil
}

// isRestored reports whether a rollback edit's values are already as they should be afterwards.
func (t *edit) isRestored(live values) bool {
	return anyOf(t.Address, live[t.Key()], t.to) && t.notRestored(live) == ""
}

// notRestored describes a value that the rollback restores with the edit's own setting and that is not restored.
func (t *edit) notRestored(live values) string {
	for _, a := range t.write {
		if now := live[a.Key()]; a.Key() != t.Key() && !Same(a.Address, now, a.Value) {
			return fmt.Sprintf("%s, which is restored with %s, is %s, not %s", a.Key(), t.Key(), formatFact(now), formatFact(a.Value))
		}
	}
	return ""
}

// changedExtra describes a value that the rollback would overwrite in addition to the edit's own setting, and that
// somebody else has changed since the run.
func (t *edit) changedExtra(live values) string {
	for _, extra := range t.extras {
		now := live[extra.Key()]
		if _, was, _ := extra.Value.Get(); was == inventory.StateUnread || Same(extra.Address, now, extra.Value) {
			continue
		}
		i := slices.IndexFunc(t.write, func(a Assignment) bool { return a.Key() == extra.Key() })
		if i < 0 || Same(extra.Address, now, t.write[i].Value) {
			continue
		}
		return fmt.Sprintf("%s, which is restored with it, is now %s: somebody else changed it since", extra.Key(), formatFact(now))
	}
	return ""
}

// keep returns the entry of a rollback edit that is skipped. What the change waited for, it still waits for.
func (t *edit) keep(why string) Entry {
	return Entry{Address: t.Address, State: StateKept, Waits: t.beforeRollback.Waits, Why: why}
}

// intent returns the record that is durable before the write. It contains all that recovery and rollback need.
func (m *operation) intent(c Condition) Record {
	r := Record{Kind: RecordIntent, Step: m.step, Target: &m.target, Booted: c.Booted, Running: c.Running}
	state := StateDoing
	if m.rollback {
		r.Kind, state = RecordRollbackIntent, StateUndoing
	}
	for _, t := range m.edits {
		e := Entry{Address: t.Address, State: state, Waits: waits(t.activation, m.target, c.Running)}
		if !t.again {
			inverse := t.inverse
			e.Before, e.After, e.Inverse = t.before, t.after, &inverse
		}
		r.Changes = append(r.Changes, e)
	}
	return r
}

// uniformRecord returns a record that gives every change of an operation the same state and reason.
func (m *operation) uniformRecord(kind RecordKind, state State, why string) Record {
	r := Record{Kind: kind, Step: m.step, Target: &m.target}
	for _, t := range m.edits {
		r.Changes = append(r.Changes, Entry{Address: t.Address, State: state, Waits: t.beforeRollback.Waits, Why: why})
	}
	return r
}
