package vsphere

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
)

// Session is a login at one endpoint. It may be used by several goroutines.
type Session struct {
	endpoint Endpoint
	client   *vim25.Client
	call     *call
	unknown  unknownPaths
	pages    pageSizes
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
	s := &Session{endpoint: e, call: c, pages: defaultPages, goodbye: logoutTimeout}
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

// Close logs out, unless the session is kept for the next command. It works after ctx has ended too, so that Ctrl-C leaves no session behind, and takes two seconds
// at most.
func (s *Session) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.goodbye)
	defer cancel()
	defer s.client.CloseIdleConnections()
	if s.kept.Load() {
		return nil
	}
	_, err := methods.Logout(ctx, s.call, &types.Logout{This: *s.client.ServiceContent.SessionManager})
	if sessionOver(err) {
		return nil // that is what we wanted
	}
	return err
}
