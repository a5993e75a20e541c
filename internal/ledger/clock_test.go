package ledger

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClockForwardAndBack: the clock of a server jumps 10 minutes forward and back during a run. Sums never decrease, a sample with a
// time at or before the newest counted one is not counted, and counting continues when the clock has passed that time.
func TestClockForwardAndBack(t *testing.T) {
	l := fleet(t, Options{})
	before := 0.0
	for _, slot := range []int{1, 2, 3, 33, 34, 4, 5, 33, 34, 3, 6, 35, 36} {
		l.Take(round(frame("host-1", after(slot), ready("vm-1", 10))))
		sum := page(t, l, after(slot))[readyOf1]
		if sum == 0 {
			continue // stale at the time of this clock
		}
		require.GreaterOrEqual(t, sum, before, "slot %d", slot)
		before = sum
	}
	require.Equal(t, uint64(7), l.Stats(after(36)).Samples, "1, 2, 3, 33, 34, 35, 36")
	require.InDelta(t, 14, before, 1e-9)
	require.Equal(t, map[string]uint64{"not_kept": 29}, reasons(l, after(36)), "the samples between")
}
