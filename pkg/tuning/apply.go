package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Apply makes the changes of a plan. First it looks at everything: an object that must not be changed, leave that was not
// given, or a value that is not what the plan found, and nothing is written at all. Then it goes from object to object: the
// first one alone, then in batches, with a look at the hosts' health after each. Each step is written down before it is
// made, and read back.
//
// The errors are [RefusedError], [StaleError] and [LockedError], with which nothing was written; [FailedError]; and that of
// ctx, when the step in flight was finished and the rest not begun. Whatever was done is in the outcome and the journal.
func Apply(ctx context.Context, e Estate, runs *Runs, p *Plan, t Terms) (*Outcome, error) {
	if err := t.mayStart(e, p.Server); err != nil {
		return nil, err
	}
	id := newID(t.now())
	held := runs.locks("run "+id, &t)
	defer held.releaseAll()
	if err := held.take(append(ofPlan(p, &t), ofRun(id))...); err != nil {
		return nil, err
	}
	if err := settleOthers(ctx, e, runs, held, p, &t); err != nil {
		return nil, err
	}
	moves, found, err := preflight(ctx, e, p, &t)
	if err != nil {
		return nil, err
	}
	if len(moves) == 0 {
		return nothingToDo(p), nil
	}
	w, err := runs.begin(e, p, t, id)
	if err != nil {
		return nil, err
	}
	w.tellDoubts(found)
	return w.apply(ctx, moves, found)
}

// tellDoubts says what could not be looked at now and could be when the plan was made: who agreed to it does not know of it.
func (w *work) tellDoubts(found survey) {
	for _, s := range w.run.Plan.Steps {
		for _, doubt := range found[s.Target.Key()].Doubts {
			if !slices.Contains(s.Notes, doubt) {
				w.tell(s.ID, s.Target, doubt)
			}
		}
	}
}

// mayStart says whether anything may begin at all.
func (t *Terms) mayStart(e Estate, server Server) error {
	if e.Server.UUID != server.UUID {
		return &RefusedError{Why: []string{fmt.Sprintf("this is %s (%s); it was made for %s (%s): a rebuilt server is another one",
			e.Server.Name, orNothing(e.Server.UUID), server.Name, orNothing(server.UUID))}}
	}
	if w := t.Window; w != nil && !w.Contains(t.now()) {
		return &RefusedError{Why: []string{fmt.Sprintf("the window %s is closed, it is %s", w, t.now().Format("15:04"))}}
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

func (w *work) apply(ctx context.Context, moves []move, found survey) (*Outcome, error) {
	err := w.remember(ctx, found.hosts()...)
	if err == nil {
		err = w.all(ctx, unitsOf(moves))
	}
	if err == nil || isStop(err) {
		return w.finish(err)
	}
	if w.terms.RollbackOnError && ctx.Err() == nil && w.journal.broken == nil {
		w.tell(0, Target{}, "taking back what was done: "+err.Error())
		err = errors.Join(err, w.undo(ctx, err))
	}
	return w.finish(err)
}

// undo takes back what a failed run has done. Where a VM or a host did not come back, nothing more is shut down.
func (w *work) undo(ctx context.Context, failure error) error {
	if action := (*actionError)(nil); errors.As(failure, &action) {
		w.terms.PowerCycle, w.terms.HostReboot = false, false
	}
	if err := w.record(Record{Kind: RecordRollbackBegin, Begin: w.terms.begin(w.estate.Server), Text: "a step failed"}); err != nil {
		return err
	}
	w.health = map[string]Health{} // nothing may get worse than it is by now
	return w.backAndRestore(ctx)
}

// isStop reports an end between two steps with nothing else wrong.
func isStop(err error) bool {
	switch err := err.(type) { //nolint:errorlint // what is wrapped is looked at one by one: a single failure among them counts
	case *stop:
		return true
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(err.Unwrap(), func(err error) bool { return !isStop(err) })
	}
	return false
}

// finish ends a run and says what became of it.
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

// clean reports that nothing of a run is left on the server.
func (r *Run) clean() bool {
	return len(r.owed) == 0 && !r.has(func(c *Result) bool { return c.wrote() && (c.State != StateUndone || c.Waits != "") })
}

// summary is the run's end in a word.
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
