package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exporting is `vperf exporter` as it runs.
type exporting struct {
	cmd *exec.Cmd
	url string

	mu  sync.Mutex
	log bytes.Buffer // since it listens
}

// Write implements io.Writer for the log.
func (e *exporting) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.log.Write(p)
}

func (e *exporting) logged() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.log.String()
}

// startExporter runs the program under its own name, so that it finds itself when it starts the demo fleet.
func startExporter(t *testing.T, env []string, args ...string) *exporting {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	vperf := filepath.Join(t.TempDir(), "vperf")
	require.NoError(t, os.Link(self, vperf))
	cmd := exec.Command(vperf, append([]string{"exporter", "--web.listen-address", "127.0.0.1:0"}, args...)...) //nolint:noctx // it is ended by a signal
	cmd.Env = append(os.Environ(), append(env, "GORACE=atexit_sleep_ms=0")...)
	log, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	e := &exporting{cmd: cmd}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		t.Log(lines.Text())
		if _, at, ok := strings.Cut(lines.Text(), `msg="Listening on" address=`); ok {
			e.url = "http://" + at
			go func() { _, _ = io.Copy(e, log) }()
			return e
		}
	}
	require.Fail(t, "nobody listens")
	return nil
}

// end ends it as a service manager does.
func (e *exporting) end(t *testing.T) {
	t.Helper()
	require.NoError(t, e.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, e.cmd.Wait(), "it was told to end, and that is no failure")
}

func (e *exporting) get(t require.TestingT, path string) (int, string) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, e.url+path, nil)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(text)
}

// holds does not show the page: it is too long.
func holds(t require.TestingT, page, want string) {
	if !strings.Contains(page, want) {
		require.Fail(t, "the page does not have it", "%q", want)
	}
}

// TestExporterDemo checks the behaviour that README documents, from the first scrape to the end.
func TestExporterDemo(t *testing.T) {
	dir := t.TempDir()
	e := startExporter(t, []string{"HOME=" + dir, "XDG_CONFIG_HOME=" + dir}, "--demo")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		code, page := e.get(c, "/probe?target=demo")
		require.Equal(c, http.StatusOK, code)
		for _, name := range []string{"esxi_vm_cpu_ready_seconds_total{", "esxi_host_", "vperf_rule_findings{", "vperf_up 1", "esxi_vm_snapshots{", "esxi_datastore_free_bytes{"} {
			holds(c, page, "\n"+name)
		}
	}, time.Minute, 100*time.Millisecond)

	code, body := e.get(t, "/probe?target=vcenter.example.com")
	require.Equal(t, http.StatusNotFound, code)
	require.Contains(t, body, "demo")

	code, body = e.get(t, "/sd/hosts")
	require.Equal(t, http.StatusOK, code)
	var groups []struct {
		Targets []string
		Labels  map[string]string
	}
	require.NoError(t, json.Unmarshal([]byte(body), &groups))
	require.Len(t, groups, 16)
	require.NotEmpty(t, groups[0].Labels["__meta_vsphere_moid"])

	code, body = e.get(t, "/metrics")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, `vperf_api_calls_total{method="QueryPerf",target="demo"}`)

	e.end(t)
}

// TestExporterReload: a config with a mistake keeps the targets, SIGHUP asks for it too and does not end the process.
func TestExporterReload(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	const contexts = "contexts:\n- {name: one, url: 127.0.0.1:1, username: u}\n- {name: two, url: 127.0.0.1:1, username: u}\n"
	write(contexts + "exporter: {targets: [{context: one}]}\n")
	e := startExporter(t, []string{"HOME=" + dir, "VPERF_CONFIG=" + path, "VPERF_PASSWORD=pass-word"})
	code, _ := e.get(t, "/probe?target=two")
	require.Equal(t, http.StatusNotFound, code)
	code, page := e.get(t, "/probe?target=one")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, page, "vperf_up 0")

	successful := func(want string) {
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			_, body := e.get(c, "/metrics")
			holds(c, body, "\nvperf_config_last_reload_successful "+want)
			require.NotContains(c, body, "pass-word")
		}, 30*time.Second, 20*time.Millisecond)
	}
	write(contexts + "exporter: {targets: [{context: three}]}\n")
	require.NoError(t, e.cmd.Process.Signal(syscall.SIGHUP))
	successful("0")
	code, _ = e.get(t, "/probe?target=one")
	require.Equal(t, http.StatusOK, code)

	write(contexts + "exporter: {targets: [{context: two, modules: [basic]}]}\n")
	require.NoError(t, e.cmd.Process.Signal(syscall.SIGHUP))
	successful("1")
	code, _ = e.get(t, "/probe?target=one")
	require.Equal(t, http.StatusNotFound, code)
	code, _ = e.get(t, "/probe?target=two")
	require.Equal(t, http.StatusOK, code)
	e.end(t)
}

func TestMemoryIsKeptSmallUnlessGOGCSaysOtherwise(t *testing.T) {
	was := debug.SetGCPercent(100)
	defer debug.SetGCPercent(was)
	t.Setenv("GOGC", "100")
	collectAt(40)
	require.Equal(t, 100, debug.SetGCPercent(100))
	t.Setenv("GOGC", "")
	collectAt(40)
	require.Equal(t, 40, debug.SetGCPercent(100))
}
