package change

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// TestCrashAfterApply lets a host crash after a run. Settings that the host had saved are still there, and settings that waited
// for a restart are proven by this one. Unsaved settings are lost: verify reports that, whatever the host had reported before,
// and there is nothing to undo.
func TestCrashAfterApply(t *testing.T) {
	t.Parallel()
	const save = "BackupFirmwareConfiguration"
	only := func(call string) bool { return call == save }
	for name, c := range map[string]struct {
		config  simfleet.Config
		warns   bool
		saved   bool
		verdict []tuning.State // of an option in force, and of a driver option that waits for a restart
	}{
		"saved":            {simfleet.Config{}, false, true, []tuning.State{tuning.StateDone, tuning.StateProven}},
		"not saved":        {simfleet.Config{Before: only}, true, false, []tuning.State{tuning.StateDrifted, tuning.StateDrifted}},
		"said to be saved": {simfleet.Config{Swallow: only}, false, false, []tuning.State{tuning.StateDrifted, tuning.StateDrifted}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := openWorkshopWith(t, c.config)
			e := w.tuning()
			var err error
			e.Server, err = Server(t.Context(), w.Session)
			require.NoError(t, err)
			var wants []tuning.Proposal
			for _, want := range []tuning.Assignment{assign(pinOption, "", "40"), assign("driver-options/RSS", mellanox, "8,8")} {
				wants = append(wants, tuning.Proposal{Target: w.target(inventory.ScopeHost, "host02"), Want: want, Cause: tuning.Cause{Rule: "r"}})
			}
			p, err := tuning.NewPlan(t.Context(), e.Settings, e.Server, wants, time.Now())
			require.NoError(t, err)
			runs, err := tuning.OpenRuns(t.TempDir() + "/runs")
			require.NoError(t, err)
			o, err := tuning.Apply(t.Context(), e, runs, p, tuning.Options{User: "test"})
			require.NoError(t, err)
			require.Equal(t, []tuning.State{tuning.StateDone, tuning.StatePending}, statesOf(o.Results))
			require.Equal(t, c.warns, len(o.Warnings) > 0, o.Warnings)
			if c.warns {
				require.Contains(t, o.Warnings[0], "durability unknown: host02.demo.local did not save its configuration")
			}

			require.NoError(t, w.crash("host02"))
			seen, err := tuning.Verify(t.Context(), e, runs, o.Run)
			require.NoError(t, err)
			require.Equal(t, c.verdict, statesOf(seen.Results))
			if !c.saved {
				require.Equal(t, "after the run it was 40, now it is 0", seen.Results[0].Why)
				require.Equal(t, "after the run it was 8,8, now it is 4", seen.Results[1].Why)
			}
			waiting, err := runs.Pending(e.Server)
			require.NoError(t, err)
			require.Equal(t, c.saved, len(waiting) == 0, "a lost setting is not reported as in force")

			back, err := tuning.Rollback(t.Context(), e, runs, o.Run, tuning.Options{})
			require.NoError(t, err)
			require.Equal(t, []tuning.State{tuning.StateUndone, tuning.StateUndone}, statesOf(back.Results))
			require.Equal(t, !c.saved, back.Results[0].Why == "it already has its old value", back.Results[0].Why)
		})
	}
}
