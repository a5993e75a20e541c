package session

import (
	"fmt"
	"mime"
	"net/http"
	"strings"
)

// soapTransport is an HTTP transport that refuses answers that cannot be SOAP, so that the error names a web server or a proxy instead of
// a decoding problem. It also refuses redirects: following one would send the password to another server.
type soapTransport struct{ next http.RoundTripper }

// StatusError reports an HTTP answer without SOAP content.
type StatusError struct {
	Code int
	to   string // the target of a redirect
}

func (e *StatusError) Error() string {
	if e.to != "" {
		return fmt.Sprintf("it answered HTTP %d and points to %s", e.Code, e.to)
	}
	return fmt.Sprintf("it answered HTTP %d %s", e.Code, http.StatusText(e.Code))
}

// temporary reports answers of proxies and of services that are still starting.
func (e *StatusError) temporary() bool {
	return e.Code == http.StatusBadGateway || e.Code == http.StatusServiceUnavailable || e.Code == http.StatusGatewayTimeout
}

// contentError reports an answer of an unexpected content type.
type contentError struct{ kind, want string }

func (e *contentError) Error() string { return "it answered " + e.kind + " instead of " + e.want }

// RoundTrip implements http.RoundTripper.
func (g *soapTransport) RoundTrip(req *http.Request) (*http.Response, error) {
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

// redirectHost returns only scheme and host, because the rest can contain tokens.
func redirectHost(res *http.Response) string {
	u, err := res.Location()
	if err != nil {
		return ""
	}
	return Plain(u.Scheme + "://" + u.Host)
}
