package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/simfleet/process"
	"github.com/vperf/vperf/pkg/tuning"
)

// box is a simulator that is not the one that a context names.
type box struct {
	*simfleet.Fleet

	host  string
	lines []string // NAME=VALUE, as vperf sim exports them
}

func newBox(t *testing.T) *box {
	t.Helper()
	dir, err := simDir()
	require.NoError(t, err)
	fleet, err := simfleet.Start(simfleet.Config{Instance: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(fleet.Close)
	r := process.Record{Endpoints: process.Places(fleet), KnownHosts: filepath.Join(dir, process.KnownHostsPrefix+filepath.Base(t.TempDir()))}
	require.NoError(t, os.WriteFile(r.KnownHosts, process.Thumbprints(r), 0o600))
	b := &box{Fleet: fleet, host: fleet.URL().Host}
	for line := range strings.Lines(process.ShellLines(r)) {
		if words, exported := strings.CutPrefix(line, "export "); exported {
			b.lines = append(b.lines, strings.Fields(words)...)
		}
	}
	require.Len(t, b.lines, 9)
	return b
}

// export sets the variables whose names begin with a prefix.
func (b *box) export(t *testing.T, prefix string) {
	t.Helper()
	for _, line := range b.lines {
		if name, value, _ := strings.Cut(line, "="); strings.HasPrefix(name, prefix) {
			t.Setenv(name, value)
		}
	}
}

// context returns the lines of a context that names the box.
func (b *box) context(t *testing.T, name string) string {
	t.Helper()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, b.CertificatePEM(), 0o600))
	return fmt.Sprintf("- name: %s\n  url: %s\n  username: %s\n  password-command: echo %s\n  tls-ca-certs: %s\n", name, b.host, b.User(), b.Password(), ca)
}

// threshold reads an option of the first host with govmomi alone.
func (b *box) threshold(t *testing.T) string {
	t.Helper()
	env := map[string]string{"GOVC_URL": b.URL().String(), "GOVC_USERNAME": b.User(), "GOVC_PASSWORD": b.Password()}
	now, err := option(t.Context(), func(name string) string { return env[name] }, "host01.demo.local", threshold)
	require.NoError(t, err)
	return now
}

// prodAndSandbox are two fleets: the current context names the first one.
func prodAndSandbox(t *testing.T) (prod, sandbox *box) {
	t.Helper()
	configured(t) // the folders of its own
	prod, sandbox = newBox(t), newBox(t)
	text := "current: prod\ncontexts:\n" + prod.context(t, "prod")
	require.NoError(t, os.WriteFile(os.Getenv("VPERF_CONFIG"), []byte(text), 0o600))
	return prod, sandbox
}

var oneChange = []string{"apply", "host01", "--rule", "numa-io", "--yes"}

// A context is current and a variable names a sandbox: no command may change either of them on a guess.
func TestNothingIsChangedWhereTheServersDiffer(t *testing.T) {
	for _, prefix := range []string{"GOVC_", "VPERF_"} {
		t.Run(prefix, func(t *testing.T) {
			prod, sandbox := prodAndSandbox(t)
			sandbox.export(t, prefix)
			t.Setenv("VPERF_CONTEXT", "") // as if the user had typed the variables
			want := fmt.Sprintf("vperf: %sURL (%s) and context prod (%s) name different servers; use --context or -u\n", prefix, sandbox.host, prod.host)

			for _, args := range [][]string{oneChange, {"rollback", "--last", "--yes"}, {"history", "verify"}} {
				code, stdout, stderr := vperf(t, args...)
				require.Equal(t, exitUsage, code, stderr)
				require.Empty(t, stdout)
				require.True(t, strings.HasPrefix(stderr, want), stderr)
			}
			require.Equal(t, "0", prod.threshold(t))
			require.Equal(t, "0", sandbox.threshold(t))
			all, err := listRuns()
			require.NoError(t, err)
			require.Empty(t, all)

			// Naming the server settles it, for the change and for the way back.
			code, _, stderr := vperf(t, append(oneChange, "--context", "prod")...)
			require.Zero(t, code, stderr)
			require.Equal(t, "60", prod.threshold(t))
			code, _, stderr = vperf(t, "rollback", "--last", "--yes")
			require.Equal(t, exitUsage, code, stderr)
			require.Equal(t, "60", prod.threshold(t), "rollback --last guesses as little")
			code, _, stderr = vperf(t, "rollback", "--last", "--yes", "--url", sandbox.host)
			require.Equal(t, exitFailed, code, stderr)
			require.Contains(t, stderr, "no run has changed anything on vcenter.demo.local from this machine")
			code, _, stderr = vperf(t, "rollback", "--last", "--yes", "--context", "prod")
			require.Zero(t, code, stderr)
			require.Equal(t, "0", prod.threshold(t))
			require.Equal(t, "0", sandbox.threshold(t))
		})
	}
}

// The variables of vperf sim win over the current context: vperf changes the sandbox and labels it as one.
func TestTheSandboxIsChangedAndNotTheContext(t *testing.T) {
	prod, sandbox := prodAndSandbox(t)
	sandbox.export(t, "")

	code, stdout, stderr := vperf(t, append(oneChange, "-o", "json")...)
	require.Zero(t, code, stderr)
	require.Equal(t, "0", prod.threshold(t))
	require.Equal(t, "60", sandbox.threshold(t))
	require.True(t, strings.HasPrefix(stderr, "server: vcenter.demo.local ("+sandbox.host+"), VMware vCenter Server 8.0.3 build-24022515, sandbox\n"), stderr)
	var outcome struct{ Server tuning.Server }
	require.NoError(t, json.Unmarshal([]byte(stdout), &outcome))
	require.Equal(t, sandbox.host, outcome.Server.Address)
	require.True(t, outcome.Server.Sandbox)

	all, err := listRuns()
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, tuning.Server{
		Name: "vcenter.demo.local", UUID: outcome.Server.UUID, Address: sandbox.host, Product: "VMware vCenter Server 8.0.3 build-24022515", Sandbox: true,
	}, all[0].Server)
	require.Equal(t, tuning.Server{Name: "vcenter.demo.local", UUID: outcome.Server.UUID}, all[0].Plan.Server, "a plan is for a server, however it is reached")
	code, stdout, stderr = vperf(t, "history", "show")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "  address: "+sandbox.host+"\n  product: VMware vCenter Server 8.0.3 build-24022515, sandbox\n")

	// Each server has its own last run.
	code, _, stderr = vperf(t, "rollback", "--last", "--yes", "--context", "prod")
	require.Equal(t, exitFailed, code, stderr)
	require.Contains(t, stderr, "server: prod ("+prod.host+"), VMware vCenter Server 8.0.3")
	require.Contains(t, stderr, "no run has changed anything on prod from this machine")
	code, _, stderr = vperf(t, "rollback", all[0].ID, "--yes", "--context", "prod")
	require.Equal(t, exitRefused, code, stderr)
	require.Equal(t, "60", sandbox.threshold(t))
	code, _, stderr = answering(t, t.Context(), "yes\n", "rollback", "--last")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "Undo 1 change on vcenter.demo.local (sandbox)? Type yes: ")
	require.Equal(t, "0", sandbox.threshold(t))
	require.Equal(t, "0", prod.threshold(t))
}

// The first line on stderr names the server that is read, and stdout holds only the result.
func TestReadingNamesTheServer(t *testing.T) {
	prod, sandbox := prodAndSandbox(t)
	sandbox.export(t, "GOVC_")
	code, stdout, stderr := vperf(t, "audit", "host01", "--rule", "numa-io", "-o", "json")
	require.Zero(t, code, stderr)
	require.True(t, json.Valid([]byte(stdout)))
	require.Equal(t, fmt.Sprintf("reading %[1]s (context prod)\nvperf: warning: GOVC_URL (%[2]s) and context prod (%[1]s) name different servers: "+
		"context prod is used; choose one with --context or -u\n", prod.host, sandbox.host), stderr)

	sandbox.export(t, "")
	for _, args := range [][]string{
		{"audit", "host01", "--rule", "numa-io"}, {"plan", "host01", "--rule", "numa-io"}, {"snapshot", "host01", "--out", "-"},
	} {
		code, stdout, stderr = vperf(t, args...)
		require.Zero(t, code, stderr)
		require.Equal(t, "reading "+sandbox.host+" (VPERF_URL)\n", stderr)
		require.NotContains(t, stdout, "reading "+sandbox.host)
	}
	code, _, stderr = vperf(t, "audit", "host01", "--rule", "numa-io", "--context", "prod")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "reading "+prod.host+" (context prod)\n")
}
