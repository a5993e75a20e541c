package trial

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// An edge of a block cuts a sample wherever it falls, and samples that are early or late by a second are not lost.
func TestLostSamplesAtEdges(t *testing.T) {
	for phase := range 20 {
		for _, jitter := range []int{0, 1} {
			for lost := -1; lost < 16; lost++ {
				var samples []RawSample
				for k := range 17 {
					at := start.Add(time.Duration(20*k+phase)*time.Second + time.Duration(jitter*(k%2*2-1))*time.Second)
					if k != lost {
						samples = append(samples, RawSample{Time: at, Seconds: 20})
					}
				}
				from, end := start.Add(time.Minute), start.Add(5*time.Minute)
				n := lostSamples(within(samples, from, end), "", from, end, DefaultInterval)
				begin, over := time.Duration(20*(lost-1)+phase)*time.Second, time.Duration(20*lost+phase)*time.Second
				if inside := begin >= time.Minute+4*time.Second && over <= 5*time.Minute-4*time.Second; lost >= 0 && inside {
					require.Equal(t, 1, n, "phase %d, jitter %d, sample %d", phase, jitter, lost)
				} else if lost < 0 {
					require.Zero(t, n, "phase %d, jitter %d", phase, jitter)
				}
			}
		}
	}
}

// A LUN without commands has a latency of 0; a LUN whose counters are missing has none, so its sample is lost.
func TestIdleIsNotMissing(t *testing.T) {
	term := Term{Object: "device", Metric: "disk.guestLatency", Weight: "disk.commands"}
	b, err := term.bind()
	require.NoError(t, err)
	unit := &Unit{Kind: inventory.ScopeLUN, ID: "naa.1"}
	row := esxtop.NewRow(esxtop.Device, "naa.1", "naa.1")
	f := &esxtop.Frame{}
	f.Put(esxtop.Device, []esxtop.Row{row})
	_, ok := b.read(f, unit)
	require.False(t, ok)
	f.Rows(esxtop.Device)[0].Set(esxtop.Lookup("disk.commands"), 0)
	v, ok := b.read(f, unit)
	require.True(t, ok)
	require.Zero(t, v)
}
