package cli

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/simfleet/process"
)

// simulate runs `vperf sim` in this process until ctx ends.
func simulate(t *testing.T, ctx context.Context, args ...string) (code int, out, errs string) { //nolint:revive // as tests have it
	t.Helper()
	io, stdout, stderr := iostreams.Test()
	code = run(ctx, NewFactory(io), append([]string{"sim"}, args...))
	return code, stdout.String(), stderr.String()
}

func TestSimServesWhatItPrints(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	fleet, err := simfleet.Start(simfleet.Config{})
	require.NoError(t, err)
	defer fleet.Close()
	r := process.Record{PID: os.Getpid(), KnownHosts: filepath.Join(dir, "it's here"), Endpoints: process.Places(fleet)}
	require.NoError(t, os.WriteFile(r.KnownHosts, process.Thumbprints(r), 0o600))

	// the lines as a shell parses them
	text := process.ShellLines(r)
	require.Equal(t, 3+len(r.Endpoints), strings.Count(text, "\n"), "with those that keep the variables of the shell")
	require.Equal(t, 2, strings.Count("\n"+text, "\nexport "), "GOVC_* and VPERF_* of the vCenter")
	env, err := exec.CommandContext(t.Context(), "sh", "-c", text+
		`for p in GOVC VPERF; do eval "printf '%s\n' \"\$${p}_URL\" \"\$${p}_USERNAME\" \"\$${p}_PASSWORD\" \"\$${p}_TLS_KNOWN_HOSTS\""; done`).Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(env)), "\n")
	require.Len(t, lines, 8)
	require.Equal(t, lines[:4], lines[4:], "vperf reads what govc reads")
	lines = lines[:4]

	// govmomi, and so govc, accepts each endpoint by the known hosts file alone
	for _, p := range r.Endpoints {
		u, err := url.Parse(p.URL)
		require.NoError(t, err)
		s := soap.NewClient(u, false)
		_, err = vim25.NewClient(t.Context(), soap.NewClient(u, false))
		require.ErrorContains(t, err, "certificate")
		require.NoError(t, s.LoadThumbprints(lines[3]))
		c, err := vim25.NewClient(t.Context(), s)
		require.NoError(t, err)
		require.NoError(t, session.NewManager(c).Login(t.Context(), url.UserPassword(p.User, p.Password)))
	}
	require.Equal(t, []string{r.Endpoints[0].URL, "demo@vsphere.local", fleet.Password(), r.KnownHosts}, lines)
}

func TestSimQuotesForShells(t *testing.T) {
	for word, want := range map[string]string{
		"": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "https://127.0.0.1:1/sdk": "https://127.0.0.1:1/sdk", "demo@x": "demo@x",
	} {
		require.Equal(t, want, iostreams.Quoted(word))
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestSimEndsWithTheContext(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	io, stdout, stderr := iostreams.Test()
	io.Out = writerFunc(func(p []byte) (int, error) { defer cancel(); return stdout.Write(p) }) // it serves by then
	require.Equal(t, exitInterrupted, run(ctx, NewFactory(io), []string{"sim"}))
	require.Contains(t, stdout.String(), "export GOVC_URL=https://127.0.0.1:")
	require.NotContains(t, stderr.String(), "GOVC_PASSWORD")
	left, err := os.ReadDir(filepath.Join(os.Getenv("XDG_STATE_HOME"), "vperf", "sim"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestSimListensOnLoopbackOnly(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for _, address := range []string{"0.0.0.0:8989", ":8989", "[::]:8989", "192.0.2.1:8989", "localhost:8989", "127.0.0.1", "127.0.0.1:x"} {
		code, out, errs := simulate(t, t.Context(), "--listen", address)
		require.Equal(t, exitUsage, code, address)
		require.Empty(t, out)
		require.Contains(t, errs, "loopback")
	}
}

func TestSimHelpListsTheScenarios(t *testing.T) {
	_, out, _ := simulate(t, t.Context(), "--help")
	for _, s := range simfleet.Scenarios() {
		require.Contains(t, out, s.Name+" ")
		require.Contains(t, out, s.About)
	}
	require.NotContains(t, out, "--hosts")
	for line := range strings.SplitSeq(out, "\n") {
		if !strings.Contains(line, "--") && !strings.HasPrefix(line, "  ") {
			require.LessOrEqual(t, len(line), 80, line)
		}
	}
}

func TestSimRecordOfAnotherIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	fleet, err := simfleet.Start(simfleet.Config{})
	require.NoError(t, err)
	defer fleet.Close()
	alive := process.Record{PID: os.Getpid(), Endpoints: process.Places(fleet)}
	require.NoError(t, alive.Write(t.Context(), dir))
	other := process.Record{PID: os.Getpid() + 1, Endpoints: process.Places(fleet)}
	var running *process.RunningError
	require.ErrorAs(t, other.Write(t.Context(), dir), &running)
	other.Remove(dir)
	got, err := process.ReadRecord(dir)
	require.NoError(t, err)
	require.Equal(t, alive.PID, got.PID)

	fleet.Close()
	require.False(t, got.Alive(t.Context()))
	require.NoError(t, other.Write(t.Context(), dir), "the first one is gone")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "background.json"), []byte("{"), 0o600))
	_, err = process.ReadRecord(dir)
	require.ErrorIs(t, err, process.ErrNoRecord)
}
