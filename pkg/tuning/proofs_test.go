package tuning

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

// TestPrivilegesAsTheyAreNow: a write can need more privileges than when the plan was made.
func TestPrivilegesAsTheyAreNow(t *testing.T) {
	f, h, p := oneHost()
	h.Privileges = inventory.Known([]string{"Other"}) // the fleet asks for Change.host, the plan for none
	require.Empty(t, p.Steps[0].Changes[0].Privileges)
	_, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, Options{})
	require.ErrorContains(t, err, "step 1 on host01: the account does not have the privilege Change.host on it")
	require.Empty(t, f.calls)
}

// TestNoWayBack: a change whose inverse has nothing to write is irreversible, even if its kind does not say so.
func TestNoWayBack(t *testing.T) {
	for name, inverse := range map[string]Inverse{
		"said":             {Kind: inventory.InverseNone, Write: []Assignment{{Address: Address{Setting: "host-option/A"}, Value: long(0)}}},
		"nothing to write": {Kind: inventory.InverseExact},
	} {
		t.Run(name, func(t *testing.T) {
			f, _, p := oneHost()
			p.Steps[0].Changes[0].Inverse = inverse
			_, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, Options{})
			var refused *RefusedError
			require.ErrorAs(t, err, &refused)
			require.ErrorContains(t, err, "the change cannot be undone: ")
			require.Empty(t, f.calls)
		})
	}
}

// TestStartedMeanwhile: a VM that was off when the plan was made is running now. Changes that the server would refuse
// are not sent.
func TestStartedMeanwhile(t *testing.T) {
	f, vm := oneVM()
	vm.Running = false
	p := planOf(vm.step(vm.change(cold, text("1"))), vm.step(vm.change(warm, text("on"))))
	require.Equal(t, inventory.ActivationNextPowerOn, p.Steps[0].Changes[0].Activation)
	vm.Running = true
	o, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, Options{})
	require.NoError(t, err)
	require.Equal(t, []State{StateDeferred, StatePending}, states(o), "the written change is not reported as in force")
	require.Equal(t, []string{"write vm01 " + warm + "=on"}, f.did())
}

// TestWindowClosesInAUnit: the window closes after the first write. No other step of the same object begins, and
// nothing is shut down or restarted.
func TestWindowClosesInAUnit(t *testing.T) {
	for name, build := range map[string]func() (*fleet, *Plan){
		"two steps of a host": func() (*fleet, *Plan) {
			f := newFleet()
			h := f.host("host01")
			h.has("host-option/A", long(0), live)
			h.has("host-option/B", long(0), live)
			return f, planOf(h.step(h.change("host-option/A", long(1))), h.step(h.change("host-option/B", long(1))))
		},
		"a VM that would be shut down": func() (*fleet, *Plan) {
			f, vm := oneVM()
			return f, planOf(vm.step(vm.change(warm, text("on"))))
		},
		"a host that would be restarted": func() (*fleet, *Plan) { return rebootPlan(1) },
	} {
		t.Run(name, func(t *testing.T) {
			f, p := build()
			now := time.Date(2026, 1, 2, 3, 59, 0, 0, time.UTC)
			f.after = func(Target) { now = now.Add(2 * time.Minute) }
			options := Options{
				Window: &Window{From: 22 * time.Hour, To: 4 * time.Hour}, Now: func() time.Time { return now }, PowerCycle: true, HostReboot: true,
			}
			o, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, options)
			require.NoError(t, err)
			require.Equal(t, "the window 22:00-04:00 has ended", o.Stopped)
			require.Len(t, f.did(), 1, "%q", f.did())
			require.True(t, o.Waits())
		})
	}
}

// TestNothingProvesTheStart: an unchanged start time does not prove that a VM was restarted.
func TestNothingProvesTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, vm := oneVM()
		f.clock = func() time.Time { return vm.Booted }
		o, err := Apply(t.Context(), f.estate(), newMemory().runs(), planOf(vm.step(vm.change(warm, text("on")))), Options{PowerCycle: true})
		require.ErrorContains(t, err, "there is no proof that it was off")
		require.Equal(t, []State{StatePending}, states(o))
	})
}

// TestTroubleOfOld: a host that was unhealthy before the run does not fail the gate.
func TestTroubleOfOld(t *testing.T) {
	f, _, p := oneHost()
	f.health["host01"].Trouble = "quarantine"
	_, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, Options{})
	require.NoError(t, err)
}

// deaf is a Power that cannot report whether a host can be taken out of service.
type deaf struct{ Power }

func (deaf) Evacuable(context.Context, Target) ([]string, error) {
	return nil, errors.New("checking whether host01 can be evacuated: connection lost")
}

// TestNotKnownWhetherItCanGo: a host stays in service if it is unknown whether it can be evacuated.
func TestNotKnownWhetherItCanGo(t *testing.T) {
	f, p := rebootPlan(1)
	e := f.estate()
	e.Power = deaf{e.Power}
	o, err := Apply(t.Context(), e, newMemory().runs(), p, Options{HostReboot: true})
	require.NoError(t, err)
	require.Equal(t, []State{StatePending}, states(o))
	require.Contains(t, o.Results[0].Why, "connection lost")
	require.Equal(t, []string{"write host01 host-option/B=1"}, f.did())
}

// TestNothingToSave: a host that accepted no write does not save its configuration.
func TestNothingToSave(t *testing.T) {
	f, _, p := oneHost()
	f.first(refuses)
	o, err := Apply(t.Context(), f.estate(), newMemory().runs(), p, Options{})
	require.ErrorContains(t, err, "refused")
	require.Empty(t, o.Warnings)
	require.Equal(t, []string{"write host01 host-option/A=60"}, f.calls)
}
