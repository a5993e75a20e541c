package session

import (
	"time"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// OverTransport is a session that is open already and whose requests next carries: tests have servers of their own behind it.
func OverTransport(e Endpoint, next soap.RoundTripper, content types.ServiceContent) *Session {
	s := &Session{endpoint: e, call: newCall(next, e), goodbye: logoutTimeout}
	s.client = &vim25.Client{RoundTripper: s.call, ServiceContent: content}
	s.call.login = s.login
	return s
}

// Tweak is what tests change of an open session; what is zero stays.
type Tweak struct {
	RetryPause, CallTimeout, Goodbye time.Duration
	PageLimit                        int32
	Password                         Secret
	CallTimeouts                     map[string]time.Duration // of single methods
}

// Tweak changes an open session for a test.
func (s *Session) Tweak(t Tweak) {
	if t.RetryPause > 0 {
		s.call.firstPause = t.RetryPause
	}
	if t.CallTimeout > 0 {
		s.call.timeout = t.CallTimeout
	}
	if t.Goodbye > 0 {
		s.goodbye = t.Goodbye
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

// Carrier is what carries the session's requests; tests put their own before it.
func (s *Session) Carrier() soap.RoundTripper { return s.call.next }

// SetCarrier has other than the session's own transport carry its requests.
func (s *Session) SetCarrier(next soap.RoundTripper) { s.call.next = next }
