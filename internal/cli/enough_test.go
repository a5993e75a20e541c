package cli

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/esxtop"
)

// slow tells so many rounds of 20 seconds, and then has somebody press Ctrl-C and waits.
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
func (*slow) Ask(esxtop.Request)          {}
func (*slow) Close(context.Context) error { return nil }

// What was seen until Ctrl-C is judged, if it is enough to judge by; else it is said that it is not.
func TestWatchingUntilItIsEnough(t *testing.T) {
	for name, tc := range map[string]struct {
		rounds  int
		enough  bool
		spanned time.Duration
		err     string
	}{
		"enough":     {2, true, 40 * time.Second, ""},
		"too little": {1, false, 20 * time.Second, "interrupted after 20s of 5m, which is too little to judge by"},
		"nothing":    {0, false, 0, "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &enough{watches: map[*func() bool]bool{}}
			ctx, cancel := context.WithCancel(context.WithValue(t.Context(), enoughKey{}, e))
			defer cancel()
			var told []string
			source := &slow{rounds: tc.rounds, press: func() {
				if !e.say() {
					cancel()
				}
			}}
			frames := 0
			spanned, err := watch(ctx, source, 5*time.Minute, func(*esxtop.Frame) { frames++ }, func(s string) { told = append(told, s) })
			require.Equal(t, tc.spanned, spanned)
			require.Equal(t, tc.rounds, frames)
			require.Equal(t, tc.enough, e.wasSaid())
			require.Equal(t, tc.enough, ctx.Err() == nil)
			if tc.err != "" {
				require.EqualError(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []string{"20s of 5m", "40s of 5m; Ctrl-C judges by what was seen"}, told)
			require.Empty(t, e.watches, "nobody watches any more")
			require.False(t, e.say(), "the next one ends the command")
		})
	}
}

// The first Ctrl-C is for who watches and has enough, the next one ends the command.
func TestCtrlCIsHeardOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nobody can send Ctrl-C there")
	}
	ctx, stop := endsGently(t.Context())
	defer stop()
	heard := make(chan bool, 1)
	done := enoughOf(ctx).watching(func() bool { heard <- true; return true })
	press := func() {
		self, err := os.FindProcess(os.Getpid())
		require.NoError(t, err)
		require.NoError(t, self.Signal(os.Interrupt))
	}
	press()
	require.True(t, <-heard)
	require.Eventually(t, enoughOf(ctx).wasSaid, time.Minute, time.Millisecond)
	require.NoError(t, ctx.Err(), "the command goes on")
	done()
	press()
	<-ctx.Done()
}

// An answer of less than was asked for is there, and the exit code says so.
func TestEnoughIsNoSuccess(t *testing.T) {
	streams, out, errs := iostreams.Test()
	e := &enough{watches: map[*func() bool]bool{}, said: true}
	code := run(context.WithValue(t.Context(), enoughKey{}, e), NewFactory(streams), []string{"version"})
	require.Equal(t, exitInterrupted, code)
	require.Contains(t, out.String(), "vperf")
	require.Equal(t, "vperf: interrupted\n", errs.String())
}
