package exporter

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
)

func TestProbeRefuses(t *testing.T) {
	other := named("other")
	other.page = func(context.Context, []module.Name, exposition.Format, bool) (*Page, error) {
		return nil, fmt.Errorf("making the page: %w", &ModuleError{Target: "other\x1b", Module: module.VSAN, Collected: []module.Name{module.Basic, module.Disk}})
	}
	never := named("demo")
	never.page = func(context.Context, []module.Name, exposition.Format, bool) (*Page, error) {
		t.Error("a refused probe reached its target")
		return nil, errors.New("no")
	}
	s, _ := aServer(t, ServerOptions{}, never, other)
	all := strings.Join(module.Words(module.All), ", ")
	for _, c := range []struct {
		path, header string
		code         int
		says         string
	}{
		{"/probe", "", 400, `the target is missing: use /probe?target=NAME; the targets are "demo", "other"`},
		{"/probe?target=", "", 400, `the target is missing: use /probe?target=NAME; the targets are "demo", "other"`},
		{"/probe?target=demo&target=other", "", 400, "2 targets in one request: request one at a time"},
		{"/probe?target=prod", "", 404, `there is no target "prod" in the configuration, and the exporter contacts no other address; the targets are "demo", "other"`},
		{"/probe?target=%3Cscript%3E%1b%5B1m", "", 404, `there is no target "<script>\x1b[1m" in the configuration, and the exporter contacts no other address; the targets are "demo", "other"`},
		{"/probe?target=DEMO", "", 404, `there is no target "DEMO" in the configuration, and the exporter contacts no other address; the targets are "demo", "other"`},
		{"/probe?target=demo&module=bsic", "", 400, `there is no module "bsic"; the modules are ` + all},
		{"/probe?target=demo&module=basic,nett", "", 400, `there is no module "nett"; the modules are ` + all},
		{"/probe?target=demo&debug=maybe", "", 400, `debug="maybe": write debug=true`},
		{"/probe?target=demo", "soon", 400, `X-Prometheus-Scrape-Timeout-Seconds: "soon" is not a number of seconds`},
		{"/probe?target=demo", "-1", 400, `X-Prometheus-Scrape-Timeout-Seconds: "-1" is not a number of seconds`},
		{"/probe?target=demo", "NaN", 400, `X-Prometheus-Scrape-Timeout-Seconds: "NaN" is not a number of seconds`},
		{"/probe?target=other&module=vsan,tags", "", 400, `target other\x1b does not collect module vsan; add it to the target's modules in the config, which are now basic, disk`},
	} {
		w := get(s, c.path, "X-Prometheus-Scrape-Timeout-Seconds", c.header)
		require.Equal(t, c.code, w.Code, c.path)
		require.Equal(t, c.says+"\n", w.Body.String(), c.path)
		require.Equal(t, "text/plain; charset=utf-8", w.Header().Get("Content-Type"))
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
	}
	s, _ = aServer(t, ServerOptions{})
	require.Contains(t, get(s, "/probe?target=x").Body.String(), "there are no targets yet")
}

func TestATargetIsNamedEvenWhereThereIsOne(t *testing.T) {
	s, _ := aServer(t, ServerOptions{}, named("demo"))
	w := get(s, "/probe")
	require.Equal(t, http.StatusBadRequest, w.Code)
	require.Contains(t, w.Body.String(), `the targets are "demo"`)
}

// asking is a request to a target.
type asking struct {
	modules []module.Name
	format  exposition.Format
	gzip    bool
	within  time.Duration
}

func recording(t *fakeTarget) *asking {
	var got asking
	t.page = func(ctx context.Context, m []module.Name, f exposition.Format, gzip bool) (*Page, error) {
		deadline, _ := ctx.Deadline()
		got = asking{m, f, gzip, time.Until(deadline)}
		return plainPage(), nil
	}
	return &got
}

func TestProbeAsksForModules(t *testing.T) {
	demo := named("demo")
	got := recording(demo)
	s, _ := aServer(t, ServerOptions{}, demo)
	for query, want := range map[string][]module.Name{
		"":                                       nil,
		"&module=":                               nil,
		"&module=,":                              nil,
		"&module=disk":                           {module.Disk},
		"&module=net&module=basic":               {module.Basic, module.Net},
		"&module=net,basic&module=disk,+net":     {module.Basic, module.Disk, module.Net},
		"&module=findings,audit&module=findings": {module.Audit, module.Findings},
	} {
		require.Equal(t, http.StatusOK, get(s, "/probe?target=demo"+query).Code, query)
		require.Equal(t, want, got.modules, query)
	}
}

func TestProbeSpeaksAsItsReaderWishes(t *testing.T) {
	demo := named("demo")
	got := recording(demo)
	s, _ := aServer(t, ServerOptions{}, demo)
	const prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
	for accept, want := range map[string]exposition.Format{
		"":         exposition.Text,
		"*/*":      exposition.Text,
		prometheus: exposition.OpenMetrics,
		"application/openmetrics-text;version=1.0.0":                                                                    exposition.OpenMetrics,
		"application/openmetrics-text;version=0.0.1":                                                                    exposition.Text, // which we do not write
		"text/plain;version=0.0.4;q=0.9,application/openmetrics-text;version=1.0.0;q=0.1":                               exposition.Text,
		"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,text/plain;q=0.001": exposition.Text,
	} {
		get(s, "/probe?target=demo", "Accept", accept)
		require.Equal(t, want, got.format, accept)
	}
	for accept, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "deflate, gzip;q=1.0, *;q=0.5": true, "br": false, "identity": false,
		"gzip;q=0": false, "gzip; q=0.0": false, "*;q=0.1": true, "*": true, "*;q=0": false, "gzip;q=0, *": false, "*, gzip;q=0": false, "gzip;q=x": false, "gzip;q=0.001": true,
	} {
		get(s, "/probe?target=demo", "Accept-Encoding", accept)
		require.Equal(t, want, got.gzip, accept)
	}
}

func TestProbeHonoursTheScrapeTimeout(t *testing.T) {
	demo := named("demo")
	got := recording(demo)
	s, _ := aServer(t, ServerOptions{TimeoutOffset: 500 * time.Millisecond}, demo)
	for header, want := range map[string]time.Duration{
		"": noTimeout, "15": 14500 * time.Millisecond, "0.75": 250 * time.Millisecond,
		"0.4": 200 * time.Millisecond, "0.5": 250 * time.Millisecond, // never nothing
		"3600": maxTimeout, "+Inf": maxTimeout, "1e300": maxTimeout,
	} {
		require.Equal(t, http.StatusOK, get(s, "/probe?target=demo", "X-Prometheus-Scrape-Timeout-Seconds", header).Code, header)
		require.InDelta(t, want.Seconds(), got.within.Seconds(), 0.15, header)
	}
}

func TestProbeSendsThePageAsItIs(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte("vperf_up 1\n"))
	require.NoError(t, z.Close())
	demo := named("demo")
	demo.page = func(_ context.Context, _ []module.Name, _ exposition.Format, gz bool) (*Page, error) {
		if !gz {
			p := plainPage()
			p.Length = -1
			return p, nil
		}
		return &Page{ContentType: "application/openmetrics-text; version=1.0.0; charset=utf-8", Gzip: true, Length: int64(zipped.Len()), Body: bytes.NewReader(zipped.Bytes())}, nil
	}
	s, _ := aServer(t, ServerOptions{}, demo)

	w := get(s, "/probe?target=demo", "Accept-Encoding", "gzip")
	require.Equal(t, zipped.Bytes(), w.Body.Bytes())
	require.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
	require.Equal(t, "Accept, Accept-Encoding", w.Header().Get("Vary"))
	require.Equal(t, strconv.Itoa(zipped.Len()), w.Header().Get("Content-Length"))
	require.Equal(t, "application/openmetrics-text; version=1.0.0; charset=utf-8", w.Header().Get("Content-Type"))

	w = get(s, "/probe?target=demo")
	require.Equal(t, "vperf_up 1\n", w.Body.String())
	require.Empty(t, w.Header().Get("Content-Encoding"))
	require.Empty(t, w.Header().Get("Content-Length"))
	require.Equal(t, "Accept, Accept-Encoding", w.Header().Get("Vary"))
}

func TestAPageThatFailsSaysSo(t *testing.T) {
	broken, empty, panics := named("broken"), named("empty"), named("panics")
	broken.page = func(context.Context, []module.Name, exposition.Format, bool) (*Page, error) {
		return nil, errors.New("no memory\x1b[31m")
	}
	empty.page = func(context.Context, []module.Name, exposition.Format, bool) (*Page, error) { return nil, nil }
	panics.page = func(context.Context, []module.Name, exposition.Format, bool) (*Page, error) { panic("oops") }
	s, _ := aServer(t, ServerOptions{}, broken, empty, panics)
	for target, says := range map[string]string{
		"broken": `rendering the page of target "broken": no memory\x1b[31m`,
		"empty":  `rendering the page of target "empty": there is no page`,
		"panics": `rendering the page of target "panics": cannot render the page; see the log`,
	} {
		w := get(s, "/probe?target="+target)
		require.Equal(t, http.StatusInternalServerError, w.Code)
		require.Equal(t, says+"\n", w.Body.String())
	}
	require.Eventually(t, func() bool { return len(s.slots) == 0 }, 30*time.Second, time.Millisecond, "a slot is given back whatever happens")
}

// TestProbesOfATargetThatHangsAreAnsweredInTime asks as two Prometheus servers and their retries would, once of a target that
// heeds its context and once of one that hangs for good.
func TestProbesOfATargetThatHangsAreAnsweredInTime(t *testing.T) {
	const probes = 50
	for name, heeds := range map[string]bool{"it heeds its context": true, "it hangs for good": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				hung := named("hung")
				hung.page = func(ctx context.Context, _ []module.Name, _ exposition.Format, _ bool) (*Page, error) {
					if heeds {
						<-ctx.Done()
						return nil, fmt.Errorf("waiting for the page: %w", ctx.Err())
					}
					<-release
					return nil, errors.New("too late")
				}
				s, _ := aServer(t, ServerOptions{TimeoutOffset: DefaultTimeoutOffset}, hung)
				s.now = time.Now

				var answered atomic.Int32
				var all sync.WaitGroup
				for range probes {
					all.Go(func() {
						began := time.Now()
						w := get(s, "/probe?target=hung", "X-Prometheus-Scrape-Timeout-Seconds", "2")
						if w.Code == http.StatusGatewayTimeout && time.Since(began) == 1750*time.Millisecond &&
							w.Body.String() == "the page of target \"hung\" was not ready within 1.75s\n" {
							answered.Add(1)
						}
					})
				}
				all.Wait()
				require.EqualValues(t, probes, answered.Load())
				require.Len(t, s.history.last(), probes)
				if !heeds {
					require.Len(t, s.slots, probes, "hanging requests keep their slot")
				}
				close(release)
				synctest.Wait()
				require.Empty(t, s.slots)
			})
		})
	}
}

func TestProbesBeyondTheLimitAreSentAway(t *testing.T) {
	s, _ := aServer(t, ServerOptions{}, named("demo"))
	for range maxProbes {
		s.slots <- struct{}{}
	}
	w := get(s, "/probe?target=demo")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Equal(t, "too many probes at once: try again\n", w.Body.String())
	<-s.slots
	require.Equal(t, http.StatusOK, get(s, "/probe?target=demo").Code)
}

// TestAReaderThatStopsIsCutOff opens a connection and never reads.
func TestAReaderThatStopsIsCutOff(t *testing.T) {
	demo := named("demo")
	demo.page = func(context.Context, []module.Name, exposition.Format, bool) (*Page, error) {
		return &Page{ContentType: "text/plain", Length: -1, Body: endless{}}, nil
	}
	s, _ := aServer(t, ServerOptions{}, demo)
	s.now, s.writeLimit = time.Now, 200*time.Millisecond
	server := httptest.NewServer(s.handler())
	defer server.Close()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	_, err = io.WriteString(c, "GET /probe?target=demo HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(s.history.last()) == 1 }, 30*time.Second, 10*time.Millisecond)
	require.Equal(t, http.StatusOK, get(s, "/-/healthy").Code)
}

// endless is a page without an end.
type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

func TestHistoryKeepsTheLastProbes(t *testing.T) {
	var h history
	require.Empty(t, h.last())
	for i := range maxVisits + 5 {
		h.add(visit{Code: i})
		require.Len(t, h.last(), min(i+1, maxVisits))
		require.Equal(t, i, h.last()[0].Code)
	}
	last := h.last()
	require.Equal(t, 5, last[maxVisits-1].Code)
	require.True(t, slices.IsSortedFunc(last, func(a, b visit) int { return b.Code - a.Code }))
}

func TestProbesAreRemembered(t *testing.T) {
	s, _ := aServer(t, ServerOptions{}, named("demo"))
	now := noon
	s.now = func() time.Time { now = now.Add(time.Second); return now }
	get(s, "/probe?target=demo&module=net,basic")
	get(s, "/probe?target="+strings.Repeat("x", 300))
	got := s.history.last()
	require.Equal(t, visit{
		When: noon.Add(time.Second), Took: 2 * time.Second, Target: "demo", Modules: []string{"basic", "net"},
		Code: 200, Bytes: 11, Who: "192.0.2.1",
	}, got[1])
	require.Equal(t, strings.Repeat("x", 100)+"…", got[0].Target, "untrusted text is shortened")
	require.Equal(t, 404, got[0].Code)
	require.NotZero(t, got[0].Bytes)
}

func TestWhoAsked(t *testing.T) {
	for addr, want := range map[string]string{"192.0.2.1:99": "192.0.2.1", "[2001:db8::1]:99": "2001:db8::1", "@": "@", "": ""} {
		require.Equal(t, want, who(&http.Request{RemoteAddr: addr}))
	}
}

func TestDebugTellsOfTheProbe(t *testing.T) {
	demo := named("demo")
	got := recording(demo)
	record := demo.page
	demo.page = func(ctx context.Context, m []module.Name, f exposition.Format, gz bool) (*Page, error) {
		p, err := record(ctx, m, f, gz)
		p.Body = strings.NewReader("# HELP vperf_up x\nesxi_vm_info{vm=\"a\x1bb\"} 1\n" + strings.Repeat("a 1\n", 50))
		return p, err
	}
	demo.trace = []string{"11:59:48 asked 64 hosts", "11:59:49 host \x1b[31mesx07\nhidden: timeout"}
	demo.status.Trouble = "host esx07: timeout"
	s, _ := aServer(t, ServerOptions{TimeoutOffset: DefaultTimeoutOffset}, demo)
	w := get(s, "/probe?target=demo&module=net&debug=true", "Accept-Encoding", "gzip", "X-Prometheus-Scrape-Timeout-Seconds", "5")
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "text/plain; charset=utf-8", w.Header().Get("Content-Type"))
	require.False(t, got.gzip, "people read it")
	require.Equal(t, `Probe of target "demo" at 2026-05-04T12:00:00Z
modules: net
format:  text
timeout: 4.75s
answered after 0s: 52 lines, 243 bytes before compression
up: true
problem: host esx07: timeout

Activity of the target in the last 10m0s:
11:59:48 asked 64 hosts
11:59:49 host \x1b[31mesx07\nhidden: timeout

The page begins:
# HELP vperf_up x
esxi_vm_info{vm="a\x1bb"} 1
`+strings.Repeat("a 1\n", 38)+"(12 more lines)\n", w.Body.String())
}

func TestDebugOfAProbeThatFails(t *testing.T) {
	demo := named("demo")
	demo.page = func(context.Context, []module.Name, exposition.Format, bool) (*Page, error) {
		return nil, context.DeadlineExceeded
	}
	for i := range 502 {
		demo.trace = append(demo.trace, fmt.Sprint("line ", i))
	}
	s, _ := aServer(t, ServerOptions{}, demo)
	body := get(s, "/probe?target=demo&debug=1").Body.String()
	require.Contains(t, body, "modules: the default modules of the target\n")
	require.Contains(t, body, "failed after 0s with 504 Gateway Timeout: the page of target \"demo\" was not ready within 10s\n")
	require.Contains(t, body, "(2 earlier lines are not shown)\nline 2\n")
	require.NotContains(t, body, "The page begins")
	require.Equal(t, http.StatusNotFound, get(s, "/probe?target=x&debug=true").Code)
}
