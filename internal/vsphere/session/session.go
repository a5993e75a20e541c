package session

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// Session is a login at one endpoint. It may be used by several goroutines.
type Session struct {
	endpoint Endpoint
	client   *vim25.Client
	call     *call
	Unknown  UnknownPaths
	goodbye  time.Duration // for logging out
	kept     atomic.Bool   // the session lies in the session file, for the next command
	noREST   refusal
}

// refusal is why REST lets nobody in.
type refusal struct {
	sync.Mutex
	because error
}

// logoutTimeout bounds the goodbye: a server that hangs must not hold up the exit.
const logoutTimeout = 2 * time.Second

// RoundTrip implements soap.RoundTripper: every request has a deadline, is counted, and is repeated where that makes sense.
func (s *Session) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	return s.call.RoundTrip(ctx, req, res)
}

// Client is the session as govmomi knows it.
func (s *Session) Client() *vim25.Client { return s.client }

// Host is the server's host, as errors name it.
func (s *Session) Host() string { return s.call.host }

// Hostname is the name or address by which the server is reached, without a port.
func (s *Session) Hostname() string { return s.endpoint.URL.Hostname() }

// User is who is logged in, as the endpoint names him.
func (s *Session) User() string { return s.endpoint.User }

// PageLimit is how many objects one answer holds where so many are wanted.
func (s *Session) PageLimit(wanted int32) int32 {
	if most := s.endpoint.PageLimit; most > 0 {
		return min(wanted, most)
	}
	return wanted
}

// Kept reports a session that goes on when the command ends.
func (s *Session) Kept() bool { return s.kept.Load() }

// RetryPause is how long to wait before a request is made again whose connection broke.
func (s *Session) RetryPause() time.Duration { return s.call.firstPause }

// Renewals is how often the server was logged in to again. What a server keeps for a session is gone when this changes.
func (s *Session) Renewals() int64 { return s.call.session.Load() }

// Renew logs in again, unless another request did so since there were so many renewals.
func (s *Session) Renew(ctx context.Context, renewals int64) error {
	return s.call.renew(ctx, false, renewals)
}

// Interrupted is the error of a method that ctx ended.
func (s *Session) Interrupted(ctx context.Context, method string) error {
	return s.call.interrupted(ctx, method)
}

// Explain is the error for a fault that a task ended with; text is what the server says about it.
func (s *Session) Explain(method string, f types.BaseMethodFault, text string) error {
	return s.call.faultError(method, f, text)
}

// goodbyeError is a server that did not answer a goodbye in time.
type goodbyeError struct{ limit time.Duration }

func (e *goodbyeError) Error() string { return TimeoutWords(e.limit) }
func (e *goodbyeError) Unwrap() error { return context.DeadlineExceeded }

// Goodbye is a context for having the server forget what it keeps. It outlives ctx, and is over after two seconds.
func (s *Session) Goodbye(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.WithoutCancel(ctx), s.goodbye, &goodbyeError{s.goodbye})
}

// Close logs out, unless the session is kept for the next command. It works after ctx has ended too, so that Ctrl-C leaves no session behind, and takes two seconds
// at most.
func (s *Session) Close(ctx context.Context) error {
	ctx, cancel := s.Goodbye(ctx)
	defer cancel()
	defer s.client.CloseIdleConnections()
	if s.kept.Load() {
		return nil
	}
	_, err := methods.Logout(ctx, s.call, &types.Logout{This: *s.client.ServiceContent.SessionManager})
	if Expired(err) {
		return nil // that is what we wanted
	}
	return err
}

// Costs are what this session has cost by method, or of requests over REST by what they are for. Calls counts the same. Every attempt
// counts, and one that is under way is a call already.
func (s *Session) Costs() map[string]Cost { return s.call.costs() }

// Calls counts the SOAP calls made so far by method, and requests over REST by what they are for.
func (s *Session) Calls() map[string]int { return s.call.Calls() }

// Logins is how often the session was opened: once, and again each time that the server had ended it. One that was taken up from a
// file was not opened here.
func (s *Session) Logins() int {
	login := s.Costs()["Login"]
	return login.Calls - login.Failures
}
