package exporter

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// front is a proxy before the stage's vCenter, which answers instead of it if a test asks for that.
type front struct {
	*stage
	url    *url.URL
	pem    []byte
	limit  time.Duration // of a call; 0: the usual one
	tamper atomic.Pointer[tamper]
	called atomic.Pointer[strings.Replacer] // of words in answers; nil: they stay
}

// tamper sees a call, and reports whether it has answered it.
type tamper func(w http.ResponseWriter, r *http.Request, body []byte) bool

func (s *stage) behind(t *testing.T) *front {
	t.Helper()
	f := &front{stage: s}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "https", Host: s.fleet.URL().Host})
	proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // on loopback
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	proxy.ModifyResponse = func(r *http.Response) error {
		if words := f.called.Load(); words != nil {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			text := words.Replace(string(body))
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
			r.Header.Del("Content-Length")
		}
		return nil
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if does := f.tamper.Load(); does != nil && (*does)(w, r, body) {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.Header.Del("Accept-Encoding")
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { f.does(nil) })
	f.url, _ = url.Parse(server.URL + "/sdk")
	f.pem = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return f
}

// does has calls tampered with until it is called with nil.
func (f *front) does(what tamper) {
	if what == nil {
		f.tamper.Store(nil)
		return
	}
	f.tamper.Store(&what)
}

func (f *front) dial(ctx context.Context) (*session.Session, error) {
	return session.Dial(ctx, session.Endpoint{
		URL: f.url, User: f.fleet.User(), Password: session.Secret(f.fleet.Password()), CertificatePEM: f.pem,
		RetryPause: time.Millisecond, CallTimeout: f.limit,
	})
}

// refuses answers with a fault.
func refuses(w http.ResponseWriter, kind, inside string) {
	w.Header().Set("Content-Type", "text/xml")
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = fmt.Fprintf(w, `<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" `+
		`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body><soapenv:Fault><faultcode>ServerFaultCode</faultcode>`+
		`<faultstring>no</faultstring><detail><Fault xmlns="urn:vim25" xsi:type="%s">%s</Fault></detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>`, kind, inside)
}
