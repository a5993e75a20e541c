package cli

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// Every mistake ends with its exit code and one clear message: no stack trace, nothing on stdout that looks like an
// answer, and never the password.
func requireClear(t *testing.T, wantCode int, words []string, args ...string) {
	t.Helper()
	code, stdout, stderr := vperf(t, args...)
	require.Equal(t, wantCode, code, stderr)
	require.Empty(t, stdout)
	for _, w := range words {
		require.Contains(t, stderr, w)
	}
	if first, rest, _ := strings.Cut(stderr, "\n"); strings.HasPrefix(first, "reading ") {
		stderr = rest
	}
	require.True(t, strings.HasPrefix(stderr, "vperf: "), stderr)
	require.NotContains(t, stderr, "goroutine")
	require.NotContains(t, stderr, "pa55")
}

// stub answers every request with the handler, over HTTPS without certificate verification.
func stub(t *testing.T, h http.HandlerFunc) {
	t.Helper()
	s := httptest.NewTLSServer(h)
	t.Cleanup(s.CloseClientConnections)
	ownHome(t)
	t.Setenv("GOVC_URL", s.URL)
	t.Setenv("GOVC_USERNAME", "audit")
	t.Setenv("GOVC_PASSWORD", "pa55")
	t.Setenv("GOVC_INSECURE", "true")
}

func TestBadServers(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		words  []string
	}{
		"HTML instead of SOAP": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, "<html><body>It works!</body></html>")
			},
			[]string{"instead of SOAP"},
		},
		"truncated answer": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/xml")
				w.Header().Set("Content-Length", "5000")
				_, _ = io.WriteString(w, `<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>`)
			},
			[]string{"127.0.0.1:"},
		},
		"not found": {
			func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) },
			[]string{"404"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			stub(t, c.answer)
			requireClear(t, exitFailed, c.words, "audit")
		})
	}
}

func TestWrongPort(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	stub(t, http.NotFound)
	t.Setenv("GOVC_URL", "https://"+l.Addr().String())
	require.NoError(t, l.Close())
	requireClear(t, exitFailed, []string{l.Addr().String(), "refused"}, "audit")
}

func TestWrongPassword(t *testing.T) {
	serve(t, simulator.ESX())
	t.Setenv("GOVC_PASSWORD", "pa55-wrong")
	requireClear(t, exitFailed, []string{"wrong user name or password", "GOVC_PASSWORD"}, "audit")
}

func TestUnknownCertificateIsShown(t *testing.T) {
	serve(t, simulator.ESX())
	t.Setenv("GOVC_TLS_CA_CERTS", "")
	requireClear(t, exitFailed, []string{"thumbprint is ", "GOVC_TLS_KNOWN_HOSTS"}, "audit")

	// The fingerprint in the message pins the certificate.
	_, _, stderr := vperf(t, "audit")
	_, rest, _ := strings.Cut(stderr, "thumbprint is ")
	thumbprint, _, _ := strings.Cut(rest, ";")
	code, _, stderr := vperf(t, "audit", "--thumbprint", thumbprint)
	require.Zero(t, code, stderr)
}

func TestTwoHostsOfOneName(t *testing.T) {
	m := simulator.VPX()
	require.NoError(t, m.Create())
	for _, e := range m.Map().All("HostSystem") {
		h := e.(*simulator.HostSystem)
		h.Name, h.Summary.Config.Name = "twin", "twin"
	}
	serve(t, m)
	requireClear(t, exitUsage, []string{`"twin" names 4 hosts`, "(host-"}, "audit", "twin")
}

// A host that does not respond, and a user who may not read something, cost their own facts and nothing else.
func TestHostNotResponding(t *testing.T) {
	m := simulator.VPX()
	require.NoError(t, m.Create())
	host := m.Map().Any("HostSystem").(*simulator.HostSystem)
	host.Runtime.ConnectionState = types.HostSystemConnectionStateNotResponding
	serve(t, m)
	code, stdout, stderr := vperf(t, "audit")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "not read: host "+host.Name+": host not responding")
	code, _, stderr = vperf(t, "audit", "--fail-on", "critical")
	require.Equal(t, exitIncomplete, code)
	require.Contains(t, stderr, "host "+host.Name+" was not read: host not responding")
	require.Contains(t, stderr, "--allow-incomplete")
	code, _, _ = vperf(t, "audit", "--fail-on", "critical", "--allow-incomplete")
	require.Zero(t, code)
}

func TestUnwritableSnapshot(t *testing.T) {
	serve(t, simulator.ESX())
	requireClear(t, exitFailed, []string{"saving snapshot to "}, "snapshot", "--out", filepath.Join(t.TempDir(), "no", "such", "folder.json"))
}
