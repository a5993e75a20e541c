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

	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
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

// Dial connects to an endpoint, verifies its certificate and logs in, or takes up a kept session. Whoever gets a session closes it.
func Dial(ctx context.Context, e Endpoint) (*Session, error) {
	e, err := e.normal()
	if err != nil {
		return nil, err
	}
	client, err := e.client()
	if err != nil {
		return nil, err
	}
	c := newCall(soapwire.NewClient(client), e)
	c.trace = traceOf(ctx)
	s := &Session{endpoint: e, call: c, goodbye: logoutTimeout}
	if err := s.connect(ctx, &vim25.Client{Client: client, RoundTripper: c}); err != nil {
		client.CloseIdleConnections()
		return nil, err
	}
	return s, nil
}

func (s *Session) connect(ctx context.Context, client *vim25.Client) error {
	content, err := methods.GetServiceContent(ctx, s.call)
	if err != nil {
		return err
	}
	if content.SessionManager == nil || content.ViewManager == nil {
		return &ConnectError{Host: s.call.host, Doing: "connecting to", Why: "it offers no session or view manager", Try: tryURL}
	}
	client.ServiceContent = content
	s.client = client
	if err := s.resume(ctx); err != nil {
		return err
	}
	if !s.kept.Load() {
		if err := s.login(ctx); err != nil {
			return err
		}
	}
	s.call.login = s.login
	return nil
}

// login never repeats a refused password: accounts get locked that way.
func (s *Session) login(ctx context.Context) error {
	if s.endpoint.User == "" {
		return &LoginError{Host: s.call.host}
	}
	_, err := methods.Login(ctx, s.call, &types.Login{
		This:     *s.client.ServiceContent.SessionManager,
		UserName: s.endpoint.User,
		Password: string(s.endpoint.Password),
	})
	if err == nil {
		s.keep()
	}
	return err
}

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
