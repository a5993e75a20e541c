package exporter

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/vsphere/session"
)

func TestConcurrentScrapesCostOneRendering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pages{kept: map[form]*rendering{}, now: time.Now}
		var made atomic.Int32
		state := version{ledger: 1}
		get := func(f form) (body, error) {
			return p.get(f, func() version { return state }, func() (body, error) {
				time.Sleep(time.Second)
				return body{[]byte{byte(made.Add(1))}}, nil
			})
		}
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				b, err := get(form{modules: "basic"})
				require.NoError(t, err)
				require.Equal(t, body{{1}}, b)
			})
		}
		all.Wait()
		require.EqualValues(t, 1, made.Load())
		_, _ = get(form{modules: "basic"})
		require.EqualValues(t, 1, made.Load(), "nothing changed")
		_, _ = get(form{modules: "basic", gzip: true})
		require.EqualValues(t, 2, made.Load(), "another form")
		state.target++
		_, _ = get(form{modules: "basic"})
		require.EqualValues(t, 3, made.Load(), "the target changed")
		state.ledger++
		_, _ = get(form{modules: "basic"})
		require.EqualValues(t, 4, made.Load(), "the books changed")
		require.Len(t, p.kept, 2)

		time.Sleep(pageKept + time.Second)
		_, _ = get(form{modules: "basic"})
		require.Len(t, p.kept, 1, "the other one was not requested")
	})
}

func TestPageIsMadeAnewWhenSomethingBecomesStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pages{kept: map[form]*rendering{}, now: time.Now}
		made, state := 0, version{until: time.Now().Add(time.Minute)}
		get := func() {
			_, err := p.get(form{}, func() version { return state }, func() (body, error) { made++; return nil, nil })
			require.NoError(t, err)
		}
		get()
		time.Sleep(59 * time.Second)
		get()
		require.Equal(t, 1, made)
		time.Sleep(time.Second)
		get()
		require.Equal(t, 2, made)
	})
}

func TestAnErrorIsNotKept(t *testing.T) {
	p := pages{kept: map[form]*rendering{}, now: time.Now}
	same := func() version { return version{} }
	_, err := p.get(form{}, same, func() (body, error) { return nil, errors.New("broken") })
	require.EqualError(t, err, "broken")
	b, err := p.get(form{}, same, func() (body, error) { return body{{7}}, nil })
	require.NoError(t, err)
	require.Equal(t, body{{7}}, b)
}

// TestRenderingThatPanics: waiting scrapes get no empty page, and the next scrape gets a complete one.
func TestRenderingThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pages{kept: map[form]*rendering{}, now: time.Now}
		same := func() version { return version{} }
		var seen [2]any
		var all sync.WaitGroup
		for i := range seen {
			all.Go(func() {
				defer func() { seen[i] = recover() }()
				_, _ = p.get(form{}, same, func() (body, error) { time.Sleep(time.Second); panic("broken") })
			})
		}
		all.Wait()
		for _, broken := range seen {
			require.ErrorContains(t, broken.(error), "broken", "the server answers each with an error, and logs why")
		}
		b, err := p.get(form{}, same, func() (body, error) { return body{{7}}, nil })
		require.NoError(t, err)
		require.Equal(t, body{{7}}, b)
	})
}

func TestBlocks(t *testing.T) {
	var b blocks
	var want bytes.Buffer
	for i := range 900 {
		part := bytes.Repeat([]byte{byte(i)}, i)
		n, err := b.Write(part)
		require.NoError(t, err)
		require.Equal(t, i, n)
		want.Write(part)
	}
	require.EqualValues(t, want.Len(), b.full.length())
	for range 2 {
		got, err := io.ReadAll(b.full.reader())
		require.NoError(t, err)
		require.Equal(t, want.Bytes(), got)
	}
	require.Len(t, b.full, 3)
}

// idle returns a target that is not running.
func idle(t *testing.T, c TargetConfig) *Target {
	t.Helper()
	c.Name = "vc1"
	if c.Dial == nil {
		c.Dial = func(context.Context) (*session.Session, error) { return nil, errors.New("no such host") }
	}
	made, err := newTarget(c, New(Options{}).log)
	require.NoError(t, err)
	return made
}

func textOf(t *testing.T, target *Target, modules ...module.Name) string {
	t.Helper()
	p, err := target.Page(t.Context(), modules, exposition.Text, false)
	require.NoError(t, err)
	b, err := io.ReadAll(p.Body)
	require.NoError(t, err)
	require.EqualValues(t, len(b), p.Length)
	return string(b)
}

// TestTargetThatHasNoData answers all the same, and says that it is not up.
func TestTargetThatHasNoData(t *testing.T) {
	page := textOf(t, idle(t, TargetConfig{}))
	for _, line := range []string{
		"vperf_up 0", `vperf_collector_success{collector="performance"} 0`, `vperf_collector_success{collector="inventory"} 0`,
		"vperf_samples_collected_total 0", `vperf_samples_missed_total{reason="timeout"} 0`, "vperf_series 0", "vperf_series_limit 500000",
	} {
		require.Contains(t, page, line+"\n")
	}
	require.NotContains(t, page, "vperf_sample_timestamp_seconds", "there is none: 1970 is no answer")
	require.NotContains(t, page, "vperf_sample_arrival_timestamp_seconds")
	require.NotContains(t, page, "vperf_collector_last_run", "it has not run")
}

func TestModulesOfAPage(t *testing.T) {
	target := idle(t, TargetConfig{Modules: []module.Name{module.Net, module.Basic, module.Audit}})
	for _, c := range []struct {
		asked []module.Name
		want  string
	}{
		{nil, "basic, net, audit"},
		{[]module.Name{module.Net, module.Basic}, "basic, net"},
		{[]module.Name{module.Findings}, "findings"},
	} {
		chosen, err := target.choose(c.asked)
		require.NoError(t, err)
		require.Equal(t, c.want, module.Listed(chosen))
	}
	_, err := target.Page(t.Context(), []module.Name{module.Basic, module.Disk}, exposition.Text, false)
	var missing *ModuleError
	require.ErrorAs(t, err, &missing)
	require.Equal(t, module.Disk, missing.Module)
	require.EqualError(t, err, "target vc1 does not collect module disk; add it to the target's modules in the config, which are now net, basic, audit")
	require.NotContains(t, textOf(t, target), "findings")
}

// TestMemoryOfAPage: a page that is rendered again takes memory for its bytes, and hardly any for its series.
func TestMemoryOfAPage(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic, module.Disk}})
	st := s.drive(t, target)
	for range 3 {
		st.step()
	}
	render := func() int64 {
		page, err := target.render([]module.Name{module.Basic, module.Disk}, exposition.Text, true)
		require.NoError(t, err)
		return page.length()
	}
	render()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	length := render()
	runtime.ReadMemStats(&after)
	series := float64(target.ledger.Stats(target.serverNow()).Series)
	const fixed = 2 << 20 // the compressor, and buffers
	require.Less(t, float64(after.TotalAlloc-before.TotalAlloc), float64(length)+fixed+24*series)
	require.Less(t, float64(after.Mallocs-before.Mallocs), 0.2*series)
}
