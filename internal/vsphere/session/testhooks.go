package session

import (
	"time"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// OverTransport returns an open session whose requests next sends; it is for tests with servers of their own.
func OverTransport(e Endpoint, next soap.RoundTripper, content types.ServiceContent) *Session {
	s := &Session{endpoint: e, call: newCall(next, e), goodbye: logoutTimeout}
	s.client = &vim25.Client{RoundTripper: s.call, ServiceContent: content}
	s.call.login = s.login
	return s
}

// Tweak holds the settings of an open session that tests change; zero fields are not changed.
type Tweak struct {
	RetryPause, CallTimeout, Goodbye time.Duration
	PageLimit                        int32
	Password                         Secret
	CallTimeouts                     map[string]time.Duration // by method
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

// Carrier returns the transport of the session's requests; tests wrap it.
func (s *Session) Carrier() soap.RoundTripper { return s.call.next }

// SetCarrier replaces the transport of the session's requests.
func (s *Session) SetCarrier(next soap.RoundTripper) { s.call.next = next }
