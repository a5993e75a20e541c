package eventlog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
)

func host(id string) types.HostEventArgument {
	return types.HostEventArgument{Host: types.ManagedObjectReference{Type: "HostSystem", Value: id}}
}

func on(id string) *types.HostEventArgument { h := host(id); return &h }

// post adds an event to the server's log.
func post(t *testing.T, s *session.Session, e types.BaseEvent) {
	t.Helper()
	_, err := methods.PostEvent(t.Context(), s, &types.PostEvent{This: *s.Client().ServiceContent.EventManager, EventToPost: e})
	require.NoError(t, err)
}

// An event is returned once, however often the server returns it, and only if it matters.
func TestEachEventOnce(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(2), nil).Dial(t)
	begin, err := s.Now(t.Context())
	require.NoError(t, err)
	r := NewReader(s)
	_, err = r.Since(t.Context(), begin.Add(-time.Second))
	require.NoError(t, err)

	post(t, s, &types.DrsVmMigratedEvent{VmMigratedEvent: types.VmMigratedEvent{
		VmEvent: types.VmEvent{Event: types.Event{Host: on("host-2")}}, SourceHost: host("host-1"),
	}})
	post(t, s, &types.VmPoweredOnEvent{VmEvent: types.VmEvent{Event: types.Event{Host: on("host-2")}}})
	found, err := r.Since(t.Context(), begin)
	require.NoError(t, err)
	require.Len(t, found, 1, "starting a VM is no disturbance")
	require.Equal(t, Disturbs, found[0].Effect)
	require.Equal(t, []string{"host-2", "host-1"}, found[0].Hosts)

	found, err = r.Since(t.Context(), begin)
	require.NoError(t, err)
	require.Empty(t, found, "it was returned before")

	post(t, s, &types.HostConnectionLostEvent{HostEvent: types.HostEvent{Event: types.Event{Host: on("host-1")}}})
	found, err = r.Since(t.Context(), begin)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, Endangers, found[0].Effect)
}

func TestEffects(t *testing.T) {
	t.Parallel()
	task := func(id string) *types.TaskEvent { return &types.TaskEvent{Info: types.TaskInfo{DescriptionId: id}} }
	alarm := func(from, to types.ManagedEntityStatus) *types.AlarmStatusChangedEvent {
		return &types.AlarmStatusChangedEvent{From: string(from), To: string(to), Entity: types.ManagedEntityEventArgument{
			Entity: types.ManagedObjectReference{Type: "HostSystem", Value: "host-9"},
		}}
	}
	for _, test := range []struct {
		name  string
		event types.BaseEvent
		want  Effect
	}{
		{"a snapshot", task("VirtualMachine.createSnapshot"), Disturbs},
		{"a snapshot is removed", task("vm.Snapshot.remove"), Disturbs},
		{"a change of settings, as our own", task("OptionManager.updateValues"), 0},
		{"a VM is reconfigured", task("VirtualMachine.reconfigure"), 0},
		{"no id", task(""), 0},
		{"a red alarm", alarm("green", "red"), Endangers},
		{"a new yellow alarm", alarm("green", "yellow"), Disturbs},
		{"a red alarm becomes yellow", alarm("red", "yellow"), 0},
		{"an alarm ends", alarm("yellow", "green"), 0},
		{"an uplink is down", &types.EventEx{EventTypeId: "esx.problem.net.redundancy.lost"}, Endangers},
		{"all paths are down", &types.EventEx{EventTypeId: "esx.problem.storage.connectivity.lost"}, Endangers},
		{"another id", &types.EventEx{EventTypeId: "esx.audit.ssh.enabled"}, 0},
		{"maintenance mode", &types.EnteringMaintenanceModeEvent{}, Disturbs},
		{"somebody logs in", &types.UserLoginSessionEvent{}, 0},
	} {
		require.Equal(t, test.want, effectOf(test.event), test.name)
	}
	o, matters := occurrence(alarm("green", "red"))
	require.True(t, matters)
	require.Equal(t, []string{"host-9"}, o.Hosts)
	require.Equal(t, "alarm status changed", o.Text, "an event without a text is named by its class, in words")
	require.Equal(t, "vm guest OS crashed", wordsOf("VmGuestOSCrashedEvent"))
}

// The ids that the server is asked for are those of classes that govmomi knows: a misspelt one would never be returned.
func TestClassesExist(t *testing.T) {
	t.Parallel()
	lookup := types.TypeFunc()
	for class := range effects {
		_, known := lookup(class)
		require.True(t, known, class)
	}
	for _, class := range []string{classAlarm, classTask} {
		_, known := lookup(class)
		require.True(t, known, class)
	}
}
