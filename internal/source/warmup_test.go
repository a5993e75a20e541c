package source

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// script is a source whose rounds come when the test sends them.
type script struct {
	rounds chan *esxtop.Round
	asked  []esxtop.Request
	closed bool
}

func newScript(rounds ...*esxtop.Round) *script {
	s := &script{rounds: make(chan *esxtop.Round, 10)}
	for _, r := range rounds {
		s.rounds <- r
	}
	return s
}

func (s *script) Next(ctx context.Context) (*esxtop.Round, error) {
	select {
	case r, ok := <-s.rounds:
		if !ok {
			return nil, io.EOF
		}
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *script) Configure(r esxtop.Request)  { s.asked = append(s.asked, r) }
func (s *script) About() esxtop.About         { return esxtop.About{Origin: esxtop.Service} }
func (s *script) Close(context.Context) error { s.closed = true; return nil }

func scripted(n int, interval time.Duration, past bool) *esxtop.Round {
	f := &esxtop.Frame{Host: "esx01", Time: time.Unix(int64(n), 0), Interval: interval}
	return &esxtop.Round{Time: f.Time, Frames: []*esxtop.Frame{f}, Past: past, Troubles: []esxtop.Trouble{{Host: "esx02"}}}
}

func next(t *testing.T, s esxtop.Source) int {
	t.Helper()
	r, err := s.Next(t.Context())
	require.NoError(t, err)
	return int(r.Time.Unix())
}

// TestWarmUp: the last samples from history come first, then the live ones; nothing past comes after these.
func TestWarmUp(t *testing.T) {
	live, past := newScript(), newScript(scripted(1, 20e9, true), scripted(2, 20e9, true), scripted(3, 20e9, false))
	var asked esxtop.Request
	w := warmUp(live, esxtop.Request{}, func(_ context.Context, r esxtop.Request) (esxtop.Source, error) { asked = r; return past, nil })
	w.Configure(esxtop.Request{Objects: esxtop.ObjectsOf(esxtop.Group)})
	require.Equal(t, 1, next(t, w))
	require.Equal(t, 2, next(t, w))
	require.True(t, asked.Objects.Has(esxtop.Group), "history is asked for what the screen shows")
	require.Len(t, live.asked, 1)
	live.rounds <- scripted(10, 0, false)
	require.Equal(t, 10, next(t, w), "the first look has no rates")
	live.rounds <- scripted(11, 2e9, false)
	require.Equal(t, 11, next(t, w))
	live.rounds <- scripted(12, 2e9, false)
	require.Equal(t, 12, next(t, w))
	close(live.rounds)
	_, err := w.Next(t.Context())
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, w.Close(t.Context()))
	require.True(t, live.closed)
	require.True(t, past.closed)
}

// TestWarmUpIsOptional: a server without history, and one that is slow, change nothing.
func TestWarmUpIsOptional(t *testing.T) {
	live := newScript(scripted(10, 0, false), scripted(11, 2e9, false))
	refused := func(context.Context, esxtop.Request) (esxtop.Source, error) { return nil, errors.New("no permission") }
	w := warmUp(live, esxtop.Request{}, refused)
	require.Equal(t, 10, next(t, w))
	require.Equal(t, 11, next(t, w))
	require.NoError(t, w.Close(t.Context()))

	live = newScript(scripted(11, 2e9, false))
	slow := newScript()
	w = warmUp(live, esxtop.Request{}, func(context.Context, esxtop.Request) (esxtop.Source, error) { return slow, nil })
	require.Equal(t, 11, next(t, w), "nobody waits for history")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.Next(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, w.Close(t.Context()), "what is under way ends")
	require.True(t, slow.closed)
}
