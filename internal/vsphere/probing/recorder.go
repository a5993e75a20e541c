package probing

import (
	"context"
	"errors"
	"time"

	"github.com/vperf/vperf/internal/probe"
	"github.com/vperf/vperf/internal/vsphere/perhost"
)

// callLimit is the time limit of each call.
const callLimit = 20 * time.Second

// mostUnanswered is how many calls to a host may stay without an answer before it is not asked any more.
const mostUnanswered = 3

// recorder makes calls and records what becomes of them.
type recorder struct {
	calls      []probe.Call
	unanswered int
}

// errNotOffered means that the server does not have the manager or service to call.
var errNotOffered = errors.New("not offered")

// call makes a call within the limit. It returns false if the call failed.
func (r *recorder) call(ctx context.Context, name string, do func(context.Context) error) bool {
	if ctx.Err() != nil || r.unanswered >= mostUnanswered {
		r.calls = append(r.calls, probe.Call{Name: name, Outcome: probe.Skipped, Fault: "TimeIsOver"})
		return false
	}
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	began := time.Now()
	err := do(limited)
	c := probe.Call{Name: name, Outcome: probe.Answered, Millis: time.Since(began).Milliseconds()}
	switch fault := perhost.CLIFaultName(err); {
	case err == nil:
	case errors.Is(err, errNotOffered):
		c.Outcome, c.Fault = probe.Skipped, "NotOffered"
	case errors.Is(err, perhost.ErrNoCommand):
		c.Outcome, c.Fault = probe.Refused, "NoCommand"
	case fault != "":
		c.Outcome, c.Fault = probe.Refused, fault
	default:
		c.Outcome = probe.Unanswered
		r.unanswered++
	}
	r.calls = append(r.calls, c)
	return err == nil
}

// size records the length of the text that the last call returned.
func (r *recorder) size(bytes int) { r.calls[len(r.calls)-1].Bytes = bytes }
