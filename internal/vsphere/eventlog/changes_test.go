package eventlog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/vspheretest"
)

func TestChanges(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(2), nil).Dial(t)
	begin, err := s.Now(t.Context())
	require.NoError(t, err)
	vm := &types.VmEventArgument{Vm: types.ManagedObjectReference{Type: "VirtualMachine", Value: "vm-9"}}
	onVM := types.VmEvent{Event: types.Event{Vm: vm, Host: on("host-2")}}
	post(t, s, &types.VmReconfiguredEvent{VmEvent: onVM})
	post(t, s, &types.DrsVmMigratedEvent{VmMigratedEvent: types.VmMigratedEvent{VmEvent: onVM, SourceHost: host("host-1")}})
	post(t, s, &types.TaskEvent{Info: types.TaskInfo{
		DescriptionId: "OptionManager.updateValues", Entity: &types.ManagedObjectReference{Type: "HostSystem", Value: "host-2"},
		Reason: &types.TaskReasonUser{UserName: "LAB\\bob\x1b[31m"},
	}})
	post(t, s, &types.UserLoginSessionEvent{})
	post(t, s, &types.TaskEvent{Info: types.TaskInfo{DescriptionId: "SessionManager.logout"}})

	all, whole, err := Changes(t.Context(), s, begin.Add(-time.Second), begin.Add(time.Hour))
	require.NoError(t, err)
	require.True(t, whole)
	of := map[string]Entry{}
	for _, e := range all {
		if e.Object == "vm-9" || e.Object == "host-2" {
			of[e.Class] = e
		}
	}
	require.Len(t, of, 3)
	require.Equal(t, Configured, of["VmReconfiguredEvent"].Subject)
	require.Equal(t, "vm-9", of["VmReconfiguredEvent"].Object)
	require.NotEmpty(t, of["VmReconfiguredEvent"].User)
	require.Equal(t, Placed, of["DrsVmMigratedEvent"].Subject)
	require.Equal(t, "host-2", of["TaskEvent"].Object, "a task is about its entity")
	require.Contains(t, of["TaskEvent"].User, `LAB\bob`)
	require.NotContains(t, of["TaskEvent"].User, "\x1b", "names cannot drive a terminal")

	all, _, err = Changes(t.Context(), s, begin.Add(time.Hour), begin.Add(2*time.Hour))
	require.NoError(t, err)
	require.Empty(t, all, "events of another time")
}

func TestSubjectsOfTasks(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]Subject{
		"VirtualMachine.reconfigure": Configured, "OptionManager.updateValues": Configured, "host.PowerSystem.configurePolicy": Configured,
		"ClusterComputeResource.reconfigureEx": Configured, "VirtualMachine.rename": Configured, "StorageResourceManager.ConfigureDatastoreIORM": Configured,
		"VirtualMachine.migrate": Placed, "Drm.ExecuteVMotionLRO": Placed, "VirtualMachine.powerOn": Operated, "VirtualMachine.createSnapshot": Operated,
		"vm.Snapshot.remove": Operated, "HostSystem.enterMaintenanceMode": Operated, "Folder.createVm": Existence, "VirtualMachine.unregister": Existence,
		"ClusterComputeResource.addHost": Existence, "VirtualMachine.reset": 0, "SessionManager.logout": 0, "": 0,
	} {
		require.Equal(t, want, subjectOfTask(id), id)
	}
}

// A misspelt class would never be returned.
func TestClassesOfChangesExist(t *testing.T) {
	t.Parallel()
	lookup := types.TypeFunc()
	for class := range subjects {
		_, known := lookup(class)
		require.True(t, known, class)
	}
}
