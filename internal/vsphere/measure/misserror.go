package measure

import "github.com/vperf/vperf/internal/vsphere/session"

var (
	errNoSamples = &missError{"the server has no new samples of it", session.ReasonNotKept}
	errNoValues  = &missError{"the server has samples without any value of it or its VMs", session.ReasonNoValue}
	errNotThere  = &missError{"the server no longer has this host", session.ReasonHostDown}
	errNoTurn    = &missError{"other calls took so long that it was not read", session.ReasonTimeout}
)

// missError explains why a host has no samples in a round.
type missError struct{ words, reason string }

func (e *missError) Error() string { return e.words }

// Reason returns the explanation as a single word.
func (e *missError) Reason() string { return e.reason }

// hostIsDown returns the error for a host that cannot be asked.
func hostIsDown(words string) error { return &missError{words, session.ReasonHostDown} }
