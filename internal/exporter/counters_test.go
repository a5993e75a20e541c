package exporter

import (
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exporter/shard"
	"github.com/vperf/vperf/internal/proof"
)

// countersOf are the series of counters of a target.
func countersOf(t *testing.T, target *Target) map[string]float64 {
	t.Helper()
	all := series(t, textOf(t, target))
	maps.DeleteFunc(all, func(name string, _ float64) bool {
		family, _, _ := strings.Cut(name, "{")
		return !strings.HasPrefix(family, "esxi_") || !strings.HasSuffix(family, "_total")
	})
	return all
}

// TestReplicasAgreeAfterARestart: of two exporters of one shard, one is killed some minutes after it saved its counters, and is away
// for a quarter of an hour. Then it reads what hosts have kept, and serves the same counters as the one that went on.
func TestReplicasAgreeAfterARestart(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	config := TargetConfig{
		Modules: []module.Name{module.Basic, module.Net, module.Pool}, Shard: shard.Shard{Number: 1, Of: 2}, MaxSeries: 1e6,
		Counters: filepath.Join(t.TempDir(), "demo.counters"),
	}
	goesOn, restarts := onOwnStage(t), onOwnStage(t) // the same load at the same time
	survey := func(st *stepper) { require.NoError(t, st.surveyNow(t.Context(), st.clock())) }
	a, b := goesOn.drive(t, goesOn.target(t, config)), restarts.drive(t, restarts.target(t, config))
	for i := range 8 {
		a.step()
		b.step()
		switch i {
		case 2:
			survey(a)
			survey(b)
		case 4:
			require.NoError(t, b.save())
		}
	}
	require.Equal(t, countersOf(t, a.Target), countersOf(t, b.Target))
	began := b.snapshot().began
	b.end() // without saving

	for end := goesOn.clock.Now().Add(15 * time.Minute); goesOn.clock.Now().Before(end); {
		a.step()
	}
	restarts.clock.forward(goesOn.clock.Now().Sub(restarts.clock.Now()))
	again := restarts.target(t, config)
	again.resume()
	b = restarts.drive(t, again)
	for i := 0; b.newest().Before(a.newest()); i++ {
		b.step()
		require.Less(t, i, 200)
	}
	for a.newest().Before(b.newest()) {
		a.step()
	}
	survey(b)
	survey(a)
	a.step()
	b.step()
	require.Equal(t, a.newest(), b.newest())
	want, got := countersOf(t, a.Target), countersOf(t, b.Target)
	require.NotEmpty(t, want)
	equal(t, want, got)
	require.Equal(t, began, b.snapshot().began)
	require.Equal(t, a.ledger.Stats(a.serverNow()).Samples, b.ledger.Stats(b.serverNow()).Samples)
	require.InDelta(t, missedOf(series(t, textOf(t, a.Target))), missedOf(series(t, textOf(t, b.Target))), 0)
}

// TestCountersThatCannotBeReadBeginAt0: a damaged file, and one of another target, are named, and nothing of them is used.
func TestCountersThatCannotBeReadBeginAt0(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counters")
	s := onOwnStage(t)
	config := TargetConfig{Modules: []module.Name{module.Basic}, Counters: path}
	st := s.drive(t, s.target(t, config))
	st.step()
	require.NoError(t, st.save())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Zero(t, info.Mode()&0o077, "it has the names of VMs")
	for name, text := range map[string][]byte{
		"empty": {}, "short": whole[:20], "torn": whole[:len(whole)/2], "changed": append(append(append([]byte{}, whole[:100]...), whole[100]^1), whole[101:]...),
	} {
		require.NoError(t, os.WriteFile(path, text, 0o600))
		target := s.target(t, config)
		target.resume()
		require.False(t, target.resumed, name)
		require.Zero(t, target.ledger.Stats(s.clock.Now()).Samples, name)
		require.Contains(t, strings.Join(target.Trace(time.Hour), "\n"), "is damaged", name)
	}
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	other := config
	other.Name, other.Dial = "other", s.dial
	target, err := newTarget(other, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	target.resume()
	require.False(t, target.resumed)
	require.Contains(t, strings.Join(target.Trace(time.Hour), "\n"), "has the counters of target demo")
}
