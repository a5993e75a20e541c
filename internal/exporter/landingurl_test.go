package exporter

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
)

// logBuffer collects log lines of several goroutines.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// lines returns the lines that contain a text.
func (b *logBuffer) lines(part string) (found []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for line := range strings.Lines(b.text.String()) {
		if strings.Contains(line, part) {
			found = append(found, line)
		}
	}
	return found
}

func TestLandingURL(t *testing.T) {
	at := func(ip string, port int) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: port} }
	require.Equal(t, "http://localhost:10048/", landingURL(at("::", 10048), false, ""))
	require.Equal(t, "http://localhost:10048/", landingURL(at("0.0.0.0", 10048), false, ""))
	require.Equal(t, "https://192.0.2.7:443/vperf/", landingURL(at("192.0.2.7", 443), true, "/vperf"))
	require.Equal(t, "http://[2001:db8::1]:10048/", landingURL(at("2001:db8::1", 10048), false, ""))
	require.Empty(t, landingURL(&net.UnixAddr{Name: "/run/vperf.sock", Net: "unix"}, false, ""))
}

// TestStartLogsTheLandingURL opens the URL from the start log.
func TestStartLogsTheLandingURL(t *testing.T) {
	var log logBuffer
	v := listening(t, ServerOptions{Log: slog.New(slog.NewTextHandler(&log, nil))}, named("demo"))
	lines := log.lines("open the landing page in a browser")
	require.Len(t, lines, 1)
	require.Contains(t, lines[0], "url=http://"+v.addr+"/\n")
	code, page, err := fetch(t, aClient(nil), "http://"+v.addr+"/")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, page, "<title>vperf exporter</title>")
}

func TestLandingURLWithTLS(t *testing.T) {
	config := filepath.Join(t.TempDir(), "web.yml")
	s, _ := aServer(t, ServerOptions{}, named("demo"))
	require.False(t, s.servesTLS())
	s.ConfigFile = config
	for text, want := range map[string]bool{
		"tls_server_config: {cert_file: tls.crt, key_file: tls.key}\n": true,
		"rate_limit: {interval: 1s, burst: 3}\n":                       false,
	} {
		require.NoError(t, os.WriteFile(config, []byte(text), 0o600))
		require.Equal(t, want, s.servesTLS(), text)
	}
}

// TestTimedOutProbeLogsOneLine checks that the line names the target and the time limit.
func TestTimedOutProbeLogsOneLine(t *testing.T) {
	var log logBuffer
	hung := named("hung")
	hung.page = func(ctx context.Context, _ []module.Name, _ exposition.Format, _ bool) (*Page, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	s, _ := aServer(t, ServerOptions{Log: slog.New(slog.NewTextHandler(&log, nil))}, hung)
	w := get(s, "/probe?target=hung", "X-Prometheus-Scrape-Timeout-Seconds", "0.02")
	require.Equal(t, http.StatusGatewayTimeout, w.Code)
	lines := log.lines("")
	require.Len(t, lines, 1)
	require.Contains(t, lines[0], `level=WARN msg="probe failed" target=hung code=504 err="the page of target \"hung\" was not ready within 20ms"`)
}
