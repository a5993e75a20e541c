package tuning

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

const live = inventory.ActivationLive

// oneHost returns a fleet with one host, one setting on it, and a plan to change it from 0 to 60.
func oneHost() (*fleet, *thing, *Plan) {
	f := newFleet()
	h := f.host("host01")
	h.has("host-option/A", long(0), live)
	return f, h, planOf(h.step(h.change("host-option/A", long(60))))
}

// hosts returns a fleet of n hosts, with the same change on each.
func hosts(n int) (*fleet, *Plan) {
	f := newFleet()
	var steps []Step
	for i := range n {
		h := f.host(fmt.Sprintf("host%02d", i+1))
		h.has("host-option/A", long(0), live)
		steps = append(steps, h.step(h.change("host-option/A", long(60))))
	}
	return f, planOf(steps...)
}

func states(o *Outcome) []State {
	var all []State
	for _, r := range o.Results {
		all = append(all, r.State)
	}
	return all
}

func kinds(t *testing.T, disk *memory, id string) []RecordKind {
	t.Helper()
	run, err := disk.runs().Get(id)
	require.NoError(t, err)
	require.Empty(t, run.Broken)
	var all []RecordKind
	for _, r := range run.Records {
		all = append(all, r.Kind)
	}
	return all
}

func TestApplyAndRollback(t *testing.T) {
	f, h, p := oneHost()
	disk := newMemory()
	var told []string
	options := Options{User: "ann@laptop as ann", Version: "1.2", Reason: "slow", Ticket: "T-7", OnProgress: func(p Progress) { told = append(told, p.Text) }}
	o, err := Apply(t.Context(), f.estate(), disk.runs(), p, options)
	require.NoError(t, err)
	require.Equal(t, []State{StateDone}, states(o))
	require.Equal(t, long(60), h.get("host-option/A"))
	require.Equal(t, []RecordKind{RecordRunBegin, RecordIntent, RecordAcknowledged, RecordVerified, RecordActionBegin, RecordActionDone, RecordRunEnd}, kinds(t, disk, o.Run))
	require.Equal(t, []string{"vperf run " + o.Run + ": changing host-option/A from 0 to 60 on host01 (rule rule-host-option/A); slow; T-7"}, f.posts)
	require.Contains(t, told, "changing host-option/A from 0 to 60 on host01")

	run, err := disk.runs().Last(p.Server)
	require.NoError(t, err)
	require.Equal(t, o.Run, run.ID)
	require.Equal(t, "done", run.Result)
	require.Equal(t, Begin{Server: p.Server, User: "ann@laptop as ann", Version: "1.2", Reason: "slow", Ticket: "T-7", Digest: "d", File: run.File}, run.Begin)
	require.False(t, run.Open())

	o2, err := Apply(t.Context(), f.estate(), disk.runs(), p, options)
	require.NoError(t, err, "there is nothing to do")
	require.Equal(t, []State{StateSame}, states(o2))
	require.Empty(t, o2.Run)

	o, err = Rollback(t.Context(), f.estate(), disk.runs(), run.ID, options)
	require.NoError(t, err)
	require.Equal(t, []State{StateUndone}, states(o))
	require.Equal(t, long(0), h.get("host-option/A"))

	before := len(f.calls)
	o, err = Rollback(t.Context(), f.estate(), disk.runs(), run.ID, options)
	require.NoError(t, err, "again")
	require.Equal(t, []State{StateUndone}, states(o))
	require.Len(t, f.calls, before, "there is nothing to do")
	run, _ = disk.runs().Get(run.ID)
	require.Equal(t, "undone", run.Result)
}

// TestNewDoubtsAreTold: a check that fails now and succeeded when the plan was made is reported; doubts that the plan
// contains are not repeated.
func TestNewDoubtsAreTold(t *testing.T) {
	f, h, p := oneHost()
	h.Doubts = []string{"its tags could not be read", "whether a host profile owns it could not be read"}
	p.Steps[0].Notes = h.Doubts[:1]
	var told []Progress
	options := Options{OnProgress: func(p Progress) { told = append(told, p) }, Hints: Hints{OverrideOwner: "say so"}}
	_, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, options)
	require.EqualError(t, err, "host01: its tags could not be read (say so)\nhost01: whether a host profile owns it could not be read (say so)",
		"what was not checked may forbid the change")
	options.OverrideOwner = true
	_, err = Apply(t.Context(), f.estate(), newMemory().runs(), p, options)
	require.NoError(t, err)
	require.Equal(t, Progress{Step: 1, Target: h.Target, Text: h.Doubts[1]}, told[0])
	require.NotContains(t, told, Progress{Step: 1, Target: h.Target, Text: h.Doubts[0]})
}

// TestRefused: Apply reports every reason against a plan, and writes nothing.
func TestRefused(t *testing.T) {
	full := inventory.Known([]string{"Change.host", "Other"})
	for name, c := range map[string]struct {
		spoil func(f *fleet, h *thing, p *Plan, t *Options)
		want  []string
	}{
		"an owner": {func(_ *fleet, h *thing, _ *Plan, _ *Options) { h.Owner, h.Place = "profile X", "Edit the profile." },
			[]string{"profile X", "Edit the profile.", "(ask the owner)"}},
		"an owner of old": {func(_ *fleet, _ *thing, p *Plan, _ *Options) { p.Steps[0].Owner = "SDDC Manager" }, []string{"SDDC Manager"}},
		"no way back": {func(_ *fleet, _ *thing, p *Plan, _ *Options) {
			p.Steps[0].Changes[0].Inverse = Inverse{Kind: inventory.InverseNone, About: "nothing un-sets it"}
		}, []string{"nothing un-sets it", "(accept it)"}},
		"gone":           {func(f *fleet, h *thing, _ *Plan, _ *Options) { delete(f.things, h.Target.Key()) }, []string{"host01: it is not there any more"}},
		"replaced":       {func(_ *fleet, h *thing, _ *Plan, _ *Options) { h.Target.UUID = "other" }, []string{"another host has its id", "uuid-host01"}},
		"another server": {func(_ *fleet, _ *thing, p *Plan, _ *Options) { p.Server.UUID = "rebuilt" }, []string{"a rebuilt server counts as a different one"}},
		"untouchable":    {func(_ *fleet, h *thing, _ *Plan, _ *Options) { h.Untouchable = "a pseudo host" }, []string{"a pseudo host"}},
		"busy":           {func(_ *fleet, h *thing, _ *Plan, _ *Options) { h.Busy = "Enter maintenance mode by bob" }, []string{"Enter maintenance mode by bob"}},
		"out of range":   {func(_ *fleet, h *thing, _ *Plan, _ *Options) { h.settings["host-option/A"].refused = "at most 50" }, []string{"at most 50"}},
		"unread":         {func(_ *fleet, h *thing, _ *Plan, _ *Options) { h.unread = "no answer" }, []string{"cannot be read: no answer"}},
		"privileges": {func(_ *fleet, h *thing, p *Plan, _ *Options) {
			h.Privileges = full
			p.Steps[0].Changes[0].Privileges = []string{"Host.Config.AdvancedConfig"}
		}, []string{"step 1 on host01: the account does not have the privilege Host.Config.AdvancedConfig"}},
		"several things": {func(_ *fleet, h *thing, _ *Plan, _ *Options) {
			h.Untouchable, h.Busy, h.Owner = "odd", "a task", "an owner"
		}, []string{"odd", "a task", "an owner"}},
		"a closed window": {func(_ *fleet, _ *thing, _ *Plan, t *Options) {
			t.Window = &Window{From: 22 * time.Hour, To: 4 * time.Hour}
			t.Now = func() time.Time { return time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC) }
		}, []string{"outside the window 22:00-04:00: it is 12:00"}},
	} {
		t.Run(name, func(t *testing.T) {
			f, h, p := oneHost()
			options := Options{Hints: Hints{OverrideOwner: "ask the owner", AcceptIrreversible: "accept it"}}
			c.spoil(f, h, p, &options)
			disk := newMemory()
			_, err := Apply(t.Context(), f.estate(), disk.runs(), p, options)
			var refused *RefusedError
			require.ErrorAs(t, err, &refused)
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
			require.Empty(t, f.calls)
			require.Empty(t, disk.dirs, "no run is begun")
		})
	}
	t.Run("with leave", func(t *testing.T) {
		f, h, p := oneHost()
		h.Owner, h.Privileges = "profile X", full
		p.Steps[0].Changes[0].Inverse = Inverse{Kind: inventory.InverseNone}
		disk := newMemory()
		o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{OverrideOwner: true, AcceptIrreversible: true})
		require.NoError(t, err)
		require.Equal(t, []State{StateDone}, states(o))

		o, err = Rollback(t.Context(), f.estate(), disk.runs(), o.Run, Options{})
		require.NoError(t, err)
		require.Equal(t, []State{StateKept}, states(o))
		require.Equal(t, "cannot be undone", o.Results[0].Why)
		require.Equal(t, long(60), h.get("host-option/A"))
	})
}

func TestStale(t *testing.T) {
	f, p := hosts(3)
	f.things["host:host02"].settings["host-option/A"].value = long(60) // the wanted value: somebody else set it
	f.things["host:host03"].settings["host-option/A"].value = long(5)
	disk := newMemory()
	_, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{})
	var stale *StaleError
	require.ErrorAs(t, err, &stale)
	require.Equal(t, []string{"host-option/A of host02 is 60; the plan found 0", "host-option/A of host03 is 5; the plan found 0"}, stale.Moved)
	require.Empty(t, f.calls)
	require.Empty(t, disk.dirs)
}

// TestMovedMeanwhile: somebody changes a value between the preflight and its step.
func TestMovedMeanwhile(t *testing.T) {
	f, p := hosts(2)
	f.after = func(Target) { f.things["host:host02"].settings["host-option/A"].value = long(5) }
	o, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, Options{RollbackOnError: true})
	var failed *FailedError
	require.ErrorAs(t, err, &failed)
	require.True(t, failed.Undone)
	require.ErrorContains(t, err, "host-option/A of host02 is 5 now, no longer 0")
	require.Equal(t, []State{StateUndone, StateUntouched}, states(o))
	require.Equal(t, long(5), f.things["host:host02"].get("host-option/A"), "it is somebody else's")
}

// TestLookedAtAgain: an object that was replaced since the preflight is not changed.
func TestLookedAtAgain(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(h *thing)
		why   string
	}{
		"busy":        {func(h *thing) { h.Busy = "a task of bob's" }, "a task of bob's"},
		"replaced":    {func(h *thing) { h.Target.UUID = "other" }, "another host has its id"},
		"untouchable": {func(h *thing) { h.Untouchable = "not connected" }, "not connected"},
	} {
		t.Run(name, func(t *testing.T) {
			f, p := hosts(2)
			f.after = func(Target) { c.spoil(f.things["host:host02"]) }
			o, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, Options{})
			require.ErrorContains(t, err, c.why)
			require.Equal(t, []State{StateDone, StateUntouched}, states(o))
		})
	}
}

// TestBadWrites: the value that is read back decides, not the server's answer.
func TestBadWrites(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(f *fleet, s *setting)
		terms Options
		state State
		err   string
		now   value
	}{
		"swallowed":               {func(_ *fleet, s *setting) { s.swallows = true }, Options{}, StateFailed, "the server reported success, but nothing changed", long(0)},
		"bent":                    {func(_ *fleet, s *setting) { s.bends = func() value { return long(50) } }, Options{}, StateWrong, "is 50", long(50)},
		"bent once, taken back":   {func(_ *fleet, s *setting) { s.bends = func() value { s.bends = nil; return long(50) } }, Options{RollbackOnError: true}, StateUndone, "is 50", long(0)},
		"refused":                 {func(f *fleet, _ *setting) { f.first(refuses) }, Options{}, StateFailed, "refused", long(0)},
		"broken after its effect": {func(f *fleet, _ *setting) { f.first(breaksAfter) }, Options{}, StateDone, "it broke", long(60)},
		"and taken back":          {func(f *fleet, _ *setting) { f.first(breaksAfter) }, Options{RollbackOnError: true}, StateUndone, "it broke", long(0)},
		"the answer lost":         {func(f *fleet, _ *setting) { f.first(losesAfter) }, Options{}, StateDone, "", long(60)},
		"the request lost":        {func(f *fleet, _ *setting) { f.first(losesBefore) }, Options{}, StateFailed, "answer was lost, but nothing changed: host-option/A is still 0; the write reported: ", long(0)},
		"the effect comes later": {func(f *fleet, s *setting) {
			f.first(losesBefore)
			f.in(3*time.Second, func() { s.value = long(60) })
		}, Options{}, StateDone, "", long(60)},
		"refused, and somebody else's": {func(f *fleet, s *setting) {
			f.fault = func(string) fault { s.value = long(7); return refuses }
		}, Options{RollbackOnError: true}, StateForeign, "refused", long(7)},
		"normalised": {func(_ *fleet, s *setting) { s.bends = func() value { return inventory.Known(inventory.IntValue(60)) } }, Options{}, StateDone, "", inventory.Known(inventory.IntValue(60))},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, h, p := oneHost()
				c.spoil(f, h.settings["host-option/A"])
				o, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, c.terms)
				if c.err == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, c.err)
					var failed *FailedError
					require.ErrorAs(t, err, &failed)
					require.Equal(t, Same(Address{}, c.now, long(0)), failed.Undone)
				}
				require.Equal(t, []State{c.state}, states(o))
				if c.state == StateFailed || c.state == StateWrong || c.state == StateForeign {
					require.Contains(t, o.Results[0].Why, c.err)
				}
				require.Equal(t, c.now, h.get("host-option/A"))
				require.Equal(t, c.state != StateFailed, slices.Contains(f.calls, "save host01"), "only a host that was written to saves its configuration")
			})
		})
	}
}

// first makes the first write fail.
func (f *fleet) first(how fault) {
	f.fault = func(call string) fault {
		if strings.HasPrefix(call, "write") {
			f.fault = func(string) fault { return fine }
			return how
		}
		return fine
	}
}

// TestUnreadAfterWrite: if a written value cannot be read back, the change is in doubt until it can.
func TestUnreadAfterWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, h, p := oneHost()
		f.after = func(Target) { h.unread = "not responding" }
		disk := newMemory()
		o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{RollbackOnError: true})
		require.ErrorContains(t, err, "not responding")
		var failed *FailedError
		require.ErrorAs(t, err, &failed)
		require.False(t, failed.Undone)
		require.Equal(t, []State{StateDoing}, states(o))

		_, err = Recover(t.Context(), f.estate(), disk.runs(), Options{})
		require.ErrorContains(t, err, "not responding")
		_, err = Apply(t.Context(), f.estate(), disk.runs(), p, Options{})
		var refused *RefusedError
		require.ErrorAs(t, err, &refused, "the run before is not settled")

		h.unread = ""
		all, err := Recover(t.Context(), f.estate(), disk.runs(), Options{})
		require.NoError(t, err)
		require.Equal(t, []State{StateDone}, states(all[0]))
		all, err = Recover(t.Context(), f.estate(), disk.runs(), Options{})
		require.NoError(t, err)
		require.Empty(t, all)
	})
}

func TestWindowClosesMeanwhile(t *testing.T) {
	f, p := hosts(3)
	now := time.Date(2026, 1, 2, 3, 59, 0, 0, time.UTC)
	f.after = func(Target) { now = now.Add(2 * time.Minute) }
	disk := newMemory()
	options := Options{Window: &Window{From: 22 * time.Hour, To: 4 * time.Hour}, Now: func() time.Time { return now }}
	o, err := Apply(t.Context(), f.estate(), disk.runs(), p, options)
	require.NoError(t, err)
	require.Equal(t, "the window 22:00-04:00 has ended", o.Stopped)
	require.Equal(t, []State{StateDone, StateUntouched, StateUntouched}, states(o))
	require.True(t, o.Waits())
	run, _ := disk.runs().Get(o.Run)
	require.Equal(t, "stopped", run.Result)
	require.False(t, run.Open())
}

// TestWindowClosesInRollback: a failed run has failed, even if the window closes during its rollback.
func TestWindowClosesInRollback(t *testing.T) {
	f, p := hosts(3)
	now := time.Date(2026, 1, 2, 3, 59, 0, 0, time.UTC)
	f.after = func(target Target) {
		if target.ID == "host03" {
			now = now.Add(2 * time.Minute)
		}
	}
	f.on("write host03 host-option/A=60", breaksAfter)
	options := Options{Window: &Window{From: 22 * time.Hour, To: 4 * time.Hour}, Now: func() time.Time { return now }, RollbackOnError: true}
	o, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, options)
	var failed *FailedError
	require.ErrorAs(t, err, &failed)
	require.ErrorContains(t, err, "it broke")
	require.ErrorContains(t, err, "the window 22:00-04:00 has ended")
	require.False(t, failed.Undone)
	require.Equal(t, []State{StateDone, StateDone, StateDone}, states(o))
}

// TestInterrupted: the step in flight is finished, verified and posted as an event; the rest does not begin, and
// nothing is undone.
func TestInterrupted(t *testing.T) {
	f, p := hosts(3)
	ctx, cancel := context.WithCancel(t.Context())
	f.after = func(Target) { cancel() }
	o, err := Apply(ctx, f.estate(), newMemory().runs(), p, Options{RollbackOnError: true})
	require.ErrorIs(t, err, context.Canceled)
	var failed *FailedError
	require.NotErrorAs(t, err, &failed, "nothing failed")
	require.Equal(t, "it was interrupted", o.Stopped)
	require.Equal(t, []State{StateDone, StateUntouched, StateUntouched}, states(o))
	require.Equal(t, []string{"write host01 host-option/A=60", "save host01"}, []string{f.calls[0], f.calls[2]})
	require.Len(t, f.posts, 1)
}

// TestInterruptedAndFailed: an interrupted run that fails ends without a rollback.
func TestInterruptedAndFailed(t *testing.T) {
	f, p := hosts(3)
	ctx, cancel := context.WithCancel(t.Context())
	f.after = func(target Target) {
		if target.ID == "host02" {
			cancel()
		}
	}
	f.on("write host02 host-option/A=60", breaksAfter)
	o, err := Apply(ctx, f.estate(), newMemory().runs(), p, Options{RollbackOnError: true})
	var failed *FailedError
	require.ErrorAs(t, err, &failed)
	require.False(t, failed.Undone)
	require.Equal(t, []State{StateDone, StateDone, StateUntouched}, states(o))
}

// TestGates: after the canary and after each batch, nothing may be worse than before.
func TestGates(t *testing.T) {
	for name, c := range map[string]struct {
		harm  func(f *fleet, h *Health)
		at    string // the host whose change makes something worse
		why   string
		wrote int
	}{
		"trouble": {func(_ *fleet, h *Health) { h.Trouble = "not connected" }, "host01", "host01 now fails the health check: not connected", 1},
		"alarm":   {func(_ *fleet, h *Health) { h.RedAlarms = []string{"old", "hot"} }, "host01", "host01 has a new red alarm: hot", 1},
		"uplink":  {func(_ *fleet, h *Health) { h.DeadUplinks = []string{"vmnic1"} }, "host01", "lost the link of its uplink vmnic1", 1},
		"paths":   {func(_ *fleet, h *Health) { h.LivePaths = 3 }, "host01", "has 3 working storage paths; it had 4 before", 1},
		"unread":  {func(f *fleet, _ *Health) { f.onceSaved("host01", func(h *thing) { h.unread = "no answer" }) }, "host01", "unread (no answer)", 1},
		"taken back by an owner": {func(f *fleet, _ *Health) {
			f.onceSaved("host01", func(h *thing) { h.settings["host-option/A"].value = long(0) })
		}, "host01", "is 0; a moment earlier it was 60", 1},
		"in a batch":   {func(_ *fleet, h *Health) { h.LivePaths = 3 }, "host02", "after host02, host03: host02 has 3", 3},
		"nothing new":  {func(_ *fleet, h *Health) { h.RedAlarms = []string{"old"} }, "host01", "", 6},
		"nothing lost": {func(_ *fleet, h *Health) { h.LivePaths = 9 }, "host01", "", 6},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, p := hosts(6)
				f.health["host01"].RedAlarms = []string{"old"}
				f.after = func(target Target) {
					if target.ID == c.at && len(f.posts) < 6 {
						c.harm(f, f.health[c.at])
					}
				}
				o, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, Options{Batch: 2})
				require.Equal(t, c.wrote, o.Count(StateDone, StateDoing))
				if c.why == "" {
					require.NoError(t, err)
					return
				}
				require.ErrorContains(t, err, c.why)
			})
		})
	}
}

// onceSaved calls do with a host after it has saved its configuration, which is after the run has read its values back.
func (f *fleet) onceSaved(host string, do func(h *thing)) {
	f.tick = func() {
		if f.calls[len(f.calls)-1] == "save "+host {
			do(f.things["host:"+host])
		}
	}
}

// TestBreachRollsBack: a problem found by the gate does not stop the rollback.
func TestBreachRollsBack(t *testing.T) {
	f, p := hosts(6)
	f.after = func(target Target) {
		if target.ID == "host03" {
			f.health["host03"].DeadUplinks = []string{"vmnic0"}
		}
	}
	o, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, Options{Batch: 2, RollbackOnError: true})
	var failed *FailedError
	require.ErrorAs(t, err, &failed)
	require.True(t, failed.Undone)
	require.Equal(t, 3, o.Count(StateUndone))
	require.Equal(t, 3, o.Count(StateUntouched))
	require.Equal(t, []string{
		"write host01 host-option/A=60", "write host02 host-option/A=60", "write host03 host-option/A=60",
		"write host03 host-option/A=0", "write host02 host-option/A=0", "write host01 host-option/A=0",
	}, f.did(), "newest first")
}

// TestOwnUnits: all steps of one object are made before those of the next one.
func TestOwnUnits(t *testing.T) {
	f := newFleet()
	a, b := f.host("a"), f.host("b")
	for _, h := range []*thing{a, b} {
		h.has("host-option/A", long(0), live)
		h.has("host-option/B", long(0), live)
	}
	p := planOf(a.step(a.change("host-option/A", long(1))), b.step(b.change("host-option/A", long(1))), a.step(a.change("host-option/B", long(1))))
	_, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"write a host-option/A=1", "write a host-option/B=1", "write b host-option/A=1"}, f.did())
}

// TestWarnings: a run succeeds even if it cannot post events or save the hosts' configurations.
func TestWarnings(t *testing.T) {
	f, p := hosts(2)
	f.fault = func(call string) fault {
		if strings.HasPrefix(call, "post") || strings.HasPrefix(call, "save host02") {
			return refuses
		}
		return fine
	}
	disk := newMemory()
	o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{})
	require.NoError(t, err)
	require.Equal(t, 2, o.Count(StateDone))
	require.Len(t, o.Warnings, 2)
	require.Contains(t, o.Warnings[0], "could not post an event on host01: post host01: refused")
	require.Contains(t, o.Warnings[1], "durability unknown: host02")
	run, _ := disk.runs().Get(o.Run)
	require.Equal(t, o.Warnings, run.Warnings)
}

// TestJournalFull: a step that cannot be recorded is not made.
func TestJournalFull(t *testing.T) {
	f, h, p := oneHost()
	disk := newMemory()
	disk.fullAfter(RecordRunBegin)
	o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{RollbackOnError: true})
	require.ErrorContains(t, err, "no space left")
	require.Empty(t, f.calls)
	require.Equal(t, long(0), h.get("host-option/A"))
	require.Equal(t, []State{StateUntouched}, states(o))

	disk.freed()
	all, err := Recover(t.Context(), f.estate(), disk.runs(), Options{})
	require.NoError(t, err, "half a line was cut off")
	require.Len(t, all, 1)
	require.Equal(t, []RecordKind{RecordRunBegin, RecordRunEnd}, kinds(t, disk, o.Run))
}

// TestJournalFullInAStep: after a write, the change is in doubt until its result can be recorded.
func TestJournalFullInAStep(t *testing.T) {
	f, p := hosts(2)
	disk := newMemory()
	disk.fullAfter(RecordIntent)
	o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{RollbackOnError: true})
	var failed *FailedError
	require.ErrorAs(t, err, &failed)
	require.False(t, failed.Undone)
	require.Equal(t, []State{StateDoing, StateUntouched}, states(o))
	require.Equal(t, []string{"write host01 host-option/A=60"}, f.calls)

	disk.freed()
	o, err = Rollback(t.Context(), f.estate(), disk.runs(), o.Run, Options{})
	require.NoError(t, err)
	require.Equal(t, []State{StateUndone, StateUntouched}, states(o))
}

// fullAfter makes the disk full after a record of kind.
func (m *memory) fullAfter(kind RecordKind) {
	m.tick = func() {
		for name, f := range m.files {
			end := m.files[path.Join(path.Dir(name), endFile)]
			if strings.HasSuffix(name, journalFile) && bytes.Contains(f.content[:f.durable], []byte(`"kind":"`+string(kind)+`"`)) &&
				lastEnding(end.content[:end.durable]).records == bytes.Count(f.content, []byte("\n")) {
				m.failing = errors.New("no space left")
			}
		}
	}
}

func (m *memory) freed() { m.tick, m.failing = func() {}, nil }
