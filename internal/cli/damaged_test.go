package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/simfleet"
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
		"old values changed": func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte(`"text":"0"`), []byte(`"text":"9"`))
		},
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
			s.must(t, exitClean, "rollback", "--last", "--yes")
			require.Equal(t, before, hostSettings(t, fleet.Fleet), "to repeat a rollback does not make the change again")
			require.Contains(t, s.must(t, exitClean, "history", "list"), "damaged, set aside")
			require.NotContains(t, s.bounded(t, "history", "verify").text(), "damaged")
			r = s.bounded(t, "history", "set-aside", filepath.Base(filepath.Dir(journals[0]))+"x")
			require.Equal(t, exitUsage, r.code, r.text())
		})
	}
}

// TestUnreadableJournal: where a file is there and cannot be read, rollback says so, and does not take the run for one that changed nothing.
func TestUnreadableJournal(t *testing.T) {
	t.Parallel()
	fleet := newChangingFleet(t, false)
	s := newFaultStage(t, fleet.Fleet, faulty.Hooks{})
	s.must(t, exitClean, "apply", "host01", "--rule", "numa-io", "--yes")
	journals, err := filepath.Glob(filepath.Join(s.state, "vperf", "simulated", "runs", "*", "journal.jsonl"))
	require.NoError(t, err)
	require.Len(t, journals, 1)
	require.NoError(t, os.Remove(journals[0]))
	require.NoError(t, os.Mkdir(journals[0], 0o700))
	require.Contains(t, s.must(t, exitClean, "history", "list"), "unread")
	r := s.bounded(t, "history", "verify")
	require.Equal(t, exitFailed, r.code, r.text())
	for _, run := range []string{filepath.Base(filepath.Dir(journals[0])), "--last"} {
		r = s.bounded(t, "rollback", run, "--yes")
		require.Equal(t, exitFailed, r.code, r.text())
		require.Contains(t, r.text(), "reading the journal: open "+journals[0]+": it is not a regular file")
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

// TestDamagedTrial damages the journal of a trial whose last switches are lost: the change is in force, and the journal says that it is not.
// No rollback exits 0 before the value is restored. One journal is cut with its end at the same record, as if the trial was killed there.
func TestDamagedTrial(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(journal, end []byte) ([]byte, []byte){
		"cut": func(journal, end []byte) ([]byte, []byte) { return firstLines(journal, 12), end },
		"cut with its end": func(journal, end []byte) ([]byte, []byte) {
			n := undoneAt(t, journal)
			at := bytes.Index(end, fmt.Appendf(nil, " %d ", n+1)) // of the line about the next record
			require.Positive(t, at)
			return firstLines(journal, n), end[:bytes.LastIndexByte(end[:at], '\n')]
		},
		"empty": func([]byte, []byte) ([]byte, []byte) { return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTrialStage(t, simfleet.Config{})
			_, text := s.run(shortTrial()...)
			require.Contains(t, text, "the old values are restored")
			journals, err := filepath.Glob(filepath.Join(s.state, "vperf", "simulated", "runs", "*", "journal.jsonl"))
			require.NoError(t, err)
			require.Len(t, journals, 1)
			folder := filepath.Dir(journals[0])
			run, endFile := filepath.Base(folder), filepath.Join(folder, "journal.end")
			journal, err := os.ReadFile(journals[0])
			require.NoError(t, err)
			end, err := os.ReadFile(endFile)
			require.NoError(t, err)
			journal, end = damage(journal, end)
			require.NoError(t, os.WriteFile(journals[0], journal, 0o600))
			require.NoError(t, os.WriteFile(endFile, end, 0o600))
			client := s.somebody(t)
			setPinThreshold(t, client, 60)

			r := s.bounded(t, "trial", "resume", run)
			require.NotEqual(t, exitClean, r.code, r.text())
			for range 2 {
				r = s.bounded(t, "rollback", run)
				require.Equal(t, exitRefused, r.code, r.text())
				require.Contains(t, r.text(), "it has the value that the run intended")
				require.EqualValues(t, 60, pinThreshold(t, client), "nothing is written without consent")
			}
			s.must(t, exitClean, "rollback", run, "--yes")
			require.EqualValues(t, 0, pinThreshold(t, client))
		})
	}
}

// TestDamagedLotOfATrial: no verdict comes from a lot whose journal has lost records.
func TestDamagedLotOfATrial(t *testing.T) {
	t.Parallel()
	s := newTrialStage(t, simfleet.Config{})
	c := s.somebody(t)
	hosts := []string{"host01", "host02", "host03", "host04", "host05", "host06", "host07", "host08"}
	for _, h := range hosts {
		setOption(t, c, h+".demo.local", "Net.UseHwTSO", 0)
	}
	lot := s.draw(t, append(hosts, "--rule", "tso", "--seed", "5")...)
	journal := filepath.Join(s.state, "vperf", "simulated", "runs", lot.run, "journal.jsonl")
	whole, err := os.ReadFile(journal)
	require.NoError(t, err)
	for n := range bytes.Count(whole, []byte("\n")) - 1 {
		require.NoError(t, os.WriteFile(journal, firstLines(whole, n), 0o600))
		r := s.bounded(t, "trial", "resume", lot.run)
		require.NotContains(t, []int{exitClean, exitIncomplete}, r.code, r.text())
		require.Contains(t, r.text(), lot.run)
		require.Regexp(t, "journal|records", r.text())
	}
}

// firstLines returns the first n lines of a file.
func firstLines(file []byte, n int) []byte {
	return bytes.Join(bytes.SplitAfterN(file, []byte("\n"), n+1)[:n], nil)
}

// undoneAt returns the number of records of a trial up to the first that says that the change was switched off.
func undoneAt(t *testing.T, journal []byte) int {
	t.Helper()
	for i, line := range bytes.Split(journal, []byte("\n")) {
		if bytes.Contains(line, []byte(`"undone"`)) {
			return i + 1
		}
	}
	require.Fail(t, "nothing was switched off")
	return 0
}
