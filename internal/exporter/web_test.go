package exporter

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
)

// served is a server that listens, its address, and how it ended.
type served struct {
	*server
	addr  string
	stop  context.CancelFunc
	ended chan error
}

// listening serves on a free port until the test ends.
func listening(t *testing.T, o ServerOptions, targets ...*fakeTarget) *served {
	t.Helper()
	at := make(chan net.Addr, 2)
	o.Listening = func(a net.Addr) { at <- a }
	if o.Listen == nil {
		o.Listen = []string{"127.0.0.1:0"}
	}
	s, _ := aServer(t, o, targets...)
	s.now = time.Now
	ctx, stop := context.WithCancel(t.Context())
	v := &served{server: s, stop: stop, ended: make(chan error, 1)}
	over := make(chan struct{})
	go func() { defer close(over); v.ended <- s.serve(ctx) }()
	t.Cleanup(func() { stop(); <-over })
	select {
	case a := <-at:
		v.addr = a.String()
	case err := <-v.ended:
		t.Fatalf("it does not serve: %v", err)
	}
	return v
}

// fetch gets a page; the client is used once.
func fetch(t *testing.T, c *http.Client, url string, user ...string) (int, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	if len(user) == 2 {
		r.SetBasicAuth(user[0], user[1])
	}
	w, err := c.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer w.Body.Close()
	defer c.CloseIdleConnections()
	body, err := io.ReadAll(w.Body)
	require.NoError(t, err)
	return w.StatusCode, string(body), nil
}

func aClient(c *tls.Config) *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: c, ForceAttemptHTTP2: true}}
}

// authority signs certificates into a directory.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir(), pool: x509.NewCertPool()}
	cert := a.sign(t, "ca", &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	a.cert, a.key = cert.Leaf, cert.PrivateKey.(*ecdsa.PrivateKey)
	a.pool.AddCert(a.cert)
	return a
}

// sign writes NAME.pem and NAME.key.
func (a *authority) sign(t *testing.T, name string, c *x509.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	c.SerialNumber, c.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: name}
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	require.NoError(t, err)
	raw, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw})
	a.write(t, name+".pem", string(certPEM))
	a.write(t, name+".key", string(keyPEM))
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	require.NoError(t, err)
	return pair
}

func (a *authority) write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(a.dir, name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func (a *authority) serverCert(t *testing.T) {
	a.sign(t, "server", &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
}

func TestTLSAndUsers(t *testing.T) {
	a := newAuthority(t)
	a.serverCert(t)
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	require.NoError(t, err)
	config := a.write(t, "web.yml", "tls_server_config: {cert_file: server.pem, key_file: server.key}\nbasic_auth_users: {prometheus: "+string(hash)+"}\n")
	v := listening(t, ServerOptions{ConfigFile: config}, named("demo"))
	trusting := func() *http.Client { return aClient(&tls.Config{RootCAs: a.pool}) }

	for _, path := range []string{"/metrics", "/probe?target=demo", "/", "/sd/hosts", "/-/healthy"} {
		code, body, err := fetch(t, trusting(), "https://"+v.addr+path)
		require.NoError(t, err)
		require.Equal(t, http.StatusUnauthorized, code, path)
		require.NotContains(t, body, "vperf", path)
		code, _, err = fetch(t, trusting(), "https://"+v.addr+path, "prometheus", "wrong")
		require.NoError(t, err)
		require.Equal(t, http.StatusUnauthorized, code, path)
		code, _, err = fetch(t, trusting(), "https://"+v.addr+path, "prometheus", "secret")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, code, path)
	}
	for _, path := range append([]string{"/", "/metrics", "/nothing", "//-/reload", "/-/./reload", "/-%2Freload", "/%2d/reload", "/-/reload/", "/-/reload?x=/metrics"}, paths...) {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodPatch} {
			r, err := http.NewRequestWithContext(t.Context(), method, "https://"+v.addr+path, nil)
			require.NoError(t, err)
			r.Header.Set("X-Forwarded-For", "127.0.0.1")
			r.Header.Set("X-Original-URL", "/-/healthy")
			client := trusting()
			answer, err := client.Do(r)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			client.CloseIdleConnections()
			require.Equal(t, http.StatusUnauthorized, answer.StatusCode, "%s %s takes a user, too", method, path)
		}
	}
	_, _, err = fetch(t, aClient(&tls.Config{RootCAs: x509.NewCertPool()}), "https://"+v.addr+"/")
	require.ErrorContains(t, err, "certificate signed by unknown authority")
	code, _, err := fetch(t, aClient(nil), "http://"+v.addr+"/")
	require.NoError(t, err)
	require.Equal(t, http.StatusBadRequest, code, "there is no answer without TLS")
}

func TestClientCertificates(t *testing.T) {
	a := newAuthority(t)
	a.serverCert(t)
	client := a.sign(t, "client", &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	config := a.write(t, "web.yml", "tls_server_config: {cert_file: server.pem, key_file: server.key, client_ca_file: ca.pem, client_auth_type: RequireAndVerifyClientCert}\n")
	v := listening(t, ServerOptions{ConfigFile: config}, named("demo"))

	_, _, err := fetch(t, aClient(&tls.Config{RootCAs: a.pool}), "https://"+v.addr+"/")
	require.Error(t, err) // "certificate required", or that the connection ended before that was read
	stranger := newAuthority(t).sign(t, "client", &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	_, _, err = fetch(t, aClient(&tls.Config{RootCAs: a.pool, GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &stranger, nil }}), "https://"+v.addr+"/")
	require.Error(t, err)
	code, _, err := fetch(t, aClient(&tls.Config{RootCAs: a.pool, Certificates: []tls.Certificate{client}}), "https://"+v.addr+"/probe?target=demo")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, code)
}

// TestLimitsHoldForEachAddress has two addresses, since the toolkit would wrap one server twice.
func TestLimitsHoldForEachAddress(t *testing.T) {
	a := newAuthority(t)
	config := a.write(t, "web.yml", "rate_limit: {interval: 1h, burst: 3}\n")
	v := listening(t, ServerOptions{ConfigFile: config, Listen: []string{"127.0.0.1:0", "127.0.0.1:0"}}, named("demo"))
	for i, want := range []int{200, 200, 200, 429, 429} {
		code, _, err := fetch(t, aClient(nil), "http://"+v.addr+"/-/healthy")
		require.NoError(t, err)
		require.Equal(t, want, code, "request %d", i+1)
	}
}

func TestAWebConfigurationThatIsWrong(t *testing.T) {
	a := newAuthority(t)
	for text, says := range map[string]string{
		"tls_server_config: {cert_file: nowhere.pem, key_file: nowhere.key}\n": "nowhere",
		"tls_serverconfig: {}\n":                            "tls_serverconfig",
		"basic_auth_users: {prometheus: in-the-clear}\n":    "bcrypt",
		"http_server_config: {headers: {Server: Apache}}\n": "Server",
	} {
		file := a.write(t, "web.yml", text)
		s, _ := aServer(t, ServerOptions{ConfigFile: file, Listen: []string{"127.0.0.1:0"}})
		err := s.serve(t.Context())
		require.ErrorContains(t, err, "reading the web configuration "+file)
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "in-the-clear")
	}
}

func TestAPortThatIsTaken(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	s, _ := aServer(t, ServerOptions{Listen: []string{"127.0.0.1:0", l.Addr().String()}})
	require.ErrorContains(t, s.serve(t.Context()), "another program already listens on "+l.Addr().String()+": choose another address with --web.listen-address")
	s, _ = aServer(t, ServerOptions{Listen: []string{"nowhere"}})
	require.ErrorContains(t, s.serve(t.Context()), `cannot listen at "nowhere"`)
}

func TestSystemdHasToHandSocketsOver(t *testing.T) {
	t.Setenv("LISTEN_PID", "")
	s, _ := aServer(t, ServerOptions{Systemd: true})
	require.ErrorContains(t, s.serve(t.Context()), "serving on the sockets of systemd: no socket activation file descriptors found")
}

// probing probes concurrently and sends the status of the response; 0: there was none.
func probing(t *testing.T, v *served) <-chan int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+v.addr+"/probe?target=demo", http.NoBody)
	require.NoError(t, err)
	got := make(chan int, 1)
	go func() {
		w, err := aClient(nil).Do(r)
		if err != nil {
			got <- 0
			return
		}
		_ = w.Body.Close()
		got <- w.StatusCode
	}()
	return got
}

// TestScrapesThatHaveBegunAreFinished stops the server in the middle of one.
func TestScrapesThatHaveBegunAreFinished(t *testing.T) {
	begun, finish := make(chan struct{}), make(chan struct{})
	demo := named("demo")
	demo.page = func(ctx context.Context, _ []module.Name, _ exposition.Format, _ bool) (*Page, error) {
		close(begun)
		select {
		case <-finish:
			return plainPage(), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	v := listening(t, ServerOptions{}, demo)
	got := probing(t, v)
	<-begun
	v.stop()
	require.Eventually(t, func() bool { // new scrapes are refused
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", v.addr)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	}, 30*time.Second, 5*time.Millisecond)
	close(finish)
	require.Equal(t, http.StatusOK, <-got)
	require.NoError(t, <-v.ended)
}

// TestTheEndIsBounded has a scrape that never ends by itself.
func TestTheEndIsBounded(t *testing.T) {
	begun := make(chan struct{})
	demo := named("demo")
	demo.page = func(ctx context.Context, _ []module.Name, _ exposition.Format, _ bool) (*Page, error) {
		close(begun)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	v := listening(t, ServerOptions{}, demo)
	v.shutdownLimit = 50 * time.Millisecond
	got := probing(t, v)
	<-begun
	v.stop()
	select {
	case err := <-v.ended:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
	require.Contains(t, []int{0, http.StatusServiceUnavailable}, <-got, "it is cut off or told so, but not left waiting")
}

// TestAnAnswerWithoutAnEndIsCutOffAtTheEnd has a reader that would read for ever.
func TestAnAnswerWithoutAnEndIsCutOffAtTheEnd(t *testing.T) {
	demo := named("demo")
	demo.page = func(context.Context, []module.Name, exposition.Format, bool) (*Page, error) {
		return &Page{ContentType: "text/plain", Length: -1, Body: endless{}}, nil
	}
	v := listening(t, ServerOptions{}, demo)
	v.shutdownLimit = 50 * time.Millisecond
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+v.addr+"/probe?target=demo", http.NoBody)
	require.NoError(t, err)
	w, err := aClient(nil).Do(r)
	require.NoError(t, err)
	defer func() { _ = w.Body.Close() }() // it was only read
	v.stop()
	read := make(chan error, 1)
	go func() { _, err := io.Copy(io.Discard, w.Body); read <- err }()
	select {
	case err := <-read:
		require.Error(t, err)
	case <-time.After(time.Minute):
		t.Fatal("it goes on after the end")
	}
}

func TestTooMuchBeforeARequestIsRefused(t *testing.T) {
	v := listening(t, ServerOptions{}, named("demo"))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+v.addr+"/-/healthy", http.NoBody)
	require.NoError(t, err)
	r.Header.Set("X-Long", strings.Repeat("x", 2*maxHeaders))
	w, err := aClient(nil).Do(r)
	require.NoError(t, err)
	defer w.Body.Close()
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, w.StatusCode)
}

func TestServeEndsWithoutAnErrorWhateverTheCause(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	s, _ := aServer(t, ServerOptions{Listen: []string{"127.0.0.1:0"}, Listening: func(net.Addr) { stop(errors.New("interrupted")) }})
	require.NoError(t, s.serve(ctx))
}

func TestOptionsAreCheckedBeforeAnythingStarts(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "web.yaml")
	require.NoError(t, os.WriteFile(bad, []byte("tls_server_config: {cert_file: none.crt, key_file: none.key}\n"), 0o600))
	for want, o := range map[string]ServerOptions{
		"":                                   {Listen: []string{":10048", "[::1]:0", "localhost:http", "vsock://:10048"}, TelemetryPath: "/metrics"},
		"write HOST:PORT, or :10048":         {Listen: []string{":1", "vperf.example.com"}},
		`cannot listen at "127.0.0.1:99999"`: {Listen: []string{"127.0.0.1:99999"}},
		"-5s is negative":                    {TimeoutOffset: -5 * time.Second},
		"begins with /":                      {TelemetryPath: "metrics"},
		"reading the web configuration " + bad + ": ": {ConfigFile: bad},
	} {
		if err := o.Check(); want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
}
