package tuning

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnsure marks a write whose answer was lost: the write may have succeeded.
var ErrUnsure = errors.New("the answer was lost")

// StaleError reports that values on the server differ from the plan's before-values. The run wrote no setting.
type StaleError struct{ Moved []string } // one line for each setting

func (e *StaleError) Error() string {
	return "the plan is stale, nothing was changed:\n  " + strings.Join(e.Moved, "\n  ")
}

// ConflictError reports that two rules want different values for one setting.
type ConflictError struct {
	Target  Target
	Address Address
	Wants   []Want
}

// Want is the value that one rule wants.
type Want struct{ Rule, Value string }

func (e *ConflictError) Error() string {
	var wants []string
	for _, w := range e.Wants {
		wants = append(wants, fmt.Sprintf("%s needs %s", w.Rule, w.Value))
	}
	return fmt.Sprintf("%s of %s: %s", e.Address.Key(), e.Target.Name, strings.Join(wants, ", "))
}

// UnknownRunError reports that no run has this ID.
type UnknownRunError struct{ ID string }

func (e *UnknownRunError) Error() string { return fmt.Sprintf("there is no run %q", e.ID) }

// LockedError reports that another run is working on a target.
type LockedError struct{ By string }

func (e *LockedError) Error() string { return "another run is active: " + e.By }

// RefusedError reports changes that policy or the user does not allow. The run wrote no setting.
type RefusedError struct{ Why []string }

func (e *RefusedError) Error() string { return strings.Join(e.Why, "\n") }

// ForeignError reports that somebody else changed a setting during a trial. vperf leaves the setting alone.
type ForeignError struct{ Moved []string } // one line for each setting

func (e *ForeignError) Error() string {
	return "somebody else changed a setting during the trial:\n  " + strings.Join(e.Moved, "\n  ")
}

// FailedError reports that a step of a run failed.
type FailedError struct {
	Err    error
	Undone bool // the server has no change of the run any more
}

func (e *FailedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *FailedError) Unwrap() error { return e.Err }
