package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/simfleet"
)

// trialColumn is a trial, which switches a setting of a host on and off while it measures.
func trialColumn() faultColumn {
	return faultColumn{
		name: "trial", args: shortTrial(), run: triesThrough,
		at: map[faultPhase]callAt{
			connecting: {"RetrieveServiceContent", 1, 0}, oneRead: {"RetrievePropertiesEx", readOfATrial, 1}, allReads: {"RetrievePropertiesEx", readOfATrial, 0},
			acting: {"UpdateOptions", 2, 0},
		},
	}
}

// readOfATrial is a read after the first switch.
const readOfATrial = 22

// triesThrough runs a trial through a fault. Whatever happens, the old value is restored: by the trial, or by the next command.
func triesThrough(t *testing.T, c faultCell) string {
	t.Helper()
	s := newTrialStage(t, simfleet.Config{})
	s.front = faulty.New(t, s.fleet.URL(), faulty.Hooks{})
	other := s.somebody(t)
	env := s.env
	s.env = append(slices.Clip(s.env), shortCalls+"="+c.limit())
	fault := c.happening(t, changingFleet{s.fleet, s.jump})
	if fault != nil {
		s.front.Inject(*fault)
	}
	r := s.interrupted(t, s.unwritten(t, c), c.column.args...)
	hits := s.front.Hits()
	s.front.Heal()
	s.env = env
	s.clean(t, r, s.fleet.Password())
	require.Equal(t, fault != nil, hits > 0, "no call met the fault:\n%s", r.text())
	require.Contains(t, []int{exitClean, exitFailed, exitIncomplete, exitUndone, exitNotUndone}, r.code, r.text())
	if r.code != exitClean && r.code != exitIncomplete {
		require.Regexp(t, c.row.says, r.text())
	}
	journals, err := filepath.Glob(filepath.Join(s.state, "vperf", "simulated", "runs", "*", "journal.jsonl"))
	require.NoError(t, err)
	if len(journals) == 0 {
		require.Zero(t, pinThreshold(t, other))
		return fmt.Sprintf("ends %d", r.code)
	}
	kept := r.code == exitNotUndone
	if !kept {
		require.Zero(t, pinThreshold(t, other), r.text())
	}
	s.must(t, exitClean, "history", "verify") // it restores what the trial could not
	require.Zero(t, pinThreshold(t, other), r.text())
	switch {
	case r.code == exitClean || r.code == exitIncomplete:
		return "whole" // the exit code is that of its verdict
	case kept:
		return fmt.Sprintf("kept %d", r.code)
	}
	return fmt.Sprintf("undone %d", r.code)
}

// unwritten is closed when the server has not carried out two writes. A trial tries for ten minutes to restore the old value then, unless
// it is interrupted.
func (s *trialStage) unwritten(t *testing.T, c faultCell) <-chan struct{} {
	t.Helper()
	if c.phase != acting || !slices.Contains([]faulty.Kind{faulty.Hangs, faulty.Faults, faulty.Resets}, c.row.kind) {
		return nil
	}
	twice := make(chan struct{})
	go func() {
		defer close(twice)
		for s.front.Hits() < 2 && t.Context().Err() == nil {
			time.Sleep(50 * time.Millisecond)
		}
	}()
	return twice
}
