package audit_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// TestEvidenceIsTheSameWhenReadLater: evidence that is read when it is shown is that of the evaluation, and the same advice follows.
func TestEvidenceIsTheSameWhenReadLater(t *testing.T) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	source := &asked{demo: newDemo(t)}
	kept, err := audit.Run(t.Context(), source, audit.Request{Rules: set, For: 2 * time.Minute})
	require.NoError(t, err)
	result, err := advice.Evaluate(t.Context(), kept.Snapshot, set, advice.Options{LateEvidence: true})
	require.NoError(t, err)
	later := &audit.Audit{Snapshot: kept.Snapshot, Result: result}
	want, got := findings(kept.Result), findings(later.Result)
	require.Len(t, got, len(want))
	values := 0
	for i, w := range want {
		g := got[i]
		require.Equal(t, w.Rule.ID+w.Object.Path, g.Rule.ID+g.Object.Path)
		require.Empty(t, g.Evidence)
		require.Equal(t, w.MeasurementNames(), g.MeasurementNames())
		require.Equal(t, fmt.Sprint(w.Evidence), fmt.Sprint(g.Measurements()), "%s at %s", w.Rule.ID, w.Object.Path)
		for k, m := range w.Evidence {
			require.Equal(t, m.Name, g.MeasurementNames()[k])
			require.Equal(t, fmt.Sprint(m), fmt.Sprint(g.Measurement(k)))
			values++
		}
	}
	require.Greater(t, values, 1000)
	require.Equal(t, priorities(kept), priorities(later))
}

// TestLateEvidenceAsksTheSameHosts: facts of evidence that take a call to a host are read although the evidence is not.
func TestLateEvidenceAsksTheSameHosts(t *testing.T) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{})
	require.NoError(t, err)
	texts, asks := map[bool]string{}, map[bool]int{}
	for _, late := range []bool{false, true} {
		source := &asked{demo: newDemo(t)}
		a, err := audit.Run(t.Context(), source, audit.Request{Rules: set, Options: advice.Options{LateEvidence: late}})
		require.NoError(t, err)
		asks[late] = source.hosts
		for _, f := range a.Result.Findings {
			texts[late] += fmt.Sprintln(f.Rule.ID, f.Object.Path, f.Outcome)
			for _, m := range f.Measurements() {
				_, state, reason := m.Value.Get()
				texts[late] += fmt.Sprintln(m.Name, state, reason) // values of the demo change with its clock
			}
		}
	}
	require.Positive(t, asks[true])
	require.Equal(t, asks[false], asks[true])
	require.Equal(t, texts[false], texts[true])
}

// findings returns the findings of rules and of diagnoses.
func findings(r *advice.Result) []*advice.Finding {
	all := slices.Clone(r.Findings)
	for _, d := range r.Diagnoses {
		all = append(all, d.Finding)
	}
	return all
}

// priorities lists recommendations with their impacts.
func priorities(a *audit.Audit) (all []string) {
	for _, r := range advice.Advise(a.Snapshot, a.Result).Recommendations {
		all = append(all, fmt.Sprint(r.Rule.ID, r.Object, r.Impact, r.Severity))
	}
	return all
}
