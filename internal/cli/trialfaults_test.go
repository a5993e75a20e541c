package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/pkg/trial"
)

// shortTrial is a trial of 36 minutes at most.
func shortTrial(more ...string) []string {
	return append([]string{"trial", "run", "--demo", "host01", "--rule", "numa-io", "--yes", "--for", "36m", "--block", "3m", "--seed", "7"}, more...)
}

// shownTrial is the part of `vperf trial show -o json` that the tests look at.
type shownTrial struct {
	Result struct {
		Verdict string `json:"verdict"`
		Used    int    `json:"used"`
		Dropped int    `json:"dropped"`
		Stop    string `json:"stop"`
		Stopped string `json:"stopped"`
		Pairs   []struct {
			Dropped string `json:"dropped"`
		} `json:"pairs"`
	} `json:"result"`
	Kept bool `json:"kept"`
}

// show reads the result of the last trial from its journal.
func (s *trialStage) show(t *testing.T) (shown shownTrial) {
	t.Helper()
	out, err := s.command("trial", "show", "-o", "json").Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &shown), "%s", out)
	return shown
}

// dropped returns why pairs were dropped.
func (s shownTrial) dropped() (why []string) {
	for _, p := range s.Result.Pairs {
		if p.Dropped != "" {
			why = append(why, p.Dropped)
		}
	}
	return why
}

// inTheTrial is a time on the fleet's clock, in the third block of a short trial that begins with the fleet.
const inTheTrial = 8 * time.Minute

func TestTrialThatNothingDisturbs(t *testing.T) {
	t.Parallel()
	s := newTrialStage(t, simfleet.Config{})
	code, text := s.run(shortTrial()...)
	t.Logf("exit %d:\n%s", code, text)
	require.Contains(t, []int{exitClean, exitIncomplete}, code)
	require.EqualValues(t, 0, pinThreshold(t, s.somebody(t)))
	require.Contains(t, s.must(t, exitClean, "history", "list"), "restored")
	s.must(t, exitClean, "history", "verify")
	require.Empty(t, s.show(t).Result.Stop)
	history := s.must(t, exitClean, "history", "show")
	require.Contains(t, history, "its changes were switched on or off 8 times")
	require.Contains(t, s.must(t, exitClean, "rollback", "--last", "--yes"), "nothing to do")
	require.Equal(t, history, s.must(t, exitClean, "history", "show"), "that leaves no record")
}

// TestTrialTookEffect: the size of the packets shows that LRO was switched, and nothing shows it of coalescing.
func TestTrialTookEffect(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"lro":             "Took effect: yes: received-packet-size goes up with the change, p 0.031.",
		"host-coalescing": "Took effect: cannot be seen: no counter is known that must move with this change.",
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			s := newTrialStage(t, simfleet.Config{})
			code, text := s.run("trial", "run", "--demo", "host02", "--rule", rule, "--yes", "--for", "36m", "--block", "3m", "--seed", "7")
			require.Contains(t, []int{exitClean, exitIncomplete}, code, text)
			require.Contains(t, text, want)
		})
	}
}

// TestTrialOfTheEsxtopService: an outcome that the PerformanceManager does not have is read from the service of one host. Where that
// cannot be, the trial is refused before anything is changed.
func TestTrialOfTheEsxtopService(t *testing.T) {
	t.Parallel()
	s := newTrialStage(t, simfleet.Config{})
	plan := s.must(t, exitClean, "trial", "plan", "--demo", "host05", "--rule", "numa-options-default")
	require.Contains(t, plan, "The PerformanceManager does not have this outcome.")
	require.Contains(t, plan, "Not watched, because the Esxtop service does not have it: memory-latency.")
	require.Contains(t, plan, "memory-locality: measured by the Esxtop service, which keeps nothing of the past")
	text := s.must(t, exitFailed, "trial", "run", "--demo", "host04", "host05", "--rule", "numa-options-default", "--yes", "--max-hosts", "2")
	require.Contains(t, text, "a trial reads that of one host only")
	run := []string{"trial", "run", "--demo", "host05", "--rule", "numa-options-default", "--yes", "--block", "12m", "--for", "2h24m", "--seed", "7", "--min-effect", "1%"}
	code, text := s.run(run...)
	require.Contains(t, []int{exitClean, exitIncomplete}, code, text)
	out, err := s.command("trial", "show", "-o", "json").Output()
	require.NoError(t, err)
	var shown struct {
		Result struct {
			Used     int     `json:"used"`
			Treated  float64 `json:"treated"`
			Estimate struct {
				Mean float64 `json:"mean"`
			} `json:"estimate"`
		} `json:"result"`
		Registration struct{ Baseline trial.Baseline }
		Blocks       []struct {
			Units []struct {
				Guards []float64 `json:"guards"`
			} `json:"units"`
		} `json:"blocks"`
	}
	require.NoError(t, json.Unmarshal(out, &shown))
	require.Equal(t, 6, shown.Result.Used, text)
	require.InDelta(t, 90, shown.Result.Treated, 10, "percent of local memory")
	require.Positive(t, shown.Result.Estimate.Mean, "the scheduler brings memory home")
	require.Len(t, shown.Blocks[0].Units[0].Guards, 7)
	for i, v := range shown.Blocks[0].Units[0].Guards {
		require.GreaterOrEqual(t, v, 0., "the service shows every guard that is watched: %v", shown.Blocks[0].Units[0].Guards)
		require.Greater(t, shown.Registration.Baseline.Units[0].Guards[i].Samples, 170, "of the hour before")
	}
}

// TestTrialWithoutTheEsxtopService: the user may not use it.
func TestTrialWithoutTheEsxtopService(t *testing.T) {
	t.Parallel()
	code, text := newTrialStage(t, simfleet.Config{Scenarios: []string{"no-esxtop"}}).run("trial", "plan", "--demo", "host04", "--rule", "numa-options-default")
	require.Equal(t, exitFailed, code, text)
	require.Contains(t, text, "(it needs the privilege Global.ServiceManagers; or connect to the host itself; or name another outcome with --outcome)")
}

// TestTrialSessionsLost: vCenter ends all sessions in a block. The trial goes on.
func TestTrialSessionsLost(t *testing.T) {
	t.Parallel()
	s := newTrialStage(t, simfleet.Config{})
	c := s.somebody(t)
	s.once(inTheTrial, func() { endSessions(t, c) })
	code, text := s.run(shortTrial()...)
	require.Contains(t, []int{exitClean, exitIncomplete}, code, text)
	shown := s.show(t)
	require.Empty(t, shown.Result.Stop, text)
	require.Equal(t, 6, shown.Result.Used+shown.Result.Dropped)
	require.GreaterOrEqual(t, shown.Result.Used, 5)
	require.EqualValues(t, 0, pinThreshold(t, c))
}

// TestTrialServerAway: vCenter restarts in a block and is away for minutes.
func TestTrialServerAway(t *testing.T) {
	t.Parallel()
	var s *trialStage
	var away atomic.Bool
	s = newTrialStage(t, simfleet.Config{Before: func(string) bool { return away.Load() }})
	c := s.somebody(t)
	s.once(inTheTrial, func() { endSessions(t, c); away.Store(true) })
	s.once(inTheTrial+4*time.Minute, func() { away.Store(false) })
	code, text := s.run(shortTrial()...)
	t.Logf("exit %d:\n%s", code, text)
	require.Contains(t, []int{exitClean, exitIncomplete}, code, text)
	shown := s.show(t)
	require.Empty(t, shown.Result.Stop, text)
	require.EqualValues(t, 0, pinThreshold(t, c))
}

// TestTrialForeignChange: another client sets the option in the second block of a pair, which does not count. The trial ends, and the other's value stays.
func TestTrialForeignChange(t *testing.T) {
	t.Parallel()
	s := newTrialStage(t, simfleet.Config{})
	c := s.somebody(t)
	s.once(13*time.Minute, func() { setPinThreshold(t, c, 33) })
	code, text := s.run(shortTrial()...)
	require.Equal(t, exitNotUndone, code, text)
	require.Contains(t, text, "somebody else changed it")
	require.NotContains(t, text, "goroutine ")
	require.EqualValues(t, 33, pinThreshold(t, c))
	shown := s.show(t)
	require.Equal(t, "foreign", shown.Result.Stop)
	require.Contains(t, shown.dropped(), "somebody else changed a setting")
}

// TestTrialHostLost: a host disconnects in a block with the change. The trial ends and tries to restore the value, until Ctrl-C. When
// the host is back, rollback restores it.
func TestTrialHostLost(t *testing.T) {
	t.Parallel()
	const lost = 13 * time.Minute // in block 4
	s := newTrialStage(t, simfleet.Config{Incidents: []simfleet.Incident{
		{After: lost, Kind: simfleet.HostLost, Host: "host01"},
		{After: 3 * time.Hour, Kind: simfleet.HostBack, Host: "host01"},
	}})
	c := s.somebody(t)
	cmd, output := withSignals(s.command(shortTrial()...)), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = output, output
	s.once(lost, func() { time.AfterFunc(3*time.Second, func() { _ = cmd.signal(os.Interrupt) }) })
	_ = cmd.Run()
	require.Equal(t, exitNotUndone, cmd.ProcessState.ExitCode(), "%s", output)
	require.Equal(t, "event", s.show(t).Result.Stop)
	require.Contains(t, output.String(), "host01.demo.local")
	s.forward(3 * time.Hour)
	require.EqualValues(t, 60, pinThreshold(t, c), "nobody could restore it")
	require.Contains(t, s.must(t, exitClean, "history", "show"), "kept  host01.demo.local  host-option/Net.NetNetqNumaIOCpuPinThreshold  0 → 60")
	s.must(t, exitClean, "rollback", "--last", "--yes")
	require.EqualValues(t, 0, pinThreshold(t, c))
	require.Contains(t, s.must(t, exitClean, "history", "show"), "undone  host01.demo.local")
	require.Contains(t, s.must(t, exitClean, "rollback", "--last", "--yes"), "nothing to do")
	s.must(t, exitClean, "history", "verify")
}

// TestProveTrialStopsGoodOnes: events that end the trial after pairs that prove the effect. The value is restored, also with --keep.
func TestProveTrialStopsGoodOnes(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	const late = 95 * time.Minute
	for name, kind := range rows(t, 1, map[string]simfleet.IncidentKind{
		"alarm": simfleet.AlarmRed, "link": simfleet.LinkDown, "path": simfleet.PathDead, "reset": simfleet.VMReset,
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTrialStage(t, simfleet.Config{Noise: simfleet.SteadyNoise(3, .5), Incidents: []simfleet.Incident{{After: late, Kind: kind, Host: "host01"}}})
			code, text := s.run("trial", "run", "--demo", "host01", "--rule", "numa-io", "--yes", "--keep", "--seed", "7", "--min-effect", "1%", "--for", "4h")
			shown := s.show(t)
			require.Equal(t, exitFindings, code, text)
			require.Equal(t, "keep", shown.Result.Verdict, text)
			require.Equal(t, "event", shown.Result.Stop)
			require.False(t, shown.Kept)
			require.EqualValues(t, 0, pinThreshold(t, s.somebody(t)))
			require.Contains(t, s.must(t, exitClean, "history", "list"), "restored: 1 undone")
		})
	}
}

// TestTrialStops: events that end the trial. The value is restored.
func TestTrialStops(t *testing.T) {
	t.Parallel()
	for _, kind := range []simfleet.IncidentKind{simfleet.AlarmRed, simfleet.LinkDown, simfleet.PathDead, simfleet.VMReset} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			s := newTrialStage(t, simfleet.Config{Incidents: []simfleet.Incident{{After: inTheTrial, Kind: kind, Host: "host01"}}})
			code, text := s.run(shortTrial()...)
			require.Equal(t, exitFindings, code, text)
			require.Contains(t, text, "vperf: a guard ended the trial: ")
			shown := s.show(t)
			require.Equal(t, "event", shown.Result.Stop)
			require.Less(t, s.past(), inTheTrial+2*time.Minute, "it ends at once")
			require.EqualValues(t, 0, pinThreshold(t, s.somebody(t)))
			s.must(t, exitClean, "history", "verify")
		})
	}
}

// TestTrialMove: DRS moves a VM in a block. Its pair does not count, and the trial goes on.
func TestTrialMove(t *testing.T) {
	t.Parallel()
	s := newTrialStage(t, simfleet.Config{Incidents: []simfleet.Incident{{After: inTheTrial, Kind: simfleet.DRSMove, Host: "host01"}}})
	code, text := s.run(shortTrial()...)
	require.Contains(t, []int{exitClean, exitIncomplete}, code, text)
	why := s.show(t).dropped()
	require.Len(t, why, 1, text)
	require.Contains(t, why[0], "DRS")
	require.Contains(t, text, why[0])
}

// TestTrialGuard: a limit of the user is not kept. The trial ends within two samples.
func TestTrialGuard(t *testing.T) {
	t.Parallel()
	s := newTrialStage(t, simfleet.Config{})
	code, text := s.run(shortTrial("--guard", "vm.cpu.ready<0.001%")...)
	require.Equal(t, exitFindings, code, text)
	require.Contains(t, text, "vperf: a guard ended the trial: ")
	require.EqualValues(t, 0, pinThreshold(t, s.somebody(t)))
	require.Equal(t, "guard", s.show(t).Result.Stop)
}

// TestTrialInterrupted: Ctrl-C, and an end of the session at the terminal, in a block.
func TestTrialInterrupted(t *testing.T) {
	t.Parallel()
	s := newTrialStage(t, simfleet.Config{})
	cmd, output := withSignals(s.command(shortTrial()...)), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = output, output
	s.once(20*time.Minute, func() { _ = cmd.signal(os.Interrupt); time.Sleep(200 * time.Millisecond) })
	_ = cmd.Run()
	t.Logf("exit %d:\n%s", cmd.ProcessState.ExitCode(), output)
	require.Equal(t, exitIncomplete, cmd.ProcessState.ExitCode(), "%s", output)
	require.EqualValues(t, 0, pinThreshold(t, s.somebody(t)))
	shown := s.show(t)
	require.Equal(t, "interrupted", shown.Result.Stop)
	require.GreaterOrEqual(t, shown.Result.Used, 2)
	require.Contains(t, output.String(), "restored")
}

// TestTrialLocked: while a trial runs, no other command changes its host or rolls it back. Commands that only read go on.
// All of them are processes of their own, between which there are no races of memory.
func TestTrialLocked(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	s := newTrialStage(t, simfleet.Config{})
	s.once(inTheTrial, func() {
		code, text := s.run(shortTrial()...)
		assert.Equal(t, exitLocked, code, text)
		assert.Contains(t, text, "another run is active: trial ")
	})
	s.once(inATreatedBlock, func() {
		for _, c := range []struct {
			code int
			args []string
			says string
		}{
			{exitLocked, []string{"apply", "host01", "--rule", "power-policy", "--yes"}, "trial "},
			{exitLocked, []string{"rollback", "--last", "--yes"}, "trial "},
			{exitLocked, shortTrial(), "another run is active: trial "}, // the setting has the wanted value in this block
			{exitClean, []string{"apply", "host05", "--rule", "power-policy", "--yes"}, "1 done"},
			{exitClean, []string{"plan", "host01", "--rule", "power-policy"}, "power-policy"},
			{exitClean, []string{"history", "list"}, "cut short: 1 done"},
			{exitClean, []string{"history", "verify"}, "is in progress"},
			{exitClean, []string{"trial", "list"}, "numa-io"},
			{exitClean, []string{"trial", "show"}, "numa-io"},
		} {
			if code, text := s.run(c.args...); code != c.code || !strings.Contains(text, c.says) {
				t.Errorf("vperf %v: exit %d:\n%s", c.args, code, text)
			}
		}
	})
	code, text := s.run(shortTrial()...)
	require.Contains(t, []int{exitClean, exitIncomplete}, code, text)
	require.EqualValues(t, 0, pinThreshold(t, s.somebody(t)))
	require.Contains(t, s.must(t, exitClean, "history", "list"), "restored: 1 undone")
}

// TestTrialKept: with --keep the change stays if the verdict is keep, and rollback reverts it. TestTrialThatNothingDisturbs runs
// a trial under the race detector.
func TestTrialKept(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	s := newTrialStage(t, simfleet.Config{Noise: simfleet.SteadyNoise(3, .5)})
	code, text := s.run("trial", "run", "--demo", "host01", "--rule", "numa-io", "--yes", "--keep", "--seed", "7", "--min-effect", "1%", "--for", "4h")
	require.Equal(t, exitClean, code, text)
	require.Equal(t, "keep", s.show(t).Result.Verdict, text)
	require.True(t, s.show(t).Kept, text)
	c := s.somebody(t)
	require.EqualValues(t, 60, pinThreshold(t, c))
	require.Contains(t, s.must(t, exitClean, "history", "list"), "kept")
	s.must(t, exitClean, "history", "verify")
	require.Contains(t, s.must(t, exitClean, "history", "show"), "done  host01.demo.local  host-option/Net.NetNetqNumaIOCpuPinThreshold  0 → 60")
	s.must(t, exitClean, "rollback", "--last", "--yes")
	require.EqualValues(t, 0, pinThreshold(t, c))
	require.Contains(t, s.must(t, exitClean, "history", "show"), "undone  host01.demo.local")
	require.Contains(t, s.must(t, exitClean, "rollback", "--last", "--yes"), "nothing to do")
	s.must(t, exitClean, "history", "verify")
}
