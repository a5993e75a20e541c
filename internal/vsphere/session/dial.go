package session

import (
	"context"
	"net"
	"time"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
)

// Dial connects to an endpoint, verifies its certificate and logs in, or resumes a saved session. The caller closes the session.
func Dial(ctx context.Context, e Endpoint) (*Session, error) {
	e, err := e.normal()
	if err != nil {
		return nil, err
	}
	client, err := e.client()
	if err != nil {
		return nil, err
	}
	c := newCall(withResults{soapwire.NewClient(client)}, e)
	c.trace = traceOf(ctx)
	s := &Session{endpoint: e, call: c, cleanupTimeout: logoutTimeout}
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
		return &ConnectError{Host: s.call.host, Operation: "connecting to", Why: "it offers no session or view manager", Try: tryURL}
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

// login never repeats a refused password, because that can lock the account.
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

// client returns govmomi's SOAP client over a transport of vperf's own: every step of connecting has a deadline, vperf verifies
// the certificate, and an answer that is not SOAP is reported before anything decodes it.
func (e Endpoint) client() (*soap.Client, error) {
	trust, err := e.tlsConfig()
	if err != nil {
		return nil, err
	}
	c := soap.NewClient(e.URL, e.Insecure)
	c.Namespace = "urn:" + vim25.Namespace
	c.Version = vim25.Version
	c.UserAgent = "vperf"
	t := c.DefaultTransport()
	t.DialContext = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext
	t.DialTLSContext = nil // govmomi's own has neither context nor deadline
	t.TLSHandshakeTimeout = dialTimeout
	t.WriteBufferSize, t.ReadBufferSize = lineBuffer, lineBuffer
	t.MaxIdleConnsPerHost = IdleConnections
	t.TLSClientConfig = trust
	c.Transport = &soapTransport{next: answers(t)}
	return c, nil
}
