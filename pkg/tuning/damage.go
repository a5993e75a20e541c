package tuning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// Remains is what is left on the server of a run whose journal does not tell: it is damaged, or has no records. The results are the intended
// changes, with states by the values on the server: StateKept has the intended value, StateWrong the old one without what belongs to it,
// StateUndone the old one, StateForeign another one or one that a later run wrote, StateGone and StateUnread none. The warnings name what
// cannot be compared: a plan that is lost, hosts in maintenance mode, VMs that are off.
type Remains struct {
	Outcome

	Plan *Plan // restores by value what is left and can be restored, and lists the rest in Skipped
	Lost bool  // the plan cannot be read either, so there may be changes that are not listed
}

// Left returns how many of the changes are on the server, or may be.
func (r *Remains) Left() int { return r.Count(StateKept, StateWrong, StateUnread) }

// Compare compares what a run intended with the values on the server, and plans how to restore by value what still has the intended value.
// It writes nothing. [Remains.Restore] makes the changes.
func Compare(ctx context.Context, e Estate, runs *Runs, id string, now time.Time) (*Remains, error) {
	run, err := runs.Get(id)
	if err != nil {
		return nil, err
	}
	if err := (&Options{}).mayStart(e, run.Server); err != nil {
		return nil, err
	}
	all, err := runs.of(e.Server)
	if err != nil {
		return nil, err
	}
	r, w := &Remains{Outcome: Outcome{Run: id, Results: slices.Clone(run.Results)}, Lost: run.Plan == nil && (run.lost || run.interrupted || run.Result == "")}, &work{estate: e, run: run}
	if run.ending.result == ResultDrawn { // its changes are the user's
		r.Results = nil
	}
	found := survey{}
	if len(r.Results) > 0 {
		if found, err = surveyTargets(ctx, e.Settings, targets(r.Results, func(c Result) Target { return c.Target })); err != nil {
			return nil, err
		}
	}
	var wants []Proposal
	var skipped []Skipped
	for i := range slices.Backward(r.Results) {
		c := &r.Results[i]
		c.compare(ctx, w, found[c.Target.Key()], all)
		if c.State != StateKept && c.State != StateWrong {
			continue
		}
		cause := Cause{Rule: "restore-by-value", Title: "restore the value from before run " + id}
		if irreversible(c.inverse) {
			skipped = append(skipped, Skipped{Target: c.Target, Address: c.Address, Rules: []string{cause.Rule}, Why: "cannot be undone: " + c.inverse.About, Refused: true})
		}
		for _, a := range c.inverse.Write {
			wants = append(wants, Proposal{Target: c.Target, Want: a, Activation: w.activationOf(*c), Cause: cause})
		}
	}
	r.doubts(found)
	r.Plan, err = NewPlan(ctx, e.Settings, e.Server, wants, now, skipped...)
	return r, err
}

// Unrecorded reports whether the server has changes of an interrupted run that its journal says are not made, or undone. A journal and its
// end that are both cut at the same record look like those of a run that was killed there. It writes nothing.
func Unrecorded(ctx context.Context, e Estate, runs *Runs, run *Run, now time.Time) (bool, error) {
	if whole := run.breakage == nil; !whole || !run.interrupted || !run.has((*Result).isAbsent) {
		return false, nil
	}
	found, err := Compare(ctx, e, runs, run.ID, now)
	if err != nil {
		return false, err
	}
	for i := range run.Results {
		if run.Results[i].isAbsent() && found.Results[i].State == StateKept {
			return true, nil
		}
	}
	return false, nil
}

func (r *Result) isAbsent() bool { return !r.isApplied() && !r.open() }

// compare gives a change the state that the server's value shows.
func (r *Result) compare(ctx context.Context, w *work, condition Condition, all []*Run) {
	r.Waits, r.Now = "", inventory.Unread[inventory.Value]("it was not read")
	if why := replaced(r.Target, condition); why != "" {
		r.State, r.Why = StateGone, why
		return
	}
	t := r.rollbackEdit()
	m := operation{target: r.Target, edits: []edit{t}}
	live, err := w.read(ctx, r.Target, m.addresses())
	if err != nil {
		r.State, r.Why = StateUnread, err.Error()
		return
	}
	r.Now = live[r.Key()]
	_, state, reason := r.Now.Get()
	switch later := r.later(w.run, all); {
	case state == inventory.StateUnread:
		r.State, r.Why = StateUnread, reason
	case t.isRestored(live):
		r.State, r.Why = StateUndone, "it has its old value"
	case later != "":
		r.State, r.Why = StateForeign, "run "+later+" wrote it later"
	case Same(r.Address, r.Now, r.After):
		r.State, r.Why = StateKept, "it has the value that the run intended"
	case anyOf(r.Address, r.Now, t.to):
		r.State, r.Why = StateWrong, t.notRestored(live)
	default:
		r.State, r.Why = StateForeign, "it has neither the old nor the intended value: somebody else changed it"
	}
}

// later returns the run, newer than the change's own, whose journal says that it wrote the value.
func (r *Result) later(own *Run, all []*Run) string {
	for _, run := range all {
		if run.ID > own.ID && run.breakage == nil && run.has(func(o *Result) bool {
			return o.isApplied() && o.Target.Key() == r.Target.Key() && o.Key() == r.Key() && Same(r.Address, r.Now, o.After)
		}) {
			return run.ID
		}
	}
	return ""
}

// doubts warns of what the lost records may have said.
func (r *Remains) doubts(found survey) {
	if r.Lost {
		r.Warnings = append(r.Warnings, "its plan cannot be read either, so it may have made changes that are not listed")
	}
	for _, target := range targets(r.Results, func(c Result) Target { return c.Target }) {
		switch c := found[target.Key()]; {
		case isHost(target) && c.Maintenance:
			r.Warnings = append(r.Warnings, target.Name+" is in maintenance mode; the run may have entered it")
		case isVM(target) && c.Gone == "" && !c.Running:
			r.Warnings = append(r.Warnings, target.Name+" is off; the run may have shut it down")
		}
	}
}

// Restore makes the changes of the plan that [Compare] made, as a run of its own: with a journal, the same checks, and another rollback. The
// damaged run is not changed.
func (r *Remains) Restore(ctx context.Context, e Estate, runs *Runs, t Options) (*Outcome, error) {
	held := runs.locks("rollback of run "+r.Run, &t)
	defer held.releaseAll()
	if err := held.take(ofRun(r.Run)); err != nil {
		return nil, err
	}
	t.OverrideOwner, t.AcceptIrreversible, t.restores = true, true, r.Run // as in any rollback
	return Apply(ctx, e, runs, r.Plan, t)
}

// SetAside marks a run whose journal is damaged or cannot be read: it no longer stops other runs, and is no longer named by them. Its files
// stay as they are. It returns an error for a run that is whole or in progress.
func (r *Runs) SetAside(id string, t Options) error {
	held := r.locks("setting aside run "+id, &t)
	defer held.releaseAll()
	if err := held.take(ofRun(id)); err != nil {
		return err
	}
	run, err := r.Get(id)
	switch {
	case err != nil:
		return err
	case run.breakage == nil:
		return &RefusedError{Why: []string{fmt.Sprintf("the journal of run %s is whole: there is nothing to set aside", id)}}
	}
	mark, err := json.Marshal(map[string]string{"time": t.now().UTC().Format(time.RFC3339), "user": t.User, "why": run.Broken})
	if err == nil {
		err = r.disk.create(path.Join(id, asideFile), append(mark, '\n'))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("setting run %s aside: %w", id, err)
	}
	return nil
}
