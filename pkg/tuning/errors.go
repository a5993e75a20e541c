package tuning

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnsure marks a write whose answer was lost: it may have had its effect.
var ErrUnsure = errors.New("the answer was lost")

// StaleError is a plan whose before-values are no longer what is there. Nothing was written.
type StaleError struct{ Moved []string } // one line a setting

func (e *StaleError) Error() string {
	return "the plan is stale, nothing was changed:\n  " + strings.Join(e.Moved, "\n  ")
}

// ConflictError is two rules that want different values for one setting.
type ConflictError struct {
	Target  Target
	Address Address
	Wants   []Want
}

// Want is what one rule wants.
type Want struct{ Rule, Value string }

func (e *ConflictError) Error() string {
	var wants []string
	for _, w := range e.Wants {
		wants = append(wants, fmt.Sprintf("%s wants %s", w.Rule, w.Value))
	}
	return fmt.Sprintf("%s of %s: %s", e.Address.Key(), e.Target.Name, strings.Join(wants, ", "))
}

// UnknownRunError names a run that there is not.
type UnknownRunError struct{ ID string }

func (e *UnknownRunError) Error() string { return fmt.Sprintf("there is no run %q", e.ID) }

// LockedError is a target that another run works on.
type LockedError struct{ By string }

func (e *LockedError) Error() string { return "another run is at work: " + e.By }

// RefusedError is something that policy or the user does not allow. Nothing was written.
type RefusedError struct{ Why []string }

func (e *RefusedError) Error() string { return strings.Join(e.Why, "\n") }

// FailedError is a run in which a step failed.
type FailedError struct {
	Err    error
	Undone bool // nothing of the run is left
}

func (e *FailedError) Error() string { return e.Err.Error() }

// Unwrap is what went wrong.
func (e *FailedError) Unwrap() error { return e.Err }
