package source

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// slow returns a number of rounds of 20 seconds, then simulates Ctrl-C and waits.
type slow struct {
	rounds int
	press  func()
	told   int
}

func (s *slow) Next(ctx context.Context) (*esxtop.Round, error) {
	if s.told == s.rounds {
		s.press()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	s.told++
	at := time.Date(2026, 6, 10, 12, 0, 20*s.told, 0, time.UTC)
	return &esxtop.Round{Time: at, Frames: []*esxtop.Frame{{Time: at, Interval: 20 * time.Second}}}, nil
}

func (*slow) About() esxtop.About         { return esxtop.About{} }
func (*slow) Configure(esxtop.Request)    {}
func (*slow) Close(context.Context) error { return nil }

// The samples until Ctrl-C are judged if there are enough of them; otherwise vperf reports too few.
func TestWatchingUntilItIsEnough(t *testing.T) {
	for name, tc := range map[string]struct {
		rounds  int
		enough  bool
		spanned time.Duration
		err     string
	}{
		"enough":     {2, true, 40 * time.Second, ""},
		"too little": {1, false, 20 * time.Second, "interrupted after 20s of 5m, which is too short for reliable results"},
		"nothing":    {0, false, 0, "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, e := WithEarlyStop(t.Context())
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			var printed []string
			source := &slow{rounds: tc.rounds, press: func() {
				if !e.Stop() {
					cancel()
				}
			}}
			frames := 0
			spanned, err := watch(ctx, source, 5*time.Minute, func(*esxtop.Frame) { frames++ }, func(s string) { printed = append(printed, s) })
			require.Equal(t, tc.spanned, spanned)
			require.Equal(t, tc.rounds, frames)
			require.Equal(t, tc.enough, StoppedEarly(ctx))
			require.Equal(t, tc.enough, ctx.Err() == nil)
			if tc.err != "" {
				require.EqualError(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []string{"20s of 5m, 4m40s left", "40s of 5m, 4m20s left; Ctrl-C stops early and uses the data so far"}, printed)
			require.Empty(t, e.watches, "nobody watches any more")
			require.False(t, e.Stop(), "the next one ends the command")
		})
	}
}
