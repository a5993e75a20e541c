package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPaceAfterAJump: if the clock of the samples jumps ahead of the server's, the source asks as often as before.
func TestPaceAfterAJump(t *testing.T) {
	asked := time.Date(2026, 3, 2, 9, 0, 5, 0, time.UTC)
	for _, interval := range []time.Duration{perfInterval, 3 * perfInterval} {
		var p perfPace
		p.asked, p.fresh = asked, true
		p.learn(asked, asked.Add(-5*time.Second), 0)
		usual := p.due(interval).Sub(asked)
		require.LessOrEqual(t, usual, interval)
		for _, jump := range []time.Duration{10 * time.Minute, 24 * time.Hour} {
			p.learn(asked, asked.Add(jump-5*time.Second), 0)
			require.Equal(t, interval, p.due(interval).Sub(asked), "%s, after a jump of %s", interval, jump)
			require.LessOrEqual(t, p.again(), perfInterval)
		}
	}
}
