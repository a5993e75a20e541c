package measure

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/pkg/esxtop"
)

// testReplay is the clock of a fleet in this process, which has so much left to replay.
type testReplay struct {
	clock *perfClock
	left  time.Duration
}

func (r *testReplay) Now() time.Time { return r.clock.now() }

func (r *testReplay) Forward(_ context.Context, d time.Duration) error {
	if r.left == 0 {
		return io.EOF
	}
	d = min(d, r.left)
	r.clock.forward(d)
	r.left -= d
	return nil
}

func (r *testReplay) Finish(ctx context.Context) error { return r.Forward(ctx, r.left) }

// TestReplay: a replay has the samples that a watch of that time would have, from either source, and takes none of ours.
func TestReplay(t *testing.T) {
	t.Parallel()
	for from, first := range map[CounterSource]time.Duration{CountersEsxtop: 0, CountersPerformance: 20 * time.Second} {
		t.Run(string(from), func(t *testing.T) {
			t.Parallel()
			clock := newPerfClock()
			_, roster, hosts := countingFleet(t, simfleet.Config{Now: clock.now}, 0)
			replay := &testReplay{clock, time.Minute}
			source, err := roster.OpenCounters(t.Context(), hosts("host06", "host07"), CounterOptions{
				Source: from, Replay: replay, History: time.Minute, Request: esxtop.Request{Interval: 20 * time.Second, Objects: esxtop.AllObjects},
			})
			require.NoError(t, err)
			defer func() { require.NoError(t, source.Close(t.Context())) }()
			next := func() *esxtop.Round {
				r, err := source.Next(t.Context())
				require.NoError(t, err)
				return r
			}
			began := next()
			require.Len(t, began.Frames, 2)
			require.Equal(t, first, began.Frames[0].Interval)
			for n := 1; n <= 2; n++ {
				r := next()
				require.Len(t, r.Frames, 2)
				require.Equal(t, 20*time.Second, r.Frames[0].Interval)
				require.Equal(t, began.Time.Add(time.Duration(n)*20*time.Second), r.Time)
			}
			if from == CountersEsxtop {
				next()
				_, err := source.Next(t.Context())
				require.ErrorIs(t, err, io.EOF)
			}
			require.Zero(t, replay.left)
		})
	}
}
