package vsphere

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/pkg/esxtop"
)

// perfClock is the time of a fleet and of a source: waiting takes none of ours.
type perfClock struct {
	mu   sync.Mutex
	time time.Time
}

func newPerfClock() *perfClock {
	return &perfClock{time: time.Date(2026, 11, 20, 12, 0, 7, 0, time.UTC)}
}

func (c *perfClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

func (c *perfClock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.time = c.time.Add(d)
}

func (c *perfClock) after(d time.Duration) <-chan time.Time {
	c.forward(d)
	done := make(chan time.Time)
	close(done)
	return done
}

// performanceOf is a source of all hosts, with the clock if there is one.
func performanceOf(t *testing.T, s *Session, clock *perfClock, o PerformanceOptions) *performance {
	t.Helper()
	roster, err := s.Roster(t.Context())
	require.NoError(t, err)
	hosts, err := roster.Choose(Scope{})
	require.NoError(t, err)
	p := newPerformance(s, roster, hosts, o)
	p.jitter = func(time.Duration) time.Duration { return 0 }
	if clock != nil {
		p.now, p.after = clock.now, clock.after
	}
	require.NoError(t, p.start(t.Context(), o.History))
	t.Cleanup(func() { require.NoError(t, p.Close(context.WithoutCancel(t.Context()))) })
	return p
}

func nextRound(t *testing.T, p *performance) *esxtop.Round {
	t.Helper()
	r, err := p.Next(t.Context())
	require.NoError(t, err)
	return r
}

func TestScratch(t *testing.T) {
	clock := newPerfClock()
	s := fleetOf(t, "vcenter", simfleet.Config{Now: clock.now})
	p := performanceOf(t, s, clock, PerformanceOptions{Request: esxtop.Request{Objects: esxtop.AllObjects}})
	fmt.Println("ahead", p.ahead)
	for range 6 {
		r := nextRound(t, p)
		fmt.Println(clock.now(), r.Time, len(r.Frames), r.Troubles, p.pace, s.Calls())
		for _, o := range perfObjects {
			n := 0
			for _, f := range r.Frames {
				n += len(f.Rows(o))
			}
			fmt.Print(o, " ", n, " ")
		}
		fmt.Println()
	}
}
