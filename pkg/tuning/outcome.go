package tuning

import (
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// State is the progress of a change.
type State string

// The states of a change. Those marked * leave the change on the server.
const (
	StateUntouched    State = "not begun"  // not sent; Result.Why gives the reason
	StateSame         State = "already so" // nothing to do
	StateDeferred     State = "deferred"   // not sent: the target must be off, and is running
	StateDoing        State = "in doubt"   // * it may have been sent; its result is unknown
	StateDone         State = "done"       // * written and read back
	StatePending      State = "pending"    // * written and read back; Result.Waits brings it into force
	StateProven       State = "proven"     // * it was pending, and is still set after a restart
	StateFailed       State = "failed"     // no trace of it is on the server
	StateWrong        State = "wrong"      // * the write left another value than the wanted one
	StateForeign      State = "foreign"    // the value is neither the old nor the new one: needs manual review
	StateUndoing      State = "undo in doubt"
	StateUndone       State = "undone"        // with Result.Waits if the old value is not in force yet
	StateKept         State = "kept"          // * the rollback skipped it; Result.Why gives the reason
	StateUndoDeferred State = "undo deferred" // * the target must be off for the rollback, and is running

	// States that only Verify returns.

	StateDrifted State = "drifted" // somebody else changed it since
	StateGone    State = "gone"    // its object no longer exists, or another has its id
	StateUnread  State = "unread"  // it could not be read
)

// Result is the result of one change.
type Result struct {
	Step   int    `json:"step"`
	Target Target `json:"target"`
	Address
	Before inventory.Fact[inventory.Value] `json:"before"`
	After  inventory.Fact[inventory.Value] `json:"after"`
	Now    inventory.Fact[inventory.Value] `json:"now,omitzero"` // as last read
	State  State                           `json:"state"`
	// Waits is the activation that brings the value into force; "" if it is in force. A change that was rolled back can
	// wait too.
	Waits inventory.Activation `json:"waits,omitempty"`
	Why   string               `json:"why,omitempty"`
	Since time.Time            `json:"since,omitzero"` // when the state was reached
	Rules []string             `json:"rules,omitempty"`

	inverse Inverse
	// extras are the values of the other settings that a rollback would write, read after the change was made.
	extras []Assignment
	asOf   asOf
	writes int // how often the change or its inverse was written and read back
	// beforeRollback is the result before the rollback began.
	beforeRollback *Result
}

// Writes returns how often the run wrote the change or its inverse and read the value back. In a trial, these are its
// switches.
func (r *Result) Writes() int { return r.writes }

// left returns the value that the run left, or found if it has not written the change.
func (r *Result) left() inventory.Fact[inventory.Value] {
	if _, state, _ := r.Now.Get(); state != inventory.StateUnread {
		return r.Now
	}
	return r.Before
}

// Outcome is the result of a run.
type Outcome struct {
	Run     string   `json:"run,omitempty"` // "": there was nothing to do, so no run was begun
	Results []Result `json:"results"`
	// Stopped says why the run ended early without a failure; "" if it did not.
	Stopped string `json:"stopped,omitempty"`
	// Warnings are faults that did not affect the changes: an event that was not posted, a configuration that was not
	// saved.
	Warnings []string `json:"warnings,omitempty"`
}

// Count returns the number of changes in one of the states.
func (o *Outcome) Count(states ...State) int {
	n := 0
	for _, r := range o.Results {
		for _, s := range states {
			if r.State == s {
				n++
			}
		}
	}
	return n
}

// Waits reports whether any change is written but not in force, deferred, or not begun.
func (o *Outcome) Waits() bool {
	for _, r := range o.Results {
		if r.Waits != "" {
			return true
		}
	}
	return o.Count(StateDeferred, StateUntouched, StateUndoDeferred) > 0
}
