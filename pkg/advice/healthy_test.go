package advice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/advice"
)

// TestProveHealthyEstatesHaveNoFinding evaluates the library on healthy estates. A fail above info is a false finding,
// whatever facts are missing.
func TestProveHealthyEstatesHaveNoFinding(t *testing.T) {
	estates := proof.Count(t, 100, 2000)
	set, err := library(t).Select(advice.Selection{})
	require.NoError(t, err)
	judged, failed := map[string]bool{}, map[string]int{}
	for seed := range uint64(estates) {
		r, err := advice.Evaluate(t.Context(), healthyEstate(seed), set, advice.Options{All: true})
		require.NoError(t, err)
		for _, f := range r.Findings {
			if f.Outcome == advice.Pass || f.Outcome == advice.Manual {
				judged[f.Rule.ID] = true
			}
			if f.Outcome != advice.Fail || f.Severity == advice.Info {
				continue
			}
			if failed[f.Rule.ID]++; failed[f.Rule.ID] == 1 {
				t.Errorf("seed %d: %s (%s) fails on %s: %v", seed, f.Rule.ID, f.Severity, f.Object.Name, f.Evidence)
			}
		}
	}
	var idle []string
	for _, r := range set.Rules() {
		if !judged[r.ID] && r.Category != "monitoring" {
			idle = append(idle, r.ID)
		}
	}
	t.Logf("%d estates; fails by rule: %v; rules that never applied: %v", estates, failed, idle)
}
