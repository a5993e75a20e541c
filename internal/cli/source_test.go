package cli

import (
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/pkg/inventory"
)

// beside puts a simulator behind HTTPS and returns the lines of its context.
func beside(t *testing.T, name, password string, m *simulator.Model) string {
	t.Helper()
	log.SetOutput(io.Discard) // the simulator logs what it does not implement
	m.Service.TLS = new(tls.Config)
	m.Service.Listen = &url.URL{Host: "127.0.0.1:0", User: url.UserPassword("audit", password)}
	s := m.Service.NewServer()
	t.Cleanup(func() {
		_ = s.Config.Close() // not s.Close: it waits for aborted requests
		m.Remove()
	})
	ca := filepath.Join(t.TempDir(), "ca.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.TLS.Certificates[0].Certificate[0]})
	require.NoError(t, os.WriteFile(ca, cert, 0o600))
	return contextLines(name, s.URL.Host) + "  tls-ca-certs: " + ca + "\n"
}

func contextLines(name, host string) string {
	return fmt.Sprintf("- name: %s\n  url: %s\n  username: audit\n  password-command: echo pa55-%s\n", name, host, name)
}

// nobody returns the config of a context whose server is down.
func nobody(t *testing.T, name string) string {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return contextLines(name, l.Addr().String())
}

// configured is a machine with these contexts and nothing in its environment.
func configured(t *testing.T, contexts ...string) {
	t.Helper()
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "GOVC_") || strings.HasPrefix(name, "VPERF_") {
			t.Setenv(name, "")
		}
	}
	ownHome(t)
	t.Setenv("VPERF_PERSIST_SESSION", "false") // a session that is kept answers for a wrong password
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte("contexts:\n"+strings.Join(contexts, "")), 0o600))
	t.Setenv("VPERF_CONFIG", path)
}

// small is a vCenter with two hosts, whose names begin with the prefix.
func small(t *testing.T, prefix string) *simulator.Model {
	t.Helper()
	m := simulator.VPX()
	m.Cluster, m.Host, m.Machine = 0, 2, 1
	require.NoError(t, m.Create())
	for _, e := range m.Map().All("HostSystem") {
		h, ok := e.(*simulator.HostSystem)
		require.True(t, ok)
		h.Name = prefix + h.Name
	}
	return m
}

func snapshotOf(t *testing.T, args ...string) (s *inventory.Snapshot, stderr string) {
	t.Helper()
	code, stdout, stderr := vperf(t, append([]string{"snapshot", "--out", "-"}, args...)...)
	require.Zero(t, code, stderr)
	s, err := inventory.Load(strings.NewReader(stdout))
	require.NoError(t, err)
	return s, stderr
}

func hostNames(v *inventory.VCenter) (names []string) {
	for _, h := range v.Hosts {
		names = append(names, h.Name)
	}
	return names
}

func TestSeveralContexts(t *testing.T) {
	a, b := beside(t, "zeta", "pa55-zeta", small(t, "A")), beside(t, "alpha", "pa55-alpha", small(t, "B"))
	configured(t, a, nobody(t, "down"), b)

	s, stderr := snapshotOf(t, "--all-contexts")
	require.Equal(t, "zeta, down, alpha", s.Source, "in the order of the contexts")
	require.Equal(t, []string{"ADC0_H0", "ADC0_H1"}, hostNames(s.VCenters[0]))
	require.Equal(t, []string{"BDC0_H0", "BDC0_H1"}, hostNames(s.VCenters[2]))
	require.Contains(t, stderr, "vperf: warning: context down was not read: connecting to 127.0.0.1:")
	require.Equal(t, 1, strings.Count(stderr, "warning"), "said once")
	require.Equal(t, "down", s.VCenters[1].Name)
	require.Contains(t, s.VCenters[1].Unread, "connection refused")
	require.False(t, s.TakenAt().IsZero())
	require.NotContains(t, stderr, "pa55")

	s, _ = snapshotOf(t, "--context", "alpha,zeta", "--context", "alpha")
	require.Equal(t, "alpha, zeta", s.Source)
}

func TestTargetsInSeveralContexts(t *testing.T) {
	a, b := beside(t, "a", "pa55-a", small(t, "A")), beside(t, "b", "pa55-b", small(t, "B"))
	configured(t, a, b, nobody(t, "down"))

	s, _ := snapshotOf(t, "--context", "a,b", "BDC0_H1", "ADC0_H0")
	require.Equal(t, "a, b", s.Source)
	require.Equal(t, []string{"ADC0_H0"}, hostNames(s.VCenters[0]))
	require.Equal(t, []string{"BDC0_H1"}, hostNames(s.VCenters[1]))

	s, _ = snapshotOf(t, "--context", "a,b", "adc0_h0")
	require.Equal(t, "a", s.Source, "what is out of scope is not in the snapshot")

	code, _, stderr := vperf(t, "audit", "--context", "a,b", "ADC0_H0", "BDC0_H7")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, `no host is called "BDC0_H7"; did you mean BDC0_H0`)

	// While a server is down, vperf cannot know whether the name is wrong.
	s, stderr = snapshotOf(t, "--all-contexts", "ADC0_H0", "elsewhere")
	require.Equal(t, "a, down", s.Source)
	require.Contains(t, stderr, "vperf: warning: none of the contexts read has elsewhere")
	code, _, stderr = vperf(t, "audit", "--all-contexts", "elsewhere")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "vperf: context down: connecting to 127.0.0.1:")
	require.Contains(t, stderr, "the other contexts do not have elsewhere")
}

func TestATargetThatTwoContextsHave(t *testing.T) {
	configured(t, beside(t, "a", "pa55-a", small(t, "")), beside(t, "b", "pa55-b", small(t, "")))
	code, _, stderr := vperf(t, "audit", "--all-contexts", "DC0_H0")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, `"DC0_H0" names 2 hosts: a:/DC0/host/`)
	require.Contains(t, stderr, "b:/DC0/host/")
	require.Contains(t, stderr, "or choose one server with --context")
}

// A gate is incomplete where a context could not be read, whatever the reason.
func TestAContextThatFailsMakesAGateIncomplete(t *testing.T) {
	up := beside(t, "up", "pa55-up", small(t, ""))
	for name, other := range map[string]string{
		"down":           nobody(t, "other"),
		"wrong password": beside(t, "other", "not what the command says", small(t, "")),
		"no password":    "- {name: other, url: 127.0.0.1, username: audit}\n",
		"vault is shut":  "- {name: other, url: 127.0.0.1, username: audit, password-command: 'false'}\n",
	} {
		t.Run(name, func(t *testing.T) {
			configured(t, up, other)
			code, _, stderr := vperf(t, "audit", "--all-contexts", "--rule", "numa-io", "--fail-on", "critical")
			require.Equal(t, exitIncomplete, code, stderr)
			require.Contains(t, stderr, "warning: context other was not read: ")
			require.Contains(t, stderr, "vcenter other was not read: ")

			code, stdout, stderr := vperf(t, "audit", "--all-contexts", "--rule", "numa-io", "-o", "json")
			require.Zero(t, code, stderr)
			require.True(t, json.Valid([]byte(stdout)))
			require.Contains(t, stdout, `"all facts"`)
			require.NotContains(t, stdout+stderr, "pa55")
		})
	}
}

func TestWhenAllContextsFail(t *testing.T) {
	configured(t, nobody(t, "a"), "- {name: b, url: 127.0.0.1, username: audit}\n")
	code, stdout, stderr := vperf(t, "audit", "--all-contexts")
	require.Equal(t, exitFailed, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "vperf: context a: connecting to 127.0.0.1:")
	require.Contains(t, stderr, "warning: context b was not read: no password for audit at 127.0.0.1")

	configured(t, "- {name: b, url: 127.0.0.1, username: audit}\n", nobody(t, "a"))
	code, _, stderr = vperf(t, "audit", "--all-contexts")
	require.Equal(t, exitUsage, code, stderr)
	require.Contains(t, stderr, "vperf: context b: no password")
}

func TestOneContext(t *testing.T) {
	configured(t, beside(t, "only", "pa55-only", small(t, "")))
	s, stderr := snapshotOf(t, "--all-contexts")
	require.Equal(t, "only", s.Source)
	require.Regexp(t, `^reading 127.0.0.1:\d+ \(context only\)\n$`, stderr)
	t.Setenv("VPERF_PASSWORD", "wrong")
	code, _, stderr := vperf(t, "audit", "--context", "only")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "wrong user name or password")
}
