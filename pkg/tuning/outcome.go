package tuning

import (
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// State is how far a change has come.
type State string

// The states of a change. Those marked * leave the change on the server.
const (
	StateUntouched    State = "not begun"  // nothing was sent; Result.Why says what came before
	StateSame         State = "already so" // there was nothing to do
	StateDeferred     State = "deferred"   // nothing was sent: the target must be off, and runs
	StateDoing        State = "in doubt"   // * it may have been sent; only a look at the server tells
	StateDone         State = "done"       // * written and read back
	StatePending      State = "pending"    // * written and read back; in force after what Result.Waits says
	StateProven       State = "proven"     // * it was pending, and is still there after a restart
	StateFailed       State = "failed"     // nothing is there of it
	StateWrong        State = "wrong"      // * the write left another value than was asked for
	StateForeign      State = "foreign"    // the value is neither that of before nor that of after: a person must look
	StateUndoing      State = "undo in doubt"
	StateUndone       State = "undone"        // with Result.Waits where what was in force still is
	StateKept         State = "kept"          // * going back left it alone; Result.Why says why
	StateUndoDeferred State = "undo deferred" // * the target must be off before it can be taken back, and runs

	// What Verify finds, beside the above.

	StateDrifted State = "drifted" // somebody else changed it since
	StateGone    State = "gone"    // its object is not there any more, or another has its id
	StateUnread  State = "unread"  // it could not be looked at
)

// Result is what became of one change.
type Result struct {
	Step   int    `json:"step"`
	Target Target `json:"target"`
	Address
	Before inventory.Fact[inventory.Value] `json:"before"`
	After  inventory.Fact[inventory.Value] `json:"after"`
	Now    inventory.Fact[inventory.Value] `json:"now,omitzero"` // as last read
	State  State                           `json:"state"`
	// Waits is what it takes before the value is in force; "" is nothing. A change that was taken back can wait too.
	Waits inventory.Activation `json:"waits,omitempty"`
	Why   string               `json:"why,omitempty"`
	Since time.Time            `json:"since,omitzero"` // when the state was reached
	Rules []string             `json:"rules,omitempty"`

	inverse Inverse
	// extras are values that going back writes beside the setting itself, as they were when the change had been made.
	extras []Assignment
	asOf   asOf
	// held is what the change was before going back began.
	held *Result
}

// Outcome is what became of a run.
type Outcome struct {
	Run     string   `json:"run,omitempty"` // "": there was nothing to do, and no run was begun
	Results []Result `json:"results"`
	// Stopped says why the run ended before its last step without a failure; "" is that it did not.
	Stopped string `json:"stopped,omitempty"`
	// Warnings are what went wrong without harm to the changes: an event that was not posted, a configuration not saved.
	Warnings []string `json:"warnings,omitempty"`
}

// Count says how many changes are in one of the states.
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

// Waits says whether something is left for later: written and not in force, deferred, or not begun.
func (o *Outcome) Waits() bool {
	for _, r := range o.Results {
		if r.Waits != "" {
			return true
		}
	}
	return o.Count(StateDeferred, StateUntouched, StateUndoDeferred) > 0
}
