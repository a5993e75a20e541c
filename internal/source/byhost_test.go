package source

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// inTurns returns the rounds of one host after those of another; then it fails with err. At round hangsAt it hangs.
type inTurns struct {
	hosts, rounds int
	next, hangsAt int
	err           error
}

func (s *inTurns) Next(ctx context.Context) (*esxtop.Round, error) {
	switch {
	case s.next == s.hosts*s.rounds:
		return nil, s.err
	case s.next == s.hangsAt && s.hangsAt > 0:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	host, at := s.next/s.rounds, time.Date(2026, 6, 10, 12, 0, 20*(s.next%s.rounds), 0, time.UTC)
	s.next++
	return &esxtop.Round{Time: at, Frames: []*esxtop.Frame{{MoID: strconv.Itoa(host), Time: at, Interval: 20 * time.Second}}, More: s.next < s.rounds*s.hosts}, nil
}

func (*inTurns) About() esxtop.About         { return esxtop.About{} }
func (*inTurns) Configure(esxtop.Request)    {}
func (*inTurns) Close(context.Context) error { return nil }

// TestWatchOfHostsInTurns: a watch is over when the last host has enough samples, not when the first has.
func TestWatchOfHostsInTurns(t *testing.T) {
	frames := map[string]int{}
	source := &inTurns{hosts: 3, rounds: 7, err: errors.New("asked for more")}
	_, err := watch(t.Context(), source, 2*time.Minute, func(f *esxtop.Frame) { frames[f.MoID]++ }, func(string) {})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"0": 6, "1": 6, "2": 6}, frames, "two minutes of each")
}

// TestWatchEndsWithTheHostsRead: if a server stops answering, the counters of the hosts that had their turn are kept.
func TestWatchEndsWithTheHostsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		frames := map[string]int{}
		source := &inTurns{hosts: 3, rounds: 7, hangsAt: 9}
		spanned, err := watch(t.Context(), source, 2*time.Minute, func(f *esxtop.Frame) { frames[f.MoID]++ }, func(string) {})
		require.NoError(t, err)
		require.Positive(t, spanned)
		require.Equal(t, map[string]int{"0": 6, "1": 2}, frames)
	})
}
