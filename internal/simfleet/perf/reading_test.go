package perf

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// A missing sample is -1 in real-time series, and skipped in longer intervals.
func TestMissingSamples(t *testing.T) {
	counter := counterOf("cpu.ready.summation", inMillis)
	r := reading{counter: &counter, of: load.NewStream("anything"), loads: &load.Model{}, at: func(int64) int64 { return 7 }}
	slot := int64(0)
	for r.sampled(slot) != NoSample {
		slot++
	}
	require.Less(t, slot, int64(30_000))
	require.Equal(t, NoSample, r.over(slot, 1))
	require.Equal(t, int64(14*7), r.over(slot, 15))
	counter.rollup = "average"
	require.Equal(t, int64(7), r.over(slot, 15))
	r.loads.Lossless = true
	require.Equal(t, int64(7), r.sampled(slot))
}

// Ids differ between endpoints, and are the same at each start.
func TestCounterIDs(t *testing.T) {
	require.Equal(t, []int32{228, 278, 240}, counterIDs("esxi-a")[:3])
}
