package session

import (
	"time"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// OverTransport returns an open session whose requests next sends; it is for tests with servers of their own.
func OverTransport(e Endpoint, next soap.RoundTripper, content types.ServiceContent) *Session {
	s := &Session{endpoint: e, call: newCall(next, e), cleanupTimeout: logoutTimeout}
	s.client = &vim25.Client{RoundTripper: s.call, ServiceContent: content}
	s.call.login = s.login
	return s
}

// TestSettings holds the settings of an open session that tests change; zero fields are not changed.
type TestSettings struct {
	RetryPause, CallTimeout, CleanupTimeout time.Duration
	PageLimit                               int32
	Password                                Secret
	CallTimeouts                            map[string]time.Duration // by method
}

// SetForTest changes an open session for a test.
func (s *Session) SetForTest(t TestSettings) {
	if t.RetryPause > 0 {
		s.call.firstPause = t.RetryPause
	}
	if t.CallTimeout > 0 {
		s.call.timeout = t.CallTimeout
	}
	if t.CleanupTimeout > 0 {
		s.cleanupTimeout = t.CleanupTimeout
	}
	if t.CallTimeouts != nil {
		s.call.timeouts = t.CallTimeouts
	}
	if t.PageLimit > 0 {
		s.endpoint.PageLimit = t.PageLimit
	}
	if t.Password != "" {
		s.endpoint.Password = t.Password
	}
}

// LimitCallsForTest sets the deadlines of calls, by method, of all sessions that are opened from now on. It is for whole programs, whose
// sessions a test cannot reach.
func LimitCallsForTest(limits map[string]time.Duration) { limitsForTest = limits }

var limitsForTest map[string]time.Duration // by method; nil outside tests

// Transport returns the transport of the session's requests; tests wrap it.
func (s *Session) Transport() soap.RoundTripper { return s.call.next }

// SetTransport replaces the transport of the session's requests.
func (s *Session) SetTransport(next soap.RoundTripper) { s.call.next = next }
