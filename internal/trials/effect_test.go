package trials

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// applied is a run that has set the option of host01.
func (s *stage) applied(t *testing.T) *tuning.Run {
	t.Helper()
	plan, _ := s.plans(t, "host01")
	o, err := tuning.Apply(t.Context(), s.estate, s.runs, plan, tuning.Options{Now: s.clock.Now, User: "tester"})
	require.NoError(t, err)
	run, err := s.runs.Get(o.Run)
	require.NoError(t, err)
	return run
}

func effectAsk(t *testing.T) EffectAsk {
	t.Helper()
	library, err := trial.Load(os.DirFS("../../rules/outcomes"))
	require.NoError(t, err)
	return EffectAsk{Outcomes: library.For("numa-io"), Simulated: true}
}

func (s *stage) forward(t *testing.T, d time.Duration) {
	t.Helper()
	require.NoError(t, s.clock.Forward(t.Context(), d))
}

// TestEffectOfTheLastHour: the hosts' own samples, while they have both sides.
func TestEffectOfTheLastHour(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	run := s.applied(t)
	s.forward(t, 30*time.Minute)
	e, err := Effect(t.Context(), s.server, run, effectAsk(t))
	require.NoError(t, err)
	require.Equal(t, 20*time.Second, e.Registration.Interval)
	require.Equal(t, inventory.DesignBeforeAfter, e.Registration.Design)
	require.Equal(t, trial.ClaimBeforeAfter, e.Result.Claim)
	require.Equal(t, trial.Observed, e.Result.Verdict)
	require.True(t, e.Result.Estimate.Bounded())
	require.Less(t, e.Result.Estimate.Mean, 0., "the option lowers the CPU for each Gb/s")
	before, after := e.Blocks[0].Units[0].Samples, e.Blocks[1].Units[0].Samples
	require.GreaterOrEqual(t, len(before), 70)
	require.GreaterOrEqual(t, len(after), 70)
	require.False(t, before[len(before)-1].Time.After(e.Blocks[0].End))
	require.True(t, after[0].Time.After(e.Blocks[0].End.Add(settleBefore)))
	require.Contains(t, e.Result.Notes[len(e.Result.Notes)-1], "by samples of 20s")
}

// TestEffectOfADay reads rollups of the vCenter: of 5 minutes if they reach back, else of 30.
func TestEffectOfADay(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	s := newStage(t)
	run := s.applied(t)
	_, err := Effect(t.Context(), s.server, run, effectAsk(t))
	require.ErrorContains(t, err, "too short")
	s.forward(t, 4*time.Hour)
	e, err := Effect(t.Context(), s.server, run, effectAsk(t))
	require.NoError(t, err)
	require.Equal(t, 5*time.Minute, e.Registration.Interval)
	require.Less(t, e.Result.Estimate.Mean, 0., "the option lowers the CPU for each Gb/s")
	require.GreaterOrEqual(t, len(e.Blocks[0].Units[0].Samples), 45)

	ask := effectAsk(t)
	ask.For = 5 * time.Hour
	_, err = Effect(t.Context(), s.server, run, ask)
	require.ErrorContains(t, err, "only 4h0m0s have passed since the change")

	s.forward(t, 21*time.Hour)
	e, err = Effect(t.Context(), s.server, run, effectAsk(t))
	require.NoError(t, err)
	require.Equal(t, 30*time.Minute, e.Registration.Interval)
	require.Len(t, e.Blocks[1].Units[0].Samples, 47, "a day, without the rollup in which the change was made")
}

func TestEffectRefuses(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	run := s.applied(t)
	s.forward(t, 10*24*time.Hour)
	ask := effectAsk(t)
	ask.Named = true
	ask.Outcomes = ask.Outcomes[:1]
	_, err := Effect(t.Context(), s.server, run, ask)
	require.ErrorContains(t, err, "is not collected at statistics level 1 of the 2h0m0s interval")
	s.forward(t, 40*24*time.Hour)
	ask.For = 400 * 24 * time.Hour
	_, err = Effect(t.Context(), s.server, run, ask)
	require.ErrorContains(t, err, "have passed since the change")

	_, err = tuning.Rollback(t.Context(), s.estate, s.runs, run.ID, tuning.Options{Now: s.clock.Now, User: "tester"})
	require.NoError(t, err)
	run, err = s.runs.Get(run.ID)
	require.NoError(t, err)
	_, err = Effect(t.Context(), s.server, run, effectAsk(t))
	require.ErrorContains(t, err, "has left no change in force")
}
