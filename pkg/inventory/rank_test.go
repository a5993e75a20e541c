package inventory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

// TestRank: one bad sample of several is not a percentile below 100, however few samples there are.
func TestRank(t *testing.T) {
	for _, c := range []struct{ percent, samples, want int64 }{
		{50, 1, 1}, {95, 1, 1}, {100, 1, 1},
		{50, 2, 1}, {95, 2, 1}, {100, 2, 2},
		{50, 3, 2}, {95, 3, 2}, {100, 3, 3},
		{95, 12, 11}, {95, 19, 18}, {95, 20, 19}, {95, 21, 20}, {95, 40, 38}, {95, 180, 171}, {50, 180, 90}, {100, 180, 180},
	} {
		require.Equal(t, c.want, inventory.Rank(c.percent, c.samples), "%d of %d", c.percent, c.samples)
	}
}

// TestBeyondOfASummary: without the samples, Beyond returns the minimum that follows from the summary.
func TestBeyondOfASummary(t *testing.T) {
	s := inventory.Series{Median: 1, P95: 6, Worst: 9}
	for _, c := range []struct {
		samples int64
		limit   float64
		want    float64
	}{
		{3, 5, 2. / 3}, {12, 5, 2. / 12}, {20, 5, 2. / 20}, {180, 5, 10. / 180},
		{12, 0, 7. / 12}, {12, 8, 1. / 12}, {12, 9, 0},
	} {
		s.Samples = c.samples
		require.InDelta(t, c.want, s.RatioBeyond(c.limit), 1e-9, "%d samples beyond %g", c.samples, c.limit)
	}
}
