package audit_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// wished records the counters to measure.
type wished struct {
	audit.Source

	counters []string
}

func (w *wished) Measure(_ context.Context, _ *inventory.Snapshot, _ time.Duration, counters []string) error {
	w.counters = counters
	return nil
}

// TestOnlyCountersOfTheRulesAreMeasured: shown counters are measured too, and all of them on request.
func TestOnlyCountersOfTheRulesAreMeasured(t *testing.T) {
	r := request(t, "vdisk-latency")
	r.For = time.Minute
	w := &wished{Source: new(fakeServer)}
	_, err := audit.Run(t.Context(), w, r)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"disk.readLatency", "disk.writeLatency", "disk.commands"}, w.counters)
	r.Counters = true
	_, err = audit.Run(t.Context(), w, r)
	require.NoError(t, err)
	require.Nil(t, w.counters)
}

// TestProveFewCountersSayTheSame: a rule says the same of the counters that it looks at as of all.
func TestProveFewCountersSayTheSame(t *testing.T) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	d := newDemo(t)
	s, err := audit.Everything(t.Context(), d, inventory.Targets{})
	require.NoError(t, err)
	frames, err := d.frames(t.Context(), live.Needs(), 2*time.Minute)
	require.NoError(t, err)
	measure := func(w *live.Window) {
		for _, f := range frames {
			w.Add(f)
		}
		w.Put(s.VCenters[0])
	}
	alike := map[esxtop.Objects][]string{} // rules that look at counters of the same rows
	for _, r := range l.Rules() {
		set, err := l.Select(advice.Selection{Rules: []string{r.ID}})
		require.NoError(t, err)
		if names := set.Live(); len(names) > 0 {
			rows := live.For(names).Needs()
			alike[rows] = append(alike[rows], r.ID)
		}
	}
	require.Greater(t, len(alike), 5)
	for _, ids := range proof.Sample(t, 3, slices.SortedFunc(maps.Values(alike), slices.Compare)) {
		set, err := l.Select(advice.Selection{Rules: ids})
		require.NoError(t, err)
		measure(new(live.Window))
		want, err := advice.Evaluate(t.Context(), s, set, advice.Options{All: true})
		require.NoError(t, err)
		measure(live.For(set.Live()))
		got, err := advice.Evaluate(t.Context(), s, set, advice.Options{All: true})
		require.NoError(t, err)
		requireSame(t, want, got)
	}
}
