package source

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// inTurns returns the rounds of one host after those of another; then it fails with err.
type inTurns struct {
	hosts, rounds int
	next          int
	err           error
}

func (s *inTurns) Next(context.Context) (*esxtop.Round, error) {
	if s.next == s.hosts*s.rounds {
		return nil, s.err
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
