package session

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// Session is a login at one endpoint. It is safe for concurrent use.
type Session struct {
	endpoint       Endpoint
	client         *vim25.Client
	call           *call
	Unknown        UnknownPaths
	cleanupTimeout time.Duration // for logging out
	kept           atomic.Bool   // the session is saved in the session file, for the next command
	noREST         refusedLogin
}

// refusedLogin is the error of a refused REST login.
type refusedLogin struct {
	sync.Mutex
	cause error
}

// logoutTimeout is the time limit of the logout, so that a hung server does not delay the exit.
const logoutTimeout = 2 * time.Second

// RoundTrip implements soap.RoundTripper: every request has a deadline, is counted, and is retried if that is safe.
func (s *Session) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	return s.call.RoundTrip(ctx, req, res)
}

// Client returns the session as a govmomi client.
func (s *Session) Client() *vim25.Client { return s.client }

// NoteDamage remembers a value that could not be decoded, for [Session.Damage].
func (s *Session) NoteDamage(what string) { s.call.note(&s.call.damage, what) }

// NoteLost remembers a reading that is incomplete because an answer could not be decoded, for [Session.Damage].
func (s *Session) NoteLost(what string) { s.call.note(&s.call.lost, what) }

// Damage returns which values could not be decoded, and which readings are incomplete for that reason; of many the first ones.
func (s *Session) Damage() (values, lost []string) {
	s.call.mu.Lock()
	defer s.call.mu.Unlock()
	return slices.Clone(s.call.damage), slices.Clone(s.call.lost)
}

// Host returns the server's host as used in errors.
func (s *Session) Host() string { return s.call.host }

// Hostname returns the name or address by which the server is reached, without a port.
func (s *Session) Hostname() string { return s.endpoint.URL.Hostname() }

// User returns the logged-in user as the endpoint names it.
func (s *Session) User() string { return s.endpoint.User }

// PageLimit returns the page size for a wanted number of objects, at most the endpoint's limit.
func (s *Session) PageLimit(wanted int32) int32 {
	if most := s.endpoint.PageLimit; most > 0 {
		return min(wanted, most)
	}
	return wanted
}

// Kept reports a session that stays open when the command ends.
func (s *Session) Kept() bool { return s.kept.Load() }

// RetryPause returns the time to wait before a retry after a broken connection.
func (s *Session) RetryPause() time.Duration { return s.call.firstPause }

// Renewals returns how often the session was logged in to again. When it changes, the server has dropped the objects of the
// session.
func (s *Session) Renewals() int64 { return s.call.session.Load() }

// Renew logs in again, unless another request has done so since the given number of renewals.
func (s *Session) Renew(ctx context.Context, renewals int64) error {
	return s.call.renew(ctx, false, renewals)
}

// Interrupted returns the error of a method that ctx ended.
func (s *Session) Interrupted(ctx context.Context, method string) error {
	return s.call.interrupted(ctx, method)
}

// Explain returns the error for a fault of a task; text is the server's explanation.
func (s *Session) Explain(method string, f types.BaseMethodFault, text string) error {
	return s.call.faultError(method, f, text)
}

// cleanupError reports a server that did not answer a cleanup call in time.
type cleanupError struct{ limit time.Duration }

func (e *cleanupError) Error() string { return TimeoutWords(e.limit) }
func (e *cleanupError) Unwrap() error { return context.DeadlineExceeded }

// CleanupContext returns a context for calls that let the server free its objects. It outlives ctx, and ends after two seconds.
func (s *Session) CleanupContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.WithoutCancel(ctx), s.cleanupTimeout, &cleanupError{s.cleanupTimeout})
}

// Close logs out, unless the session is kept for the next command. It works after ctx has ended too, so that Ctrl-C leaves no
// session behind, and takes two seconds at most.
func (s *Session) Close(ctx context.Context) error {
	ctx, cancel := s.CleanupContext(ctx)
	defer cancel()
	defer s.client.CloseIdleConnections()
	if s.kept.Load() {
		return nil
	}
	_, err := methods.Logout(ctx, s.call, &types.Logout{This: *s.client.ServiceContent.SessionManager})
	if Expired(err) {
		return nil // the session has already ended
	}
	return err
}

// Costs returns the costs of this session by method, or for REST requests by purpose. It counts the same calls as Calls,
// including retries and calls in progress.
func (s *Session) Costs() map[string]Cost { return s.call.costs() }

// Calls returns the number of SOAP calls so far by method, and of REST requests by purpose.
func (s *Session) Calls() map[string]int { return s.call.Calls() }

// Logins returns how often the session was opened: once, and again each time after the server had ended it. A session that was
// resumed from a file was not opened here.
func (s *Session) Logins() int {
	login := s.Costs()["Login"]
	return login.Calls - login.Failures
}
