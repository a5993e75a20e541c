package live_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/internal/proof"
)

// TestPutAllocatesByObject: the counters of an object share their memory, so that a fleet has no hundreds of thousands of small
// blocks, which the garbage collector visits one by one.
func TestPutAllocatesByObject(t *testing.T) {
	if proof.RaceDetector {
		t.Skip("the race detector allocates memory, too; make test runs this test")
	}
	const vms, frames = 50, 6
	l := newLarge(vms, 0)
	v := l.server()
	var windows []*live.Window
	for range 2 { // AllocsPerRun calls once more than it counts
		w := live.For(nil)
		w.Expect(frames)
		for n := range frames {
			w.Add(l.frame(n))
		}
		windows = append(windows, w)
	}
	allocated := testing.AllocsPerRun(1, func() {
		windows[0].Put(v)
		windows = windows[1:]
	})
	require.GreaterOrEqual(t, len(v.VMs[0].Live), 20)
	require.Less(t, allocated/(2*vms), 8.0, "of a VM or its disk")
}
