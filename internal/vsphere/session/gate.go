package session

import (
	"fmt"
	"mime"
	"net/http"
	"strings"
)

// gate stands between HTTP and SOAP: an answer that cannot be SOAP is refused here, by name, so that nobody has to
// guess from a decoder's complaint that it talked to a web server or a proxy. Redirects are refused too: following one
// would hand the password to another server.
type gate struct{ next http.RoundTripper }

// StatusError is an HTTP answer that carries no SOAP.
type StatusError struct {
	Code int
	to   string // where a redirect leads
}

func (e *StatusError) Error() string {
	if e.to != "" {
		return fmt.Sprintf("it answered HTTP %d and points to %s", e.Code, e.to)
	}
	return fmt.Sprintf("it answered HTTP %d %s", e.Code, http.StatusText(e.Code))
}

// temporary reports answers of proxies and of services that are just starting.
func (e *StatusError) temporary() bool {
	return e.Code == http.StatusBadGateway || e.Code == http.StatusServiceUnavailable || e.Code == http.StatusGatewayTimeout
}

// contentError is an answer of another kind than was wanted.
type contentError struct{ kind, want string }

func (e *contentError) Error() string { return "it answered " + e.kind + " instead of " + e.want }

// RoundTrip implements http.RoundTripper.
func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := g.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if err := answerError(res); err != nil {
		_ = res.Body.Close()
		return nil, err
	}
	return res, nil
}

func answerError(res *http.Response) error {
	// A SOAP fault comes as 500 with a body.
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusInternalServerError {
		return &StatusError{Code: res.StatusCode, to: redirectHost(res)}
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind == "" || strings.Contains(kind, "xml") {
		return nil
	}
	if res.StatusCode == http.StatusInternalServerError {
		return &StatusError{Code: res.StatusCode}
	}
	return &contentError{kind: Plain(kind), want: "SOAP"}
}

// redirectHost leaves out all but scheme and host: the rest can hold tokens.
func redirectHost(res *http.Response) string {
	u, err := res.Location()
	if err != nil {
		return ""
	}
	return Plain(u.Scheme + "://" + u.Host)
}
