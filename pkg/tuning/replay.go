package tuning

import (
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// begin takes in a run's records from the first. What became of each change follows from them alone, whether the run has
// just written them or somebody reads them a year later.
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

// take takes in one record: the last word on a change counts.
func (r *Run) take(record Record) {
	r.Records = append(r.Records, record)
	switch record.Kind {
	case RecordRunBegin:
		r.Began = record.Time
		if record.Begin != nil {
			r.Begin = *record.Begin
		}
	case RecordRollbackBegin:
		r.Result, r.Why = "", ""
	case RecordRunEnd:
		r.Result, r.Why, r.Ended = record.Result, record.Text, record.Time
	case RecordWarned:
		r.Warnings = append(r.Warnings, record.Text)
	case RecordActionBegin, RecordActionDone:
		r.owe(record)
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

func (r *Run) index(step int, key string) int {
	return slices.IndexFunc(r.Results, func(c Result) bool { return c.Step == step && c.Key() == key })
}

// result is what an entry speaks of. It is made where the plan cannot be read: an intent tells all that going back takes.
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
		held.held = nil
		c.held = &held
	}
	before := c.State
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
		if before != StateUndoing && before != StateUndone { // it was back without a write
			c.asOf = record.asOf()
		}
	case RecordVerified, RecordFailed, RecordRecovered:
		c.extras = nil // the record has them anew
	}
}

// owe keeps count of what has to be taken back. It is owed from the moment that it may have happened.
func (r *Run) owe(record Record) {
	if record.Target == nil {
		return
	}
	settles := func(a Action) {
		r.owed = slices.DeleteFunc(r.owed, func(o owed) bool { return o.action == a && o.target.Key() == record.Target.Key() })
	}
	undo, owes := undoneBy[record.Action]
	switch {
	case record.Kind == RecordActionBegin && owes:
		r.owed = append(r.owed, owed{undo, *record.Target})
	case record.Kind == RecordActionBegin:
	case owes && record.Failed:
		settles(undo)
	case !owes && !record.Failed:
		settles(record.Action)
	}
}

// undoneBy are the actions that have to be taken back, and what does.
var undoneBy = map[Action]Action{ActionShutDown: ActionPowerOn, ActionEnterMaintenance: ActionExitMaintenance}

// wrote reports a change that was sent, or may have been, and is not known to have left nothing.
func (c *Result) wrote() bool {
	switch c.State {
	case StateUntouched, StateSame, StateDeferred, StateFailed, "":
		return false
	}
	return true
}

// there reports a change that is still on the server, as far as the journal knows.
func (c *Result) there() bool {
	switch c.State {
	case StateDone, StatePending, StateProven, StateWrong, StateKept, StateUndoDeferred:
		return true
	}
	return false
}

// open reports a change that only a look at the server settles.
func (c *Result) open() bool { return c.State == StateDoing || c.State == StateUndoing }
