package tuning

import (
	"context"
	"encoding/json"
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

var registration = json.RawMessage(`{"schema":"vperf.trial/v1","rule":"numa-io"}`)

// opened returns a fleet of n hosts, whose option the trial switches from 0 to 60.
func opened(t *testing.T, n int, terms Options) (*fleet, *memory, *Switching) {
	t.Helper()
	f, p := hosts(n)
	disk := newMemory()
	s, err := OpenSwitching(t.Context(), f.estate(), disk.runs(), p, terms, registration)
	require.NoError(t, err)
	return f, disk, s
}

func (f *fleet) option() string {
	return formatFact(f.things["host:host01"].get("host-option/A"))
}

// options returns the options of all hosts, in the order of their names.
func (f *fleet) options() string {
	var all []string
	for key := range f.values() {
		all = append(all, key)
	}
	slices.Sort(all)
	for i, key := range all {
		all[i] = formatFact(f.values()[key])
	}
	return strings.Join(all, " ")
}

// TestSwitching: a trial switches hosts to and fro, journals each switch, restores the values, and saves each host's
// configuration once.
func TestSwitching(t *testing.T) {
	f, disk, s := opened(t, 2, Options{User: "ann"})
	require.Empty(t, f.calls, "nothing is written yet")
	for _, c := range []struct {
		on   map[int]bool
		want string
		did  []string
	}{
		{map[int]bool{1: true}, "60 0", []string{"write host01 host-option/A=60"}},
		{map[int]bool{1: true, 2: false}, "60 0", nil},
		{map[int]bool{1: false, 2: true}, "0 60", []string{"write host01 host-option/A=0", "write host02 host-option/A=60"}},
		{nil, "0 60", nil},
		{map[int]bool{1: true}, "60 60", []string{"write host01 host-option/A=60"}},
	} {
		f.calls = nil
		require.NoError(t, s.Set(t.Context(), c.on))
		require.Equal(t, c.want, f.options())
		require.Equal(t, c.did, append([]string(nil), f.did()...))
		require.NotContains(t, strings.Join(f.calls, " "), "save")
		require.NoError(t, s.Note(json.RawMessage(`{"block":1}`)))
	}
	require.Equal(t, []string{
		"vperf run " + s.Run() + ": begins to switch host-option/A between 0 and 60 on host01 until the trial ends (rule rule-host-option/A)",
		"vperf run " + s.Run() + ": begins to switch host-option/A between 0 and 60 on host02 until the trial ends (rule rule-host-option/A)",
	}, f.posts, "one event an object, not one a switch")
	f.calls = nil
	o, err := s.Close(t.Context(), false)
	require.NoError(t, err)
	require.Equal(t, []State{StateUndone, StateUndone}, states(o))
	require.Equal(t, "0 0", f.options())
	require.Equal(t, 1, count1(f.calls, "save host01"))
	require.Equal(t, 1, count1(f.calls, "save host02"))
	require.Equal(t, 4, o.Results[0].Writes())
	require.Equal(t, 2, o.Results[1].Writes())
	_, err = s.Close(t.Context(), false)
	require.Error(t, err)
	require.Error(t, s.Set(t.Context(), nil))
	require.Error(t, s.Note(registration))

	run, err := disk.runs().Get(s.Run())
	require.NoError(t, err)
	require.Equal(t, ResultRestored, run.Result)
	require.False(t, run.Open())
	require.True(t, run.Trial())
	require.Len(t, run.Notes(), 6)
	require.JSONEq(t, string(registration), string(run.Notes()[0]))
	require.Equal(t, 4, run.Results[0].Writes())
	o, err = Verify(t.Context(), f.estate(), disk.runs(), s.Run())
	require.NoError(t, err)
	require.Equal(t, []State{StateUndone, StateUndone}, states(o))
	require.Empty(t, disk.locked)
}

func count1(all []string, what string) (n int) {
	for _, s := range all {
		if s == what {
			n++
		}
	}
	return n
}

// TestKept: with keep, all steps are on at the end, each host saves once, and a rollback restores them as after an apply.
func TestKept(t *testing.T) {
	f, disk, s := opened(t, 3, Options{})
	require.NoError(t, s.Set(t.Context(), map[int]bool{2: true, 3: true}))
	require.NoError(t, s.Set(t.Context(), map[int]bool{2: false}))
	o, err := s.Close(t.Context(), true)
	require.NoError(t, err)
	require.Equal(t, "60 60 60", f.options())
	require.Equal(t, []State{StateDone, StateDone, StateDone}, states(o))
	for _, h := range []string{"host01", "host02", "host03"} {
		require.Equal(t, 1, count1(f.calls, "save "+h))
	}
	run, _ := disk.runs().Get(s.Run())
	require.Equal(t, ResultKept, run.Result)
	all, err := Recover(t.Context(), f.estate(), disk.runs(), Options{})
	require.NoError(t, err)
	require.Empty(t, all, "a kept trial is not an interrupted one")
	last, err := disk.runs().Last(f.estate().Server)
	require.NoError(t, err)
	require.Equal(t, s.Run(), last.ID)
	o, err = Rollback(t.Context(), f.estate(), disk.runs(), s.Run(), Options{})
	require.NoError(t, err)
	require.Equal(t, 3, o.Count(StateUndone))
	require.Equal(t, "0 0 0", f.options())
	run, _ = disk.runs().Get(s.Run())
	require.Equal(t, "undone", run.Result)
}

// TestNotKept: if a step cannot be switched on at the end, none stays on.
func TestNotKept(t *testing.T) {
	f, disk, s := opened(t, 3, Options{})
	require.NoError(t, s.Set(t.Context(), map[int]bool{1: true}))
	f.on("write host03 host-option/A=60", refuses)
	o, err := s.Close(t.Context(), true)
	var failed *FailedError
	require.ErrorAs(t, err, &failed)
	require.True(t, failed.Undone)
	require.ErrorContains(t, err, "host03")
	require.Equal(t, []State{StateUndone, StateUndone, StateFailed}, states(o))
	require.Equal(t, "0 0 0", f.options())
	run, _ := disk.runs().Get(s.Run())
	require.Equal(t, ResultRestored, run.Result)
}

// TestOnlyExactLiveChangesAreSwitched: everything else is refused before a run begins.
func TestOnlyExactLiveChangesAreSwitched(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *fleet, h *thing, p *Plan)
		why    string
	}{
		"after a reboot": {func(_ *fleet, _ *thing, p *Plan) { p.Steps[0].Changes[0].Activation = inventory.ActivationHostReboot }, "host-option/A of host01 cannot be switched on and off: it does not take effect at once (host-reboot)"},
		"by the server's say": {func(_ *fleet, h *thing, _ *Plan) {
			h.settings["host-option/A"].activation = inventory.ActivationDriverReload
		}, "at once (driver-reload)"},
		"equivalent": {func(_ *fleet, _ *thing, p *Plan) { p.Steps[0].Changes[0].Inverse.Kind = inventory.InverseEquivalent }, "cannot be written back exactly"},
		"irreversible": {func(_ *fleet, _ *thing, p *Plan) {
			p.Steps[0].Changes[0].Inverse = Inverse{Kind: inventory.InverseNone}
		}, "cannot be written back exactly"},
		"another inverse": {func(_ *fleet, _ *thing, p *Plan) { p.Steps[0].Changes[0].Inverse.Write[0].Value = long(7) }, "cannot be written back exactly"},
		"twice":           {func(_ *fleet, _ *thing, p *Plan) { *p = *planOf(p.Steps[0], p.Steps[0]) }, "the plan changes it twice"},
		"already so":      {func(_ *fleet, h *thing, _ *Plan) { h.settings["host-option/A"].value = long(60) }, "there is nothing to switch"},
		"nothing":         {func(_ *fleet, _ *thing, p *Plan) { p.Steps = nil }, "there is nothing to switch"},
		"an owner":        {func(_ *fleet, h *thing, _ *Plan) { h.Owner = "a host profile" }, "a host profile manages its settings"},
		"busy":            {func(_ *fleet, h *thing, _ *Plan) { h.Busy = "a scan" }, "another task is running on it: a scan"},
	} {
		t.Run(name, func(t *testing.T) {
			f, h, p := oneHost()
			c.change(f, h, p)
			disk := newMemory()
			_, err := OpenSwitching(t.Context(), f.estate(), disk.runs(), p, Options{AcceptIrreversible: true}, registration)
			var refused *RefusedError
			require.ErrorAs(t, err, &refused)
			require.ErrorContains(t, err, c.why)
			require.Empty(t, disk.dirs)
			require.Empty(t, disk.locked)
			require.Empty(t, f.calls)
		})
	}
	f, h, p := oneHost()
	h.settings["host-option/A"].value = long(7)
	_, err := OpenSwitching(t.Context(), f.estate(), newMemory().runs(), p, Options{}, registration)
	var stale *StaleError
	require.ErrorAs(t, err, &stale)
	_, err = OpenSwitching(t.Context(), f.estate(), newMemory().runs(), p, Options{}, json.RawMessage("{"))
	require.ErrorContains(t, err, "not valid JSON")
}

// TestSwitchingIsLocked: nobody else changes the objects of a trial, and recovery leaves a running trial alone.
func TestSwitchingIsLocked(t *testing.T) {
	f, disk, s := opened(t, 1, Options{})
	require.NoError(t, s.Set(t.Context(), map[int]bool{1: true}))
	_, p := hosts(1)
	var locked *LockedError
	_, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{})
	require.ErrorAs(t, err, &locked)
	_, err = OpenSwitching(t.Context(), f.estate(), disk.runs(), p, Options{}, registration)
	require.ErrorAs(t, err, &locked)
	require.Contains(t, locked.By, "trial "+s.Run())
	_, err = Rollback(t.Context(), f.estate(), disk.runs(), s.Run(), Options{})
	require.ErrorAs(t, err, &locked)
	all, err := Recover(t.Context(), f.estate(), disk.runs(), Options{})
	require.NoError(t, err)
	require.Empty(t, all)
	require.Equal(t, "60", f.option())
}

// TestSomebodyElseInATrial: if somebody else changes a value, nothing is written, also on other hosts, and at the end that
// value stays and is reported.
func TestSomebodyElseInATrial(t *testing.T) {
	for name, c := range map[string]struct {
		on     bool // when it is changed
		to     int64
		want   string // at the end
		state  State
		result string
	}{
		"another value, on":  {true, 7, "7", StateForeign, ResultPartlyRestored},
		"another value, off": {false, 7, "7", StateForeign, ResultPartlyRestored},
		"the old value, on":  {true, 0, "0", StateUndone, ResultRestored},
		"the new value, off": {false, 60, "60", StateForeign, ResultPartlyRestored},
	} {
		t.Run(name, func(t *testing.T) {
			f, disk, s := opened(t, 2, Options{})
			require.NoError(t, s.Set(t.Context(), map[int]bool{1: true, 2: true}))
			require.NoError(t, s.Set(t.Context(), map[int]bool{2: c.on}))
			f.things["host:host02"].settings["host-option/A"].value = long(c.to)
			f.calls = nil
			err := s.Set(t.Context(), map[int]bool{1: false})
			var foreign *ForeignError
			require.ErrorAs(t, err, &foreign)
			require.Len(t, foreign.Moved, 1)
			require.Contains(t, err.Error(), fmt.Sprintf("host-option/A of host02: it is %d now, and the run left", c.to))
			require.Empty(t, f.calls)
			require.Equal(t, "60", f.option())
			require.ErrorContains(t, s.Set(t.Context(), map[int]bool{1: false}), "end the trial")
			o, err := s.Close(t.Context(), false)
			require.NoError(t, err)
			require.Equal(t, []State{StateUndone, c.state}, states(o))
			require.Equal(t, "0 "+c.want, f.options())
			run, _ := disk.runs().Get(s.Run())
			require.Equal(t, c.result, run.Result)
			require.False(t, run.Open())
			if c.state == StateForeign {
				require.Contains(t, run.Results[1].Why, "somebody else changed it")
			}
		})
	}
}

// TestSomebodyElseInASwitch: a value that changes while other hosts are switched is found before it is overwritten.
func TestSomebodyElseInASwitch(t *testing.T) {
	f, _, s := opened(t, 2, Options{})
	f.after = func(Target) { f.things["host:host02"].settings["host-option/A"].value = long(7) }
	err := s.Set(t.Context(), map[int]bool{1: true, 2: true})
	var foreign *ForeignError
	require.ErrorAs(t, err, &foreign)
	require.Equal(t, "60 7", f.options())
	o, err := s.Close(t.Context(), true)
	require.Error(t, err, "what somebody else set is not overwritten to keep the change")
	require.Equal(t, []State{StateUndone, StateUntouched}, states(o))
	require.Equal(t, "0 7", f.options())
}

// TestChangedBeforeTheEnd: Close also looks at the values that are off.
func TestChangedBeforeTheEnd(t *testing.T) {
	f, _, s := opened(t, 2, Options{})
	require.NoError(t, s.Set(t.Context(), map[int]bool{1: true, 2: true}))
	require.NoError(t, s.Set(t.Context(), map[int]bool{1: false, 2: false}))
	f.things["host:host02"].settings["host-option/A"].value = long(7)
	o, err := s.Close(t.Context(), false)
	require.NoError(t, err)
	require.Equal(t, []State{StateUndone, StateForeign}, states(o))
	require.Equal(t, "0 7", f.options())
}

// TestBadSwitches: what a write does is read back, whatever the server answers, and the end restores it.
func TestBadSwitches(t *testing.T) {
	for name, c := range map[string]struct {
		fault fault
		err   string
		now   string
		again bool // Set works later
	}{
		"refused":                 {refuses, "refused", "0", true},
		"broken, but done":        {breaksAfter, "broke", "60", true},
		"lost, and not done":      {losesBefore, "the server's answer was lost, but nothing changed", "0", true},
		"the answer is lost only": {losesAfter, "", "60", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, disk, s := opened(t, 1, Options{})
				f.first(c.fault)
				err := s.Set(t.Context(), map[int]bool{1: true})
				if c.err == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, c.err)
				}
				require.Equal(t, c.now, f.option())
				err = s.Set(t.Context(), map[int]bool{1: true})
				require.Equal(t, c.again, err == nil, err)
				o, err := s.Close(t.Context(), false)
				require.NoError(t, err)
				require.Equal(t, []State{StateUndone}, states(o))
				require.Equal(t, "0", f.option())
				run, _ := disk.runs().Get(s.Run())
				require.Equal(t, ResultRestored, run.Result)
			})
		})
	}
}

// TestServerRestartsInASwitch: if the server does not answer for some minutes, the trial ends, and the value is restored when it
// answers again.
func TestServerRestartsInASwitch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, disk, s := opened(t, 2, Options{})
		require.NoError(t, s.Set(t.Context(), map[int]bool{1: true}))
		back := time.Now().Add(4 * time.Minute)
		down := func() error {
			if time.Now().Before(back) {
				return errors.New("connection refused")
			}
			return nil
		}
		f.fault = func(string) fault {
			f.blind = down
			if down() != nil {
				return losesAfter
			}
			return fine
		}
		err := s.Set(t.Context(), map[int]bool{1: false, 2: true})
		require.ErrorContains(t, err, "connection refused")
		require.ErrorContains(t, s.Set(t.Context(), nil), "in doubt")
		o, err := s.Close(t.Context(), false)
		require.NoError(t, err)
		require.Equal(t, []State{StateUndone, StateUntouched}, states(o))
		require.False(t, time.Now().Before(back))
		run, _ := disk.runs().Get(s.Run())
		require.Equal(t, ResultRestored, run.Result)
	})
}

// TestServerStaysAway: after an interruption, Close tries once. What it could not restore, the next command does.
func TestServerStaysAway(t *testing.T) {
	for name, patient := range map[string]bool{"Ctrl-C": false, "ten minutes": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, disk, s := opened(t, 2, Options{})
				require.NoError(t, s.Set(t.Context(), map[int]bool{1: true, 2: true}))
				f.blind = func() error { return errors.New("connection refused") }
				ctx, cancel := newCancel(t)
				if !patient {
					cancel()
				}
				defer cancel()
				began := time.Now()
				_, err := s.Close(ctx, false)
				var failed *FailedError
				require.ErrorAs(t, err, &failed)
				require.False(t, failed.Undone)
				if patient {
					require.InDelta(t, patience.Seconds(), time.Since(began).Seconds(), longestWait.Seconds()+1)
				} else {
					require.Zero(t, time.Since(began))
				}
				require.Empty(t, disk.locked)
				run, _ := disk.runs().Get(s.Run())
				require.True(t, run.Open())
				f.blind = func() error { return nil }
				all, err := Recover(t.Context(), f.estate(), disk.runs(), Options{})
				require.NoError(t, err)
				require.Len(t, all, 1)
				require.Equal(t, []State{StateUndone, StateUndone}, states(all[0]))
				require.Equal(t, "0 0", f.options())
				require.Equal(t, 1, count1(f.calls, "save host01"))
			})
		})
	}
}

// TestHostDisconnects: a host that cannot be written to now does not hinder the others. Every later command tries again,
// and does not fail because of it.
func TestHostDisconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, disk, s := opened(t, 2, Options{})
		require.NoError(t, s.Set(t.Context(), map[int]bool{1: true, 2: true}))
		h := f.things["host:host02"]
		h.Untouchable, h.unread = "not responding", "not responding"
		f.on("write host02 host-option/A=0", refuses)
		o, err := s.Close(t.Context(), false)
		var failed *FailedError
		require.ErrorAs(t, err, &failed)
		require.False(t, failed.Undone)
		require.Equal(t, []State{StateUndone, StateKept}, states(o))
		require.Contains(t, o.Results[1].Why, "not responding")
		require.Zero(t, count1(f.calls, "save host02"), "the host would save the value of the trial")
		run, _ := disk.runs().Get(s.Run())
		require.Equal(t, ResultPartlyRestored, run.Result)
		require.True(t, run.Open())

		_, err = Recover(t.Context(), f.estate(), disk.runs(), Options{})
		require.NoError(t, err)
		h.Untouchable, h.unread = "", ""
		f.on("", fine)
		_, err = Recover(t.Context(), f.estate(), disk.runs(), Options{})
		require.NoError(t, err)
		require.Equal(t, "0 0", f.options())
		require.Equal(t, 1, count1(f.calls, "save host02"))
		run, _ = disk.runs().Get(s.Run())
		require.Equal(t, ResultRestored, run.Result)
		require.False(t, run.Open())
	})
}

// TestRollbackEndsATrial: after a rollback by the user, recovery does not go on.
func TestRollbackEndsATrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, disk, s := opened(t, 1, Options{})
		require.NoError(t, s.Set(t.Context(), map[int]bool{1: true}))
		f.things["host:host01"].Untouchable = "in an odd state"
		f.on("write host01 host-option/A=0", refuses)
		_, err := s.Close(t.Context(), false)
		require.Error(t, err)
		o, err := Rollback(t.Context(), f.estate(), disk.runs(), s.Run(), Options{})
		require.NoError(t, err)
		require.Equal(t, []State{StateKept}, states(o))
		run, _ := disk.runs().Get(s.Run())
		require.False(t, run.Open())
		f.things["host:host01"].Untouchable = ""
		f.on("", fine)
		o, err = Rollback(t.Context(), f.estate(), disk.runs(), s.Run(), Options{})
		require.NoError(t, err)
		require.Equal(t, []State{StateUndone}, states(o))
	})
}

// TestHostGoneInATrial: a host that no longer exists, or has another identity, is reported and not tried again.
func TestHostGoneInATrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, disk, s := opened(t, 3, Options{})
		require.NoError(t, s.Set(t.Context(), map[int]bool{1: true, 2: true, 3: true}))
		disk.locked = map[string]string{} // the process is killed
		delete(f.things, "host:host01")
		f.things["host:host02"].Target.UUID = "another"
		all, err := Recover(t.Context(), f.estate(), disk.runs(), Options{})
		require.NoError(t, err)
		require.Equal(t, []State{StateForeign, StateForeign, StateUndone}, states(all[0]))
		require.Equal(t, "60 0", f.options())
		run, _ := disk.runs().Get(s.Run())
		require.False(t, run.Open())
	})
}

// TestWindowOfATrial: no switch begins outside the window, but the end restores.
func TestWindowOfATrial(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 59, 0, 0, time.UTC)
	f, _, s := opened(t, 2, Options{Window: &Window{From: 22 * time.Hour, To: 4 * time.Hour}, Now: func() time.Time { return now }})
	f.after = func(Target) { now = now.Add(2 * time.Minute) }
	require.ErrorContains(t, s.Set(t.Context(), map[int]bool{1: true, 2: true}), "the window 22:00-04:00 has ended")
	require.Equal(t, "60 0", f.options())
	require.ErrorContains(t, s.Set(t.Context(), nil), "the window 22:00-04:00 has ended")
	o, err := s.Close(t.Context(), false)
	require.NoError(t, err)
	require.Equal(t, []State{StateUndone, StateUntouched}, states(o))
}

// TestCtrlCInATrial: an interruption ends Set between two hosts, and Close restores nevertheless.
func TestCtrlCInATrial(t *testing.T) {
	f, _, s := opened(t, 2, Options{})
	ctx, cancel := newCancel(t)
	f.after = func(Target) { cancel() }
	require.ErrorIs(t, s.Set(ctx, map[int]bool{1: true, 2: true}), context.Canceled)
	require.Equal(t, "60 0", f.options())
	_, err := s.Close(ctx, false)
	require.NoError(t, err)
	require.Equal(t, "0 0", f.options())
}

// TestJournalFullInATrial: if the journal cannot be written any more, the trial restores the values without a record, and
// recovery completes the journal.
func TestJournalFullInATrial(t *testing.T) {
	for name, c := range map[string]struct {
		after RecordKind // the disk is full then
		keep  bool
	}{
		"in the first switch":  {RecordIntent, false},
		"after a write":        {RecordAcknowledged, false},
		"after the switch":     {RecordVerified, false},
		"while it is restored": {RecordRollbackIntent, false},
		"at the end":           {RecordActionDone, false},
		"at the end, kept":     {RecordActionDone, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, disk, s := opened(t, 2, Options{})
				disk.fullAfter(c.after)
				_ = s.Set(t.Context(), map[int]bool{1: true, 2: true})
				o, err := s.Close(t.Context(), c.keep)
				var failed *FailedError
				require.ErrorAs(t, err, &failed)
				require.ErrorContains(t, err, "no space left")
				require.ErrorContains(t, err, "restored without a record")
				require.True(t, failed.Undone)
				require.Equal(t, "0 0", f.options())
				require.NotNil(t, o)

				disk.freed()
				disk.locked = map[string]string{}
				all, err := Recover(t.Context(), f.estate(), disk.runs(), Options{})
				require.NoError(t, err)
				require.Len(t, all, 1)
				for _, r := range all[0].Results {
					require.Contains(t, []State{StateUndone, StateUntouched}, r.State)
				}
				require.Equal(t, "0 0", f.options())
				run, _ := disk.runs().Get(s.Run())
				require.Equal(t, ResultRestored, run.Result)
			})
		})
	}
}

// TestJournalFullAndSomebodyElse: without a journal, too, the trial leaves alone what is not its own, and says what remains.
func TestJournalFullAndSomebodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, disk, s := opened(t, 3, Options{})
		require.NoError(t, s.Set(t.Context(), map[int]bool{1: true, 2: true, 3: true}))
		disk.fullAfter(RecordVerified)
		f.things["host:host01"].settings["host-option/A"].value = theirs
		f.things["host:host02"].Untouchable = "not responding"
		_, err := s.Close(t.Context(), false)
		var failed *FailedError
		require.ErrorAs(t, err, &failed)
		require.False(t, failed.Undone)
		require.ErrorContains(t, err, "host01 is not restored")
		require.ErrorContains(t, err, "host02: not responding")
		require.Equal(t, "theirs 60 0", f.options())
	})
}

// TestCanary: when a host is switched for the first time and something is worse then, no other host is.
func TestCanary(t *testing.T) {
	f, _, s := opened(t, 2, Options{})
	f.after = func(target Target) { f.health[target.ID].DeadUplinks = []string{"vmnic0"} }
	require.ErrorContains(t, s.Set(t.Context(), map[int]bool{1: true, 2: true}), "host01 lost the link of its uplink vmnic0")
	require.Equal(t, "60 0", f.options())
	_, err := s.Close(t.Context(), false)
	require.NoError(t, err, "values are restored whatever the health")
	require.Equal(t, "0 0", f.options())
}

// TestStepsOfATrial: settings of one host in two steps are switched each on its own; a step that is not in the plan is an error.
func TestStepsOfATrial(t *testing.T) {
	f := newFleet()
	h := f.host("host01")
	h.has("lun-outstanding-ios", long(32), live)
	h.has("power-policy", text("dynamic"), live)
	p := planOf(h.step(h.change("lun-outstanding-ios", long(64))), h.step(h.change("power-policy", text("static"))))
	s, err := OpenSwitching(t.Context(), f.estate(), newMemory().runs(), p, Options{}, registration)
	require.NoError(t, err)
	require.ErrorContains(t, s.Set(t.Context(), map[int]bool{3: true}), "steps 1 to 2")
	require.NoError(t, s.Set(t.Context(), map[int]bool{2: true}))
	require.NoError(t, s.Set(t.Context(), map[int]bool{1: true, 2: false}))
	require.Equal(t, []string{"write host01 power-policy=static", "write host01 lun-outstanding-ios=64", "write host01 power-policy=dynamic"}, f.did())
	_, err = s.Close(t.Context(), false)
	require.NoError(t, err)
	require.Equal(t, 1, count1(f.calls, "save host01"))
}

// TestJournalOfADay: the journal of a day of 288 blocks on 8 hosts stays small and loads fast.
func TestJournalOfADay(t *testing.T) {
	f, disk, s := opened(t, 8, Options{})
	aDay(t, s)
	size := len(disk.files[path.Join(s.Run(), journalFile)].content)
	t.Logf("%d bytes", size)
	require.Less(t, size, 6<<20)
	began := time.Now()
	run, err := disk.runs().Get(s.Run())
	require.NoError(t, err)
	t.Logf("loaded in %v", time.Since(began))
	require.Empty(t, run.Broken)
	require.Equal(t, 288, run.Results[0].Writes())
	_, err = s.Close(t.Context(), false)
	require.NoError(t, err)
	require.NotEmpty(t, f.calls)
}

// aDay switches all steps in 288 blocks.
func aDay(t testing.TB, s *Switching) {
	t.Helper()
	for block := range 288 {
		on := map[int]bool{}
		for step := range len(s.w.run.Plan.Steps) {
			on[step+1] = block%2 == 0
		}
		require.NoError(t, s.Set(t.Context(), on))
		require.NoError(t, s.Note(json.RawMessage(fmt.Sprintf(`{"block":%d}`, block))))
	}
}

// BenchmarkLoadDay loads the journal of a day of 288 blocks on 8 hosts.
func BenchmarkLoadDay(b *testing.B) {
	f, p := hosts(8)
	disk := newMemory()
	s, err := OpenSwitching(b.Context(), f.estate(), disk.runs(), p, Options{}, registration)
	require.NoError(b, err)
	aDay(b, s)
	b.SetBytes(int64(len(disk.files[path.Join(s.Run(), journalFile)].content)))
	for b.Loop() {
		run, err := disk.runs().Get(s.Run())
		require.NoError(b, err)
		require.Empty(b, run.Broken)
	}
}
