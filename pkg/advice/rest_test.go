package advice_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
)

// TestRestIsWhatFindingsLack checks that the findings and the rest are all checks, each once, and as a result with all of them has them.
func TestRestIsWhatFindingsLack(t *testing.T) {
	s := crowd(2, 20)
	set, err := library(t).Select(advice.Selection{})
	require.NoError(t, err)
	r, err := advice.Evaluate(t.Context(), s, set, advice.Options{Rest: true})
	require.NoError(t, err)
	all, err := advice.Evaluate(t.Context(), s, set, advice.Options{All: true})
	require.NoError(t, err)
	require.Len(t, all.Findings, r.Checks)
	want := map[string]*advice.Finding{}
	for _, f := range all.Findings {
		want[f.Fingerprint()] = f
	}
	got := map[advice.Outcome]int{}
	check := func(some []*advice.Finding) {
		for _, f := range some {
			got[f.Outcome]++
			w := want[f.Fingerprint()]
			require.Equal(t, []any{w.Outcome, w.Severity, w.Reason, w.Profile, w.Evidence}, []any{f.Outcome, f.Severity, f.Reason, f.Profile, f.Evidence})
			delete(want, f.Fingerprint())
		}
	}
	check(r.Findings)
	require.NotContains(t, got, advice.Pass)
	for rest := range r.Rest(t.Context()) {
		require.Equal(t, rest[0].Rule, rest[len(rest)-1].Rule)
		check(rest)
	}
	require.Empty(t, want)
	require.Equal(t, r.Counts, got)

	ended, end := context.WithCancel(t.Context())
	end()
	for range r.Rest(ended) {
		require.Fail(t, "the context ended")
	}
	for range all.Rest(t.Context()) {
		require.Fail(t, "not asked for")
	}
}

// TestRestKnowsTheBaseline checks that a pass is marked if it failed when the baseline was written.
func TestRestKnowsTheBaseline(t *testing.T) {
	set, err := library(t).Select(advice.Selection{Rules: []string{"cpu-limit"}})
	require.NoError(t, err)
	s := crowd(1, 20)
	r, err := advice.Evaluate(t.Context(), s, set, advice.Options{Rest: true})
	require.NoError(t, err)
	var passed []*advice.Finding
	for rest := range r.Rest(t.Context()) {
		passed = append(passed, rest...)
	}
	require.Greater(t, len(passed), 2)
	b := &advice.Baseline{Schema: advice.BaselineSchema, Findings: []advice.BaselineEntry{{Rule: "cpu-limit", Fingerprint: passed[1].Fingerprint()}}}
	b.Apply(r, s, set)
	for rest := range r.Rest(t.Context()) {
		for i, f := range rest {
			require.Equal(t, i == 1, f.InBaseline)
		}
	}
}
