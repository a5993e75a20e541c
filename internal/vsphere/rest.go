package vsphere

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/vmware/govmomi/vapi/rest"

	"github.com/vperf/vperf/pkg/inventory"
)

// The requests over REST as they are counted.
const (
	restLogin     = "REST login"
	restLogout    = "REST logout"
	restTags      = "REST tags"
	restLibraries = "REST libraries"
)

// readOverREST reads what vCenter tells over REST alone: tags and content libraries. It opens a session of its own, which
// ends with the reading. What keeps it from one is the reason that those facts are unread; an error means that ctx has
// ended.
func (r *reader) readOverREST(ctx context.Context, x *portion, needs inventory.Needs, vc *inventory.VCenter) error {
	marked := tagged(x.bearers(vc), needs)
	libraries := needs.Any("VCenter.libraries")
	if len(marked) == 0 && !libraries {
		return nil
	}
	if !r.client.IsVC() { // a host by itself has neither
		setTags(marked, func(bearer) inventory.Fact[[]string] { return inventory.Absent[[]string]() })
		if libraries {
			vc.Libraries = inventory.Absent[[]*inventory.ContentLibrary]()
		}
		return nil
	}
	c, err := r.openREST(ctx)
	if err == nil {
		defer r.closeREST(ctx, c)
	}
	if len(marked) > 0 {
		r.readTags(ctx, c, err, marked)
	}
	if libraries {
		vc.Libraries = r.readLibraries(ctx, c, err)
	}
	if ctx.Err() != nil {
		return r.call.interrupted(ctx, restTags)
	}
	return nil
}

// errNoPassword is a session that was taken up from a file: it does not open REST.
var errNoPassword = errors.New("it takes the password, which a kept session is not: set GOVC_PASSWORD")

// whyREST is why a fact that is told over REST is unread.
func whyREST(err error) string { return "over REST " + why(err) }

// openREST logs in. A refused password is not offered again: accounts get locked that way.
func (s *Session) openREST(ctx context.Context) (*rest.Client, error) {
	if s.endpoint.Password == "" {
		return nil, errNoPassword
	}
	s.noREST.Lock()
	defer s.noREST.Unlock()
	if s.noREST.because != nil {
		return nil, s.noREST.because
	}
	c := rest.NewClient(s.client)
	c.Transport = &restGate{next: &line{next: s.client.DefaultTransport()}}
	err := s.call.rest(ctx, restLogin, func(ctx context.Context) error {
		return c.Login(ctx, url.UserPassword(s.endpoint.User, string(s.endpoint.Password)))
	})
	if answer, ok := errors.AsType[*statusError](err); ok && !answer.temporary() {
		s.noREST.because = err
	}
	return c, err
}

// closeREST logs out, also after ctx has ended, and takes two seconds at most.
func (s *Session) closeREST(ctx context.Context, c *rest.Client) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.goodbye)
	defer cancel()
	_ = s.call.restOnce(ctx, restLogout, c.Logout) // a session that is left times out
}

// rest makes a request that changes nothing: bounded, counted, repeated and explained like a SOAP call.
func (c *call) rest(ctx context.Context, name string, do func(context.Context) error) error {
	for retries := 0; ; retries++ {
		err := c.restOnce(ctx, name, do)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return c.interrupted(ctx, name)
		case retries == maxRetries || !transient(err):
			return err
		}
		if pause(ctx, c.firstPause<<(2*retries)) != nil {
			return c.interrupted(ctx, name)
		}
	}
}

func (c *call) restOnce(ctx context.Context, name string, do func(context.Context) error) error {
	return c.measure(ctx, name, do)
}

// restGate is gate for REST: only JSON comes through, and no redirect.
type restGate struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (g *restGate) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := g.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if err := restAnswerError(res); err != nil {
		_ = res.Body.Close()
		return nil, err
	}
	return res, nil
}

func restAnswerError(res *http.Response) error {
	if res.StatusCode/100 != 2 {
		return &statusError{code: res.StatusCode, to: redirectHost(res)}
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind == "" || strings.Contains(kind, "json") {
		return nil
	}
	return &contentError{kind: plain(kind), want: "JSON"}
}
