package session_test

import (
	"context"
	"crypto/sha1"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

//nolint:gosec // thumbprints

func TestSecretMasksItself(t *testing.T) {
	s := session.Secret("open sesame")
	b, err := json.Marshal(map[string]any{"s": s, "e": session.Endpoint{Password: s}})
	require.NoError(t, err)
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "s", s, "e", session.Endpoint{Password: s})
	all := fmt.Sprintf("%s %v %+v %#v %q %x %d %v %+v %#v", s, s, s, s, s, s, s, session.Endpoint{Password: s}, &session.Endpoint{Password: s}, session.Endpoint{Password: s})
	for _, out := range []string{string(b), log.String(), all} {
		require.NotContains(t, out, "open sesame")
		require.NotContains(t, out, fmt.Sprintf("%x", "open sesame"))
		require.Contains(t, out, session.Mask)
	}
}

func TestDialRefusesBadEndpoints(t *testing.T) {
	for name, c := range map[string]struct {
		e    session.Endpoint
		want string
	}{
		"no URL":       {session.Endpoint{}, "no vSphere URL: set https://HOST"},
		"no host":      {session.Endpoint{URL: &url.URL{Scheme: "https"}}, "no vSphere URL"},
		"http":         {session.Endpoint{URL: mustURL("http://u:secret@vc.example/sdk")}, "http would send the password unencrypted; write https://vc.example"},
		"scheme":       {session.Endpoint{URL: mustURL("ftp://vc.example/sdk")}, "the scheme must be https"},
		"no CA file":   {session.Endpoint{URL: mustURL("https://vc.example"), CAFiles: []string{"/nonexistent/ca.pem"}}, "reading certificate authorities: "},
		"no PEM":       {session.Endpoint{URL: mustURL("https://vc.example"), CertificatePEM: []byte("hello")}, "not in PEM form"},
		"CA not a PEM": {session.Endpoint{URL: mustURL("https://vc.example"), CAFiles: []string{"connect_test.go"}}, "connect_test.go holds no certificate in PEM form"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := session.Dial(t.Context(), c.e)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "secret")
		})
	}
}

func mustURL(s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}

func TestTrust(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	base := s.Endpoint()
	caFile := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(caFile, base.CertificatePEM, 0o600))
	block, _ := pem.Decode(base.CertificatePEM)
	cert := s.Server.Certificate()
	thumb256 := session.Thumbprint256(cert)
	sum := sha1.Sum(block.Bytes) //nolint:gosec // thumbprints
	thumb1 := session.Colons(sum[:])
	known := func(line string) string {
		file := filepath.Join(t.TempDir(), "known_hosts")
		require.NoError(t, os.WriteFile(file, []byte("# comment\n\nother.example:443 AA:BB\n"+line+"\n"), 0o600))
		return file
	}
	wrong := strings.Replace(thumb256, thumb256[:2], "00", 1)
	host := s.Server.URL.Host

	for name, c := range map[string]struct {
		set  func(*session.Endpoint)
		fail string
	}{
		"unknown":                {func(*session.Endpoint) {}, "certificate signed by unknown authority"},
		"insecure":               {func(e *session.Endpoint) { e.Insecure = true }, ""},
		"authority":              {func(e *session.Endpoint) { e.CAFiles = []string{caFile} }, ""},
		"known host, SHA-256":    {func(e *session.Endpoint) { e.KnownHostsFile = known(host + " " + thumb256) }, ""},
		"known host, SHA-1":      {func(e *session.Endpoint) { e.KnownHostsFile = known(host + " " + thumb1) }, ""},
		"known host, other cert": {func(e *session.Endpoint) { e.KnownHostsFile = known(host + " " + wrong) }, "unknown authority, and the known hosts file has another thumbprint"},
		"known hosts, no file":   {func(e *session.Endpoint) { e.KnownHostsFile = "/nonexistent/known_hosts" }, "unknown authority"},
		"known hosts, two files": {func(e *session.Endpoint) {
			e.KnownHostsFile = "/nonexistent/a" + string(os.PathListSeparator) + known(host+" "+thumb1)
		}, ""},
		"pinned SHA-256":           {func(e *session.Endpoint) { e.Thumbprint = thumb256 }, ""},
		"pinned SHA-1, lower case": {func(e *session.Endpoint) { e.Thumbprint = strings.ToLower(thumb1) }, ""},
		"pinned without colons":    {func(e *session.Endpoint) { e.Thumbprint = strings.ReplaceAll(thumb256, ":", "") }, ""},
		"wrong pin":                {func(e *session.Endpoint) { e.Thumbprint = wrong }, "not the pinned certificate"},
		"wrong pin beats insecure": {func(e *session.Endpoint) { e.Thumbprint, e.Insecure = wrong, true }, "not the pinned certificate"},
		"exact certificate":        {func(e *session.Endpoint) { e.CertificatePEM = base.CertificatePEM }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := base
			e.CertificatePEM = nil
			c.set(&e)
			conn, err := session.Dial(t.Context(), e)
			if c.fail == "" {
				require.NoError(t, err)
				require.NoError(t, conn.Close(t.Context()))
				return
			}
			var tlsErr *session.TLSError
			require.ErrorAs(t, err, &tlsErr)
			require.Equal(t, thumb256, tlsErr.Thumbprint)
			require.Equal(t, host, tlsErr.Host)
			require.ErrorContains(t, err, c.fail)
			require.ErrorContains(t, err, thumb256)
			if !strings.Contains(c.fail, "pinned") {
				for _, way := range []string{"GOVC_TLS_CA_CERTS", "GOVC_TLS_KNOWN_HOSTS", "-k", "GOVC_INSECURE"} {
					require.ErrorContains(t, err, way)
				}
			}
		})
	}
}

func TestLoginRefused(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	for name, set := range map[string]func(*session.Endpoint){
		"wrong password": func(e *session.Endpoint) { e.Password = "wrong-and-secret" },
		"wrong user":     func(e *session.Endpoint) { e.User = "somebody" },
		"no user":        func(e *session.Endpoint) { e.User = "" },
	} {
		t.Run(name, func(t *testing.T) {
			e := s.Endpoint()
			set(&e)
			_, err := session.Dial(t.Context(), e)
			var refused *session.LoginError
			require.ErrorAs(t, err, &refused)
			require.ErrorContains(t, err, "GOVC_PASSWORD")
			require.NotContains(t, err.Error(), string(e.Password))
		})
	}
}

// stub starts a server that is not a vCenter.
func stub(t *testing.T, h http.HandlerFunc) session.Endpoint {
	t.Helper()
	s := httptest.NewTLSServer(h)
	t.Cleanup(func() { _ = s.Config.Close() })
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	return session.Endpoint{URL: mustURL(s.URL), User: vspheretest.TestUser, Password: vspheretest.TestPassword, Insecure: true, CallTimeout: 5 * time.Second}
}

func TestDialWhatIsNoVSphere(t *testing.T) {
	t.Parallel()
	answer := func(kind string, code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	const envelope = `<?xml version="1.0"?><Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body>`
	for name, c := range map[string]struct {
		h    http.HandlerFunc
		want string
	}{
		"HTML":          {answer("text/html; charset=utf-8", 200, "<html><body>Welcome</body></html>"), "it answered text/html instead of SOAP; is it a vCenter"},
		"HTML as XML":   {answer("text/xml", 200, "<html><body>Welcome</body></html>"), "it did not answer in SOAP; is it a vCenter"},
		"no XML at all": {answer("text/xml", 200, "Welcome & <<"), "it did not answer in SOAP"},
		"JSON":          {answer("application/json", 200, "{}"), "it answered application/json instead of SOAP"},
		"404":           {answer("text/plain", 404, "no"), "it answered HTTP 404 Not Found"},
		"503":           {answer("text/plain", 503, "no"), "it answered HTTP 503 Service Unavailable"},
		"500 in HTML":   {answer("text/html", 500, "<html>oops"), "it answered HTTP 500 Internal Server Error"},
		"truncated":     {answer("text/xml", 200, envelope+"<RetrieveServiceContentResponse><returnval><rootFolder"), "the answer was cut off"},
		"empty":         {answer("text/xml", 200, ""), "the connection ended without an answer"},
		"other SOAP":    {answer("text/xml", 200, envelope+"<RetrieveServiceContentResponse xmlns=\"urn:vim25\"><returnval/></RetrieveServiceContentResponse></Body></Envelope>"), "it offers no session or view manager"},
		"no result":     {answer("text/xml", 200, envelope+"</Body></Envelope>"), "its answer has no result"},
		"another's":     {answer("text/xml", 200, envelope+"<LoginResponse xmlns=\"urn:vim25\"/></Body></Envelope>"), "its answer has no result"},
		"hangs up":      {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "the connection ended without an answer"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://login.example/?token=abc", http.StatusTemporaryRedirect)
		}, "it answered HTTP 307 and points to https://login.example;"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := stub(t, c.h)
			_, err := session.Dial(t.Context(), e)
			var broken *session.ConnectError
			require.ErrorAs(t, err, &broken)
			require.ErrorContains(t, err, "connecting to "+e.URL.Host+": "+c.want)
			require.NotContains(t, err.Error(), vspheretest.TestPassword)
		})
	}
}

func TestDialUnreachable(t *testing.T) {
	plainHTTP := httptest.NewServer(http.NotFoundHandler())
	defer plainHTTP.Close()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	refused := l.Addr().String()
	require.NoError(t, l.Close())
	for name, c := range map[string]struct{ host, want string }{
		"refused":      {refused, "connection refused; is it a vCenter"},
		"plain HTTP":   {strings.TrimPrefix(plainHTTP.URL, "http://"), "it does not speak TLS on this port"},
		"no such host": {"vcenter.invalid", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := session.Dial(t.Context(), session.Endpoint{URL: mustURL("https://u:secret@" + c.host), User: "u", Password: "secret"})
			var broken *session.ConnectError
			require.ErrorAs(t, err, &broken)
			require.ErrorContains(t, err, "connecting to "+c.host+": "+c.want)
			require.NotContains(t, err.Error(), "secret")
		})
	}
}

// TestCancel hangs at every point where a server can hang and measures how long Ctrl-C takes.
func TestCancel(t *testing.T) {
	var cancelIt atomic.Value                                                      // cancels the context of the tested request once it hangs
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0") // accepts connections and never starts TLS
	require.NoError(t, err)
	defer func() { _ = silent.Close() }()
	go func() {
		if c, err := silent.Accept(); err == nil {
			defer func() { _ = c.Close() }()
			cancelIt.Load().(context.CancelFunc)()
			_, _ = io.Copy(io.Discard, c)
		}
	}()
	soon := func(t *testing.T, what func(context.Context) error) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		cancelIt.Store(cancel)
		start := time.Now()
		require.ErrorIs(t, what(ctx), context.Canceled)
		require.Less(t, time.Since(start), 15*time.Second, "it waited for a deadline")
	}
	t.Run("handshake", func(t *testing.T) {
		soon(t, func(ctx context.Context) error {
			_, err := session.Dial(ctx, session.Endpoint{URL: mustURL("https://" + silent.Addr().String()), User: "u"})
			return err
		})
	})
	s := vspheretest.Start(t, vspheretest.SmallVPX(2), nil)
	var hang string
	s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		if hang != "" && strings.Contains(string(body), "<"+hang+" ") {
			w.WriteHeader(http.StatusOK) // and then hangs in the middle of the answer
			_ = http.NewResponseController(w).Flush()
			cancelIt.Load().(context.CancelFunc)()
			<-r.Context().Done()
			return
		}
		next.ServeHTTP(w, r)
	})
	for _, hang = range []string{"RetrieveServiceContent", "Login"} {
		t.Run(hang, func(t *testing.T) {
			soon(t, func(ctx context.Context) error { _, err := session.Dial(ctx, s.Endpoint()); return err })
		})
	}
	for _, method := range []string{"CurrentTime", "CreateContainerView", "RetrievePropertiesEx", "ContinueRetrievePropertiesEx"} {
		t.Run(method, func(t *testing.T) {
			hang = ""
			conn := s.Dial(t)
			conn.SetForTest(session.TestSettings{PageLimit: 1})
			hang = method
			soon(t, func(ctx context.Context) error {
				_, err := read.Inventory(ctx, conn, tree.Scope{}, inventory.Everything(), nil)
				return err
			})
		})
	}
}

func TestCallTimeout(t *testing.T) {
	e := stub(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	e.CallTimeout = 50 * time.Millisecond
	_, err := session.Dial(t.Context(), e)
	var broken *session.ConnectError
	require.ErrorAs(t, err, &broken)
	require.ErrorContains(t, err, "no answer within 50ms")
}

func TestCloseIsBoundedAndWorksAfterCtrlC(t *testing.T) {
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	conn, err := session.Dial(t.Context(), s.Endpoint())
	require.NoError(t, err)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, conn.Close(gone))
	require.Equal(t, 1, conn.Calls()["Logout"])
	require.NoError(t, conn.Close(gone), "a session that is over is closed")

	conn, err = session.Dial(t.Context(), s.Endpoint())
	require.NoError(t, err)
	s.Tamper(func(_ http.ResponseWriter, r *http.Request, _ []byte, _ http.Handler) { <-r.Context().Done() })
	conn.SetForTest(session.TestSettings{CleanupTimeout: 100 * time.Millisecond})
	start := time.Now()
	require.ErrorIs(t, conn.Close(t.Context()), context.DeadlineExceeded)
	require.Less(t, time.Since(start), time.Minute)
}
