package trials

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// TestLot: a lot between hosts changes nothing; after days it is judged by rollups, if the changes are where the lot put them.
func TestLot(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	plan, around := s.plans(t, "host01", "host02", "host05", "host06")
	ask := numaIO(t)
	ask.Outcomes = effectAsk(t).Outcomes[:1]
	ask.How = inventory.Trial{Design: inventory.DesignRandomised, Unit: inventory.ScopeHost, Reason: "A reboot is needed."}
	p, err := Prepare(t.Context(), s.server, plan, around, ask)
	require.NoError(t, err)
	defer p.Close(t.Context())
	require.Len(t, p.Registration.Lot, 4)
	options := tuning.Options{Now: s.clock.Now, User: "tester"}
	id, err := p.Draw(s.estate, s.runs, options)
	require.NoError(t, err)
	require.Equal(t, "0", s.value(t, plan), "nothing is changed")
	resume := func() (*Recorded, error) {
		run, err := s.runs.Get(id)
		require.NoError(t, err)
		require.Equal(t, tuning.ResultDrawn, run.Result)
		return Resume(t.Context(), s.server, s.estate, s.runs, options, run)
	}
	refused := (*tuning.RefusedError)(nil)
	_, err = resume()
	require.ErrorAs(t, err, &refused)
	require.Len(t, refused.Why, 3, "both drawn hosts, and what to do")

	drawn := []string{}
	for i, u := range p.Registration.Units {
		if p.Registration.Lot[i] {
			drawn = append(drawn, u.Name)
		}
	}
	require.Len(t, drawn, 2)
	s.forward(t, time.Hour)
	part, _ := s.plans(t, drawn...)
	_, err = tuning.Apply(t.Context(), s.estate, s.runs, part, options)
	require.NoError(t, err)
	early := (*TooEarlyError)(nil)
	_, err = resume()
	require.ErrorAs(t, err, &early)
	require.WithinDuration(t, s.clock.Now().Add(wholeDay), early.From, 10*time.Minute)

	s.forward(t, 25*time.Hour)
	r, err := resume()
	require.NoError(t, err)
	require.Equal(t, trial.Observed, r.Result.Verdict, "4 hosts prove nothing")
	require.Equal(t, trial.ClaimObserved, r.Result.Claim)
	require.Equal(t, 4, r.Result.Used, "%+v", r.Result.Pairs)
	require.Len(t, r.Blocks, 2)
	require.GreaterOrEqual(t, len(r.Blocks[0].Units[0].Samples), 47)
	run, err := s.runs.Get(id)
	require.NoError(t, err)
	again, err := Load(run)
	require.NoError(t, err)
	require.True(t, again.Ended)
	require.Equal(t, r.Result.Estimate, again.Result.Estimate)

	other := "host01"
	for _, u := range p.Registration.Units {
		if u.Name != drawn[0] && u.Name != drawn[1] {
			other = u.Name
		}
	}
	part, _ = s.plans(t, other)
	_, err = tuning.Apply(t.Context(), s.estate, s.runs, part, options)
	require.NoError(t, err)
	_, err = resume()
	require.ErrorContains(t, err, other+" was not drawn and its values have changed")
}
