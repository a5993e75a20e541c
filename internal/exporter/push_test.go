package exporter

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/push"
)

// pushed is a page that was pushed.
type pushed struct {
	push.Source

	at, now  time.Time // when, by our clock and by the source's
	text     string    // the page without time stamps
	dated    map[string]time.Time
	families int // of the library
	forgot   bool
}

// recorder is a Pusher that keeps what it gets.
type recorder struct {
	mu    sync.Mutex
	pages []pushed
	stats []push.Stats
}

func (r *recorder) add(p pushed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.at = time.Now()
	r.pages = append(r.pages, p)
}

func (r *recorder) Push(s push.Source, now time.Time, write func(*exposition.Writer)) {
	var text bytes.Buffer
	dated := map[string]time.Time{}
	w := exposition.NewWriter(&text, exposition.Text)
	last := ""
	write(exposition.NewCollector(func(f exposition.Family, l exposition.Labels, v float64, at time.Time) {
		if f.Name != last {
			w.Family(f)
			last = f.Name
		}
		w.Sample(l, v)
		if !at.IsZero() {
			dated[f.Name+string(l)] = at
		}
	}))
	_ = w.Close() // tests compare the text
	r.add(pushed{Source: s, now: now, text: text.String(), dated: dated})
}

func (r *recorder) PushFamilies(s push.Source, now time.Time, families []*dto.MetricFamily) {
	r.add(pushed{Source: s, now: now, families: len(families)})
}

func (r *recorder) Forget(s push.Source, now time.Time) {
	r.add(pushed{Source: s, now: now, forgot: true})
}

func (r *recorder) Stats() []push.Stats { return r.stats }

func (r *recorder) all() []pushed {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]pushed(nil), r.pages...)
}

// TestPushedIsWhatIsScraped: the same series with the same values, of which measured ones have the times of their samples.
func TestPushedIsWhatIsScraped(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{
		Modules: module.All, CustomAttributes: []string{"cost-centre"}, Audit: judged(t), TagCategories: []string{"vperf.profile"},
		Filter: Filter{Include: []Pattern{{Name: "host05.*"}, {Name: "hpc-cfd-01"}}},
	})
	st := s.drive(t, target)
	st.survey()
	require.NoError(t, st.round(t.Context(), st.source))
	var r recorder
	target.push(&r)
	require.Len(t, r.pages, 2)
	page, findings := r.pages[0], r.pages[1]
	require.Equal(t, textOf(t, target), page.text)
	require.Equal(t, push.Source{Job: "vperf", Instance: "demo", Began: target.snapshot().began}, page.Source)
	require.Equal(t, target.serverNow(), page.now)
	stats := target.ledger.Stats(target.serverNow())
	require.Len(t, page.dated, stats.Series, "all measured series and no others")
	for series, at := range page.dated {
		require.Equal(t, stats.Newest, at, series)
		require.True(t, strings.HasPrefix(series, "esxi_"))
	}
	require.False(t, page.Began.IsZero())
	require.True(t, page.Began.Before(stats.Newest))

	require.Equal(t, push.Source{Job: "vperf-findings", Instance: "demo"}, findings.Source)
	require.Contains(t, findings.text, "\nvperf_finding{")
	for line := range strings.Lines(findings.text) {
		require.Contains(t, line, "vperf_finding")
	}
	require.Contains(t, textOf(t, target, module.Findings), findings.text)
}

// TestServersWithWrongClocks: pushed samples have our time, or a Prometheus would refuse those of others from then on.
func TestServersWithWrongClocks(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic}, Filter: Filter{Include: []Pattern{{Name: "host05.*"}}}})
	st := s.drive(t, target)
	require.NoError(t, st.round(t.Context(), st.source))
	push := func() pushed {
		var r recorder
		target.push(&r)
		return r.pages[0]
	}
	page := push()
	right := target.ledger.Stats(target.serverNow()).Newest
	require.NotEmpty(t, page.dated)
	ours := target.config.Clock.Now
	for ahead, want := range map[time.Duration]time.Duration{19 * time.Second: 0, -19 * time.Second: 0, time.Hour: time.Hour, -time.Hour: -time.Hour} {
		target.config.Clock.Now = func() time.Time { return ours().Add(-ahead) } // this machine differs, not the server
		target.change(func(s *state) { s.ahead = ahead })
		page := push()
		for series, at := range page.dated {
			require.Equal(t, right.Add(-want), at, series)
		}
		require.WithinDuration(t, target.serverNow().Add(-want), page.now, 0)
	}
	target.change(func(s *state) { s.ahead = 0 })
	target.config.Clock.Now = func() time.Time { return right.Add(-interval - time.Second) } // that is: the host's clock is ahead
	page = push()
	require.Empty(t, page.dated)
	require.Contains(t, page.text, "\nesxi_host_")
}

// TestBeganStays whatever the clocks do: another start would mean that counters began anew.
func TestBeganStays(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{History: 10 * time.Minute})
	require.Equal(t, time.Time{}, target.snapshot().began)
	l, err := target.connect(t.Context())
	require.NoError(t, err)
	began := target.snapshot().began
	require.WithinDuration(t, target.born.Add(target.snapshot().ahead).Add(-10*time.Minute), began, 0)
	l.close(t.Context())
	s.clock.forward(time.Hour)
	l, err = target.connect(t.Context())
	require.NoError(t, err)
	l.close(t.Context())
	require.Equal(t, began, target.snapshot().began)
}

// pushingExporter runs an exporter without servers in a bubble.
func pushingExporter(t *testing.T, every time.Duration, names ...string) (*Exporter, *recorder, func()) {
	t.Helper()
	r := new(recorder)
	e := New(Options{Push: r, PushEvery: every})
	require.NoError(t, e.Configure(dead(names...)))
	ended := make(chan error, 1)
	ctx, stop := within(t.Context(), 24*time.Hour)
	go func() { ended <- e.Run(ctx) }()
	return e, r, func() {
		stop()
		require.NoError(t, <-ended)
	}
}

// dead are targets whose servers do not answer.
func dead(names ...string) (list []TargetConfig) {
	for _, name := range names {
		list = append(list, TargetConfig{Name: name, Dial: (&caller{err: errors.New("down")}).dial})
	}
	return list
}

// TestTargetThatIsDownIsPushed: receivers see that it is down.
func TestTargetThatIsDownIsPushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, r, stop := pushingExporter(t, 0, "vc1")
		time.Sleep(10 * time.Minute)
		stop()
		pages := r.all()
		require.Len(t, pages, 20)
		for i, p := range pages {
			require.Contains(t, p.text, "\nvperf_up 0\n")
			require.False(t, p.forgot, "it ends with the exporter, and is not gone")
			if i > 0 {
				require.Equal(t, 30*time.Second, p.at.Sub(pages[i-1].at))
			}
		}
	})
}

// TestEachRoundIsPushed, or the first one after the interval. Rounds are not exactly 20 seconds apart.
func TestEachRoundIsPushed(t *testing.T) {
	for every, want := range map[time.Duration]int{0: 60, 20 * time.Second: 60, time.Minute: 20} {
		synctest.Test(t, func(t *testing.T) {
			e, r, stop := pushingExporter(t, every, "vc1")
			defer stop()
			for i := range 60 {
				e.Target("vc1").roundEnded()
				synctest.Wait()
				late := time.Duration(i%3) * time.Second
				time.Sleep(19*time.Second + late)
			}
			require.Len(t, r.all(), want, every)
		})
	}
}

// TestRemovedTargetIsForgotten, and one that has changed is not.
func TestRemovedTargetIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, r, stop := pushingExporter(t, 0, "vc1", "vc2")
		defer stop()
		time.Sleep(time.Minute)
		changed := dead("vc1")
		changed[0].Fingerprint = "2"
		require.NoError(t, e.Configure(changed))
		synctest.Wait()
		var forgot []string
		for _, p := range r.all() {
			if p.forgot {
				forgot = append(forgot, p.Job+" "+p.Instance)
			}
		}
		require.Equal(t, []string{"vperf vc2", "vperf-findings vc2"}, forgot)
		before := len(r.all())
		time.Sleep(10 * time.Minute)
		for _, p := range r.all()[before:] {
			require.Equal(t, "vc1", p.Instance)
		}
		require.Len(t, r.all()[before:], 20, "there is one loop")
	})
}

func TestOwnMetricsArePushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := new(recorder)
		s, _ := aServer(t, ServerOptions{Push: r, PushEvery: time.Minute, Listen: []string{"127.0.0.1:7"}}, named("demo"))
		ctx, stop := within(t.Context(), time.Hour-time.Second)
		defer stop()
		s.pushOwn(ctx)
		require.Len(t, r.pages, 60)
		require.Equal(t, "vperf-exporter", r.pages[0].Job)
		require.True(t, strings.HasSuffix(r.pages[0].Instance, ":7"))
		require.Greater(t, r.pages[0].families, 20)
	})
}

func TestInstance(t *testing.T) {
	require.True(t, strings.HasSuffix(instance(ServerOptions{}), ":10048"))
	require.True(t, strings.HasSuffix(instance(ServerOptions{Listen: []string{"vsock://:9"}}), ":10048"))
}
