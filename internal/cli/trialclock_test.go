package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
)

// jump sets the fleet's clock, which all its hosts follow.
func (s *trialStage) jump(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = s.at.Add(d)
}

// TestTrialClockJumps: the clock of the server and its hosts jumps in a block. The trial goes on at its usual pace. After a jump back,
// blocks do not count until the clock shows the old time again. After a jump forward, the fleet has samples of the time that was skipped.
func TestTrialClockJumps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by            time.Duration
		dropped, used int
		lasts         time.Duration
	}{
		"forward": {10 * time.Minute, 0, 6, (36 + 10 + 10) * time.Minute},
		"back":    {-10 * time.Minute, 3, 3, (36 - 10 + 10) * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTrialStage(t, simfleet.Config{})
			s.once(inTheTrial, func() { s.jump(c.by) })
			code, text := s.run(shortTrial()...)
			require.Contains(t, []int{exitClean, exitIncomplete}, code, text)
			shown := s.show(t)
			require.Empty(t, shown.Result.Stop, text)
			require.Len(t, shown.dropped(), c.dropped, text)
			require.Equal(t, c.used, shown.Result.Used, text)
			require.Less(t, s.past(), c.lasts, text)
			require.EqualValues(t, 0, pinThreshold(t, s.somebody(t)))
			s.must(t, exitClean, "history", "verify")
		})
	}
}
