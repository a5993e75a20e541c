package rounds_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/tui/rounds"
	"github.com/vperf/vperf/pkg/esxtop"
)

// silent is a source whose only host answers up to a time, and never again.
type silent struct {
	esxtop.Source

	until   time.Time
	nothing bool // rounds without frames or troubles
}

func (silent) About() esxtop.About { return esxtop.About{Interval: 20 * time.Second} }

func (s silent) Next(ctx context.Context) (*esxtop.Round, error) {
	time.Sleep(20 * time.Second)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if s.nothing {
		time.Sleep(20 * time.Second)
		return new(esxtop.Round), nil
	}
	if time.Now().After(s.until) {
		return &esxtop.Round{Troubles: []esxtop.Trouble{{Host: "host01", Err: errors.New("reading counters of host01: refused")}}}, nil
	}
	return &esxtop.Round{Frames: []*esxtop.Frame{{Interval: 20 * time.Second}}}, nil
}

// TestNoSamplesEnds: a number of rounds that never come ends with the reason; a monitor goes on.
func TestNoSamplesEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // of the fake clock
		defer cancel()
		streams := &iostreams.IO{Out: new(bytes.Buffer), Err: new(bytes.Buffer)}
		began := time.Now()
		r := rounds.New(silent{until: began.Add(time.Minute)}, streams, 100)
		var err error
		for n := 0; err == nil; n++ {
			_, err = r.Next(ctx)
		}
		require.EqualError(t, err, "no samples for 3m: reading counters of host01: refused")
		require.Less(t, time.Since(began), 5*time.Minute)

		_, err = rounds.New(silent{nothing: true}, streams, 1).Next(ctx)
		require.EqualError(t, err, "no samples for 3m")

		_, err = rounds.New(silent{}, streams, 0).Next(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
