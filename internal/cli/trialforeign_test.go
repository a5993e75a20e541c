package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
)

// TestProveTrialForeignChanges: another client sets the option in a block. The trial ends at the next switch, or after its last block; the
// block does not count, and the other's value stays. With seed 7, blocks 1, 4, 5, 8, 9 and 11 have the change; with seed 1, block 12.
func TestProveTrialForeignChanges(t *testing.T) {
	t.Parallel()
	const block = 200 * time.Second // with the switch
	for name, c := range rows(t, 2, map[string]struct {
		seed  string
		block int
		to    int64
		code  int
		used  int
	}{
		"with the change":                          {"7", 5, 33, exitNotUndone, 2},
		"with the change, to the old value":        {"7", 5, 0, exitUndone, 2},
		"without the change":                       {"7", 3, 33, exitNotUndone, 1},
		"without the change, to its value":         {"7", 3, 60, exitNotUndone, 1},
		"in the last block":                        {"7", 12, 33, exitNotUndone, 5},
		"in the last block, to the change's value": {"7", 12, 60, exitNotUndone, 5},
		"in the last block, with the change":       {"1", 12, 33, exitNotUndone, 5},
		"in the last block, to the old value":      {"1", 12, 0, exitUndone, 5},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTrialStage(t, simfleet.Config{})
			other := s.somebody(t)
			s.once(time.Duration(c.block)*block-block/2, func() { setPinThreshold(t, other, c.to) })
			code, text := s.run(shortTrial("--seed", c.seed, "--keep")...)
			require.Equal(t, c.code, code, text)
			require.Contains(t, text, "somebody else changed it")
			require.Equal(t, c.to, pinThreshold(t, other))
			shown := s.show(t)
			require.Equal(t, "foreign", shown.Result.Stop)
			require.Equal(t, c.used, shown.Result.Used, text)
			require.False(t, shown.Kept)
			verified, back := exitClean, exitClean
			if c.code == exitNotUndone {
				verified, back = exitFindings, exitPending // the setting is not as the run left it
			}
			s.must(t, verified, "history", "verify")
			s.must(t, back, "rollback", "--last", "--yes")
			require.Equal(t, c.to, pinThreshold(t, other), "rollback does not take it for its own either")
		})
	}
}
