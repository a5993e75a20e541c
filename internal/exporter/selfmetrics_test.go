package exporter

import (
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/ledger"
	"github.com/vperf/vperf/internal/push"
)

// ours removes the metrics of Go, of the process and of the library, and those that differ between machines.
func ours(page string) string {
	var out strings.Builder
	for line := range strings.Lines(page) {
		name := strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE ")
		if strings.HasPrefix(name, "vperf_") {
			out.WriteString(line)
		}
	}
	return regexp.MustCompile(`go(version|os|arch)="[^"]*"`).ReplaceAllString(out.String(), `go$1="…"`)
}

func TestMetricsOfTheExporter(t *testing.T) {
	receivers := &recorder{stats: []push.Stats{
		{
			Name: "remote_write", Pushed: 7, Dropped: map[string]uint64{"buffer_full": 2, "refused": 0}, Requests: map[string]uint64{"accepted": 3, "failed": 1},
			Queued: 5, QueuedBytes: 400, LimitBytes: 1 << 20, LastPush: noon,
		},
		{Name: "otlp", LimitBytes: 1 << 20},
	}}
	s, _ := aServer(t, ServerOptions{Version: "1.2.3", Revision: "abc", Push: receivers}, richTarget(), coldTarget())
	s.reloads.last.success = noon
	s.metrics.probed(200, 30*time.Millisecond)
	s.metrics.probed(404, time.Millisecond)
	w := get(s, "/metrics")
	require.Equal(t, http.StatusOK, w.Code)
	golden.Equal(t, "testdata/selfmetrics.txt", []byte(ours(w.Body.String())))
	for _, name := range []string{"go_goroutines", "process_start_time_seconds", "promhttp_metric_handler_errors_total"} {
		require.Contains(t, w.Body.String(), "\n"+name, "on Linux")
	}
	families, err := s.metrics.registry.Gather()
	require.NoError(t, err)
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestMetricsAreNegotiated(t *testing.T) {
	s, _ := aServer(t, ServerOptions{}, named("demo"))
	w := get(s, "/metrics", "Accept", "application/openmetrics-text;version=1.0.0", "Accept-Encoding", "gzip")
	require.Equal(t, "application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=underscores", w.Header().Get("Content-Type"))
	require.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
	z, err := gzip.NewReader(w.Body)
	require.NoError(t, err)
	body, err := io.ReadAll(z)
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(string(body), "\n# EOF\n"))
	require.Contains(t, string(body), "\nvperf_target_up{target=\"demo\"} 1.0\n")
}

func TestATargetThatIsGoneLeavesNothing(t *testing.T) {
	s, f := aServer(t, ServerOptions{}, named("demo"))
	require.Contains(t, get(s, "/metrics").Body.String(), `target="demo"`)
	f.all = nil
	require.NotContains(t, get(s, "/metrics").Body.String(), `target="`)
}

func TestANameThatIsNoTextBreaksNothing(t *testing.T) {
	bad := named("a\xffb")
	bad.status.Ledger = ledger.Stats{}
	s, _ := aServer(t, ServerOptions{}, bad, named("good"))
	w := get(s, "/metrics")
	require.Equal(t, http.StatusOK, w.Code)
	require.Contains(t, w.Body.String(), `vperf_target_up{target="a�b"} 1`)
	require.Contains(t, w.Body.String(), `vperf_target_up{target="good"} 1`)
	require.NotContains(t, w.Body.String(), `vperf_target_sample_timestamp_seconds{target="a�b"}`)
}
