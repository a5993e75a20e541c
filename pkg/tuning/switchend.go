package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// The results of trials.
const (
	ResultKept           = "kept"            // all steps are on, on purpose
	ResultRestored       = "restored"        // all values are those from before the trial
	ResultPartlyRestored = "partly restored" // somebody else's values are left, or values that could not be reached
)

// Limits for restoring values while the server does not answer.
const (
	patience    = 10 * time.Minute
	firstPause  = 5 * time.Second
	longestWait = time.Minute
)

// Close ends the trial. With keep, it switches all steps on and leaves them so; if that fails, or without keep, it
// restores the values from before the trial. Values that somebody else changed are left alone and reported. Each host
// that the trial wrote to saves its configuration, once.
//
// The window does not apply to Close, and neither does an end of ctx: Close restores in any case. While ctx has not
// ended, it tries again for ten minutes if the server does not answer. If values could still not be restored, Close
// returns a [FailedError], and [Recover] goes on later.
func (s *Switching) Close(ctx context.Context, keep bool) (*Outcome, error) {
	if s.closed {
		return nil, errClosed
	}
	defer s.held.releaseAll()
	w := s.w
	w.options.Window = nil
	var failed error
	result := ResultKept
	if keep {
		failed = s.keep(context.WithoutCancel(ctx))
	}
	s.closed = true
	if failed != nil {
		w.progress(0, Target{}, "restoring the values from before the trial: "+failed.Error())
	}
	var left error
	if !keep || failed != nil {
		left = s.restore(ctx)
		result = w.run.restored()
	}
	if left != nil {
		left = fmt.Errorf("restoring the values from before the trial: %w", left)
		undone := w.journal.broken != nil && s.restoreUnrecorded(ctx, &left)
		_ = w.journal.close() // all records are synced; without an end, the run is an interrupted one
		return w.outcome(), &FailedError{Err: errors.Join(failed, left), Undone: undone}
	}
	why := strings.Join(w.unreached, "; ")
	if failed != nil {
		why = "the changes could not be kept: " + failed.Error()
	}
	closed := w.end(result, why)
	switch {
	case w.journal.broken != nil: // without its end, the run is an interrupted one: nothing of it may stay
		undone := s.restoreUnrecorded(ctx, &closed)
		return w.outcome(), &FailedError{Err: errors.Join(failed, closed), Undone: undone}
	case failed != nil || len(w.unreached) > 0:
		failed = errors.Join(failed, sentences(w.unreached), closed)
		return w.outcome(), &FailedError{Err: failed, Undone: w.run.clean()}
	}
	return w.outcome(), closed
}

// keep switches all steps on, and saves the hosts' configuration.
func (s *Switching) keep(ctx context.Context) error {
	all := map[int]bool{}
	for _, step := range s.w.run.Plan.Steps {
		all[step.ID] = true
	}
	if err := s.Set(ctx, all); err != nil {
		return err
	}
	if err := s.postEnd(ctx, true); err != nil {
		return err
	}
	return s.w.saveUnsaved(ctx)
}

// restored returns the result of a trial whose values were restored as far as possible.
func (r *Run) restored() string {
	if r.clean() {
		return ResultRestored
	}
	return ResultPartlyRestored
}

// restore restores the values from before the trial. While that fails and ctx has not ended, it tries again.
func (s *Switching) restore(ctx context.Context) error {
	w, end, pause := s.w, time.Now().Add(patience), firstPause
	w.restoring = true
	if err := s.postEnd(ctx, false); err != nil {
		return err
	}
	for {
		s.allOff(context.WithoutCancel(ctx))
		w.unreached = nil
		err := w.restoreTrial(context.WithoutCancel(ctx))
		failure := errors.Join(err, sentences(w.unreached))
		if failure == nil || w.journal.broken != nil || ctx.Err() != nil || time.Now().Add(pause).After(end) {
			return err
		}
		w.progress(0, Target{}, fmt.Sprintf("trying again in %s: %v", pause, failure))
		wait(ctx, pause)
		pause = min(2*pause, longestWait)
	}
}

// allOff switches off all steps that are on, with few calls. What it cannot switch off is left to restoreTrial.
func (s *Switching) allOff(ctx context.Context) {
	steps := s.w.run.Plan.Steps
	for i := range slices.Backward(steps) {
		step := &steps[i]
		all := s.results(step)
		if s.w.journal.broken != nil || !slices.ContainsFunc(all, (*Result).isApplied) || slices.ContainsFunc(all, (*Result).open) {
			continue
		}
		m := s.operation(step, false)
		m.edits = slices.DeleteFunc(m.edits, func(t edit) bool { return !t.beforeRollback.isApplied() })
		if err := s.w.perform(ctx, m, s.found[step.Target.Key()]); err != nil {
			s.w.progress(step.ID, step.Target, err.Error())
		}
	}
}

// restoreUnrecorded restores values although the journal cannot be written, as on a full disk: it would be worse to leave the
// change in force. It is safe, because recovery takes a change with its old value for one that was undone, and then
// completes the journal. It adds to cause, the error of the journal, what was done, and reports whether all values
// are restored.
func (s *Switching) restoreUnrecorded(ctx context.Context, cause *error) (undone bool) {
	var failed []error
	for i := range slices.Backward(s.w.run.Plan.Steps) {
		step := &s.w.run.Plan.Steps[i]
		if err := s.offUnrecorded(ctx, step); err != nil {
			failed = append(failed, fmt.Errorf("%s is not restored: %w", step.Target.Name, err))
		}
	}
	if failed == nil {
		failed = append(failed, errors.New("the values were restored without a record; the next command that writes completes the journal"))
		undone = true
	}
	*cause = errors.Join(append([]error{*cause}, failed...)...)
	return undone
}

// offUnrecorded switches one step off without a record. It leaves values alone that are somebody else's.
func (s *Switching) offUnrecorded(ctx context.Context, step *Step) error {
	w := s.w
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepLimit)
	defer cancel()
	m := s.operation(step, false)
	m.edits = slices.DeleteFunc(m.edits, func(t edit) bool { return !t.beforeRollback.isApplied() && !t.beforeRollback.open() })
	if len(m.edits) == 0 {
		return nil
	}
	condition, err := w.condition(ctx, m.target)
	if err != nil {
		return err
	}
	if why := unfit(m.target, condition); len(why) > 0 {
		return sentences(why)
	}
	live, err := w.read(ctx, m.target, m.addresses())
	if err != nil {
		return err
	}
	if err := m.onlyOwn(live); err != nil {
		return err
	}
	w.progress(m.step, m.target, m.sentence())
	wrote := w.estate.Settings.Write(ctx, m.target, m.assignments())
	live, err = w.readBack(ctx, m, wrote != nil)
	if err != nil {
		return errors.Join(wrote, err)
	}
	for _, t := range m.edits {
		if !t.isRestored(live) {
			return errors.Join(wrote, fmt.Errorf("%s is %s", t.Key(), formatFact(live[t.Key()])))
		}
	}
	return nil
}

// onlyOwn returns an error if a live value is neither an old value nor one that the run wrote.
func (m *operation) onlyOwn(live values) error {
	for _, t := range m.edits {
		if now := live[t.Key()]; !anyOf(t.Address, now, []value{t.before, t.after, t.from}) {
			return fmt.Errorf("%s is %s: the trial did not write that", t.Key(), formatFact(now))
		}
	}
	return nil
}

// reportForeign records values that the trial had restored and that somebody else has changed since. A value that cannot
// be read is not reported: the trial does not have to restore it.
func (w *work) reportForeign(ctx context.Context) error {
	home := slices.DeleteFunc(slices.Clone(w.run.Results), func(c Result) bool { return c.writes == 0 || c.State != StateUndone && c.State != StateFailed })
	for _, target := range targets(home, func(c Result) Target { return c.Target }) {
		own := slices.DeleteFunc(slices.Clone(home), func(c Result) bool { return c.Target.Key() != target.Key() })
		var addresses []Address
		for _, c := range own {
			addresses = append(addresses, c.Address)
		}
		live, err := w.read(ctx, target, addresses)
		if err != nil {
			continue
		}
		for _, c := range own {
			now := live[c.Key()]
			if _, state, _ := now.Get(); state == inventory.StateUnread || Same(c.Address, now, c.left()) {
				continue
			}
			entry := Entry{Address: c.Address, State: StateForeign, Why: c.foreignText(now)}
			w.progress(c.Step, target, c.Key()+": "+entry.Why)
			if err := w.record(Record{Kind: RecordSkipped, Step: c.Step, Target: &target, Changes: []Entry{entry}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// foreignText says that somebody else changed a value.
func (c *Result) foreignText(now value) string {
	return fmt.Sprintf("it is %s now, and the run left %s: somebody else changed it", formatFact(now), formatFact(c.left()))
}

// restoreTrial settles changes in doubt, restores every value that it can reach, and makes the hosts save their
// configuration. It returns an error if a change is in doubt or could not be written; unreached says what it had to skip.
func (w *work) restoreTrial(ctx context.Context) error {
	w.restoring = true
	var failed []error
	for _, do := range []func(context.Context) error{w.settleOpen, w.rollback, w.reportForeign, w.saveUnsaved} {
		failed = append(failed, do(ctx))
		if w.journal.broken != nil {
			break
		}
	}
	return errors.Join(failed...)
}

// recoverTrial restores the values from before an interrupted trial.
func (w *work) recoverTrial(ctx context.Context) error {
	if err := w.restoreTrial(ctx); err != nil {
		return err // the run stays open
	}
	why := whyRestored
	if len(w.unreached) > 0 {
		why = strings.Join(w.unreached, "; ")
		w.progress(0, Target{}, "run "+w.run.ID+" still has values to restore: "+why)
	}
	return w.record(Record{Kind: RecordRunEnd, Result: w.run.restored(), Text: why})
}

// saveUnsaved makes hosts save their configuration if they have not done so since the run last wrote to them. A host on
// which a value is still to be restored does not save it.
func (w *work) saveUnsaved(ctx context.Context) error {
	var failed []error
	for _, host := range w.run.unsaved() {
		if w.restoring && w.run.has(func(c *Result) bool { return c.Target.Key() == host.Key() && (c.isApplied() || c.open()) }) {
			continue
		}
		failed = append(failed, w.save(ctx, host))
		if w.journal.broken != nil {
			break
		}
	}
	return errors.Join(failed...)
}

// unsaved returns the hosts that have not been asked to save their configuration since the run last wrote to them.
func (r *Run) unsaved() []Target {
	var all []Target
	for _, record := range r.Records {
		if record.Target == nil || !isHost(*record.Target) {
			continue
		}
		i := slices.IndexFunc(all, func(t Target) bool { return t.Key() == record.Target.Key() })
		switch {
		case record.Kind == RecordIntent || record.Kind == RecordRollbackIntent:
			if i < 0 {
				all = append(all, *record.Target)
			}
		case i >= 0 && record.Kind == RecordActionDone && record.Action == ActionSave:
			all = slices.Delete(all, i, i+1)
		}
	}
	return all
}

// between describes what a trial switches on one target.
func (m *operation) between() string {
	var parts []string
	for _, t := range m.edits {
		parts = append(parts, fmt.Sprintf("%s between %s and %s", t.Key(), formatFact(t.before), formatFact(t.after)))
	}
	return strings.Join(parts, ", ") + " on " + m.target.Name
}

// postEnd posts an event on each target that the trial wrote to and that has its final value already. Targets whose
// values are restored now get an event for that.
func (s *Switching) postEnd(ctx context.Context, kept bool) error {
	steps := s.w.run.Plan.Steps
	for i := range steps {
		step, last := &steps[i], "old"
		all := s.results(step)
		if all[0].writes == 0 || !kept && all[0].State != StateUndone {
			continue
		}
		if kept {
			last = "new"
		}
		m := s.operation(step, kept)
		if err := s.w.postText(context.WithoutCancel(ctx), &m, fmt.Sprintf("ends to switch %s; the %s value stays", m.between(), last)); err != nil {
			return err
		}
	}
	return nil
}
