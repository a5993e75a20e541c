package tuning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// settle reads the values after a write, whatever the server answered, and records the result.
func (w *work) settle(ctx context.Context, m operation, c Condition, wrote error) error {
	unsure := errors.Is(wrote, ErrUnsure) || errors.Is(wrote, context.DeadlineExceeded) || errors.Is(wrote, context.Canceled)
	live, err := w.readBack(ctx, m, unsure)
	record, wrong := m.verdict(live, c, wrote)
	switch {
	case err != nil:
		wrong = []string{err.Error()}
	case wrote != nil && !unsure:
		wrong = nil // the server's error explains it better
	}
	if unsure && len(wrong) == 0 { // the value that was read is the answer
		wrote = nil
	}
	if wrote == nil && len(wrong) == 0 {
		return w.record(record)
	}
	reason := errors.Join(wrote, sentences(wrong))
	if unsure {
		reason = fmt.Errorf("%w; the write reported: %s", sentences(wrong), wrote.Error()) // without its kind, which is not that of the failure
	}
	for i := range record.Changes {
		record.Changes[i].because(reason)
	}
	failure := fmt.Errorf("%s: %w", m.sentence(), reason)
	record.Kind, record.Text = RecordFailed, failure.Error()
	return errors.Join(failure, w.record(record))
}

// verdict returns the record of an operation's result, and a list of faults.
func (m *operation) verdict(live values, c Condition, wrote error) (record Record, wrong []string) {
	record = Record{Kind: RecordVerified, Step: m.step, Target: &m.target}
	if m.rollback {
		record.Kind = RecordRollbackDone
	}
	for _, t := range m.edits {
		entry, trouble := m.judge(t, live, c, wrote)
		record.Changes = append(record.Changes, entry)
		if trouble != "" {
			wrong = append(wrong, trouble)
		}
		if !m.rollback {
			record.Extras = append(record.Extras, t.extrasIn(live)...)
		}
	}
	return record, wrong
}

// because stores the reason in the entry of a change that failed.
func (e *Entry) because(reason error) {
	switch e.State {
	case StateFailed, StateWrong, StateForeign:
		e.Why = cmp.Or(e.Why, reason.Error())
	}
}

func sentences(all []string) error {
	if len(all) == 0 {
		return nil
	}
	return errors.New(strings.Join(all, "; "))
}

// extrasIn returns the live values of the other settings that the rollback of the edit would write.
func (t *edit) extrasIn(live values) []Extra {
	var all []Extra
	for _, a := range t.inverse.Write {
		if a.Key() != t.Key() {
			all = append(all, Extra{Of: t.Key(), Assignment: Assignment{Address: a.Address, Value: live[a.Key()]}})
		}
	}
	return all
}

// judge returns the result of one change of an operation, and a text if it failed.
func (m *operation) judge(t edit, live values, c Condition, wrote error) (Entry, string) {
	now := live[t.Key()]
	entry := Entry{Address: t.Address, Now: now, Waits: waits(t.activation, m.target, c.Running)}
	_, state, reason := now.Get()
	switch {
	case state == inventory.StateUnread:
		entry.State = StateDoing
		if m.rollback {
			entry.State = StateUndoing
		}
		return entry, t.Key() + " could not be read back: " + reason
	case m.rollback && t.isRestored(live):
		entry.State, entry.Waits = StateUndone, waitsAfterRollback(m.target, t, c)
		return entry, ""
	case !m.rollback && anyOf(t.Address, now, t.to):
		entry.State = written(entry.Waits)
		return entry, ""
	}
	trouble := m.failed(&entry, t, live, wrote)
	return entry, trouble
}

// failed completes the entry of a change whose value is not the written one, and returns a text about it.
func (m *operation) failed(entry *Entry, t edit, live values, wrote error) string {
	now := entry.Now
	entry.Waits = ""
	switch {
	case m.rollback && anyOf(t.Address, now, t.to):
		entry.State = StateWrong
		return t.notRestored(live)
	case m.rollback && Same(t.Address, now, t.from):
		entry.Now, entry.State, entry.Waits = t.from, t.beforeRollback.State, t.beforeRollback.Waits
		return swallowed(t, now, wrote)
	case Same(t.Address, now, t.from):
		entry.State = StateFailed
		return swallowed(t, now, wrote)
	}
	// If the server accepted the write, it chose this value. Otherwise anybody may have written it.
	entry.State = StateWrong
	if wrote != nil {
		entry.State = StateForeign
	}
	return fmt.Sprintf("%s is %s: neither the old value nor the written one (%s)", t.Key(), formatFact(now), formatFact(t.to[0]))
}

func swallowed(t edit, now value, wrote error) string {
	said := "the server reported success"
	if wrote != nil {
		said = "the server's answer was lost"
	}
	return fmt.Sprintf("%s, but nothing changed: %s is still %s", said, t.Key(), formatFact(now))
}

// written returns the state of a value that was read back.
func written(waits inventory.Activation) State {
	if waits == "" {
		return StateDone
	}
	return StatePending
}

// waitsAfterRollback returns what a change that was undone waits for. If it never came into force, it waits for nothing.
func waitsAfterRollback(target Target, t edit, c Condition) inventory.Activation {
	inForce := restarted(t.beforeRollback.asOf, c) // the value written last
	switch {
	case t.beforeRollback.State == StatePending && !inForce, t.beforeRollback.State == StateUndone && inForce:
		return ""
	}
	return waits(t.activation, target, c.Running)
}

// restarted reports whether a target was started after it was written to. It compares boot times with each other if
// possible, because the clocks of two machines differ.
func restarted(then asOf, now Condition) bool {
	switch {
	case !now.Running:
		return false
	case !then.running:
		return true
	case !then.booted.IsZero():
		return now.Booted.After(then.booted)
	}
	return now.Booted.After(then.written)
}

// readBack reads the written values. It retries for some seconds if a value cannot be read, or if the server's answer
// was lost, because the write may still be in progress.
func (w *work) readBack(ctx context.Context, m operation, unsure bool) (values, error) {
	const pause = time.Second
	for skipped := 5; ; skipped-- {
		live, err := w.read(ctx, m.target, m.addresses())
		if skipped == 0 || !m.unclear(live, err, unsure) {
			return live, err
		}
		wait(ctx, pause)
	}
}

func (m *operation) unclear(live values, err error, unsure bool) bool {
	return err != nil || slices.ContainsFunc(m.edits, func(t edit) bool {
		now := live[t.Key()]
		_, state, _ := now.Get()
		return state == inventory.StateUnread || unsure && Same(t.Address, now, t.from)
	})
}
