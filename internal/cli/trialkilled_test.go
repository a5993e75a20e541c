package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
)

// killedTrial is a trial of four hosts in two pairs of blocks, with as few calls as six differences need.
func killedTrial() []string {
	return []string{
		"trial", "run", "--demo", "host01", "host05", "host11", "host15", "--rule", "power-policy", "--yes", "--max-hosts", "4",
		"--for", "12m", "--block", "3m", "--seed", "7",
	}
}

// killsOfATrial is the number of moments that make test tries.
const killsOfATrial = 4

// TestProveTrialKilled kills `vperf trial run` before and after each of its calls; make prove takes the calls that write, and the first
// and the last of each other kind, because all of them take most of an hour. Each time, history shows the interrupted run. A
// rollback restores the old values of all settings, and so does any other command that writes.
func TestProveTrialKilled(t *testing.T) {
	t.Parallel()
	calls := callsOfTrial(t, killedTrial())
	require.Greater(t, len(calls), 200)
	require.True(t, slices.ContainsFunc(calls, writing), "%q", calls)
	var moments []moment
	for i, call := range calls {
		ends := !slices.Contains(calls[:i], call) || !slices.Contains(calls[i+1:], call)
		if proof.Long(t) || writing(call) || ends && proof.Everything(t) { // a sample of all would be mostly of moments before the first write
			moments = append(moments, moment{i + 1, true}, moment{i + 1, false})
		}
	}
	moments = proof.Sample(t, killsOfATrial, moments)
	var killed, open atomic.Int64
	const shares = 3
	t.Run("share", func(t *testing.T) {
		for share := range shares {
			t.Run(strconv.Itoa(share), func(t *testing.T) {
				t.Parallel()
				for i := share; i < len(moments); i += shares {
					m := moments[i]
					// Not parallel: the fleets of parallel tests stay in memory until all have ended.
					t.Run(fmt.Sprintf("%d-%s-%t", m.at, calls[m.at-1], m.ahead), func(t *testing.T) {
						s := newKilledTrial(t)
						s.kills(t, m, i%2 == 0)
						killed.Add(s.killed)
						open.Add(s.open)
					})
				}
			})
		}
	})
	t.Logf("%d moments around %d calls: killed %d times, in an open run %d times", len(moments), len(calls), killed.Load(), open.Load())
	require.GreaterOrEqual(t, int(killed.Load()), len(moments)*9/10, "a run may have fewer calls than another")
	require.GreaterOrEqual(t, int(open.Load()), len(moments)/2)
}

// callsOfTrial returns the calls of a trial that is not killed.
func callsOfTrial(t *testing.T, args []string) []string {
	t.Helper()
	s := newKilledTrial(t)
	cmd, output := s.command(args...), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = output, output
	require.NoError(t, s.start(cmd, 0, false))
	_ = cmd.Wait()
	s.disarm()
	// Any verdict will do: with two pairs, it depends on the time of day of the fleet.
	require.Contains(t, []int{exitClean, exitFindings, exitIncomplete}, cmd.ProcessState.ExitCode(), "%s", output)
	return s.names
}

// killedStage is a stage whose trial is killed.
type killedStage struct {
	*trialStage
	*killer

	killed, open int64 // how often; open: in an open run
}

func newKilledTrial(t *testing.T) *killedStage {
	t.Helper()
	k := new(killer)
	return &killedStage{trialStage: newTrialStage(t, simfleet.Config{Before: k.before, After: k.after}), killer: k}
}

// kills kills a trial at a moment, and proves that everything is as before after the next command: a rollback, or another one that
// writes.
func (s *killedStage) kills(t *testing.T, m moment, rollback bool) {
	t.Helper()
	before := settingsOf(t, s.fleet, "demo")
	cmd, output := s.command(killedTrial()...), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = output, output
	require.NoError(t, s.start(cmd, m.at, m.ahead))
	_ = cmd.Wait()
	if s.disarm() {
		s.killed++
	}
	journals, err := filepath.Glob(filepath.Join(s.state, "vperf", "simulated", "runs", "*", "journal.jsonl"))
	require.NoError(t, err)
	if len(journals) > 0 {
		s.recovers(t, filepath.Base(filepath.Dir(journals[0])), rollback)
	}
	require.Equal(t, before, settingsOf(t, s.fleet, "demo"), "%s", output)
}

// recovers restores the values of an interrupted run, by a rollback or by another command that writes.
func (s *killedStage) recovers(t *testing.T, run string, rollback bool) {
	t.Helper()
	listed := s.must(t, exitClean, "history", "list")
	require.Contains(t, listed, run)
	if strings.Contains(listed, "cut short") {
		s.open++
	} else {
		require.Contains(t, listed, "restored: 4 undone", "it had ended")
	}
	if rollback {
		s.must(t, exitClean, "rollback", run, "--yes")
	} else {
		s.must(t, exitClean, "apply", "host05", "--rule", "numa-io", "--yes") // which has nothing to do
	}
	listed = s.must(t, exitClean, "history", "list")
	require.Contains(t, listed, "restored: ")
	require.NotContains(t, listed, "doubt")
	s.must(t, exitClean, "history", "verify")
	require.Contains(t, s.must(t, exitClean, "rollback", run, "--yes"), "nothing to do")
}
