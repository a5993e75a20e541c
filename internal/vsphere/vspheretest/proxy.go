package vspheretest

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// Rewriter changes what passes between a client and a server.
type Rewriter interface {
	Request(body []byte) []byte
	Answer(request, body []byte) []byte
}

// FleetThrough opens a session with an endpoint of a demo fleet, through a server that changes requests and answers.
func FleetThrough(t *testing.T, endpoint string, rewrite Rewriter) *session.Session {
	t.Helper()
	Building.Lock()
	f, err := simfleet.Start(simfleet.Config{})
	Building.Unlock()
	require.NoError(t, err)
	t.Cleanup(f.Close)
	for _, e := range f.Endpoints() {
		if e.Name != endpoint {
			continue
		}
		server := httptest.NewTLSServer(rewriting(e.URL, rewrite))
		t.Cleanup(server.Close)
		u, err := url.Parse(server.URL + e.URL.Path)
		require.NoError(t, err)
		certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		return Dial(t, session.Endpoint{URL: u, User: e.User, Password: session.Secret(e.Password), CertificatePEM: certificate, CallTimeout: time.Minute})
	}
	require.FailNow(t, "no endpoint "+endpoint)
	return nil
}

type requestKey struct{}

func rewriting(to *url.URL, rewrite Rewriter) http.Handler {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
			r.Out.Header.Del("Accept-Encoding") // answers are rewritten as text
		},
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true}, //nolint:gosec // the fleet of this test
		ModifyResponse: func(r *http.Response) error {
			answer, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			request, _ := r.Request.Context().Value(requestKey{}).([]byte)
			answer = rewrite.Answer(request, answer)
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(answer)), int64(len(answer))
			r.Header.Set("Content-Length", strconv.Itoa(len(answer)))
			return nil
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		request = rewrite.Request(request)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(request)), int64(len(request))
		proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{}, request)))
	})
}
