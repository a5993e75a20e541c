package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/tui/rounds"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// shortCalls is the variable with a method and the deadline of its calls, such as QueryPerf=1s, so that a test need not wait two minutes
// for a call that hangs.
const shortCalls = "TEST_SHORT_CALLS"

func limitCalls(limit string) {
	method, after, _ := strings.Cut(limit, "=")
	d, err := time.ParseDuration(after)
	if err != nil {
		panic(err)
	}
	session.LimitCallsForTest(map[string]time.Duration{method: d})
}

// shortWaits is the variable with the time after which commands that wait for counters give up, instead of three minutes and more.
const shortWaits = "TEST_SHORT_WAITS"

func limitWaits(limit string) {
	d, err := time.ParseDuration(limit)
	if err != nil {
		panic(err)
	}
	rounds.LimitForTest(d)
	source.LimitWatchForTest(d)
}

// faultStage is vperf, a fleet, and a proxy between them that misbehaves.
type faultStage struct {
	*program

	fleet *simfleet.Fleet
	proxy *faulty.Proxy
}

func newFaultStage(t *testing.T, fleet *simfleet.Fleet, hooks faulty.Hooks) *faultStage {
	t.Helper()
	proxy := faulty.New(t, fleet.URL(), hooks)
	return &faultStage{newProgram(t, endpointOf(t, fleet, proxy)), fleet, proxy}
}

// endpointOf is a fleet's vCenter as clients of the proxy see it.
func endpointOf(t *testing.T, fleet *simfleet.Fleet, proxy *faulty.Proxy) simfleet.Endpoint {
	t.Helper()
	return simfleet.Endpoint{URL: proxy.URL, User: fleet.User(), Password: fleet.Password(), Thumbprint: thumbprint(t, proxy)}
}

// thumbprint is the proxy's certificate as files of known hosts have it.
func thumbprint(t *testing.T, proxy *faulty.Proxy) string {
	t.Helper()
	block, _ := pem.Decode(proxy.Certificate)
	certificate, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	var parts []string
	for _, b := range sha256.Sum256(certificate.Raw) {
		parts = append(parts, fmt.Sprintf("%02X", b))
	}
	return strings.Join(parts, ":")
}

// faultRun is how a command ended.
type faultRun struct {
	code           int
	stdout, stderr string
	hits           int // calls that met the fault
}

func (r faultRun) text() string { return r.stdout + r.stderr }

// longestFaultRun is far more than any command takes: it catches those that do not end.
const longestFaultRun = 9 * time.Minute

// bounded runs a command that has to end.
func (v *program) bounded(t *testing.T, args ...string) faultRun {
	t.Helper()
	return v.interrupted(t, nil, args...)
}

// interrupted runs a command that has to end, and interrupts it when a channel is closed.
func (v *program) interrupted(t *testing.T, when <-chan struct{}, args ...string) (r faultRun) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), longestFaultRun)
	defer cancel()
	template := v.command(args...)
	cmd := exec.CommandContext(ctx, template.Path, args...)
	cmd.Args, cmd.Env, cmd.WaitDelay = template.Args, template.Env, time.Minute
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		select {
		case <-when:
			_ = cmd.Process.Signal(os.Interrupt)
		case <-ended:
		}
	}()
	_ = cmd.Wait()
	close(ended)
	r = faultRun{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
	require.NoError(t, ctx.Err(), "vperf %s does not end:\n%s", strings.Join(args, " "), r.text())
	return r
}

// crashes are words of a program that broke.
var crashes = []string{"goroutine ", "panic:", "runtime error", "nil pointer", "fatal error", "%!"}

// clean fails if the output shows a crash, or if output or files of the run have the password.
func (v *program) clean(t *testing.T, r faultRun, password string) {
	t.Helper()
	for _, words := range append(crashes, password) {
		require.NotContains(t, r.text(), words)
	}
	require.NoError(t, filepath.WalkDir(v.state, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(filepath.Clean(path))
		require.NotContains(t, string(content), password, path)
		return err
	}))
}
