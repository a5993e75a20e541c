package change

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/tuning"
)

func TestShutDownAndPowerOn(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter"))
	all, power := targets(t, s.Session), s.tuning().Power
	before := conditions(t, s, all, "web-03")["web-03"]
	require.True(t, before.Running)
	require.NoError(t, power.ShutDown(t.Context(), all["web-03"]))
	require.False(t, conditions(t, s, all, "web-03")["web-03"].Running)
	require.NoError(t, power.ShutDown(t.Context(), all["web-03"]), "it is off already")
	require.NoError(t, power.PowerOn(t.Context(), all["web-03"]))
	after := conditions(t, s, all, "web-03")["web-03"]
	require.True(t, after.Running)
	require.True(t, after.Booted.After(before.Booted))
	require.ErrorContains(t, power.PowerOn(t.Context(), all["web-03"]), "starting web-03: ")
}

func TestShutDownNeverPullsThePlug(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter"))
	all, power := targets(t, s.Session), s.tuning().Power
	require.EqualError(t, power.ShutDown(t.Context(), all["appl-fw-01"]), "shutting down appl-fw-01: "+errNoTools.Error())
	s.limits.shutDown = time.Nanosecond
	err := power.ShutDown(t.Context(), all["web-03"])
	require.EqualError(t, err, "shutting down web-03: it did not finish within 1ns: its guest was asked to shut down and still runs; vperf never uses a hard power-off")
	require.Zero(t, s.Calls()["PowerOffVM_Task"])
	require.True(t, conditions(t, s, all, "appl-fw-01")["appl-fw-01"].Running)
	require.ErrorContains(t, power.ShutDown(t.Context(), tuning.Target{ID: "vm-9", Name: "old\x1b[31m"}), "shutting down old [31m: ")

	s.limits.shutDown = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, power.ShutDown(ctx, all["app-mail-01"]), context.DeadlineExceeded)
}

func TestMaintenanceAndReboot(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter"))
	all, power := targets(t, s.Session), s.tuning().Power
	const name = "host12.demo.local"
	host, before := all[name], conditions(t, s, all, name)[name]
	_, err := power.Reboot(t.Context(), host, before.Booted)
	require.ErrorContains(t, err, "restarting "+name, "a host that is not in maintenance mode is not restarted")
	require.NoError(t, power.EnterMaintenance(t.Context(), host))
	require.True(t, conditions(t, s, all, name)[name].Maintenance)
	_, err = power.Reboot(t.Context(), host, time.Time{})
	require.ErrorContains(t, err, "its last boot time is not known")
	booted, err := power.Reboot(t.Context(), host, before.Booted)
	require.NoError(t, err)
	require.True(t, booted.After(before.Booted))
	after := conditions(t, s, all, name)[name]
	require.Equal(t, booted, after.Booted)
	require.True(t, after.Running)
	require.True(t, after.Maintenance, "it stays in maintenance mode until the exit call")
	require.NoError(t, power.ExitMaintenance(t.Context(), host))
	require.False(t, conditions(t, s, all, name)[name].Maintenance)
	require.ErrorContains(t, power.ExitMaintenance(t.Context(), host), "ending maintenance mode of "+name+": ")
}

func TestRebootOfAHostThatIsAskedItself(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "esxi-c"))
	all, power := targets(t, s.Session), s.tuning().Power
	const name = "esxi-c.demo.local"
	require.NoError(t, power.ShutDown(t.Context(), all["rt-ctrl-01"]))
	before := conditions(t, s, all, name)[name]
	require.NoError(t, power.EnterMaintenance(t.Context(), all[name]))
	booted, err := power.Reboot(t.Context(), all[name], before.Booted)
	require.NoError(t, err)
	require.True(t, booted.After(before.Booted))
	require.NoError(t, power.ExitMaintenance(t.Context(), all[name]))
	require.NoError(t, power.PowerOn(t.Context(), all["rt-ctrl-01"]))
}

func TestRebootGivesUp(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter"))
	all, power := targets(t, s.Session), s.tuning().Power
	host := all["host13.demo.local"]
	require.NoError(t, power.EnterMaintenance(t.Context(), host))
	s.limits.reboot = 200 * time.Millisecond
	_, err := power.Reboot(t.Context(), host, time.Now().Add(time.Hour))
	require.ErrorContains(t, err, "restarting host13.demo.local: it did not come back within 200ms: ")
	s.limits.reboot = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = power.Reboot(ctx, host, time.Now().Add(time.Hour))
	require.Error(t, err)
}

// Entering maintenance mode takes too long: it is cancelled, the host is as it was, and no task continues.
func TestMaintenanceThatTakesTooLong(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter"))
	all, power := targets(t, s.Session), s.tuning().Power
	const name = "host07.demo.local" // DRS on this host asks for confirmation
	wellAgain := func(err error) {
		t.Helper()
		require.ErrorContains(t, err, "moving "+name+" into maintenance mode: ")
		require.ErrorContains(t, err, "; still on it: agent-01, ai-gpu-01, ")
		require.NotErrorIs(t, err, tuning.ErrUnsure, "it was looked at")
		c := conditions(t, s, all, name)[name]
		require.False(t, c.Maintenance)
		require.Empty(t, c.Busy, "no task is left")
	}
	s.limits.enter = time.Second
	err := power.EnterMaintenance(t.Context(), all[name])
	wellAgain(err)
	require.True(t, isLate(err), err)

	s.limits.enter = time.Minute
	ctx, end := vspheretest.Ending(t)
	s.SetTransport(watching{s.Transport(), "RetrievePropertiesEx Type:Task", end})
	err = power.EnterMaintenance(ctx, all[name])
	wellAgain(err)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, 2, s.Calls()["CancelTask"])
}

// A lost answer is not a refusal: the operation may have started.
func TestLostAnswersOfPower(t *testing.T) {
	t.Parallel()
	var cut atomic.Value
	cut.Store("")
	s := estateOn(vspheretest.FleetOf(t, "vcenter", simfleet.Config{Before: func(method string) bool { return method == cut.Load() }}))
	all, power := targets(t, s.Session), s.tuning().Power
	host, vm := all["host12.demo.local"], all["web-03"]
	for method, do := range map[string]func() error{
		"EnterMaintenanceMode_Task": func() error { return power.EnterMaintenance(t.Context(), host) },
		"ExitMaintenanceMode_Task":  func() error { return power.ExitMaintenance(t.Context(), host) },
		"RebootHost_Task":           func() error { _, err := power.Reboot(t.Context(), host, time.Unix(1, 0)); return err },
		"PowerOnVM_Task":            func() error { return power.PowerOn(t.Context(), vm) },
		"ShutdownGuest":             func() error { return power.ShutDown(t.Context(), vm) },
	} {
		cut.Store(method)
		before := s.Calls()[method]
		require.ErrorIs(t, do(), tuning.ErrUnsure, method)
		require.Equal(t, before+1, s.Calls()[method], "it is never repeated")
	}
	cut.Store("")
	require.NotErrorIs(t, power.PowerOn(t.Context(), vm), tuning.ErrUnsure, "it runs, which is an answer")
}

// Tasks that succeed without an effect are detected.
func TestSwallowedPower(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.FleetOf(t, "vcenter", simfleet.Config{Swallow: func(method string) bool {
		return strings.HasSuffix(method, "MaintenanceMode_Task") || method == "RebootHost_Task" || method == "PowerOnVM_Task" || method == "ShutdownGuest"
	}}))
	all, power := targets(t, s.Session), s.tuning().Power
	s.limits.prove, s.limits.reboot, s.limits.powerOn, s.limits.shutDown = 100*time.Millisecond, 5*time.Second, 100*time.Millisecond, 100*time.Millisecond
	host := all["host12.demo.local"]
	require.ErrorContains(t, power.EnterMaintenance(t.Context(), host), "the task reports success, but the host's maintenance mode did not change")
	_, err := power.Reboot(t.Context(), host, conditions(t, s, all, host.Name)[host.Name].Booted)
	require.ErrorContains(t, err, "it did not come back within 5s: it is connected, and was last started at 20")
	require.True(t, isLate(power.PowerOn(t.Context(), all["app-legacy-01"])))
	require.True(t, isLate(power.ShutDown(t.Context(), all["web-03"])))
}

func TestBusy(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter"))
	all := targets(t, s.Session)
	const name = "host07.demo.local"
	res, err := methods.EnterMaintenanceMode_Task(t.Context(), s, &types.EnterMaintenanceMode_Task{This: targetHost(all[name]), Timeout: 60})
	require.NoError(t, err)
	found := conditions(t, s, all, name, "host06.demo.local")
	require.Regexp(t, `^task .*enterMaintenanceMode of \S+ is running since 20\S+Z$`, found[name].Busy)
	require.Empty(t, found["host06.demo.local"].Busy)
	_, err = methods.CancelTask(t.Context(), s, &types.CancelTask{This: res.Returnval})
	require.NoError(t, err)
	require.Empty(t, conditions(t, s, all, name)[name].Busy)
}

func TestSave(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter"))
	all, power := targets(t, s.Session), s.tuning().Power
	require.NoError(t, power.Save(t.Context(), all["host01.demo.local"]))
	require.Equal(t, 1, s.Calls()["BackupFirmwareConfiguration"])
	require.ErrorContains(t, power.Save(t.Context(), tuning.Target{ID: "host-9999", Name: "host99"}), "having host99 save its configuration: ")
}

// A host that reports a restart but is not connected is not back.
func TestRebootedAndNotConnected(t *testing.T) {
	t.Parallel()
	var host ref
	before := time.Now().UTC()
	s := estateOn(vspheretest.Start(t, vspheretest.SmallVPX(1), func(m *simulator.Model) {
		h := vspheretest.HostsOf(m)[0]
		h.Runtime.BootTime = new(before.Add(time.Minute))
		h.Runtime.ConnectionState = types.HostSystemConnectionStateNotResponding
		host = h.Self
	}).Dial(t))
	s.limits.poll = 10 * time.Millisecond
	ctx, end := vspheretest.Ending(t)
	looks := 0
	s.SetTransport(watching{s.Transport(), "RetrievePropertiesEx", func() {
		if looks++; looks == 2 {
			end()
		}
	}})
	last := ""
	_, err := (&power{s}).awaitReboot(ctx, host, before, &last)
	require.Error(t, err)
	require.Equal(t, "host not responding (state notResponding)", last)
}
