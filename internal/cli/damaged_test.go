package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/faulty"
)

// TestDamagedJournal damages the journal of a run. rollback never calls that done: it lists what the server has, asks, restores it, and exits
// 0 only after that. The settings are read without vperf.
func TestDamagedJournal(t *testing.T) {
	t.Parallel()
	fleet := newChangingFleet(t, false)
	s := newFaultStage(t, fleet.Fleet, faulty.Hooks{})
	before := hostSettings(t, fleet.Fleet)
	flip := func(b []byte) []byte {
		b[bytes.Index(b, []byte(`"text":"0"`))+8] ^= 1
		return b
	}
	records := func(b []byte) [][]byte { return bytes.SplitAfter(bytes.TrimSuffix(b, []byte("\n")), []byte("\n")) }
	for name, damage := range map[string]func([]byte) []byte{
		"empty":             func([]byte) []byte { return nil },
		"first record gone": func(b []byte) []byte { return bytes.Join(records(b)[1:], nil) },
		"cut at a border":   func(b []byte) []byte { return bytes.Join(records(b)[:2], nil) },
		"cut in a record":   func(b []byte) []byte { return b[:len(b)-20] },
		"one bit flipped":   flip,
	} {
		t.Run(name, func(t *testing.T) {
			s.must(t, exitClean, "apply", "host01", "--rule", "numa-io", "--yes")
			changed := hostSettings(t, fleet.Fleet)
			require.NotEqual(t, before, changed)
			journals, err := filepath.Glob(filepath.Join(s.state, "vperf", "simulated", "runs", "*", "journal.jsonl"))
			require.NoError(t, err)
			journal := journals[len(journals)-1]
			run := filepath.Base(filepath.Dir(journal))
			content, err := os.ReadFile(journal)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(journal, damage(content), 0o600))

			require.Contains(t, s.must(t, exitClean, "history", "list"), "damaged: 1 ")
			r := s.bounded(t, "history", "verify")
			require.Equal(t, exitIncomplete, r.code, r.text())
			require.Contains(t, r.text(), "vperf history set-aside "+run)
			validJSON(t, "", []byte(s.must(t, exitClean, "history", "list", "-o", "json")))
			validJSON(t, "", []byte(s.must(t, exitClean, "history", "show", run, "-o", "json")))
			verified := s.bounded(t, "history", "verify", run, "-o", "json")
			require.Equal(t, exitIncomplete, verified.code, verified.text())
			validJSON(t, "", []byte(verified.stdout))
			r = s.bounded(t, "apply", "host02", "--rule", "numa-io", "--set", "numa-io.threshold=40", "--yes")
			require.Equal(t, exitClean, r.code, "it stops no other run:\n%s", r.text())
			s.must(t, exitClean, "rollback", "--last", "--yes")
			r = s.bounded(t, "rollback", run)
			require.Equal(t, exitRefused, r.code, r.text())
			require.Contains(t, r.text(), "it has the value that the run intended")
			require.Equal(t, changed, hostSettings(t, fleet.Fleet), "nothing is written without consent")

			r = s.bounded(t, "rollback", run, "--yes")
			require.Equal(t, exitClean, r.code, r.text())
			require.Equal(t, before, hostSettings(t, fleet.Fleet))
			require.NotContains(t, s.must(t, exitClean, "rollback", run, "--yes"), "not begun")
			require.Contains(t, s.must(t, exitClean, "history", "list"), "damaged, set aside")
			require.NotContains(t, s.bounded(t, "history", "verify").text(), "damaged")
			r = s.bounded(t, "history", "set-aside", filepath.Base(filepath.Dir(journals[0]))+"x")
			require.Equal(t, exitUsage, r.code, r.text())
		})
	}
}

// TestDamagedJournalAndPlan: where the plan is lost too, nobody knows what is left, so rollback never exits 0.
func TestDamagedJournalAndPlan(t *testing.T) {
	t.Parallel()
	fleet := newChangingFleet(t, false)
	s := newFaultStage(t, fleet.Fleet, faulty.Hooks{})
	s.must(t, exitClean, "apply", "host01", "--rule", "numa-io", "--yes")
	folders, err := filepath.Glob(filepath.Join(s.state, "vperf", "simulated", "runs", "*"))
	require.NoError(t, err)
	for _, name := range []string{"journal.jsonl", "plan.json"} {
		require.NoError(t, os.Truncate(filepath.Join(folders[0], name), 500))
	}
	r := s.bounded(t, "rollback", filepath.Base(folders[0]), "--yes")
	require.NotContains(t, []int{exitClean, exitPending}, r.code, r.text())
	require.Contains(t, r.text(), "damaged")
}

// TestLostPlanAndEnd: where the journal is cut at a border, and its end and the plan are lost, no rollback exits 0, also after set-aside.
func TestLostPlanAndEnd(t *testing.T) {
	t.Parallel()
	fleet := newChangingFleet(t, false)
	s := newFaultStage(t, fleet.Fleet, faulty.Hooks{})
	s.must(t, exitClean, "apply", "host01", "--rule", "numa-io", "--yes")
	folders, err := filepath.Glob(filepath.Join(s.state, "vperf", "simulated", "runs", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, folders, s.must(t, exitClean, "history", "list"))
	run := filepath.Base(folders[0])
	journal := filepath.Join(folders[0], "journal.jsonl")
	content, err := os.ReadFile(journal)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(journal, bytes.Join(bytes.SplitAfter(content, []byte("\n"))[:4], nil), 0o600))
	require.NoError(t, os.Remove(filepath.Join(folders[0], "journal.end")))
	require.NoError(t, os.Remove(filepath.Join(folders[0], "plan.json")))
	for range 2 {
		r := s.bounded(t, "rollback", run, "--yes")
		require.Equal(t, exitNotUndone, r.code, r.text())
		require.Contains(t, r.text(), "what run "+run+" left on ")
	}
	s.must(t, exitClean, "history", "set-aside", run)
	r := s.bounded(t, "rollback", run, "--yes")
	require.Equal(t, exitNotUndone, r.code, r.text())
}
