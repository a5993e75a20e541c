package exporter

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/ledger"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/advice"
)

// noon is when the fakes live.
var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// fakeTarget is a target that answers as a test says.
type fakeTarget struct {
	config TargetConfig
	status Status
	groups []Group
	trace  []string
	page   func(ctx context.Context, modules []module.Name, f exposition.Format, gzip bool) (*Page, error)
}

func (f *fakeTarget) Config() TargetConfig         { return f.config }
func (f *fakeTarget) Status() Status               { return f.status }
func (f *fakeTarget) Discover() []Group            { return f.groups }
func (f *fakeTarget) Trace(time.Duration) []string { return f.trace }
func (f *fakeTarget) Page(ctx context.Context, m []module.Name, of exposition.Format, gzip bool) (*Page, error) {
	return f.page(ctx, m, of, gzip)
}

// fakeFleet are some of them.
type fakeFleet struct {
	mu         sync.Mutex
	all        []*fakeTarget
	configured [][]TargetConfig
	refuses    error
}

func (f *fakeFleet) targets() []sampled {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []sampled
	for _, t := range f.all {
		out = append(out, t)
	}
	return out
}

func (f *fakeFleet) target(name string) (sampled, bool) {
	for _, t := range f.targets() {
		if t.Config().Name == name {
			return t, true
		}
	}
	return nil, false
}

func (f *fakeFleet) configure(targets []TargetConfig) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuses != nil {
		return f.refuses
	}
	f.configured = append(f.configured, targets)
	return nil
}

// plainPage is a small page.
func plainPage() *Page {
	const text = "vperf_up 1\n"
	return &Page{ContentType: "text/plain; version=0.0.4; charset=utf-8", Length: int64(len(text)), Body: strings.NewReader(text)}
}

// named is a target that is up and has a small page.
func named(name string) *fakeTarget {
	return &fakeTarget{
		config: TargetConfig{Name: name, Modules: module.Default},
		status: Status{Name: name, Address: name + ".example.com", Up: true, Ledger: ledger.Stats{Newest: noon}},
		page: func(context.Context, []module.Name, exposition.Format, bool) (*Page, error) {
			return plainPage(), nil
		},
	}
}

func aServer(t *testing.T, o ServerOptions, targets ...*fakeTarget) (*server, *fakeFleet) {
	t.Helper()
	f := &fakeFleet{all: targets}
	s, err := newServer(o, f)
	require.NoError(t, err)
	s.now = func() time.Time { return noon }
	return s, f
}

// get asks a server without a network.
func get(s *server, path string, headers ...string) *httptest.ResponseRecorder {
	return request(s, http.MethodGet, path, headers...)
}

func request(s *server, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), method, path, http.NoBody)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, r)
	return w
}

func TestReadyWaitsForTheFirstAnswerOfEachTarget(t *testing.T) {
	slow, down := named("slow"), named("down")
	slow.status = Status{Name: "slow", Trouble: notYet}
	down.status = Status{Name: "down", Trouble: "it does not answer"}
	s, f := aServer(t, ServerOptions{}, slow, down, named("good"))

	w := get(s, "/-/ready")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Equal(t, "vperf is not ready: it is waiting for the first answer of \"slow\".\n", w.Body.String())
	require.Equal(t, http.StatusOK, get(s, "/-/healthy").Code, "it serves nevertheless")

	slow.status.Trouble = ""
	require.Equal(t, http.StatusOK, get(s, "/-/ready").Code)
	f.all = nil
	require.Equal(t, http.StatusOK, get(s, "/-/ready").Code, "whoever configures nothing waits for nothing")
}

func TestOnlyReadingMethods(t *testing.T) {
	s, _ := aServer(t, ServerOptions{}, named("demo"))
	for _, path := range []string{"/", "/probe?target=demo", "/metrics", "/sd/hosts", "/-/healthy", "/-/ready"} {
		require.Equal(t, http.StatusOK, request(s, http.MethodGet, path).Code, path)
		require.Equal(t, http.StatusOK, request(s, http.MethodHead, path).Code, path)
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
			require.Equal(t, http.StatusMethodNotAllowed, request(s, method, path).Code, "%s %s", method, path)
		}
	}
	require.Equal(t, http.StatusNotFound, get(s, "/probes").Code)
	require.Equal(t, http.StatusNotFound, get(s, "/debug/pprof/").Code)
}

func TestEveryAnswerIsGuarded(t *testing.T) {
	s, _ := aServer(t, ServerOptions{}, named("demo"))
	for _, path := range []string{"/", "/probe?target=demo", "/probe?target=x", "/metrics", "/sd/hosts", "/-/ready", "/nowhere"} {
		h := get(s, path).Header()
		require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), path)
		require.Equal(t, "deny", h.Get("X-Frame-Options"), path)
		require.Contains(t, h.Get("Content-Security-Policy"), "default-src 'none'", path)
	}
}

func TestWhatTheWebConfigurationSaysOfHeadersHolds(t *testing.T) {
	w := httptest.NewRecorder()
	w.Header().Set("X-Frame-Options", "sameorigin")
	guarded(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
	require.Equal(t, []string{"sameorigin"}, w.Header().Values("X-Frame-Options"))
}

func TestPathsThatCannotBeServed(t *testing.T) {
	for _, c := range []struct {
		o    ServerOptions
		says string
	}{
		{ServerOptions{TelemetryPath: "metrics"}, `the telemetry path "metrics" is not valid: write a plain path that begins with /`},
		{ServerOptions{TelemetryPath: "/{x}"}, "is not valid"},
		{ServerOptions{TelemetryPath: "/a//b"}, "is not valid"},
		{ServerOptions{TelemetryPath: "/a/../b"}, "is not valid"},
		{ServerOptions{TelemetryPath: "/metrics/"}, "ends in /"},
		{ServerOptions{TelemetryPath: "/probe"}, "/probe is in use"},
		{ServerOptions{RoutePrefix: "vperf"}, `the route prefix "vperf" is not valid`},
	} {
		_, err := newServer(c.o, &fakeFleet{})
		require.ErrorContains(t, err, c.says)
	}
}

func TestPathsMayBeElsewhere(t *testing.T) {
	s, _ := aServer(t, ServerOptions{TelemetryPath: "/own", RoutePrefix: "/vperf/"}, named("demo"))
	require.Equal(t, http.StatusOK, get(s, "/vperf/own").Code)
	require.Equal(t, http.StatusOK, get(s, "/vperf/probe?target=demo").Code)
	require.Equal(t, http.StatusNotFound, get(s, "/vperf/metrics").Code)
	require.Equal(t, http.StatusNotFound, get(s, "/own").Code)
	require.Equal(t, http.StatusMethodNotAllowed, request(s, http.MethodPost, "/vperf/probe").Code)
	for _, path := range []string{"/", "/vperf"} {
		require.Equal(t, "/vperf/", get(s, path).Header().Get("Location"), path)
	}
	require.Contains(t, get(s, "/vperf/").Body.String(), `href="own"`)

	s, _ = aServer(t, ServerOptions{TelemetryPath: "/"}, named("demo"))
	require.Contains(t, get(s, "/").Body.String(), "vperf_build_info")
	require.Equal(t, http.StatusNotFound, get(s, "/metrics").Code)
}

func TestNamesAreQuotedAndCut(t *testing.T) {
	require.Equal(t, `"a", "b\x1b"`, quoted([]string{"a", "b\x1b"}))
	many := make([]string, 52)
	require.True(t, strings.HasSuffix(quoted(many), `"" and 2 more`), quoted(many))
	require.Equal(t, strings.Repeat("é", 100)+"…", shortened(strings.Repeat("é", 101)))
	require.Equal(t, strings.Repeat("é", 100), shortened(strings.Repeat("é", 100)))
}

// TestAnExporterCanBeServed holds the server's wishes against what there is: an unknown target is no target.
func TestAnExporterCanBeServed(t *testing.T) {
	f := exported{New(Options{})}
	_, found := f.target("nobody")
	require.False(t, found)
	require.Empty(t, f.targets())
}

// richTarget returns a target with data of every kind.
func richTarget() *fakeTarget {
	f := named("prod")
	f.config.Modules = []module.Name{module.Basic, module.Disk, module.Audit}
	f.status = Status{
		Name: "prod", Address: "vcenter01.example.com", Up: true, Rounds: 120,
		Trouble: "host esx07: connection refused",
		Ledger: ledger.Stats{
			Hosts: ledger.Coverage{Expected: 64, Collected: 63}, VMs: ledger.Coverage{Expected: 8000, Collected: 7871},
			Newest: noon.Add(-12 * time.Second), Series: 250_000, Over: 1200, Samples: 967_680,
			Missed: map[string]uint64{"timeout": 129, "host_down": 3, "other": 0},
		},
		Collectors: []CollectorStatus{
			{Name: "inventory", Ran: noon.Add(-12 * time.Second), Took: 80 * time.Millisecond, Success: true, Expected: 8064, Collected: 8064},
			{Name: "performance", Ran: noon.Add(-12 * time.Second), Took: 1240 * time.Millisecond, Err: "host esx07: connection refused", Expected: 8064, Collected: 7934},
			{Name: "vsan"},
		},
		Costs: map[string]session.Cost{
			"QueryPerf":        {Calls: 3840, Failures: 2, Sent: 96 << 20, Received: 2 << 30, Took: 96 * time.Second},
			"WaitForUpdatesEx": {Calls: 120, Sent: 60 << 10, Received: 1 << 20, Took: 1500 * time.Millisecond},
		},
		Logins: 2,
		Findings: []FindingCount{
			{Rule: "power-policy", Title: "The power policy is not High Performance", Severity: advice.High, Outcome: advice.Fail, Count: 12},
			{Rule: "numa-io", Title: "NUMA-aware network I/O is off", Severity: advice.Medium, Outcome: advice.Fail, Count: 1234},
			{Rule: "numa-io", Title: "NUMA-aware network I/O is off", Severity: advice.Medium, Outcome: advice.Waived, Count: 4},
		},
		Judged:   noon.Add(-3 * time.Minute),
		Outcomes: map[advice.Outcome]int{advice.Fail: 1246, advice.Pass: 40_000, advice.Waived: 4},
	}
	return f
}

// coldTarget has not been asked, evilTarget is named by somebody who means ill.
func coldTarget() *fakeTarget {
	f := named("lab")
	f.status = Status{Name: "lab", Address: "vcenter02.example.com", Trouble: notYet}
	f.config.Modules = nil
	return f
}

const evilName = "<script>alert(1)</script>\"'&\u202e\x1b[31m/../?x=y#z"

func evilTarget() *fakeTarget {
	f := named(evilName)
	f.status.Up = false
	f.status.Address = "<b>vcenter"
	f.status.Trouble = "host <img src=x onerror=alert(1)>: " + errors.New("refused").Error()
	f.status.Ledger.Newest = noon.Add(time.Hour)
	f.status.Collectors = []CollectorStatus{{Name: "<i>", Ran: noon, Err: "<script>alert(2)</script>"}}
	f.status.Findings = []FindingCount{{Rule: "own-<rule>", Title: "<script>alert(3)</script>", Severity: advice.Low, Outcome: advice.Fail, Count: 1}}
	return f
}
