package trial

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
)

// pairVector is a list of differences with results that were computed independently of this code.
type pairVector struct {
	Differences   []float64  `json:"differences"`
	Mean          float64    `json:"mean"`
	Interval      *[]float64 `json:"t_interval"`
	P             float64    `json:"sign_flip_p"`
	HodgesLehmann *float64   `json:"hodges_lehmann"`
	E             []float64  `json:"e_values"`
}

func (v pairVector) require(t *testing.T) {
	t.Helper()
	require.InDelta(t, v.Mean, mean(v.Differences), 1e-9)
	require.InDelta(t, v.P, signFlip(v.Differences, 1), 1e-9)
	if v.Interval != nil {
		low, high := tInterval(v.Differences)
		require.InDelta(t, (*v.Interval)[0], low, 1e-6)
		require.InDelta(t, (*v.Interval)[1], high, 1e-6)
	}
	if v.HodgesLehmann != nil {
		require.InDelta(t, *v.HodgesLehmann, hodgesLehmann(v.Differences), 1e-6)
	}
	if v.E != nil {
		require.InDeltaSlice(t, v.E, eValues(v.Differences), 1e-6)
	}
}

// TestSharedVectors compares with vectors that are kept outside the repository.
func TestSharedVectors(t *testing.T) {
	text, err := os.ReadFile("../../../shared/testdata/trial/vectors.json")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the shared vectors are not here; testdata/statistics.json has others")
	}
	require.NoError(t, err)
	var list []pairVector
	require.NoError(t, json.Unmarshal(text, &list))
	require.GreaterOrEqual(t, len(list), 8)
	for _, v := range list {
		v.require(t)
	}
}

func TestVectors(t *testing.T) {
	type comparisonVector struct {
		A, B, Before, After []float64
		Mean, Low, High, P  float64
	}
	var all struct {
		Pairs            []pairVector
		Welch, NeweyWest []comparisonVector
		Percentile       []struct {
			Values  []float64
			P, Want float64
		}
	}
	text, err := os.ReadFile("testdata/statistics.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &all))
	require.Len(t, all.Pairs, 4)
	for _, v := range all.Pairs {
		v.require(t)
	}
	same := func(v comparisonVector, c comparison) {
		require.InDeltaSlice(t, []float64{v.Mean, v.Low, v.High, v.P}, []float64{c.mean, c.low, c.high, c.p}, 1e-6)
	}
	require.Len(t, all.Welch, 3)
	for _, v := range all.Welch {
		same(v, welch(v.A, v.B))
	}
	require.Len(t, all.NeweyWest, 3)
	for _, v := range all.NeweyWest {
		same(v, neweyWest(v.Before, v.After))
	}
	require.Len(t, all.Percentile, 4)
	for _, v := range all.Percentile {
		require.InDelta(t, v.Want, percentile(v.Values, v.P), 1e-12)
	}
}

// TestProveSignFlipIsExact flips the signs of fixed differences in all ways: each flip is as likely as the others if the
// change does nothing, so at most the part α of them may have p ≤ α.
func TestProveSignFlipIsExact(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 3))
	for try := range proof.Count(t, 5, 40) {
		n := 6 + try%5
		list := make([]float64, n)
		for i := range list {
			list[i] = dice.NormFloat64() + float64(try%3)
			if try%4 == 1 {
				list[i] = math.Round(list[i]) // ties and zeros
			}
		}
		var ps []float64
		for mask := range 1 << n {
			flip := make([]float64, n)
			for i := range flip {
				flip[i] = list[i] * float64(1-2*(mask>>i&1))
			}
			ps = append(ps, signFlip(flip, 1))
		}
		for _, alpha := range []float64{1. / 64, .03125, .05, .1, .5, .9} {
			hits := 0
			for _, p := range ps {
				if p <= alpha {
					hits++
				}
			}
			require.LessOrEqual(t, float64(hits)/float64(len(ps)), alpha, "n %d, α %g", n, alpha)
		}
		if try%4 != 1 {
			require.InDelta(t, 2/float64(len(ps)), percentile(ps, 0), 1e-12, "two flips are the most extreme")
		}
	}
}

func TestSignFlipByDraws(t *testing.T) {
	list := make([]float64, 40)
	for i := range list {
		list[i] = float64(i%7) - 2.6
	}
	p := signFlip(list, 1)
	require.InDelta(t, p, signFlip(list, 1), 0, "the same seed, the same draws")
	require.InDelta(t, p, signFlip(list, 2), .02)
	// The normal approximation: Σd / √Σd².
	sum, squares := 0., 0.
	for _, d := range list {
		sum, squares = sum+d, squares+d*d
	}
	require.InDelta(t, math.Erfc(math.Abs(sum)/math.Sqrt(2*squares)), p, .03)
	for i := range list {
		list[i] = 1
	}
	require.InDelta(t, 1./20_001, signFlip(list, 1), 1e-12, "never 0")
}

func TestStatisticsOfLittle(t *testing.T) {
	require.InDelta(t, 1, signFlip(nil, 1), 0)
	low, high := tInterval([]float64{3})
	require.InDelta(t, -math.MaxFloat64, low, 0)
	require.InDelta(t, math.MaxFloat64, high, 0)
	require.InDelta(t, 1, welch([]float64{1}, []float64{2, 3}).p, 0)
	require.InDelta(t, 0, welch([]float64{2, 2}, []float64{1, 1}).p, 0)
	require.InDelta(t, 1, neweyWest([]float64{1}, []float64{2}).p, 0)
	require.InDelta(t, 1, neweyWest([]float64{1, 1, 1, 1}, []float64{1, 1, 1, 1}).p, 0)
	require.Zero(t, hodgesLehmann(nil))
	require.Zero(t, percentile(nil, .5))
	huge := eValues(make([]float64, 0, 1))
	require.Empty(t, huge)
	certain := make([]float64, 3000)
	for i := range certain {
		certain[i] = 1
	}
	last := eValues(certain)[2999]
	require.False(t, math.IsInf(last, 0), "JSON has no infinity")
	require.Greater(t, last, 1e100)
}

func TestPairsNeeded(t *testing.T) {
	require.Equal(t, 6, pairsNeeded(.01, .05))
	require.Equal(t, 34, pairsNeeded(.1, .05)) // (2.8 · 2)² + 2 = 33.4
	require.InDelta(t, .05, smallestEffect(.1, 0, 33), .001)
	found := smallestEffect(.1, .5, 33)
	require.InDelta(t, 33, pairsNeeded(math.Hypot(.1, .5*found), found), 1)
	require.Greater(t, smallestEffect(.1, .7, 6), smallestEffect(.1, .5, 6))
	require.False(t, math.IsInf(smallestEffect(.1, mostVaried, 6), 1))
	require.True(t, math.IsInf(smallestEffect(.1, .8, 6), 1))
	require.True(t, math.IsInf(smallestEffect(.1, 0, 5), 1))
	require.InDelta(t, .8, power(.1, .05, 34, 1_000_000, .05), .03)
	require.Less(t, power(.1, .05, 34, 4, .05), .8, "noise that is known badly promises less")
	require.InDelta(t, math.Pow(.8413, 6), powerAt(1, 6, .05), .05, "six differences: all have to have one sign")
	require.Zero(t, power(.1, .05, 5, 10, .05))
	require.InDelta(t, 1, power(0, .05, 6, 10, .05), 0)
}
