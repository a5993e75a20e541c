package simfleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/event"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// loggedBetween returns the events of a time of the fleet's clock with one of the types.
func loggedBetween(t *testing.T, c *vim25.Client, from, to time.Time, kinds ...string) []types.BaseEvent {
	t.Helper()
	list, err := event.NewManager(c).QueryEvents(t.Context(), types.EventFilterSpec{
		Time: &types.EventFilterSpecByTime{BeginTime: &from, EndTime: &to}, EventTypeId: kinds,
	})
	require.NoError(t, err)
	return list
}

// What happens has the time of the fleet's clock, by which clients can ask for it.
func TestEventsHaveTheFleetsTime(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	c := login(t, start(t, Config{Now: clock.now}))
	began := clock.now()
	for n := range 12 { // more than the simulator returns at once
		clock.forward(20 * time.Minute)
		at := clock.now()
		job, err := vmNamed(t, c, "web-03").CreateSnapshot(t.Context(), "now", "", false, false)
		finish(t, job, err)
		got := loggedBetween(t, c, at.Add(-time.Minute), at, "TaskEvent")
		require.Len(t, got, 1)
		task := got[0].(*types.TaskEvent)
		require.Equal(t, "VirtualMachine.createSnapshotEx", task.Info.DescriptionId)
		require.WithinDuration(t, at, task.CreatedTime, time.Second)
		require.NotNil(t, task.Host)
		require.Len(t, loggedBetween(t, c, began, clock.now(), "TaskEvent"), 2*n+1)
		job, err = vmNamed(t, c, "web-03").RemoveAllSnapshot(t.Context(), nil)
		finish(t, job, err)
		var done mo.Task
		require.NoError(t, property.DefaultCollector(c).RetrieveOne(t.Context(), job.Reference(), []string{"info"}, &done))
		require.WithinDuration(t, at, *done.Info.StartTime, time.Second)
		require.WithinDuration(t, at, *done.Info.CompleteTime, time.Second)
	}
}

// Incidents happen at their times, with their events.
func TestIncidents(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	var list []Incident
	for i, text := range []string{
		"host-back@50m@host03", "host-lost@40m@host03", "link-down@10m@host01", "path-dead@20m@host06", "alarm-red@30m@host02", "vm-reset@60m@host01",
		"drs-move@70m@host02",
	} {
		in, err := ParseIncident(text)
		require.NoError(t, err)
		back, err := ParseIncident(in.String())
		require.NoError(t, err)
		require.Equal(t, in, back, "%d", i)
		list = append(list, in)
	}
	f := start(t, Config{Now: clock.now, Incidents: list})
	c := login(t, f)
	state := func(host string) types.HostSystemConnectionState {
		return hostRead(t, c, host).Runtime.ConnectionState
	}
	for _, step := range []struct {
		kind, host string
		check      func()
	}{
		{"esx.problem.net.redundancy.lost", "host01", func() { require.Nil(t, hostRead(t, c, "host01").Config.Network.Pnic[0].LinkSpeed) }},
		{"esx.problem.storage.redundancy.lost", "host06", func() {
			dead := 0
			for _, l := range hostRead(t, c, "host06").Config.StorageDevice.MultipathInfo.Lun {
				for _, p := range l.Path {
					if p.State == "dead" {
						dead++
					}
				}
			}
			require.Positive(t, dead)
		}},
		{"AlarmStatusChangedEvent", "host02", func() { require.Contains(t, redAlarms(t, c, "host02"), "Host hardware temperature status") }},
		{"HostConnectionLostEvent", "host03", func() { require.Equal(t, types.HostSystemConnectionStateNotResponding, state("host03")) }},
		{"HostConnectedEvent", "host03", func() { require.Equal(t, types.HostSystemConnectionStateConnected, state("host03")) }},
		{"VmResettingEvent", "host01", func() {}},
		{"DrsVmMigratedEvent", "", func() {}},
	} {
		before := clock.now()
		_, err := methods.GetCurrentTime(t.Context(), c)
		require.NoError(t, err)
		require.Empty(t, loggedBetween(t, c, before, before, step.kind), step.kind)
		clock.forward(10 * time.Minute)
		_, err = methods.GetCurrentTime(t.Context(), c)
		require.NoError(t, err)
		got := loggedBetween(t, c, before.Add(time.Second), clock.now(), step.kind)
		require.Len(t, got, 1, step.kind)
		if step.host != "" {
			require.Equal(t, step.host+".demo.local", got[0].GetEvent().Host.Name)
		}
		step.check()
	}
	for _, wrong := range []string{"", "host-lost", "host-lost@soon@host01", "flood@1m@host01"} {
		_, err := ParseIncident(wrong)
		require.Error(t, err, wrong)
	}
}

func hostRead(t *testing.T, c *vim25.Client, short string) (h mo.HostSystem) {
	t.Helper()
	require.NoError(t, property.DefaultCollector(c).RetrieveOne(t.Context(), hostNamed(t, c, short).Reference(), []string{"runtime", "config"}, &h))
	return h
}

// DRS moves VMs now and then: each move has its event with both hosts, and the VM is where the event says.
func TestDRSMoves(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	f := start(t, Config{Now: clock.now, Scenarios: []string{sceneDRSMoves}, Noise: load.RealNoise(1, .8)})
	c := login(t, f)
	began, last := clock.now(), map[string]string{}
	for range 24 {
		clock.forward(20 * time.Minute)
		_, err := methods.GetCurrentTime(t.Context(), c)
		require.NoError(t, err)
	}
	moves := loggedBetween(t, c, began, clock.now(), "VmMigratedEvent") // and what is derived from it
	t.Logf("%d moves in eight hours", len(moves))
	require.Greater(t, len(moves), 6)
	require.Less(t, len(moves), 40)
	for _, e := range moves { // newest first
		move := e.(*types.DrsVmMigratedEvent)
		require.NotEqual(t, move.Host.Host, move.SourceHost.Host)
		if last[move.Vm.Name] == "" {
			last[move.Vm.Name] = move.Host.Host.Value
		}
	}
	for name, host := range last {
		var vm mo.VirtualMachine
		require.NoError(t, property.DefaultCollector(c).RetrieveOne(t.Context(), vmRef(t, c, name), []string{"runtime.host"}, &vm))
		require.Equal(t, host, vm.Runtime.Host.Value, name)
	}
}
