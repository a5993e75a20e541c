package simfleet

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/event"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// writing are the privileges for changing settings.
var writing = []string{
	"DVSwitch.Modify", "Global.LogEvent", "Host.Config.AdvancedConfig", "Host.Config.Firmware", "Host.Config.HyperThreading",
	"Host.Config.Maintenance", "Host.Config.Power", "Host.Config.Settings", "Host.Config.Storage", "Host.Inventory.EditCluster",
	"Resource.EditPool", "VirtualMachine.Config.AdvancedConfig", "VirtualMachine.Config.CPUCount", "VirtualMachine.Config.EditDevice",
	"VirtualMachine.Config.Memory", "VirtualMachine.Config.Resource", "VirtualMachine.Config.Settings",
	"VirtualMachine.Interact.PowerOff", "VirtualMachine.Interact.PowerOn",
}

// requirePrivileges checks with each of the calls whether the account may write to an object.
func requirePrivileges(t *testing.T, c *vim25.Client, user string, ref types.ManagedObjectReference, want bool) {
	t.Helper()
	ctx, refs := t.Context(), []types.ManagedObjectReference{ref}
	manager := *c.ServiceContent.AuthorizationManager
	fetched, err := methods.FetchUserPrivilegeOnEntities(ctx, c, &types.FetchUserPrivilegeOnEntities{This: manager, Entities: refs, UserName: user})
	require.NoError(t, err)
	require.Len(t, fetched.Returnval, 1)
	require.Equal(t, ref, fetched.Returnval[0].Entity)
	ofUser, err := methods.HasUserPrivilegeOnEntities(ctx, c, &types.HasUserPrivilegeOnEntities{
		This: manager, Entities: refs, UserName: user, PrivId: writing,
	})
	require.NoError(t, err)
	ofSession, err := methods.HasPrivilegeOnEntities(ctx, c, &types.HasPrivilegeOnEntities{This: manager, Entity: refs, SessionId: "x", PrivId: writing})
	require.NoError(t, err)
	require.Equal(t, ofUser.Returnval, ofSession.Returnval)
	for i, id := range writing {
		require.Equal(t, want, slices.Contains(fetched.Returnval[0].Privileges, id), id)
		require.Equal(t, types.PrivilegeAvailability{PrivId: id, IsGranted: want}, ofUser.Returnval[0].PrivAvailability[i])
	}
	require.Contains(t, fetched.Returnval[0].Privileges, "System.View")
}

// The reported privileges are those that are enforced.
func TestPrivilegesAreThoseThereAre(t *testing.T) {
	t.Parallel()
	f := startAll(t, Config{Scenarios: []string{sceneDeniedUser}})
	c := login(t, f)
	post := func(ref types.ManagedObjectReference) error {
		_, err := methods.LogUserEvent(t.Context(), c, &types.LogUserEvent{This: *c.ServiceContent.EventManager, Entity: ref, Msg: "x"})
		return err
	}
	denied := []types.ManagedObjectReference{
		hostNamed(t, c, "host02").Reference(), f.vcenter().built.folders[deniedFolder].Self, {Type: "VirtualMachine", Value: "vm-1032"}, // db-ora-01
	}
	for _, ref := range denied {
		requirePrivileges(t, c, f.User(), ref, false)
		require.Equal(t, "Global.LogEvent", requireFault[*types.NoPermission](t, post(ref)).PrivilegeId)
	}
	for _, ref := range []types.ManagedObjectReference{
		hostNamed(t, c, "host01").Reference(), f.vcenter().built.vmNamed("feed-pin-02").Self, // on host02
	} {
		requirePrivileges(t, c, f.User(), ref, true)
		require.NoError(t, post(ref))
	}
	esxi := loginTo(t, f, "esxi-b")
	requirePrivileges(t, esxi, "root", hostNamed(t, esxi, "esxi-b").Reference(), true)
}

func TestEventsOnObjects(t *testing.T) {
	t.Parallel()
	f := startAll(t, Config{})
	c := login(t, f)
	manager := event.NewManager(c)
	refs := map[string]types.ManagedObjectReference{
		"host01.demo.local": hostNamed(t, c, "host01").Reference(), "web-01": vmRef(t, c, "web-01"),
		"lowlat":    namedObject(t, c, "ClusterComputeResource", "lowlat", func(m mo.ClusterComputeResource) string { return m.Name }).Self,
		dvsLowlat:   namedObject(t, c, "DistributedVirtualSwitch", dvsLowlat, func(m mo.DistributedVirtualSwitch) string { return m.Name }).Self,
		storeFull:   namedObject(t, c, "Datastore", storeFull, func(m mo.Datastore) string { return m.Name }).Self,
		"not there": {Type: "HostSystem", Value: "host-99999"},
	}
	for name, ref := range refs {
		_, err := methods.LogUserEvent(t.Context(), c, &types.LogUserEvent{This: manager.Reference(), Entity: ref, Msg: "vperf: to " + name})
		if name == "not there" {
			requireFault[*types.ManagedObjectNotFound](t, err)
			continue
		}
		require.NoError(t, err)
		require.NoError(t, manager.PostEvent(t.Context(), &types.EventEx{
			EventTypeId: "com.vperf.change", ObjectType: ref.Type, ObjectId: ref.Value, Message: "changed " + name,
		}))
		events, err := manager.QueryEvents(t.Context(), types.EventFilterSpec{
			Entity: &types.EventFilterSpecByEntity{Entity: ref, Recursion: types.EventFilterSpecRecursionOptionSelf},
		})
		require.NoError(t, err)
		var texts []string
		for _, e := range events {
			switch e := e.(type) {
			case *types.GeneralUserEvent:
				require.Equal(t, name, e.Entity.Name)
				require.Equal(t, ref, e.Entity.Entity)
				require.Equal(t, f.User(), e.UserName)
				texts = append(texts, e.Message)
			case *types.EventEx:
				texts = append(texts, e.Message)
			}
		}
		require.ElementsMatch(t, []string{"vperf: to " + name, "changed " + name}, texts)
	}

	esxi := loginTo(t, f, "esxi-b")
	_, err := methods.LogUserEvent(t.Context(), esxi, &types.LogUserEvent{
		This: *esxi.ServiceContent.EventManager, Entity: hostNamed(t, esxi, "esxi-b").Reference(), Msg: "vperf: x",
	})
	require.NoError(t, err)
	_, err = event.NewManager(esxi).QueryEvents(t.Context(), types.EventFilterSpec{})
	requireFault[*types.NotImplemented](t, err)
}

// redAlarms returns the names of alarms that are red on a host.
func redAlarms(t *testing.T, c *vim25.Client, short string) (names []string) {
	t.Helper()
	var h mo.HostSystem
	ref := hostNamed(t, c, short).Reference()
	require.NoError(t, property.DefaultCollector(c).RetrieveOne(t.Context(), ref, []string{"triggeredAlarmState"}, &h))
	for _, s := range h.TriggeredAlarmState {
		require.Equal(t, types.ManagedEntityStatusRed, s.OverallStatus)
		require.Equal(t, ref, s.Entity)
		var a mo.Alarm
		require.NoError(t, property.DefaultCollector(c).RetrieveOne(t.Context(), s.Alarm, []string{"info"}, &a))
		names = append(names, a.Info.Name)
	}
	return names
}

func TestAlarms(t *testing.T) {
	t.Parallel()
	f := start(t, Config{})
	c := login(t, f)
	require.Equal(t, []string{oldAlarm}, redAlarms(t, c, "host05"))
	require.Empty(t, redAlarms(t, c, "host01"))
	raiseAlarm(t, f, "host01", "Host connection and power state")
	raiseAlarm(t, f, "host05", "Network uplink redundancy lost")
	require.Equal(t, []string{"Host connection and power state"}, redAlarms(t, c, "host01"))
	require.Equal(t, []string{oldAlarm, "Network uplink redundancy lost"}, redAlarms(t, c, "host05"))
	root := mo.Folder{}
	require.NoError(t, property.DefaultCollector(c).RetrieveOne(t.Context(), c.ServiceContent.RootFolder, []string{"triggeredAlarmState"}, &root))
	require.Len(t, root.TriggeredAlarmState, 3, "their parents show them too")
}

func TestBusyHost(t *testing.T) {
	t.Parallel()
	f := start(t, Config{Scenarios: []string{sceneBusyHost}})
	c := login(t, f)
	tasks := func(short string) []types.ManagedObjectReference {
		return hostProperties(t, hostNamed(t, c, short), "recentTask").RecentTask
	}
	info := func(ref types.ManagedObjectReference) types.TaskInfo {
		var m mo.Task
		require.NoError(t, property.DefaultCollector(c).RetrieveOne(t.Context(), ref, []string{"info"}, &m))
		return m.Info
	}
	require.Empty(t, tasks("host02"))
	all := tasks("host01")
	require.Len(t, all, 1)
	other := info(all[0])
	require.Equal(t, types.TaskInfoStateRunning, other.State)
	require.Equal(t, `VSPHERE.LOCAL\backup`, other.Reason.(*types.TaskReasonUser).UserName)
	require.Equal(t, hostNamed(t, c, "host01").Reference(), *other.Entity)

	h := hostNamed(t, c, "host02")
	job, err := h.EnterMaintenanceMode(t.Context(), 1, false, nil)
	require.NoError(t, err)
	require.Equal(t, []types.ManagedObjectReference{job.Reference()}, tasks("host02"))
	require.Equal(t, f.User(), info(job.Reference()).Reason.(*types.TaskReasonUser).UserName)
	vm := vmNamed(t, c, "web-01")
	change, err := vm.Reconfigure(t.Context(), types.VirtualMachineConfigSpec{Annotation: "x"})
	finish(t, change, err)
	require.Equal(t, f.User(), info(change.Reference()).Reason.(*types.TaskReasonUser).UserName)

	require.NoError(t, object.NewTask(c, all[0]).Cancel(t.Context()))
	require.Eventually(t, func() bool { return info(all[0]).State == types.TaskInfoStateError }, 30*time.Second, 5*time.Millisecond)
}

func TestHooksHearOfCalls(t *testing.T) {
	t.Parallel()
	var drop atomic.Value
	drop.Store("")
	var mu sync.Mutex
	var heard []string
	note := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, s)
	}
	var seen func()
	f := start(t, Config{
		Before: func(method string) bool {
			note("before " + method)
			return method == drop.Load()
		},
		After: func(method string) {
			if method == "UpdateOptions" && seen != nil {
				seen()
			}
			note("after " + method)
		},
	})
	c := login(t, f)
	require.Equal(t, []string{
		"before RetrieveServiceContent", "after RetrieveServiceContent", "before Login", "after Login",
	}, heard[:4])
	h := hostNamed(t, c, "host01")
	m := optionsOf(t, h)
	stored := func() any { return f.vcenter().built.hosts["host01.demo.local"].Option(world.NUMAIO) }
	seen = func() { require.Equal(t, int64(5), stored(), "it is done before the hook is called") }
	require.NoError(t, m.Update(t.Context(), set(world.NUMAIO, int64(5))))
	requireFault[*types.InvalidArgument](t, m.Update(t.Context(), set(world.NUMAIO, int64(999))))

	drop.Store("UpdateOptions")
	n := f.Calls()["UpdateOptions"]
	err := m.Update(t.Context(), set(world.NUMAIO, int64(6)))
	require.Error(t, err)
	require.False(t, soap.IsSoapFault(err), "no answer at all: %v", err)
	require.Equal(t, "before UpdateOptions", heard[len(heard)-1])
	require.Equal(t, n, f.Calls()["UpdateOptions"])
	requireOption(t, h, world.NUMAIO, int64(5))
}

func TestSwallowedCallsChangeNothing(t *testing.T) {
	t.Parallel()
	swallowed := map[string]bool{
		"ConfigurePowerPolicy": true, "EnableHyperThreading": true, "EnableNetworkResourceManagement": true,
		"esxcli storage core device set": true,
		"PowerOffVM_Task":                true, "ReconfigureComputeResource_Task": true, "ReconfigVM_Task": true, "UpdateConfig": true,
		"UpdateModuleOptionString": true, "UpdateOptions": true, "UpdateVmfsUnmapPriority": true,
	}
	f := start(t, Config{Swallow: func(method string) bool { return swallowed[method] }})
	c := login(t, f)
	h := hostNamed(t, c, "host01")
	power := hostProperties(t, h, "config.powerSystemInfo").Config.PowerSystemInfo.CurrentPolicy
	require.NoError(t, setPower(t, h, esxi.PolicyLow))
	requirePower(t, h, power.ShortName, esxi.PolicyWord(power.Key))
	require.NoError(t, optionsOf(t, h).Update(t.Context(), set(world.NUMAIO, int64(5))))
	requireOption(t, h, world.NUMAIO, int64(0))
	modules := modulesOf(t, h)
	require.NoError(t, setModule(t, c, modules, "nmlx5_core", "RSS=9"))
	options, err := moduleOption(t, c, modules, "nmlx5_core")
	require.NoError(t, err)
	require.Equal(t, "RSS=0", options)
	off := hostNamed(t, c, "host04")
	require.NoError(t, setThreads(t, c, off, true))
	require.False(t, threads(t, c, off).Config)

	vm := ofVM{t, vmNamed(t, c, "web-01")}
	before := vm.config()
	require.Equal(t, before, vm.takes(types.VirtualMachineConfigSpec{NumCPUs: 9, ExtraConfig: set("x", "1")}))
	vm.turns(false)
	state, err := vm.vm.PowerState(t.Context())
	require.NoError(t, err)
	require.Equal(t, types.VirtualMachinePowerStatePoweredOn, state)

	cluster, was := clusterConfig(t, c, "lowlat")
	job, err := cluster.Reconfigure(t.Context(), &types.ClusterConfigSpecEx{DrsConfig: &types.ClusterDrsConfigInfo{VmotionRate: 5}}, true)
	finish(t, job, err)
	_, is := clusterConfig(t, c, "lowlat")
	require.Equal(t, was, is)

	_, err = esxcliRun(t, c, h, "storage", "core", "device", "set", "-d", sanDisk, "-O", "16")
	require.NoError(t, err)
	rows := esxcliRows(t, c, h, "storage core device list", "-d", sanDisk)
	require.Equal(t, "32", rows[0].Value("NoofoutstandingIOswithcompetingworlds"))
}
