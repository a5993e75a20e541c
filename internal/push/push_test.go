package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/proof"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func mustURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	require.NoError(t, err)
	return u
}

var demo = Source{Job: "vperf", Instance: "demo", Began: noon}

// page writes a counter of some VMs with its own time, and a gauge without one.
func page(vms int, at time.Time) func(*exposition.Writer) {
	return func(w *exposition.Writer) {
		w.Family(exposition.Family{Name: "vperf_up", Help: "Up."})
		w.Sample("", 1)
		w.Family(exposition.Family{Name: "esxi_vm_ready_seconds_total", Help: "Ready.", Kind: exposition.Counter})
		for i := range vms {
			w.SampleAt(exposition.NewLabels("vm", fmt.Sprintf("vm \"%d\"", i), "moid", fmt.Sprint("vm-", i)), at.Sub(noon).Seconds()*float64(i), at)
		}
	}
}

// running runs a pusher in a bubble until stop is called.
func running(p *Pusher) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { p.Run(ctx); close(ended) }()
	return func() { cancel(); <-ended }
}

// TestReceiversGetTheSeries checks names, labels, times, kinds, start times and ends, by each protocol.
func TestReceiversGetTheSeries(t *testing.T) {
	at := noon.Add(20 * time.Second)
	vm := `,instance="demo",job="vperf",moid="vm-0",site="x",vm="vm \"0\""`
	up := `vperf_up,instance="demo",job="vperf",site="x"`
	for name, start := range map[string]int64{"remote write 2.0": noon.UnixMilli(), "remote write 1.0": 0, "otlp": noon.UnixMilli()} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore(t)
				p, d := pusherTo(t, protocols(t, s, pair{"site", "x"})[name], 1<<20)
				defer running(p)()
				p.Push(demo, at.Add(7*time.Second), page(1, at))
				synctest.Wait()
				require.Equal(t, []point{{at: at.UnixMilli(), value: 0, start: start}}, s.series["esxi_vm_ready_seconds_total"+vm])
				require.Equal(t, []point{{at: at.Add(7 * time.Second).UnixMilli(), value: 1}}, s.series[up])
				require.Len(t, s.series, 2)

				p.Push(demo, at.Add(27*time.Second), page(1, at))
				synctest.Wait()
				require.Len(t, s.series["esxi_vm_ready_seconds_total"+vm], 1, "there is no new sample")
				require.Len(t, s.series[up], 2)

				p.Push(demo, at.Add(47*time.Second), page(0, at))
				synctest.Wait()
				list := s.series["esxi_vm_ready_seconds_total"+vm]
				require.Len(t, list, 2)
				require.True(t, list[1].ended)
				require.Equal(t, at.Add(47*time.Second).UnixMilli(), list[1].at)

				p.Forget(demo, at.Add(time.Minute))
				synctest.Wait()
				require.True(t, s.series[up][3].ended)
				require.Empty(t, p.books)
				require.Equal(t, uint64(6), d.statistics().Pushed)
			})
		})
	}
}

func TestKinds(t *testing.T) {
	for name, want := range map[string][2]string{
		"remote write 2.0": {"METRIC_TYPE_GAUGE Up.", "METRIC_TYPE_COUNTER Ready."}, "otlp": {"Gauge Up.", "Sum Ready."},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStore(t)
			p, _ := pusherTo(t, protocols(t, s)[name], 1<<20)
			defer running(p)()
			p.Push(demo, noon, page(1, noon))
			synctest.Wait()
			require.Equal(t, want, [2]string{s.types["vperf_up"], s.types["esxi_vm_ready_seconds_total"]})
		})
	}
}

// TestLibrarysMetrics: histograms and summaries come as series for Prometheus, and as they are by OTLP.
func TestLibrarysMetrics(t *testing.T) {
	r := prometheus.NewRegistry()
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "took_seconds", Help: "h", Buckets: []float64{.5, 1}}, []string{"x"})
	q := prometheus.NewSummary(prometheus.SummaryOpts{Name: "pause_seconds", Help: "q", Objectives: map[float64]float64{.5: .1}})
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: "calls_total", Help: "c"})
	r.MustRegister(h, q, c)
	h.WithLabelValues("a").Observe(.25)
	h.WithLabelValues("a").Observe(2)
	q.Observe(3)
	c.Add(4)
	own := Source{Job: "vperf-exporter", Instance: "here", Began: noon}
	const labels = `,instance="here",job="vperf-exporter"`
	for name, want := range map[string]map[string]float64{
		"remote write 2.0": {
			`took_seconds_bucket` + labels + `,le="0.5",x="a"`: 1, `took_seconds_bucket` + labels + `,le="1",x="a"`: 1,
			`took_seconds_bucket` + labels + `,le="+Inf",x="a"`: 2, `took_seconds_sum` + labels + `,x="a"`: 2.25, `took_seconds_count` + labels + `,x="a"`: 2,
			`pause_seconds` + labels + `,quantile="0.5"`: 3, `pause_seconds_sum` + labels: 3, `pause_seconds_count` + labels: 1, `calls_total` + labels: 4,
		},
		"otlp": {
			`took_seconds` + labels + `,x="a"[0.5 1] [1 0 1] 2.25`: 2, `pause_seconds` + labels + `[quantile:0.5 value:3] 3`: 1, `calls_total` + labels: 4,
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStore(t)
			p, d := pusherTo(t, protocols(t, s)[name], 1<<20)
			defer running(p)()
			families, err := r.Gather()
			require.NoError(t, err)
			p.PushFamilies(own, noon.Add(time.Second), families)
			synctest.Wait()
			got := map[string]float64{}
			for series, list := range s.series {
				require.Len(t, list, 1)
				require.Equal(t, noon.Add(time.Second).UnixMilli(), list[0].at)
				require.Equal(t, noon.UnixMilli(), list[0].start, series)
				got[strings.ReplaceAll(series, "  ", " ")] = list[0].value // protobuf's texts have a random space
			}
			require.Equal(t, want, got)
			require.Equal(t, uint64(len(want)), d.statistics().Pushed)
		})
	}
}

// down answers until a time as a receiver does that is not there, in different ways.
func down(until time.Time) func(http.ResponseWriter, *http.Request) bool {
	var n int
	return func(w http.ResponseWriter, _ *http.Request) bool {
		if !time.Now().Before(until) {
			return false
		}
		n++
		w.WriteHeader([]int{http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusBadGateway}[n%3])
		return true
	}
}

// TestReceiverThatIsDownForTenMinutes loses nothing, and gets nothing twice.
func TestReceiverThatIsDownForTenMinutes(t *testing.T) {
	for _, name := range []string{"remote write 2.0", "remote write 1.0", "otlp"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore(t)
				began := time.Now()
				s.answer = down(began.Add(11 * time.Minute))
				p, d := pusherTo(t, protocols(t, s)[name], 10<<20)
				defer running(p)()
				const rounds, vms = 40, 50
				for range rounds {
					p.Push(demo, time.Now(), page(vms, time.Now()))
					time.Sleep(20 * time.Second)
					synctest.Wait()
				}
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				st := d.statistics()
				require.Equal(t, uint64(rounds*(vms+1)), st.Pushed)
				require.Equal(t, rounds*(vms+1), s.samples())
				for series, list := range s.series {
					require.Len(t, list, rounds, series)
				}
				require.Zero(t, st.Queued)
				require.Zero(t, st.QueuedBytes)
				for reason, n := range st.Dropped {
					require.Zero(t, n, reason)
				}
				require.Equal(t, uint64(rounds), st.Requests["accepted"])
				require.Greater(t, st.Requests["failed"], uint64(8))
				require.Less(t, st.Requests["failed"], uint64(30), "it is not asked again and again")
			})
		})
	}
}

// TestAnswersThatAreLost: a request that the receiver took without our knowing is sent again, and nothing is doubled.
func TestAnswersThatAreLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		var n int
		s.after = func() error {
			if n++; n%2 == 1 {
				return errors.New("connection reset")
			}
			return nil
		}
		p, d := pusherTo(t, protocols(t, s)["remote write 2.0"], 10<<20)
		defer running(p)()
		for range 10 {
			p.Push(demo, time.Now(), page(7, time.Now()))
			time.Sleep(20 * time.Second)
			synctest.Wait()
		}
		require.Equal(t, 80, s.samples())
		require.Equal(t, uint64(10), d.statistics().Requests["failed"])
	})
}

// TestFullBuffer: the oldest samples are dropped, each drop is counted, and the limit holds.
func TestFullBuffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		s.answer = down(time.Now().Add(time.Hour))
		const limit = 64 << 10
		p, d := pusherTo(t, protocols(t, s)["remote write 2.0"], limit)
		defer running(p)()
		const rounds, vms = 100, 200
		for range rounds {
			p.Push(demo, time.Now(), page(vms, time.Now()))
			require.LessOrEqual(t, d.statistics().QueuedBytes, int64(limit))
			time.Sleep(20 * time.Second)
			synctest.Wait()
		}
		st := d.statistics()
		require.NotZero(t, st.Dropped[reasonFull])
		require.Equal(t, uint64(rounds*(vms+1)), st.Dropped[reasonFull]+uint64(st.Queued), "every sample is in one of them")
		time.Sleep(time.Hour)
		synctest.Wait()
		st = d.statistics()
		require.Equal(t, uint64(rounds*(vms+1)), st.Dropped[reasonFull]+st.Pushed)
		require.Equal(t, int(st.Pushed), s.samples())
		newest := s.series[`vperf_up,instance="demo",job="vperf"`]
		require.Equal(t, rounds-1, int(newest[len(newest)-1].at-newest[0].at)/20_000, "the request that was being sent is kept")
		require.Equal(t, int64(20_000), newest[len(newest)-1].at-newest[len(newest)-2].at, "the newest ones are kept")
	})
}

// TestLargePages: they are sent in several requests, in their order.
func TestLargePages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		p, d := pusherTo(t, protocols(t, s)["remote write 2.0"], 10<<20)
		defer running(p)()
		for range 2 {
			p.Push(demo, time.Now(), page(2*batchSize, time.Now()))
			time.Sleep(20 * time.Second)
			synctest.Wait()
		}
		require.Equal(t, uint64(6), d.statistics().Requests["accepted"])
		require.Equal(t, 2*(2*batchSize+1), s.samples())
	})
}

func TestRequestThatIsLargerThanTheBuffer(t *testing.T) {
	q := newQueue(100)
	require.Equal(t, 7, q.add(request{make([]byte, 101), 7}))
	require.Zero(t, q.add(request{make([]byte, 10), 1}))
	require.Equal(t, 1, q.add(request{make([]byte, 11), 2}))
	require.Equal(t, 2, q.clear())
}

// TestRefusedRequestIsNotRepeated, and what the receiver says of a part of it counts.
func TestRefusedRequestIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		s.answer = func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("X-Prometheus-Remote-Write-Samples-Written", "3")
			http.Error(w, "out of bounds", http.StatusBadRequest)
			return true
		}
		p, d := pusherTo(t, protocols(t, s)["remote write 2.0"], 1<<20)
		defer running(p)()
		p.Push(demo, noon, page(9, noon))
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Len(t, s.requests, 1)
		st := d.statistics()
		require.Equal(t, [3]uint64{3, 7, 1}, [3]uint64{st.Pushed, st.Dropped[reasonRefused], st.Requests["refused"]})
		s.answer = nil
		p.Push(demo, noon.Add(time.Minute), page(9, noon.Add(time.Minute)))
		synctest.Wait()
		require.Equal(t, 10, s.samples(), "the next one is sent")
	})
}

// finalCodes are the answers that are about the samples of a request.
var finalCodes = map[int]bool{400: true, 409: true, 413: true, 422: true}

// TestProveAnswers: whatever a receiver answers instead of accepting, an outage of 45 seconds costs samples only if the answer is
// about the samples; each drop is logged once, with its reason and, when it is over, with the total. After some minutes a receiver
// that says no is believed.
func TestProveAnswers(t *testing.T) {
	codes := []int{300, 301, 302, 304, 307, 308, 400, 401, 403, 404, 405, 408, 409, 410, 413, 415, 421, 422, 429, 451, 500, 502, 503, 504, 599}
	if proof.Everything(t) {
		codes = codes[:0]
		for code := 300; code < 600; code++ {
			codes = append(codes, code)
		}
	}
	for name := range protocols(t, newStore(t)) {
		for _, code := range codes {
			synctest.Test(t, func(t *testing.T) { outageOf(t, name, code) })
		}
	}
}

// outageOf pushes a page every 20 seconds; the receiver answers with a code for 45 seconds, and later for longer than it is doubted.
func outageOf(t *testing.T, name string, code int) {
	var log bytes.Buffer
	s := newStore(t)
	var saysNo atomic.Bool
	s.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		if saysNo.Load() {
			w.Header().Set("Location", "http://elsewhere/")
			w.WriteHeader(code)
		}
		return saysNo.Load()
	}
	d := newDestination("it", protocols(t, s)[name], 10<<20, slog.New(slog.NewTextHandler(&log, nil)))
	p := &Pusher{destinations: []*destination{d}, books: map[sourceKey]*book{}}
	stop := running(p)
	pushed := 0
	push := func(long time.Duration) {
		for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(20 * time.Second) {
			p.Push(demo, time.Now(), page(9, time.Now()))
			pushed += 10
			synctest.Wait()
		}
	}
	push(time.Minute)
	saysNo.Store(true)
	push(40 * time.Second)
	time.Sleep(5 * time.Second)
	saysNo.Store(false)
	push(2 * time.Minute)
	lost := 0
	if finalCodes[code] {
		lost = 20
	}
	require.Equal(t, lost, int(d.statistics().Dropped[reasonRefused]), "%s, %d: %s", name, code, log.String()) //nolint:gosec // it is small
	require.Equal(t, pushed-lost, s.samples(), "%s, %d", name, code)
	require.Equal(t, lost/20, strings.Count(log.String(), "samples are dropped"), log.String())
	require.Equal(t, lost/20, strings.Count(log.String(), "in total\" destination=it reason=refused samples=20"), log.String())

	saysNo.Store(true)
	push(doubtLimit + 5*time.Minute)
	saysNo.Store(false)
	push(5 * time.Minute)
	stop()
	st := d.statistics()
	if temporary := code == http.StatusTooManyRequests || code >= 500; temporary {
		require.Zero(t, st.Dropped[reasonRefused], code)
	} else {
		require.Greater(t, int(st.Dropped[reasonRefused]), 250, code) //nolint:gosec // it is small
		require.Equal(t, lost/20+1, strings.Count(log.String(), "samples are dropped"), log.String())
		require.Equal(t, lost/20+1, strings.Count(log.String(), "in total"), log.String())
	}
	require.Equal(t, pushed, int(st.Dropped[reasonRefused])+s.samples(), "every sample is counted") //nolint:gosec // it is small
}

// TestOTLPPartialSuccess: what an accepted request refuses is counted.
func TestOTLPPartialSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		s.answer = func(w http.ResponseWriter, _ *http.Request) bool {
			_, _ = w.Write([]byte{0x0a, 0x02, 0x08, 0x04}) // partial_success{rejected_data_points: 4}
			return true
		}
		p, d := pusherTo(t, protocols(t, s)["otlp"], 1<<20)
		defer running(p)()
		p.Push(demo, noon, page(9, noon))
		synctest.Wait()
		st := d.statistics()
		require.Equal(t, [2]uint64{6, 4}, [2]uint64{st.Pushed, st.Dropped[reasonRefused]})
	})
}

func TestRetryAfter(t *testing.T) {
	for name, tc := range map[string]struct {
		header      string
		least, most time.Duration
	}{
		"seconds": {"45", 45 * time.Second, 46 * time.Second},
		"date":    {time.Date(2000, 1, 1, 0, 3, 0, 0, time.UTC).Format(http.TimeFormat), 3 * time.Minute, 3*time.Minute + time.Second},
		"ages":    {"100000000", time.Minute, longestAfter + time.Second},
		"past":    {time.Date(1999, 1, 1, 0, 3, 0, 0, time.UTC).Format(http.TimeFormat), time.Second, 2 * time.Second},
		"nothing": {"soon", time.Second, 2 * time.Second},
	} {
		for _, protocol := range []string{"remote write 2.0", "otlp"} {
			t.Run(name+" "+protocol, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { // its clock begins in 2000
					s := newStore(t)
					var times []time.Time
					s.answer = func(w http.ResponseWriter, _ *http.Request) bool {
						if times = append(times, time.Now()); len(times) > 1 {
							return false
						}
						w.Header().Set("Retry-After", tc.header)
						w.WriteHeader(http.StatusTooManyRequests)
						return true
					}
					p, _ := pusherTo(t, protocols(t, s)[protocol], 1<<20)
					defer running(p)()
					p.Push(demo, time.Now(), page(1, time.Now()))
					time.Sleep(time.Hour)
					synctest.Wait()
					require.Len(t, times, 2)
					require.GreaterOrEqual(t, times[1].Sub(times[0]), tc.least)
					require.LessOrEqual(t, times[1].Sub(times[0]), tc.most)
				})
			})
		}
	}
}

// TestReceiverOfRemoteWrite1: by status 415, or by accepting a message that it does not know.
func TestReceiverOfRemoteWrite1(t *testing.T) {
	for _, code := range []int{http.StatusUnsupportedMediaType, http.StatusNoContent, http.StatusOK} {
		synctest.Test(t, func(t *testing.T) {
			s := newStore(t)
			var twos int
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				two := strings.Contains(r.Header.Get("Content-Type"), "v2")
				if two {
					twos++
					w.WriteHeader(code)
				}
				return two
			}
			p, d := pusherTo(t, protocols(t, s)["remote write 2.0"], 1<<20)
			defer running(p)()
			for range 3 {
				p.Push(demo, time.Now(), page(3, time.Now()))
				time.Sleep(20 * time.Second)
				synctest.Wait()
			}
			require.Equal(t, 12, s.samples())
			require.Equal(t, 1, twos, "it is asked once")
			require.Equal(t, uint64(12), d.statistics().Pushed)
		})
	}
}

// TestEnd: what is queued is sent at the end, and what cannot be sent is counted.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		until := time.Now().Add(time.Minute)
		s.answer = down(until)
		p, _ := pusherTo(t, protocols(t, s)["otlp"], 1<<20)
		stop := running(p)
		p.Push(demo, noon, page(3, noon))
		p.Push(demo, noon.Add(time.Minute), page(3, noon.Add(time.Minute)))
		time.Sleep(time.Second / 2)
		synctest.Wait()
		s.answer = nil
		stop()
		require.Equal(t, 8, s.samples(), "it does not wait for the end of a pause")

		p, d := pusherTo(t, protocols(t, s)["otlp"], 1<<20)
		s.answer = down(time.Now().Add(time.Hour))
		stop = running(p)
		p.Push(demo, noon, page(3, noon))
		time.Sleep(time.Minute)
		synctest.Wait()
		stop()
		require.Equal(t, uint64(4), d.statistics().Dropped[reasonShutdown])
	})
}

// TestLogs: a failure is reported once, with neither the query of the URL nor long texts, and so is its end.
func TestLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := newStore(t)
		var works atomic.Bool
		s.after = func() error {
			if !works.Load() {
				return &url.Error{Op: "Post", URL: "http://it/?token=secret", Err: errors.New("connection refused\x1b[31m" + strings.Repeat("x", 1000))}
			}
			return nil
		}
		d := newDestination("otlp", protocols(t, s)["otlp"], 1<<20, slog.New(slog.NewTextHandler(&log, nil)))
		p := &Pusher{destinations: []*destination{d}, books: map[sourceKey]*book{}}
		stop := running(p)
		p.Push(demo, noon, page(1, noon))
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		works.Store(true)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		stop()
		require.Equal(t, 2, strings.Count(log.String(), "\n"), log.String())
		require.Contains(t, log.String(), `level=WARN msg="pushing fails"`)
		require.Contains(t, log.String(), `msg="pushing works again" destination=otlp`)
		require.NotContains(t, log.String(), "secret")
		require.NotContains(t, log.String(), "\x1b")
		require.Less(t, log.Len(), 1000)
	})
}

// TestBook: late samples are counted, sums that begin anew have no start, and series can come back.
func TestBook(t *testing.T) {
	b := newBook()
	counter := exposition.Family{Name: "a_total", Kind: exposition.Counter}
	turn := func(now int, at int, v float64) (got []sample, late int) {
		late = b.page(noon, noon.Add(time.Duration(now)*time.Second), func(w *exposition.Writer) {
			if at < 0 {
				return
			}
			w.Family(counter)
			w.SampleAt("", v, noon.Add(time.Duration(at)*time.Second))
			w.SampleAt("", v+100, noon.Add(time.Duration(at+1)*time.Second)) // it is there twice
		}, func(s sample) { got = append(got, s) })
		return got, late
	}
	check := func(now, at int, v float64, start, ended bool) {
		t.Helper()
		got, late := turn(now, at, v)
		require.Zero(t, late)
		require.Len(t, got, 1)
		require.Equal(t, [2]bool{start, ended}, [2]bool{got[0].start != 0, got[0].ended})
	}
	check(20, 20, 1, true, false)
	got, late := turn(40, 20, 1)
	require.Empty(t, got)
	require.Zero(t, late)
	got, late = turn(45, 10, 1)
	require.Empty(t, got)
	require.Equal(t, 1, late)
	check(60, 40, 5, true, false)
	check(100, -1, 0, false, true)
	got, late = turn(110, 90, 6) // from before its end
	require.Empty(t, got)
	require.Equal(t, 1, late)
	check(120, 110, 7, true, false)
	check(140, 130, 1, false, false)
	check(150, 140, 2, false, false)
	check(200, -1, 0, false, true)
	got, _ = turn(200+3599, -1, 0)
	require.Empty(t, got)
	require.Len(t, b.families["a_total"].series, 1)
	_, _ = turn(200+3601, -1, 0)
	require.Empty(t, b.families["a_total"].series)
	check(4000, 4000, 9, false, false)
}

// TestStartIsNotAfterTheSample: with clocks that disagree, no start is better than a wrong one.
func TestStartIsNotAfterTheSample(t *testing.T) {
	b := newBook()
	var got []sample
	b.page(noon, noon, page(1, noon.Add(-time.Minute)), func(s sample) { got = append(got, s) })
	require.Zero(t, got[1].start)
	got = nil
	newBook().page(time.Time{}, noon, page(1, noon), func(s sample) { got = append(got, s) })
	require.Zero(t, got[1].start)
}

func TestStaleNaN(t *testing.T) {
	require.True(t, math.IsNaN(staleNaN))
	require.Equal(t, uint64(0x7ff0000000000002), math.Float64bits(staleNaN))
}

// TestAnswerThatBreaksOff is a failure, which is repeated, and not an answer.
func TestAnswerThatBreaksOff(t *testing.T) {
	broken := roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 204, Header: http.Header{}, Body: io.NopCloser(io.MultiReader(strings.NewReader("x"), brokenReader{}))}, nil
	})
	c := &http.Client{Transport: &transport{broken}}
	write, err := newRemoteWrite(mustURL(t, "http://it/"), c, nil, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	r, err := write.encode(demo, []sample{{family: &exposition.Family{Name: "x"}}})
	require.NoError(t, err)
	require.Equal(t, failed, write.send(t.Context(), r.body).verdict)
	require.Equal(t, failed, newOTLP(mustURL(t, "http://it/"), c, nil, "").send(t.Context(), nil).verdict)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

// TestRequestThatIsBeingSentIsNotDropped: otherwise done would remove another one.
func TestRequestThatIsBeingSentIsNotDropped(t *testing.T) {
	q := newQueue(3 * (requestCost + 1))
	for i := range 3 {
		require.Zero(t, q.add(request{make([]byte, 1), 10 + i}))
	}
	r, found := q.head()
	require.True(t, found)
	require.Equal(t, 10, r.samples)
	require.Equal(t, 11, q.add(request{make([]byte, 1), 13}))
	again, _ := q.head()
	require.Equal(t, 10, again.samples)
	q.done()
	require.Equal(t, 12+13, q.clear())
}
