package session

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vim25"
)

// errNoPassword reports a session that was resumed from a file, which cannot open REST.
var errNoPassword = errors.New("it needs a password; a saved session is not enough: set GOVC_PASSWORD")

// RESTCause returns why a fact that is read over REST is unread.
func RESTCause(err error) string { return "over REST " + Cause(err) }

// OpenREST logs in. A refused password is not tried again, because that can lock the account.
func (s *Session) OpenREST(ctx context.Context) (*rest.Client, error) {
	if s.endpoint.Password == "" {
		return nil, errNoPassword
	}
	s.noREST.Lock()
	defer s.noREST.Unlock()
	if s.noREST.cause != nil {
		return nil, s.noREST.cause
	}
	c := rest.NewClient(s.client)
	c.Transport = &restTransport{below: s.endpoint.prefix(), next: answers(s.client.DefaultTransport())}
	err := s.call.rest(ctx, restLogin, func(ctx context.Context) error {
		return c.Login(ctx, url.UserPassword(s.endpoint.User, string(s.endpoint.Password)))
	})
	if answer, ok := errors.AsType[*StatusError](err); ok && !answer.temporary() {
		s.noREST.cause = err
	}
	return c, err
}

// CloseREST logs out, even after ctx has ended, within at most two seconds.
func (s *Session) CloseREST(ctx context.Context, c *rest.Client) {
	ctx, cancel := s.CleanupContext(ctx)
	defer cancel()
	_ = s.call.restOnce(ctx, restLogout, c.Logout) // a remaining session times out
}

// REST makes a request that changes nothing. It has a deadline, is counted and retried, and its errors are explained, as for a
// SOAP call. name is the name under which it is counted.
func (s *Session) REST(ctx context.Context, name string, do func(context.Context) error) error {
	return s.call.rest(ctx, name, do)
}

// rest makes a request that changes nothing. It has a deadline, is counted and retried, and its errors are explained, as for a
// SOAP call.
func (c *call) rest(ctx context.Context, name string, do func(context.Context) error) error {
	for retries := 0; ; retries++ {
		err := c.restOnce(ctx, name, do)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return c.interrupted(ctx, name)
		case retries == maxRetries || !Transient(err):
			return err
		}
		if Pause(ctx, c.firstPause<<(2*retries)) != nil {
			return c.interrupted(ctx, name)
		}
	}
}

func (c *call) restOnce(ctx context.Context, name string, do func(context.Context) error) error {
	return c.measure(ctx, name, do)
}

// prefix returns the part of the URL's path before /sdk, below which a proxy serves all APIs of the server; "" if there is none.
func (e Endpoint) prefix() string {
	path := strings.TrimRight(e.URL.Path, "/")
	if before, found := strings.CutSuffix(path, vim25.Path); found {
		return strings.TrimRight(before, "/")
	}
	return ""
}

// restTransport is gate for REST: it accepts only JSON, and no redirects. All paths are below the prefix of the server's URL.
type restTransport struct {
	below string
	next  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (g *restTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if g.below != "" {
		req = req.Clone(req.Context())
		req.URL.Path, req.URL.RawPath = g.below+req.URL.Path, ""
	}
	res, err := g.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if err := restAnswerError(res); err != nil {
		_ = res.Body.Close()
		return nil, err
	}
	res.Body = &jsonBody{ReadCloser: res.Body}
	return res, nil
}

// jsonBody replaces control characters that JSON forbids by a byte that is not UTF-8, which JSON decoders turn into U+FFFD.
type jsonBody struct {
	io.ReadCloser
	quoted, escaped bool // at the end of what was read
}

// Read implements io.Reader.
func (j *jsonBody) Read(p []byte) (int, error) {
	n, err := j.ReadCloser.Read(p)
	for i, c := range p[:n] {
		if c < ' ' && (j.quoted || c != '\t' && c != '\n' && c != '\r') {
			p[i] = 0xFF
		}
		if c == '"' && !j.escaped {
			j.quoted = !j.quoted
		}
		j.escaped = c == '\\' && !j.escaped
	}
	return n, err
}

func restAnswerError(res *http.Response) error {
	if res.StatusCode/100 != 2 {
		return &StatusError{Code: res.StatusCode, to: redirectHost(res)}
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind == "" || strings.Contains(kind, "json") {
		return nil
	}
	return &contentError{kind: Plain(kind), want: "JSON"}
}

// ListOf returns the list that a call answered. Any other answer, such as an empty object, is an error: it is not "none".
func ListOf[T any](list []T, err error, call string) ([]T, error) {
	_, other := errors.AsType[*json.UnmarshalTypeError](err)
	if other || err == nil && list == nil {
		return nil, errors.New(call + " answered without a list")
	}
	return list, err
}

// HasStatus reports whether err is an HTTP answer with this status code.
func HasStatus(err error, code int) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && e.Code == code
}
