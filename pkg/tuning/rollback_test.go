package tuning

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

func newCancel(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithCancel(t.Context())
}

// applied returns a fleet of n hosts on which a run has set an option from 0 to 60.
func applied(t *testing.T, n int) (*fleet, *memory, string) {
	t.Helper()
	f, p := hosts(n)
	disk := newMemory()
	o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{})
	require.NoError(t, err)
	f.calls = nil
	return f, disk, o.Run
}

// TestRollbackLeavesOthersWork: values that somebody changed since, and objects that no longer exist, are skipped and
// reported.
func TestRollbackLeavesOthersWork(t *testing.T) {
	f, disk, id := applied(t, 6)
	f.things["host:host01"].settings["host-option/A"].value = long(7)
	f.things["host:host02"].settings["host-option/A"].value = long(0)
	delete(f.things, "host:host03")
	f.things["host:host04"].Target.UUID = "another"
	f.things["host:host05"].Untouchable = "in an odd state"
	var notes []string
	options := Options{OnProgress: func(p Progress) { notes = append(notes, p.Text) }}
	o, err := Rollback(t.Context(), f.estate(), disk.runs(), id, options)
	require.NoError(t, err)
	require.Equal(t, []State{StateKept, StateUndone, StateKept, StateKept, StateKept, StateUndone}, states(o))
	require.Equal(t, "it is now 7: somebody else changed it after the run wrote 60", o.Results[0].Why)
	require.Contains(t, notes, "host-option/A: "+o.Results[0].Why)
	require.Contains(t, o.Results[2].Why, "it is not there any more")
	require.Contains(t, o.Results[3].Why, "another host has its id")
	require.Contains(t, o.Results[4].Why, "in an odd state")
	require.Equal(t, []string{"write host06 host-option/A=0"}, f.did())
	run, _ := disk.runs().Get(id)
	require.Equal(t, "partly undone", run.Result)

	// A skipped change can be undone later, when its value is the run's again.
	f.things["host:host01"].settings["host-option/A"].value = long(60)
	f.things["host:host05"].Untouchable = ""
	o, err = Rollback(t.Context(), f.estate(), disk.runs(), id, Options{})
	require.NoError(t, err)
	require.Equal(t, []State{StateUndone, StateUndone, StateKept, StateKept, StateUndone, StateUndone}, states(o))
}

// TestRollbackGoesOn: an object that cannot be rolled back does not stop the rollback of others.
func TestRollbackGoesOn(t *testing.T) {
	f, disk, id := applied(t, 3)
	f.on("write host03 host-option/A=0", refuses)
	o, err := Rollback(t.Context(), f.estate(), disk.runs(), id, Options{})
	var failed *FailedError
	require.ErrorAs(t, err, &failed)
	require.False(t, failed.Undone)
	require.Equal(t, []State{StateUndone, StateUndone, StateDone}, states(o))
	f.on("", fine)
	o, err = Rollback(t.Context(), f.estate(), disk.runs(), id, Options{})
	require.NoError(t, err)
	require.Equal(t, 3, o.Count(StateUndone))
}

func TestRollbackInterrupted(t *testing.T) {
	f, disk, id := applied(t, 3)
	ctx, cancel := newCancel(t)
	f.after = func(Target) { cancel() }
	o, err := Rollback(ctx, f.estate(), disk.runs(), id, Options{})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []State{StateDone, StateDone, StateUndone}, states(o))
	o, err = Rollback(t.Context(), f.estate(), disk.runs(), id, Options{})
	require.NoError(t, err)
	require.Equal(t, 3, o.Count(StateUndone))
}

func TestRollbackGate(t *testing.T) {
	f, disk, id := applied(t, 3)
	f.after = func(target Target) { f.health[target.ID].Trouble = "not responding" }
	o, err := Rollback(t.Context(), f.estate(), disk.runs(), id, Options{})
	require.ErrorContains(t, err, "host03 now fails the health check: not responding")
	require.Equal(t, []State{StateDone, StateDone, StateUndone}, states(o))
}

func TestRollbackRefusals(t *testing.T) {
	f, disk, id := applied(t, 1)
	e := f.estate()
	e.Server.UUID = "rebuilt"
	_, err := Rollback(t.Context(), e, disk.runs(), id, Options{})
	var refused *RefusedError
	require.ErrorAs(t, err, &refused)
	noon := func() time.Time { return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC) }
	_, err = Rollback(t.Context(), f.estate(), disk.runs(), id, Options{Window: &Window{From: 0, To: time.Hour}, Now: noon})
	require.ErrorAs(t, err, &refused)
	_, err = Rollback(t.Context(), f.estate(), disk.runs(), "../../etc", Options{})
	require.ErrorContains(t, err, "there is no run")

	f.things["host:host01"].Privileges = inventory.Known([]string{})
	o, err := Rollback(t.Context(), f.estate(), disk.runs(), id, Options{})
	require.NoError(t, err)
	require.Equal(t, "the account does not have the privilege Change.host on it", o.Results[0].Why)
	require.Empty(t, f.did())
}

// TestExtrasGoBack: unlocking a reservation restores the reservation that locking raised, unless somebody changed it
// since.
func TestExtrasGoBack(t *testing.T) {
	for _, moved := range []bool{false, true} {
		f := newFleet()
		f.host("host01")
		vm := f.vm("vm01", "host01")
		tr := &trial{rand: newRand()}
		p := planOf(vm.step(tr.lock(vm)))
		before := vm.get("vm-memory-reservation")
		disk := newMemory()
		o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{})
		require.NoError(t, err)
		require.Equal(t, long(4096), vm.get("vm-memory-reservation"))
		if moved {
			vm.settings["vm-memory-reservation"].value = long(2048)
		}
		o, err = Rollback(t.Context(), f.estate(), disk.runs(), o.Run, Options{})
		require.NoError(t, err)
		if moved {
			require.Equal(t, []State{StateKept}, states(o))
			require.Contains(t, o.Results[0].Why, "vm-memory-reservation, which is restored with it, is now 2048")
			continue
		}
		require.Equal(t, []State{StateUndone}, states(o))
		require.Equal(t, before, vm.get("vm-memory-reservation"))
	}
}

// TestExtrasReadLater: a value that could not be read after the write counts from the first time that it was read.
func TestExtrasReadLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet()
		f.host("host01")
		vm := f.vm("vm01", "host01")
		tr := &trial{rand: newRand()}
		p := planOf(vm.step(tr.lock(vm)))
		f.after = func(Target) { vm.unread = "not responding" }
		disk := newMemory()
		o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{})
		require.ErrorContains(t, err, "not responding")
		vm.unread, f.after = "", nil
		_, err = Recover(t.Context(), f.estate(), disk.runs(), Options{})
		require.NoError(t, err)
		run, err := disk.runs().Get(o.Run)
		require.NoError(t, err)
		require.Equal(t, []Assignment{{Address: Address{Setting: "vm-memory-reservation"}, Value: long(4096)}}, run.Results[0].extras)
		o, err = Rollback(t.Context(), f.estate(), disk.runs(), o.Run, Options{})
		require.NoError(t, err)
		require.Equal(t, []State{StateUndone}, states(o))
	})
}

// TestOwnTurnWins: if undoing two changes writes one setting, the change of that setting determines its value.
func TestOwnTurnWins(t *testing.T) {
	a, b := Address{Setting: "a"}, Address{Setting: "b"}
	m := operation{edits: []edit{
		{Address: a, write: []Assignment{{Address: a, Value: long(1)}, {Address: b, Value: long(9)}}},
		{Address: b, write: []Assignment{{Address: b, Value: long(2)}}},
	}}
	require.Equal(t, []Assignment{{Address: a, Value: long(1)}, {Address: b, Value: long(2)}}, m.assignments())
}

// TestExtrasLost: a change is undone only when all values that it restores are restored.
func TestExtrasLost(t *testing.T) {
	f := newFleet()
	f.host("host01")
	vm := f.vm("vm01", "host01")
	tr := &trial{rand: newRand()}
	p := planOf(vm.step(tr.lock(vm)))
	before := vm.get("vm-memory-reservation")
	disk := newMemory()
	o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{})
	require.NoError(t, err)
	vm.settings["vm-memory-reservation"].swallows = true
	o, err = Rollback(t.Context(), f.estate(), disk.runs(), o.Run, Options{})
	require.ErrorContains(t, err, "vm-memory-reservation")
	require.Equal(t, []State{StateWrong}, states(o))
	require.Equal(t, text("false"), vm.get("vm-memory-lock"))
	vm.settings["vm-memory-reservation"].swallows = false
	o, err = Rollback(t.Context(), f.estate(), disk.runs(), o.Run, Options{})
	require.NoError(t, err)
	require.Equal(t, []State{StateUndone}, states(o))
	require.Equal(t, before, vm.get("vm-memory-reservation"))
}

// TestPendingAndBack: undoing a value that was never in force needs no restart; undoing one that was in force does.
func TestPendingAndBack(t *testing.T) {
	for name, c := range map[string]struct {
		restarted bool
		terms     Options
		waits     inventory.Activation
		state     State // on Verify, before the rollback
	}{
		"not restarted":            {false, Options{}, "", StatePending},
		"restarted":                {true, Options{}, reboot, StateProven},
		"restarted, and may again": {true, Options{HostReboot: true}, "", StateProven},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, p := rebootPlan(1)
				disk := newMemory()
				o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{})
				require.NoError(t, err)
				waiting, err := disk.runs().Pending(p.Server)
				require.NoError(t, err)
				require.Equal(t, []Waiting{{
					Target: p.Steps[0].Target, Address: Address{Setting: "host-option/B"}, After: long(1), Activation: reboot,
					Since: waiting[0].Since, Booted: waiting[0].Since.Add(-time.Hour), Rules: []string{"rule-host-option/B"}, Run: o.Run,
				}}, waiting)
				time.Sleep(time.Hour)
				if c.restarted {
					f.started(p.Steps[0].Target)
				}
				v, err := Verify(t.Context(), f.estate(), disk.runs(), o.Run)
				require.NoError(t, err)
				require.Equal(t, []State{c.state}, states(v))
				waiting, _ = disk.runs().Pending(p.Server)
				require.Equal(t, c.restarted, len(waiting) == 0, "a proof is written down")

				o, err = Rollback(t.Context(), f.estate(), disk.runs(), o.Run, c.terms)
				require.NoError(t, err)
				require.Equal(t, StateUndone, o.Results[0].State)
				require.Equal(t, c.waits, o.Results[0].Waits)
				waiting, _ = disk.runs().Pending(p.Server)
				if c.waits == "" {
					require.Empty(t, waiting)
					return
				}
				require.Equal(t, []bool{true}, []bool{waiting[0].Undone})
				require.Equal(t, long(0), waiting[0].After)
				time.Sleep(time.Hour)
				o, err = Rollback(t.Context(), f.estate(), disk.runs(), o.Run, Options{HostReboot: true})
				require.NoError(t, err)
				require.Equal(t, inventory.Activation(""), o.Results[0].Waits)
				require.Contains(t, f.did(), "reboot host01")
			})
		})
	}
}

// TestVMBack: changes that need the VM off are undone only with approval.
func TestVMBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, vm := oneVM()
		disk := newMemory()
		o, err := Apply(t.Context(), f.estate(), disk.runs(), vmPlan(vm), Options{PowerCycle: true})
		require.NoError(t, err)
		f.calls = nil
		o, err = Rollback(t.Context(), f.estate(), disk.runs(), o.Run, Options{})
		require.NoError(t, err)
		require.Equal(t, []State{StateUndoDeferred, StateUndone}, states(o))
		require.Equal(t, cycle, o.Results[1].Waits)
		require.True(t, o.Waits())
		o, err = Rollback(t.Context(), f.estate(), disk.runs(), o.Run, Options{PowerCycle: true})
		require.NoError(t, err)
		require.Equal(t, []State{StateUndone, StateUndone}, states(o))
		require.False(t, o.Waits())
		require.Equal(t, []string{"write vm01 " + warm + "=not set", "shut-down vm01", "write vm01 " + cold + "=0", "power-on vm01"}, f.did())
	})
}

// TestVerify checks the reported state of each change.
func TestVerify(t *testing.T) {
	f, disk, id := applied(t, 5)
	f.things["host:host02"].settings["host-option/A"].value = long(3)
	delete(f.things, "host:host03")
	f.things["host:host04"].unread = "not responding"
	f.things["host:host05"].Target.UUID = "another"
	o, err := Verify(t.Context(), f.estate(), disk.runs(), id)
	require.NoError(t, err)
	require.Equal(t, []State{StateDone, StateDrifted, StateGone, StateUnread, StateGone}, states(o))
	require.Equal(t, "after the run it was 60, now it is 3", o.Results[1].Why)
	require.Equal(t, "not responding", o.Results[3].Why)
	require.Empty(t, f.did())
	run, _ := disk.runs().Get(id)
	require.Equal(t, StateDone, run.Results[1].State, "the journal keeps the run's result")
}
