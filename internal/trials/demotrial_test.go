package trials

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// demoCorrelation is that of the demo of `vperf trial run`.
const demoCorrelation = .8

// demoAsk is the question of `vperf trial run --demo host01 --rule numa-io`.
func demoAsk(t *testing.T, seed uint64) Ask {
	ask := numaIO(t)
	library := builtIn(t)
	ask.Outcomes, ask.Guards, ask.Seed = library.For("numa-io"), library.Guards, seed
	return ask
}

// demoRun makes the trial of a plan, and returns its result with the true effect of NUMA-aware network I/O in the trial's slots.
func (s *stage) demoRun(t *testing.T, plan *tuning.Plan, around *inventory.Snapshot, seed uint64) (result *trial.Result, truth float64) {
	t.Helper()
	p, err := Prepare(t.Context(), s.server, plan, around, demoAsk(t, seed))
	require.NoError(t, err)
	defer p.Close(t.Context())
	lab := s.fleet.Lab(simfleet.SteadyNoise(seed, demoCorrelation), s.clock.Now())
	first := load.SlotOf(s.clock.Now())
	f, err := p.Run(t.Context(), s.estate, s.runs, tuning.Options{Now: s.clock.Now, User: "tester"}, func(trial.Progress) {}, func(*trial.Result) bool { return false })
	require.NoError(t, err)
	host, err := lab.Host("host01")
	require.NoError(t, err)
	option := func(on bool) load.Change { return load.Change{Host: func(h *load.Host) { h.NUMAIO = on }} }
	truth = lab.Loads.Effect([]string{host}, first, load.SlotOf(s.clock.Now())-1, option(false), option(true), usedMHz, gigabits)
	t.Logf("seed %d: true effect of NUMA-aware network I/O %+.1f %%, %s", seed, 100*math.Expm1(truth), f.Result.Summary())
	return f.Result, truth
}

// The demo of `vperf trial run` finds the true effect of its fleet.
func TestProveDemo(t *testing.T) {
	t.Parallel()
	covered, n := 0, proof.Count(t, 1, 6)
	for seed := range uint64(n) {
		s := newNoisyStage(t, simfleet.SteadyNoise(seed+1, demoCorrelation))
		plan, around := s.plans(t, "host01")
		result, truth := s.demoRun(t, plan, around, seed+1)
		require.GreaterOrEqual(t, result.Used, leastPairs)
		if result.Estimate.Low <= truth && truth <= result.Estimate.High {
			covered++
		}
		require.Equal(t, "0", s.value(t, plan), "the old value is restored")
	}
	require.GreaterOrEqual(t, float64(covered)/float64(n), floor(n))
	require.Positive(t, covered)
}

// A trial of a setting that does nothing on the demo fleet never says keep.
func TestDemoWithoutEffect(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	s := newNoisyStage(t, simfleet.SteadyNoise(3, demoCorrelation))
	plan, around := s.planOf(t, idleOption, 120, "host01")
	result, _ := s.demoRun(t, plan, around, 3)
	require.Contains(t, []trial.Verdict{trial.NoDifference, trial.Undecided}, result.Verdict)
	require.LessOrEqual(t, result.Estimate.Low, 0.)
	require.GreaterOrEqual(t, result.Estimate.High, 0.)
}
