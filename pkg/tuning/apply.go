package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Apply makes the changes of a plan. It checks everything first: if an object must not be changed, an approval is
// missing, or a value differs from the one in the plan, it writes nothing. Then it changes one object after the other:
// the first one alone, then in batches, and checks the hosts' health after each batch. It records each step before it
// makes it, and reads the result back.
//
// The errors are [RefusedError], [StaleError] and [LockedError] if nothing was written, [FailedError], and the error of
// ctx if Apply finished the step in flight and did not begin the rest. The outcome and the journal contain everything
// that was done.
func Apply(ctx context.Context, e Estate, runs *Runs, p *Plan, t Options) (*Outcome, error) {
	if err := t.mayStart(e, p.Server); err != nil {
		return nil, err
	}
	id, err := runs.newID(t.now())
	if err != nil {
		return nil, err
	}
	held := runs.locks("run "+id, &t)
	defer held.releaseAll()
	if err := held.take(append(ofPlan(p, &t), ofRun(id))...); err != nil {
		return nil, err
	}
	if err := settleOthers(ctx, e, runs, held, p, &t); err != nil {
		return nil, err
	}
	operations, found, err := preflight(ctx, e, p, &t)
	if err != nil {
		return nil, err
	}
	if len(operations) == 0 {
		return nothingToDo(p), nil
	}
	w, err := runs.begin(e, p, t, id)
	if err != nil {
		return nil, err
	}
	w.reportDoubts(found)
	return w.apply(ctx, operations, found)
}

// reportDoubts reports the checks that fail now and succeeded when the plan was made: the user who approved the plan does
// not know about them.
func (w *work) reportDoubts(found survey) {
	for _, s := range w.run.Plan.Steps {
		for _, doubt := range found[s.Target.Key()].Doubts {
			if !slices.Contains(s.Notes, doubt) {
				w.progress(s.ID, s.Target, doubt)
			}
		}
	}
}

// mayStart returns an error if the server is not the plan's or the window is closed.
func (t *Options) mayStart(e Estate, server Server) error {
	if e.Server.UUID != server.UUID {
		return &RefusedError{Why: []string{fmt.Sprintf("the current server is %s (%s), but the plan or run is for %s (%s); a rebuilt server counts as a different one",
			e.Server.Name, orAbsent(e.Server.UUID), server.Name, orAbsent(server.UUID))}}
	}
	if w := t.Window; w != nil && !w.Contains(t.now()) {
		return &RefusedError{Why: []string{fmt.Sprintf("outside the window %s: it is %s", w, t.now().Format("15:04"))}}
	}
	return nil
}

func nothingToDo(p *Plan) *Outcome {
	run := Run{Plan: p}
	run.begin(nil)
	for i := range run.Results {
		run.Results[i].State, run.Results[i].Now = StateSame, run.Results[i].After
	}
	return &Outcome{Results: run.Results}
}

func (w *work) apply(ctx context.Context, operations []operation, found survey) (*Outcome, error) {
	err := w.remember(ctx, found.hosts()...)
	if err == nil {
		err = w.changeAll(ctx, unitsOf(operations))
	}
	if err == nil || isStop(err) {
		return w.finish(err)
	}
	if w.options.RollbackOnError && ctx.Err() == nil && w.journal.broken == nil {
		w.progress(0, Target{}, "rolling back: "+err.Error())
		err = errors.Join(err, w.undo(ctx, err))
	}
	return w.finish(err)
}

// undo rolls back a failed run. If a VM or host did not come back, undo does not shut down anything else.
func (w *work) undo(ctx context.Context, failure error) error {
	if action := (*actionError)(nil); errors.As(failure, &action) {
		w.options.PowerCycle, w.options.HostReboot = false, false
	}
	if err := w.record(Record{Kind: RecordRollbackBegin, Begin: w.options.begin(w.estate.Server), Text: "a step failed"}); err != nil {
		return err
	}
	w.health = map[string]Health{} // compare with the health as of now
	return w.rollbackAndRestart(ctx)
}

// isStop reports whether err is an end between two steps and nothing else.
func isStop(err error) bool {
	switch err := err.(type) { //nolint:errorlint // a joined error is checked part by part: a single failure in it counts
	case *stop:
		return true
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(err.Unwrap(), func(err error) bool { return !isStop(err) })
	}
	return false
}

// finish ends a run and returns its outcome.
func (w *work) finish(err error) (*Outcome, error) {
	var ended *stop
	stopped := ""
	if isStop(err) && errors.As(err, &ended) {
		stopped = ended.why
	}
	why := stopped
	if err != nil && why == "" {
		why = err.Error()
	}
	closed := w.end(w.run.summary(err), why)
	outcome := w.outcome()
	outcome.Stopped = stopped
	switch {
	case err == nil || stopped != "" && ended.cause == nil:
		return outcome, closed
	case stopped != "":
		return outcome, errors.Join(ended.cause, closed)
	}
	return outcome, &FailedError{Err: errors.Join(err, closed), Undone: w.run.clean()}
}

// clean reports whether no change of the run is left on the server.
func (r *Run) clean() bool {
	return len(r.pendingActions) == 0 && !r.has(func(c *Result) bool { return c.wrote() && (c.State != StateUndone || c.Waits != "") })
}

// summary returns the result of the run as one word.
func (r *Run) summary(err error) string {
	back := slices.ContainsFunc(r.Records, func(record Record) bool { return record.Kind == RecordRollbackBegin })
	switch {
	case back && r.clean():
		return "undone"
	case back:
		return "partly undone"
	case isStop(err):
		return "stopped"
	case err != nil:
		return "failed"
	case (&Outcome{Results: r.Results}).Waits():
		return "pending"
	}
	return "done"
}
