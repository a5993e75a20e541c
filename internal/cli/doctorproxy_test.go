package cli

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/doctor"
	"github.com/vperf/vperf/internal/simfleet"
)

// tunnels is a proxy that connects every request to one server, or refuses with a status.
func tunnels(t *testing.T, to string, refuse int) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuse != 0 || r.Method != http.MethodConnect {
			w.WriteHeader(max(refuse, http.StatusBadRequest))
			return
		}
		var dialer net.Dialer
		server, err := dialer.DialContext(r.Context(), "tcp", to)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		client, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			_ = server.Close()
			return
		}
		_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
		_, _ = io.Copy(client, server)
		_ = client.Close()
	}))
	t.Cleanup(s.Close)
	return s
}

// TestDoctorThroughAProxy: a process of its own for each case, because Go reads HTTPS_PROXY once. The server's name is not in DNS: only
// the proxy knows it.
func TestDoctorThroughAProxy(t *testing.T) {
	t.Parallel()
	fleet, err := simfleet.Start(simfleet.Config{})
	require.NoError(t, err)
	t.Cleanup(fleet.Close)
	closed := listening(t)
	require.NoError(t, closed.Close())
	for _, tt := range []struct {
		name, proxy string
		code        int
		check       string
		status      doctor.Status
		text        string
		blocked     string // the check for which the others wait
	}{
		{"it works", tunnels(t, fleet.URL().Host, 0).URL, 0, "proxy", doctor.OK, "(HTTPS_PROXY) connects to vc.example.com", ""},
		{"it refuses", tunnels(t, "", http.StatusForbidden).URL, exitIncomplete, "proxy", doctor.Fail, "Forbidden", "proxy"},
		{"it wants a user", tunnels(t, "", http.StatusProxyAuthRequired).URL, exitIncomplete, "proxy", doctor.Fail, "HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT", "proxy"},
		{"it does not run", "http://" + closed.Addr().String(), exitIncomplete, "port", doctor.Fail, "no connection to the proxy " + closed.Addr().String(), "port"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := newProgram(t, simfleet.Endpoint{URL: fleet.URL(), User: fleet.User(), Password: fleet.Password(), Thumbprint: fleet.Endpoints()[0].Thumbprint})
			v.env = append(v.env, "GOVC_URL=https://vc.example.com/sdk", "HTTPS_PROXY="+tt.proxy, "NO_PROXY=", "no_proxy=")
			command := v.command("doctor", "audit", "-o", "json", "--timeout", "1m", "--thumbprint", fleet.Endpoints()[0].Thumbprint)
			var out, errs strings.Builder
			command.Stdout, command.Stderr = &out, &errs
			_ = command.Run() // the exit status is below
			require.Equal(t, tt.code, command.ProcessState.ExitCode(), out.String()+errs.String())
			var r doctor.Report
			require.NoError(t, json.Unmarshal([]byte(out.String()), &r))
			requireCheck(t, r.Servers[0], tt.check, tt.status, tt.text)
			if tt.blocked == "" {
				requireCheck(t, r.Servers[0], "login", doctor.OK, "")
				return
			}
			requireCheck(t, r.Servers[0], "login", doctor.Unknown, "see "+tt.blocked)
			requireCheck(t, r.Servers[0], tt.check, tt.status, "NO_PROXY=vc.example.com")
		})
	}
}
