package trial

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// A spare pair replaces each dropped pair, and a trial without drops makes none.
func TestSparePairs(t *testing.T) {
	for _, tc := range []struct {
		lost             []int // rounds whose sample is lost; a block has 15
		used, made, drop int
	}{
		{nil, 6, 6, 0},
		{[]int{40}, 6, 7, 1},
		{[]int{40, 190}, 6, 8, 2},    // the second one in the first spare pair
		{[]int{10, 40, 70}, 5, 8, 3}, // more than there are spare pairs
	} {
		e, r := newEstate(calm, 1, 0), onHosts(t, 1, 8)
		r.Spare = 2
		e.onFrame = func(round, _ int, _ *esxtop.Frame) bool {
			return !slices.Contains(tc.lost, round)
		}
		res, told, err := made(t.Context(), t, r, e)
		require.NoError(t, err)
		require.Empty(t, res.Stop, "%v", tc.lost)
		require.Equal(t, tc.used, res.Used, "%v", tc.lost)
		require.Equal(t, tc.drop, res.Dropped, "%v", tc.lost)
		require.Len(t, done(told), 2*tc.made, "%v", tc.lost)
		require.Equal(t, r.Expected(r.Dropped(done(told))), tc.made)
	}
}

// A spare pair counts as much as another, for several hosts, too: one host that loses half of its samples takes one spare pair for
// each two of its pairs.
func TestSparePairsOfSeveralHosts(t *testing.T) {
	e, r := newEstate(calm, 2, 0), onHosts(t, 2, 8)
	r.Spare = 2
	e.onFrame = func(round, host int, _ *esxtop.Frame) bool { return host != 1 || round != 10 && round != 40 }
	res, told, err := made(t.Context(), t, r, e)
	require.NoError(t, err)
	require.Equal(t, 12, res.Used)
	require.Equal(t, 2, res.Dropped)
	require.Len(t, done(told), 14)
}

func TestNumberOfSparePairs(t *testing.T) {
	require.Equal(t, 2, SparePairs(6))
	require.Equal(t, 2, SparePairs(20))
	require.Equal(t, 3, SparePairs(21))
	r := onHosts(t, 1, 8)
	r.Spare = 8
	require.ErrorContains(t, r.Check(), "8 of 8 pairs are spare")
}
