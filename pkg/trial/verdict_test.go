package trial

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMorePairs: an undecided trial needs as many more pairs as it takes to tell its estimate from the nearest limit of a verdict.
func TestMorePairs(t *testing.T) {
	r := &Registration{Outcome: Outcome{Better: Down}, MinEffect: .05, Units: make([]Unit, 2)}
	for _, c := range []struct {
		name  string
		mean  float64 // as a fraction
		apart float64 // from the limit, on the scale of logarithms
	}{
		{"better than matters", -.10, -math.Log1p(-.10)},
		{"better, but hardly as much as matters", -.04, math.Log1p(-.04) - math.Log1p(-.05)},
		{"no effect", 0, math.Log1p(.05)},
		{"worse, but less than matters", .04, math.Log1p(.04)},
		{"a little worse", .01, math.Log1p(.05) - math.Log1p(.01)},
		{"worse", .20, math.Log1p(.20)},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Estimate{N: 10, Mean: math.Log1p(c.mean), SD: .06, Form: Ratio}
			require.InDelta(t, c.apart, r.decisiveDistance(e), 1e-12)
			require.Equal(t, (max(1, pairsNeeded(.06, c.apart)-10)+1)/2, r.morePairs(e))
		})
	}
	r.Outcome.Better = Up
	require.InDelta(t, math.Log1p(.05)-math.Log1p(.04), r.decisiveDistance(Estimate{Mean: math.Log1p(.04), Form: Ratio}), 1e-12)
}
