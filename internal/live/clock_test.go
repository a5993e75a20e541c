package live_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// TestHostClockJumps: wherever the clock of a host jumps to, each sample counts once, in the order of arrival.
func TestHostClockJumps(t *testing.T) {
	begin := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	for name, jump := range map[string]time.Duration{"ahead": time.Hour, "a little ahead": time.Minute, "back": -time.Hour, "a little back": -70 * time.Second} {
		t.Run(name, func(t *testing.T) {
			var frames []*esxtop.Frame
			for i := range 10 {
				f := frame(ofVM(row(esxtop.Group, "7", map[string]float64{"cpu.contentionPerVCPU": float64(i)}), "vm-1"))
				if f.Time = begin.Add(time.Duration(i) * interval); i >= 5 {
					f.Time = f.Time.Add(jump)
				}
				frames = append(frames, f)
			}
			s := read(frames...).VMs[0].Live.Of("cpu.ready")
			require.EqualValues(t, len(frames), s.Samples)
			var values []float32
			for _, v := range s.Track.Values {
				if v == v {
					values = append(values, v)
				}
			}
			require.Len(t, values, len(frames))
			require.IsIncreasing(t, values)
		})
	}
}
