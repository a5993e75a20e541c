package cli

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/simfleet"
)

// faultColumns are the commands.
func faultColumns() []faultColumn {
	advise := readColumn("advise", "advise --all -o json", callAt{"QueryPerf", 1, 0}, adviceFacts)
	advise.others, advise.live = true, true
	top := readColumn("top", "top --plain -n 1", callAt{"QueryPerf", 1, 0}, topFacts)
	top.live = true
	return []faultColumn{
		readColumn("audit", "audit --all -o json", callAt{"ExecuteSoap", 1, 0}, auditFacts),
		advise,
		top,
		readColumn("snapshot", "snapshot --out", callAt{"ExecuteSoap", 1, 0}, snapshotFacts),
		readColumn("plan", "plan host01 --rule numa-io -o json", callAt{"FetchUserPrivilegeOnEntities", 1, 0}, planFacts),
		writeColumn("apply", "apply host01 --rule numa-io --yes"),
		writeColumn("rollback", "rollback --last --yes"),
		exporterColumn(),
		trialColumn(),
	}
}

// writeColumn is a command that writes.
func writeColumn(name, args string) faultColumn {
	return faultColumn{
		name: name, args: strings.Fields(args), run: writesThrough,
		at: map[faultPhase]callAt{
			connecting: {"RetrieveServiceContent", 1, 0}, oneRead: {"RetrievePropertiesEx", 12, 1}, allReads: {"RetrievePropertiesEx", 12, 0},
			acting: {"UpdateOptions", 1, 0},
		},
	}
}

// writesThrough runs a command that writes through a fault. Afterwards the journal has every change, and a rollback restores all values.
func writesThrough(t *testing.T, c faultCell) string {
	t.Helper()
	fleet := newChangingFleet(t, false)
	s := newFaultStage(t, fleet.Fleet, faulty.Hooks{})
	before := hostSettings(t, fleet.Fleet)
	if c.column.name == "rollback" {
		s.must(t, exitClean, "apply", "host01", "--rule", "numa-io", "--yes")
	}
	wrote, env := writes(fleet.Fleet), s.env
	s.env = append(slices.Clip(s.env), shortCalls+"="+c.limit())
	fault := c.happening(t, fleet)
	if fault != nil {
		s.proxy.Inject(*fault)
	}
	r := s.bounded(t, c.column.args...)
	hits := s.proxy.Hits()
	s.proxy.Heal()
	s.env = env
	s.clean(t, r, fleet.Password())
	require.Equal(t, fault != nil, hits > 0, "no call met the fault:\n%s", r.text())
	require.Contains(t, []int{exitClean, exitFailed, exitUndone, exitNotUndone, exitPending, exitRefused}, r.code, r.text())
	if r.code != exitClean {
		require.True(t, names(r.text(), "127.0.0.1:", "vcenter.demo.local", "host01.demo.local"), "an object is named:\n%s", r.text())
		require.Regexp(t, c.row.says, r.text())
	}
	journals, err := filepath.Glob(filepath.Join(s.state, "vperf", "simulated", "runs", "*", "journal.jsonl"))
	require.NoError(t, err)
	if len(journals) == 0 {
		require.Equal(t, wrote, writes(fleet.Fleet), "nothing is written without a journal")
		require.Equal(t, before, hostSettings(t, fleet.Fleet))
		require.NotEqual(t, exitClean, r.code, r.text())
		return fmt.Sprintf("ends %d", r.code)
	}
	return s.settlesFault(t, r, before)
}

// hostSettings are the settings of the hosts of the cluster with the host that commands change.
func hostSettings(t *testing.T, fleet *simfleet.Fleet) map[string]string {
	t.Helper()
	all := settingsOf(t, fleet, "lowlat")
	maps.DeleteFunc(all, func(key, _ string) bool { return strings.Contains(key, " ") }) // VMs have a name and an id
	return all
}

// settlesFault compares the fleet with the journal, rolls back, and compares it with its state before.
func (s *faultStage) settlesFault(t *testing.T, r faultRun, before map[string]string) string {
	t.Helper()
	s.must(t, exitClean, "history", "verify")
	changed := hostSettings(t, s.fleet)
	back := s.bounded(t, "rollback", "--last", "--yes")
	if back.code == exitFailed {
		require.Contains(t, back.text(), "no run has changed anything", "apply had said:\n%s", r.text())
	} else {
		require.Equal(t, exitClean, back.code, "%s\nthen\n%s", r.text(), back.text())
	}
	require.Equal(t, before, hostSettings(t, s.fleet), "%s\nthen\n%s", r.text(), back.text())
	switch {
	case r.code == exitClean:
		return "whole 0"
	case fmt.Sprint(changed) == fmt.Sprint(before):
		return fmt.Sprintf("undone %d", r.code)
	}
	return fmt.Sprintf("kept %d", r.code)
}
