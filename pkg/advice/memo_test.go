package advice_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestProveCasesAreEvaluatedOnce: that an expression is evaluated once for each case changes no finding: no outcome,
// reason, evidence or remedy.
func TestProveCasesAreEvaluatedOnce(t *testing.T) {
	set, err := library(t).Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	fails := 0
	for seed := range uint64(proof.Count(t, 3, 60)) {
		s := faultyEstate(t, seed)
		o := advice.Options{All: true}
		want, err := advice.EvaluateEach(t.Context(), s, set, o)
		require.NoError(t, err)
		got, err := advice.Evaluate(t.Context(), s, set, o)
		require.NoError(t, err)
		require.Len(t, got.Findings, len(want.Findings))
		for i := range want.Findings {
			a, b := want.Findings[i], got.Findings[i]
			require.Equal(t, fmt.Sprint(a.Remedies), fmt.Sprint(b.Remedies)) // settings hold functions, which cannot be compared
			a.Remedies, b.Remedies = nil, nil
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("seed %d: %s on %s:\n%+v\nis not\n%+v", seed, a.Rule.ID, a.Object.Path, b, a)
			}
		}
		require.Equal(t, want.Counts, got.Counts)
		require.Equal(t, want.Unread, got.Unread)
		require.Len(t, diagnosed(got), len(diagnosed(want)))
		fails += got.Counts[advice.Fail]
	}
	require.Positive(t, fails)
}

// faultyEstate is a healthy estate in which one in five facts has the value of another object, is absent, or is unread.
func faultyEstate(t *testing.T, seed uint64) *inventory.Snapshot {
	t.Helper()
	s := healthyEstate(seed)
	r := rand.New(rand.NewPCG(seed, 2))
	all := advice.FactsOf(s)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, v := range all[name] {
			value, _, _ := v.Addr().Interface().(inventory.Reader).Raw()
			if of := reflect.ValueOf(value); of.Kind() == reflect.Slice && of.Type().Elem().Kind() == reflect.Pointer {
				continue // devices belong to one object
			}
			switch r.IntN(40) {
			case 0, 1, 2, 3, 4, 5:
				v.Set(all[name][r.IntN(len(all[name]))])
			case 6:
				require.NoError(t, json.Unmarshal([]byte(`{"$absent":true}`), v.Addr().Interface()))
			case 7:
				v.SetZero()
			}
		}
	}
	s.Link()
	return s
}
