package tuning

import (
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// begin initializes the run from its plan and records. The results depend only on them, whether the run has just
// written them or they are read a year later.
func (r *Run) begin(records []Record) {
	if r.Plan != nil {
		for _, s := range r.Plan.Steps {
			for _, c := range s.Changes {
				r.Results = append(r.Results, newResult(&s, &c))
			}
		}
	}
	for _, record := range records {
		r.take(record)
	}
}

func newResult(s *Step, c *Change) Result {
	return Result{Step: s.ID, Target: s.Target, Address: c.Address, Before: c.Before, After: c.After, State: StateUntouched, Rules: rulesOf(c.Causes), inverse: c.Inverse}
}

// take applies one record: the latest record about a change counts.
func (r *Run) take(record Record) {
	r.Records = append(r.Records, record)
	switch record.Kind {
	case RecordRunBegin:
		r.Began = record.Time
		if record.Begin != nil {
			r.Begin = *record.Begin
		}
	case RecordRollbackBegin:
		r.Result, r.Why, r.rollingBack = "", "", true
	case RecordRunEnd:
		r.Result, r.Why, r.Ended = record.Result, record.Text, record.Time
		r.interrupted = r.interrupted || record.Result == resultInterrupted || record.Text == whyRestored
		r.endTrial()
	case RecordTrial:
		r.notes++
	case RecordWarned:
		r.Warnings = append(r.Warnings, record.Text)
	case RecordActionBegin, RecordActionDone:
		r.trackAction(record)
	}
	for _, entry := range record.Changes {
		r.result(record, entry).take(record, entry)
	}
	for _, extra := range record.Extras {
		if i := r.index(record.Step, extra.Of); i >= 0 {
			r.Results[i].extras = append(r.Results[i].extras, extra.Assignment)
		}
	}
}

// endTrial takes over how a trial, or a rollback of it, ended.
func (r *Run) endTrial() {
	switch r.Result {
	case ResultKept:
		r.kept = true
	case ResultRestored, ResultPartlyRestored: // by the trial or its recovery
	default:
		r.rolledBack = r.rollingBack
	}
}

func (r *Run) index(step int, key string) int {
	return slices.IndexFunc(r.Results, func(c Result) bool { return c.Step == step && c.Key() == key })
}

// result returns the result that an entry is about. If the plan cannot be read, it creates one: an intent contains all
// that a rollback needs.
func (r *Run) result(record Record, entry Entry) *Result {
	i := r.index(record.Step, entry.Key())
	if i < 0 {
		i = len(r.Results)
		made := Result{Step: record.Step, Address: entry.Address, Before: entry.Before, After: entry.After}
		if record.Target != nil {
			made.Target = *record.Target
		}
		r.Results = append(r.Results, made)
	}
	return &r.Results[i]
}

func (c *Result) take(record Record, entry Entry) {
	if record.Kind == RecordRollbackIntent {
		held := *c
		held.beforeRollback = nil
		c.beforeRollback = &held
	}
	before := c.State
	if c.open() && (entry.State == StateUndone || written(entry.Waits) == entry.State) {
		c.writes++
	}
	c.State, c.Waits, c.Why, c.Since = entry.State, entry.Waits, entry.Why, record.Time
	if entry.Inverse != nil {
		c.inverse = *entry.Inverse
	}
	if _, state, _ := entry.Now.Get(); state != inventory.StateUnread {
		c.Now = entry.Now
	}
	switch record.Kind {
	case RecordIntent, RecordRollbackIntent:
		c.asOf = record.asOf()
	case RecordRollbackDone:
		if before != StateUndoing && before != StateUndone { // it was restored without a write
			c.asOf = record.asOf()
		}
	case RecordVerified, RecordFailed, RecordRecovered:
		c.extras = nil // the record contains them anew
	}
}

// trackAction keeps track of actions to reverse. An action counts from the moment that it may have happened.
func (r *Run) trackAction(record Record) {
	if record.Target == nil {
		return
	}
	settles := func(a Action) {
		r.pendingActions = slices.DeleteFunc(r.pendingActions, func(o pendingAction) bool { return o.action == a && o.target.Key() == record.Target.Key() })
	}
	undo, owes := undoneBy[record.Action]
	switch {
	case record.Kind == RecordActionBegin && owes:
		r.pendingActions = append(r.pendingActions, pendingAction{undo, *record.Target})
	case record.Kind == RecordActionBegin:
	case owes && record.Failed:
		settles(undo)
	case !owes && !record.Failed:
		settles(record.Action)
	}
}

// undoneBy maps the actions that have to be reversed to the action that reverses them.
var undoneBy = map[Action]Action{ActionShutDown: ActionPowerOn, ActionEnterMaintenance: ActionExitMaintenance}

// wrote reports whether a change was or may have been sent, unless it is known to have had no effect.
func (c *Result) wrote() bool {
	switch c.State {
	case StateUntouched, StateSame, StateDeferred, StateFailed, "":
		return false
	}
	return true
}

// isApplied reports whether a change is still on the server, according to the journal.
func (c *Result) isApplied() bool {
	switch c.State {
	case StateDone, StatePending, StateProven, StateWrong, StateKept, StateUndoDeferred:
		return true
	}
	return false
}

// open reports whether the result of a change is unknown.
func (c *Result) open() bool { return c.State == StateDoing || c.State == StateUndoing }
