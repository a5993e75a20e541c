package live_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// TestOneBadSampleOfAFewIsNoPercentile: rules use the 95th percentile. With few samples that must not be the worst one,
// or a single bad sample would decide.
func TestOneBadSampleOfAFewIsNoPercentile(t *testing.T) {
	var frames []*esxtop.Frame
	for _, ready := range []float64{1, 90, 2, 1, 3} {
		frames = append(frames, frame(ofVM(row(esxtop.Group, "1", map[string]float64{"cpu.contentionPerVCPU": ready}), "vm-1")))
	}
	_, vm := measured(frames...)
	require.InDelta(t, 3, vm.Of("cpu.ready").P95, 0)
	require.InDelta(t, 90, vm.Of("cpu.ready").Worst, 0)
}
