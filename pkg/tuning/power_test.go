package tuning

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

const (
	cycle  = inventory.ActivationPowerCycle
	off    = inventory.ActivationPowerOff
	reboot = inventory.ActivationHostReboot
	warm   = "vm-vmx/W" // the write is accepted while the VM runs
	cold   = "vm-vmx/C" // the write is refused while the VM runs
)

func oneVM() (*fleet, *thing) {
	f := newFleet()
	f.host("host01")
	vm := f.vm("vm01", "host01")
	vm.has(warm, absent(), cycle)
	vm.has(cold, text("0"), off)
	return f, vm
}

// vmPlan puts changes that need the VM off first, so that the engine determines the order.
func vmPlan(vm *thing) *Plan {
	return planOf(vm.step(vm.change(cold, text("1"))), vm.step(vm.change(warm, text("on"))))
}

// TestPowerOfVMs: changes that a running VM accepts are made at once, others are not sent. With approval, the VM is
// shut down for them and started again; a VM that was off stays off.
func TestPowerOfVMs(t *testing.T) {
	const c, w = "write vm01 " + cold + "=1", "write vm01 " + warm + "=on"
	for name, tc := range map[string]struct {
		spoil func(f *fleet, vm *thing)
		terms Options
		did   []string
		cold  State
		hot   State
		err   string
		why   string
	}{
		"no leave": {did: []string{w}, cold: StateDeferred, hot: StatePending, why: "vm01 is running and must be off for this change"},
		"leave":    {terms: Options{PowerCycle: true}, did: []string{w, "shut-down vm01", c, "power-on vm01"}, cold: StateProven, hot: StateProven},
		"off": {spoil: func(_ *fleet, vm *thing) { vm.Running = false }, terms: Options{PowerCycle: true},
			did: []string{c, w}, cold: StateDone, hot: StateDone},
		"stubborn": {spoil: func(_ *fleet, vm *thing) { vm.stubborn = true }, terms: Options{PowerCycle: true},
			did: []string{w, "shut-down vm01"}, cold: StateDeferred, hot: StatePending, why: "the guest does not shut down"},
		"the write fails while it is off": {spoil: func(_ *fleet, vm *thing) { vm.settings[cold].swallows = true }, terms: Options{PowerCycle: true},
			did: []string{w, "shut-down vm01", c, "power-on vm01"}, cold: StateFailed, hot: StateProven, err: "nothing changed"},
		"gone after the restart": {spoil: func(f *fleet, vm *thing) {
			f.tick = func() {
				if f.calls != nil && f.calls[len(f.calls)-1] == "power-on vm01" {
					vm.settings[warm].value = absent()
				}
			}
		}, terms: Options{PowerCycle: true}, did: []string{w, "shut-down vm01", c, "power-on vm01"}, cold: StateProven, hot: StateFailed, err: "after the restart vm-vmx/W of vm01 is not set, not on"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, vm := oneVM()
				p := vmPlan(vm)
				if tc.spoil != nil {
					tc.spoil(f, vm)
				}
				was := vm.Running
				o, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, tc.terms)
				if tc.err != "" {
					require.ErrorContains(t, err, tc.err)
				} else {
					require.NoError(t, err)
				}
				require.Equal(t, tc.did, f.did())
				require.Equal(t, []State{tc.cold, tc.hot}, states(o))
				require.Equal(t, was, vm.Running)
				require.Contains(t, o.Results[0].Why, tc.why)
				require.Equal(t, tc.cold == StateDeferred, o.Waits())
			})
		})
	}
}

// TestVMThatDoesNotStart: if a VM does not start, the run ends at once and reports it, and the rollback starts the VM
// again.
func TestVMThatDoesNotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, vm := oneVM()
		other := f.vm("vm02", "host01")
		other.has(warm, absent(), cycle)
		p := planOf(vm.step(vm.change(cold, text("1"))), other.step(other.change(warm, text("on"))))
		f.fault = func(call string) fault {
			if v, _ := vm.get(cold).Value(); call == "power-on vm01" && v.Text == "1" {
				return refuses
			}
			return fine
		}
		disk := newMemory()
		o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{PowerCycle: true})
		var failed *FailedError
		require.ErrorAs(t, err, &failed)
		require.False(t, failed.Undone)
		require.False(t, vm.Running)
		require.Equal(t, []State{StateDone, StateUntouched}, states(o))
		run, _ := disk.runs().Get(o.Run)
		require.True(t, run.Open(), "it owes the VM a start")

		_, err = Recover(t.Context(), f.estate(), disk.runs(), Options{})
		require.ErrorContains(t, err, "power-on vm01: refused")
		o, err = Rollback(t.Context(), f.estate(), disk.runs(), o.Run, Options{})
		require.NoError(t, err)
		require.Equal(t, []State{StateUndone, StateUntouched}, states(o))
		require.True(t, vm.Running)
		run, _ = disk.runs().Get(o.Run)
		require.False(t, run.Open())
	})
}

// TestGateOfVMs: the gate of a VM checks the health of its host, reports it under the host's name, and checks that the
// VM still runs.
func TestGateOfVMs(t *testing.T) {
	f := newFleet()
	f.host("host-7").Target.Name = "host07"
	vm := f.vm("vm01", "host-7")
	vm.has(warm, absent(), cycle)
	p := planOf(vm.step(vm.change(warm, text("on"))))
	f.after = func(Target) {
		f.health["host-7"].Trouble = "not responding"
		vm.Running = false
	}
	_, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, Options{})
	require.EqualError(t, err, "after vm01: vm01 was running and no longer runs; host07 now fails the health check: not responding")
}

func TestCtrlCWhileOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, vm := oneVM()
		ctx, cancel := newCancel(t)
		f.tick = func() {
			if len(f.calls) > 0 && f.calls[len(f.calls)-1] == "shut-down vm01" {
				cancel()
			}
		}
		o, err := Apply(ctx, f.estate(), newMemory().runs(), planOf(vm.step(vm.change(cold, text("1")))), Options{PowerCycle: true})
		require.ErrorIs(t, err, ctx.Err())
		require.Equal(t, []State{StateUntouched}, states(o))
		require.Equal(t, []string{"shut-down vm01", "power-on vm01"}, f.did(), "it is not left off")
	})
}

func rebootPlan(n int) (*fleet, *Plan) {
	f := newFleet()
	var steps []Step
	for i := range n {
		h := f.host([]string{"host01", "host02", "host03"}[i])
		h.has("host-option/B", long(0), reboot)
		steps = append(steps, h.step(h.change("host-option/B", long(1))))
	}
	return f, planOf(steps...)
}

// TestRebootOfHosts: hosts are restarted only with approval, after evacuation, one after the other, and return to their
// previous state.
func TestRebootOfHosts(t *testing.T) {
	all := func(h string) []string {
		return []string{"write " + h + " host-option/B=1", "enter-maintenance " + h, "reboot " + h, "exit-maintenance " + h}
	}
	for name, c := range map[string]struct {
		spoil  func(f *fleet)
		terms  Options
		did    []string
		states []State
		err    string
		why    string
	}{
		"no leave": {did: []string{"write host01 host-option/B=1", "write host02 host-option/B=1"}, states: []State{StatePending, StatePending}},
		"leave":    {terms: Options{HostReboot: true}, did: append(all("host01"), all("host02")...), states: []State{StateProven, StateProven}},
		"found in maintenance": {spoil: func(f *fleet) { f.things["host:host01"].Maintenance = true }, terms: Options{HostReboot: true},
			did: append([]string{"write host01 host-option/B=1", "reboot host01"}, all("host02")...), states: []State{StateProven, StateProven}},
		"cannot be evacuated": {spoil: func(f *fleet) {
			f.unfit = func(h string) []string {
				if h == "host01" {
					return []string{"vm07 will not move", "no room"}
				}
				return nil
			}
		}, terms: Options{HostReboot: true}, did: append([]string{"write host01 host-option/B=1"}, all("host02")...),
			states: []State{StatePending, StateProven}, why: "vm07 will not move; no room"},
		"does not enter maintenance": {spoil: func(f *fleet) { f.on("enter-maintenance host01", refuses) }, terms: Options{HostReboot: true},
			did: append(all("host01")[:2], all("host02")...), states: []State{StatePending, StateProven}, why: "enter-maintenance host01: refused"},
		"does not come back": {spoil: func(f *fleet) { f.things["host:host01"].stubborn = true }, terms: Options{HostReboot: true},
			did: all("host01")[:3], states: []State{StatePending, StateUntouched}, err: "it did not come back"},
		"the reboot is refused": {spoil: func(f *fleet) { f.on("reboot host01", refuses) }, terms: Options{HostReboot: true},
			did: all("host01"), states: []State{StatePending, StateUntouched}, err: "reboot host01: refused"},
		"nothing proves the restart": {spoil: func(f *fleet) {
			at := f.things["host:host01"].Booted
			f.clock = func() time.Time { return at }
		}, terms: Options{HostReboot: true}, did: all("host01"), states: []State{StatePending, StateUntouched}, err: "no proof of a restart"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, p := rebootPlan(2)
				if c.spoil != nil {
					c.spoil(f)
				}
				was := f.things["host:host01"].Maintenance
				o, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, c.terms)
				if c.err != "" {
					require.ErrorContains(t, err, c.err)
				} else {
					require.NoError(t, err)
				}
				require.Equal(t, c.did, f.did())
				require.Equal(t, c.states, states(o))
				require.Equal(t, c.why, o.Results[0].Why)
				if c.err != "it did not come back" {
					require.Equal(t, was, f.things["host:host01"].Maintenance)
				}
			})
		})
	}
}

// TestRollbackAfterLostHost: if a host did not come back, the rollback undoes what it can write, and restarts nothing
// else.
func TestRollbackAfterLostHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p := rebootPlan(3)
		f.things["host:host02"].stubborn = true
		o, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, Options{HostReboot: true, RollbackOnError: true})
		var failed *FailedError
		require.ErrorAs(t, err, &failed)
		require.False(t, failed.Undone)
		require.Equal(t, []State{StateUndone, StateUndone, StateUntouched}, states(o))
		require.Equal(t, []inventory.Activation{reboot, ""}, []inventory.Activation{o.Results[0].Waits, o.Results[1].Waits})
		require.Equal(t, []string{"write host02 host-option/B=0", "write host01 host-option/B=0"}, f.did()[7:9])
		require.NotContains(t, f.did()[7:], "reboot host01")
	})
}

// TestSlowLinksAfterReboot: a restarted host gets time for its links to come up.
func TestSlowLinksAfterReboot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p := rebootPlan(1)
		f.tick = func() {
			if f.calls != nil && f.calls[len(f.calls)-1] == "exit-maintenance host01" {
				f.health["host01"].LivePaths = 0
				f.in(30*time.Second, func() { f.health["host01"].LivePaths = 4 })
			}
		}
		o, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, Options{HostReboot: true})
		require.NoError(t, err)
		require.Equal(t, []State{StateProven}, states(o))
	})
}

// on makes one call fail.
func (f *fleet) on(call string, how fault) {
	f.fault = func(c string) fault {
		if c == call {
			return how
		}
		return fine
	}
}
