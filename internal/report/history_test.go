package report_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

var began = time.Date(2026, 6, 10, 22, 15, 0, 0, time.UTC)

func vcenter() tuning.Server { return tuning.Server{Name: "vcenter.demo.local", UUID: "9c8f1d6e"} }

// results has a change in every state that a run or a check can produce.
func results() []tuning.Result {
	plan := aPlan()
	host, vm := plan.Steps[0].Target, plan.Steps[1].Target
	var all []tuning.Result
	add := func(t tuning.Target, setting string, state tuning.State, waits inventory.Activation, why string) {
		all = append(all, tuning.Result{
			Step: len(all) + 1, Target: t, Address: tuning.Address{Setting: setting}, Before: is(inventory.LongValue(0)), After: is(inventory.LongValue(60)),
			Now: is(inventory.LongValue(30)), State: state, Waits: waits, Why: why, Since: began, Rules: []string{"numa-io"},
		})
	}
	add(host, "host-option/Net.NetNetqNumaIOCpuPinThreshold", tuning.StateDone, "", "")
	add(host, "host-option/VMkernel.Boot.netNetqueueEnabled", tuning.StatePending, inventory.ActivationHostReboot, "")
	add(vm, "vm-cpu-hotadd", tuning.StateDeferred, "", "the VM must be off, and runs")
	add(vm, "vm-cpu-limit", tuning.StateFailed, "", "the host refused: <b>no</b>\x1b[31m")
	add(vm, "vm-memory-limit", tuning.StateDrifted, "", "")
	add(vm, "vm-latency", tuning.StateUndone, inventory.ActivationPowerCycle, "")
	add(vm, "vm-ht-sharing", tuning.StateUntouched, "", "a step before it failed")
	return all
}

func aRun() *tuning.Run {
	target := aPlan().Steps[0].Target
	record := func(k tuning.RecordKind, a tuning.Action, failed bool) tuning.Record {
		return tuning.Record{Kind: k, Target: &target, Action: a, Failed: failed}
	}
	return &tuning.Run{
		ID: "20260610-221500.000-1a2b", Began: began, Ended: began.Add(time.Minute), Result: "failed", Results: results(), Warnings: []string{"no event was posted: \x1b[2Jno privilege"},
		Begin: tuning.Begin{Server: vcenter(), User: "ann on jump as admin@vsphere.local", Version: "v1", Reason: "slow\ntrades", Ticket: "CHG-1207", Digest: "0123"},
		Records: []tuning.Record{
			record(tuning.RecordIntent, "", false), record(tuning.RecordActionDone, tuning.ActionSave, true),
		},
	}
}

func TestOutcome(t *testing.T) {
	var b bytes.Buffer
	o := &tuning.Outcome{Run: "20260610-221500.000-1a2b", Results: results(), Stopped: "the window 22:00-04:00 has ended", Warnings: []string{"no event\x1b"}}
	require.NoError(t, report.Outcome(o, typed.Source{}).Terminal(&b, 100, iostreams.Style{}))
	golden.Equal(t, "testdata/outcome.txt", b.Bytes())
	require.NotContains(t, b.String(), "\x1b")

	b.Reset()
	require.NoError(t, report.OutcomeJSON(&b, vcenter(), o))
	golden.Equal(t, "testdata/outcome.json", b.Bytes())
}

// TestOutcomeNamesWhatWaits has no changes in this run, but a pending change of an earlier run.
func TestOutcomeNamesWhatWaits(t *testing.T) {
	var b bytes.Buffer
	waiting := report.Waiting{Run: "20260609-000000.000-0000", Result: results()[1]}
	require.NoError(t, report.Outcome(new(tuning.Outcome), typed.Source{}, waiting).Terminal(&b, 0, iostreams.Style{}))
	require.Equal(t, "nothing to do now\nstill waiting, of run 20260609-000000.000-0000 (vperf rollback 20260609-000000.000-0000 takes it back):\n"+
		"  pending  host01.demo.local  host-option/VMkernel.Boot.netNetqueueEnabled  0 → 60 (host-reboot, takes effect after a host reboot)\n", b.String())
	b.Reset()
	require.NoError(t, report.OutcomeJSON(&b, vcenter(), new(tuning.Outcome), waiting))
	var found struct{ Waiting []struct{ Run, Waits string } }
	require.NoError(t, json.Unmarshal(b.Bytes(), &found))
	require.Equal(t, []struct{ Run, Waits string }{{"20260609-000000.000-0000", "host-reboot"}}, found.Waiting)
}

func TestOutcomeMarksStatesByColour(t *testing.T) {
	io, _, _ := iostreams.Test()
	require.NoError(t, io.SetColor("always"))
	var b bytes.Buffer
	require.NoError(t, report.Outcome(&tuning.Outcome{Results: results()}, typed.Source{}).Terminal(&b, 0, io.StyleOut()))
	for _, want := range []string{"\x1b[32mdone\x1b[39m", "\x1b[33mpending\x1b[39m", "\x1b[31mfailed\x1b[39m", "\x1b[33mdeferred\x1b[39m", "\x1b[31mdrifted\x1b[39m"} {
		require.Contains(t, b.String(), want)
	}
}

func TestHistory(t *testing.T) {
	open := &tuning.Run{ID: "20260611-000000.000-0000", Broken: "line 3 is torn\x1b", Records: []tuning.Record{{}}}
	var b bytes.Buffer
	require.NoError(t, report.History([]*tuning.Run{open, aRun()}, typed.Source{}).Terminal(&b, 0, iostreams.Style{}))
	golden.Equal(t, "testdata/history.txt", b.Bytes())
	b.Reset()
	require.NoError(t, report.History([]*tuning.Run{open, aRun()}, typed.Source{}).Terminal(&b, 80, iostreams.Style{}))
	golden.Equal(t, "testdata/history-80.txt", b.Bytes())
	b.Reset()
	require.NoError(t, report.History(nil, typed.Source{}).Terminal(&b, 0, iostreams.Style{}))
	require.Equal(t, "no runs yet; vperf apply starts one\n", b.String())
	b.Reset()
	require.NoError(t, report.HistoryJSON(&b, []*tuning.Run{open, aRun()}))
	golden.Equal(t, "testdata/history.json", b.Bytes())
}

func TestRun(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.Run(aRun()).Terminal(&b, 100, iostreams.Style{}))
	golden.Equal(t, "testdata/run.txt", b.Bytes())
	require.NotContains(t, b.String(), "\x1b")
	b.Reset()
	require.NoError(t, report.RunJSON(&b, aRun()))
	var found map[string]any
	require.NoError(t, json.Unmarshal(b.Bytes(), &found))
	require.Equal(t, report.RunSchema, found["schema"])
	require.Len(t, found["results"], len(results()))
	require.InDelta(t, 2, found["pending"], 0)
}

// TestDurabilityIsOfTheLastWrite checks a host that saved its configuration before its last write: the last write is not
// saved.
func TestDurabilityIsOfTheLastWrite(t *testing.T) {
	r := aRun()
	saved, unknown := "its configuration is saved", "it is unknown whether the host has saved"
	for _, c := range []struct {
		records []tuning.Record
		want    string
	}{
		{r.Records, unknown},
		{[]tuning.Record{r.Records[0], {Kind: tuning.RecordActionDone, Target: r.Records[0].Target, Action: tuning.ActionSave}}, saved},
		{[]tuning.Record{{Kind: tuning.RecordActionDone, Target: r.Records[0].Target, Action: tuning.ActionSave}, r.Records[0]}, unknown},
	} {
		r.Records = c.records
		var b bytes.Buffer
		require.NoError(t, report.Run(r).Terminal(&b, 0, iostreams.Style{}))
		require.Contains(t, b.String(), c.want)
	}
}

func TestWayBackIsNewestFirstAndLeavesOutWhatIsNotThere(t *testing.T) {
	var b bytes.Buffer
	changes, n := report.Rollback(aRun())
	require.NoError(t, changes.Terminal(&b, 0, iostreams.Style{}))
	require.Equal(t, 3, n)
	golden.Equal(t, "testdata/wayback.txt", b.Bytes())
	b.Reset()
	changes, n = report.Rollback(&tuning.Run{ID: "x"})
	require.NoError(t, changes.Terminal(&b, 0, iostreams.Style{}))
	require.Zero(t, n)
	require.Contains(t, b.String(), "all changes are already undone")
}

func TestVerified(t *testing.T) {
	all := []*tuning.Outcome{{Run: "b", Results: results()[:2]}, {Run: "a", Results: results()[4:5], Warnings: []string{"slow"}}}
	var b bytes.Buffer
	require.NoError(t, report.Verified(all).Terminal(&b, 0, iostreams.Style{}))
	golden.Equal(t, "testdata/verified.txt", b.Bytes())
	b.Reset()
	require.NoError(t, report.VerifiedJSON(&b, vcenter(), all))
	golden.Equal(t, "testdata/verified.json", b.Bytes())
	b.Reset()
	require.NoError(t, report.Verified(nil).Terminal(&b, 0, iostreams.Style{}))
	require.Equal(t, "nothing to verify: no run has changes here\n", b.String())
}
