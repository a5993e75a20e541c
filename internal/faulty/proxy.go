package faulty

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Hooks see and change what passes; nil functions change nothing. All are called concurrently.
type Hooks struct {
	// Serve reports whether it has answered a call itself, or has seen it end.
	Serve func(w http.ResponseWriter, r *http.Request, body []byte) bool
	// Request returns the request to send instead, and Answer the answer to a request.
	Request func(body []byte) []byte
	Answer  func(request, answer []byte) []byte
}

// Proxy passes calls to a server and has a certificate of its own.
type Proxy struct {
	URL         *url.URL // with the path of the server's URL
	Certificate []byte   // PEM

	hooks  Hooks
	to     *url.URL
	next   *httputil.ReverseProxy
	server *httptest.Server

	mu      sync.Mutex
	fault   *Fault
	hits    int    // calls that met the fault
	cookie  string // of the client's newest session
	restart int    // requests that are still dropped
	open    int    // requests under way
	quiet   time.Time
}

// New serves a proxy of the server at an address until the test ends.
func New(t testing.TB, to *url.URL, hooks Hooks) *Proxy {
	t.Helper()
	p := &Proxy{hooks: hooks, to: to}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true} //nolint:gosec // on loopback
	p.next = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
			r.Out.Header.Del("Accept-Encoding") // answers are changed as text
		},
		Transport:      transport,
		ModifyResponse: p.changeAnswer,
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:       log.New(io.Discard, "", 0),
	}
	p.server = httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.server.StartTLS()
	t.Cleanup(func() {
		p.Heal()
		p.server.CloseClientConnections()
		p.server.Close()
		transport.CloseIdleConnections()
	})
	var err error
	p.URL, err = url.Parse(p.server.URL + to.Path)
	require.NoError(t, err)
	p.Certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.server.Certificate().Raw})
	return p
}

// Idle returns how long no request has been under way; 0 if there was none yet.
func (p *Proxy) Idle() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open > 0 || p.quiet.IsZero() {
		return 0
	}
	return time.Since(p.quiet)
}

func (p *Proxy) begins() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open++
}

func (p *Proxy) ends() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
	p.quiet = time.Now()
}

type requestKey struct{}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	p.begins()
	defer p.ends()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if p.hooks.Serve != nil && p.hooks.Serve(w, r, body) {
		return
	}
	if p.hooks.Request != nil {
		body = p.hooks.Request(body)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r = r.WithContext(context.WithValue(r.Context(), requestKey{}, body))
	if fault := p.meets(NameOf(r, body), r); fault != nil {
		p.does(fault, w, r)
		return
	}
	p.next.ServeHTTP(w, r)
}

func (p *Proxy) changeAnswer(r *http.Response) error {
	p.remember(r.Cookies())
	if p.hooks.Answer == nil {
		return nil
	}
	answer, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	request, _ := r.Request.Context().Value(requestKey{}).([]byte)
	answer = p.hooks.Answer(request, answer)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(answer)), int64(len(answer))
	r.Header.Set("Content-Length", strconv.Itoa(len(answer)))
	return nil
}

// soapMethod finds the first element in a request's body.
var soapMethod = regexp.MustCompile(`<(?:\w+:)?Body[^>]*>\s*<(?:\w+:)?(\w+)`)

// NameOf returns the name of a call: a method of SOAP, or a method with its path of REST.
func NameOf(r *http.Request, body []byte) string {
	if m := soapMethod.FindSubmatch(body); m != nil {
		return string(m[1])
	}
	return r.Method + " " + r.URL.Path
}
