package simfleet

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	cli "github.com/vmware/govmomi/cli/esx"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// namedObject returns the only object of a kind with a name, with some of its properties.
func namedObject[T any](t *testing.T, c *vim25.Client, kind, name string, nameOf func(T) string, properties ...string) T {
	t.Helper()
	all := retrieve[T](t, c, kind, append(properties, "name")...)
	at := slices.IndexFunc(all, func(o T) bool { return nameOf(o) == name })
	require.GreaterOrEqual(t, at, 0, "no %s %s", kind, name)
	return all[at]
}

func threads(t *testing.T, c *vim25.Client, h *object.HostSystem) *types.HostHyperThreadScheduleInfo {
	t.Helper()
	m := hostProperties(t, h, "config.hyperThread", "configManager.cpuScheduler")
	var s mo.HostCpuSchedulerSystem
	require.NoError(t, property.DefaultCollector(c).RetrieveOne(t.Context(), *m.ConfigManager.CpuScheduler, nil, &s))
	require.Equal(t, m.Config.HyperThread, s.HyperthreadInfo, "in step")
	return s.HyperthreadInfo
}

func setThreads(t *testing.T, c *vim25.Client, h *object.HostSystem, on bool) error {
	t.Helper()
	ref := *hostProperties(t, h, "configManager.cpuScheduler").ConfigManager.CpuScheduler
	if on {
		_, err := methods.EnableHyperThreading(t.Context(), c, &types.EnableHyperThreading{This: ref})
		return err
	}
	_, err := methods.DisableHyperThreading(t.Context(), c, &types.DisableHyperThreading{This: ref})
	return err
}

func TestHyperThreadingWaitsForAStart(t *testing.T) {
	c := workshop(t)
	h := hostNamed(t, c, "host04")
	require.Equal(t, &types.HostHyperThreadScheduleInfo{Available: true}, threads(t, c, h))
	require.NoError(t, setThreads(t, c, h, true))
	require.Equal(t, &types.HostHyperThreadScheduleInfo{Available: true, Config: true}, threads(t, c, h))
	requireOption(t, h, esxi.HyperthreadingOption, true)
	row := esxcliRows(t, c, h, "system settings kernel list")[1]
	require.Equal(t, []string{"hyperthreading", "TRUE", "FALSE"}, []string{row.Value("Name"), row.Value("Configured"), row.Value("Runtime")})
	require.NoError(t, setThreads(t, c, h, false))
	require.False(t, threads(t, c, h).Config)
}

func vmfsOf(t *testing.T, c *vim25.Client, name string) *types.HostVmfsVolume {
	t.Helper()
	d := namedObject(t, c, "Datastore", name, func(d mo.Datastore) string { return d.Name }, "info")
	return d.Info.(*types.VmfsDatastoreInfo).Vmfs
}

func TestUnmapOfAVolume(t *testing.T) {
	c := workshop(t)
	system := *hostProperties(t, hostNamed(t, c, "host07"), "configManager.storageSystem").ConfigManager.StorageSystem
	update := func(id, priority string) error {
		_, err := methods.UpdateVmfsUnmapPriority(t.Context(), c, &types.UpdateVmfsUnmapPriority{
			This: system, VmfsUuid: id, UnmapPriority: priority,
		})
		return err
	}
	full := vmfsOf(t, c, storeFull)
	require.Equal(t, "none", full.UnmapPriority)
	require.NoError(t, update(full.Uuid, "low"))
	full.UnmapPriority = "low"
	require.Equal(t, full, vmfsOf(t, c, storeFull))
	require.NoError(t, update(full.Uuid, "none"))
	requireFault[*types.InvalidArgument](t, update(full.Uuid, "high"))
	requireFault[*types.NotFound](t, update("no-such", "low"))
	requireFault[*types.NotFound](t, update(vmfsOf(t, c, storeShared).Uuid, "low")) // which the host has not mounted
	require.Equal(t, "none", vmfsOf(t, c, storeFull).UnmapPriority)

	system = *hostProperties(t, hostNamed(t, c, "host04"), "configManager.storageSystem").ConfigManager.StorageSystem
	requireFault[*types.NotSupported](t, update(vmfsOf(t, c, storeOld).Uuid, "low"))
}

func switchConfig(t *testing.T, c *vim25.Client, name string) (types.ManagedObjectReference, types.DVSConfigInfo) {
	t.Helper()
	s := namedObject(t, c, "DistributedVirtualSwitch", name, func(s mo.DistributedVirtualSwitch) string { return s.Name }, "config")
	return s.Self, *s.Config.GetDVSConfigInfo()
}

func TestNetworkIOControl(t *testing.T) {
	c := workshop(t)
	self, before := switchConfig(t, c, dvsLowlat)
	require.False(t, before.NetworkResourceManagementEnabled)
	for _, on := range []bool{true, false} {
		_, err := methods.EnableNetworkResourceManagement(t.Context(), c, &types.EnableNetworkResourceManagement{This: self, Enable: on})
		require.NoError(t, err)
		_, after := switchConfig(t, c, dvsLowlat)
		require.Equal(t, on, after.NetworkResourceManagementEnabled)
		require.NotEqual(t, before.ConfigVersion, after.ConfigVersion)
		after.NetworkResourceManagementEnabled, after.ConfigVersion = before.NetworkResourceManagementEnabled, before.ConfigVersion
		require.Equal(t, before, after, "nothing else changes")
	}
}

func clusterConfig(t *testing.T, c *vim25.Client, name string) (*object.ClusterComputeResource, *types.ClusterConfigInfoEx) {
	t.Helper()
	m := namedObject(t, c, "ClusterComputeResource", name, func(m mo.ClusterComputeResource) string { return m.Name }, "configurationEx")
	return object.NewClusterComputeResource(c, m.Self), m.ConfigurationEx.(*types.ClusterConfigInfoEx)
}

func TestClusterTakesWhatIsSent(t *testing.T) {
	c := workshop(t)
	cluster, before := clusterConfig(t, c, clusterVSAN)
	change := func(modify bool, drs *types.ClusterDrsConfigInfo) (*object.Task, error) {
		return cluster.Reconfigure(t.Context(), &types.ClusterConfigSpecEx{DrsConfig: drs}, modify)
	}
	job, err := change(true, &types.ClusterDrsConfigInfo{VmotionRate: 4})
	finish(t, job, err)
	_, after := clusterConfig(t, c, clusterVSAN)
	require.EqualValues(t, 4, after.DrsConfig.VmotionRate)
	after.DrsConfig.VmotionRate = before.DrsConfig.VmotionRate
	require.Equal(t, before, after, "nothing else changes")

	job, err = change(true, &types.ClusterDrsConfigInfo{DefaultVmBehavior: types.DrsBehaviorManual, Enabled: new(false)})
	finish(t, job, err)
	_, after = clusterConfig(t, c, clusterVSAN)
	require.Equal(t, types.DrsBehaviorManual, after.DrsConfig.DefaultVmBehavior)
	require.False(t, *after.DrsConfig.Enabled)
	require.EqualValues(t, 4, after.DrsConfig.VmotionRate)
	require.True(t, *after.DpmConfigInfo.Enabled)

	for _, drs := range []types.ClusterDrsConfigInfo{{VmotionRate: 6}, {DefaultVmBehavior: "wild"}} {
		job, err = change(true, &drs)
		require.IsType(t, &types.InvalidArgument{}, taskFault(t, job, err))
	}

	job, err = change(false, &types.ClusterDrsConfigInfo{VmotionRate: 2})
	finish(t, job, err)
	_, after = clusterConfig(t, c, clusterVSAN)
	require.EqualValues(t, 2, after.DrsConfig.VmotionRate)
	require.True(t, *after.DrsConfig.Enabled)
	require.False(t, *after.DpmConfigInfo.Enabled, "fields that are not sent are reset to their defaults")
}

func poolConfig(t *testing.T, c *vim25.Client, name string) mo.ResourcePool {
	t.Helper()
	p := namedObject(t, c, "ResourcePool", name, func(p mo.ResourcePool) string { return p.Name }, "config", "summary")
	require.Equal(t, p.Config, p.Summary.GetResourcePoolSummary().Config, "in step")
	return p
}

func TestPoolKeepsWhatIsNotSent(t *testing.T) {
	c := workshop(t)
	before := poolConfig(t, c, "batch")
	update := func(a types.ResourceAllocationInfo) error {
		_, err := methods.UpdateConfig(t.Context(), c, &types.UpdateConfig{This: before.Self, Config: &types.ResourceConfigSpec{CpuAllocation: a}})
		return err
	}
	require.NoError(t, update(types.ResourceAllocationInfo{Limit: new(int64(noLimit))}))
	after := poolConfig(t, c, "batch").Config
	require.EqualValues(t, noLimit, *after.CpuAllocation.Limit)
	*after.CpuAllocation.Limit = *before.Config.CpuAllocation.Limit
	require.Equal(t, before.Config, after, "nothing else changes")
	require.NoError(t, update(types.ResourceAllocationInfo{Limit: new(int64(20_000))}))
	requireFault[*types.InvalidArgument](t, update(types.ResourceAllocationInfo{Limit: new(int64(-2))}))
	requireFault[*types.InvalidArgument](t, update(types.ResourceAllocationInfo{Reservation: new(int64(30_000))}))
	require.Equal(t, before.Config, poolConfig(t, c, "batch").Config)
}

// esxcliRun runs a command of a host as a client does that looks up the flags first.
func esxcliRun(t *testing.T, c *vim25.Client, h *object.HostSystem, args ...string) (*cli.Response, error) {
	t.Helper()
	run, err := cli.NewExecutor(t.Context(), c, h)
	require.NoError(t, err)
	return run.Run(t.Context(), args)
}

func esxcliRows(t *testing.T, c *vim25.Client, h *object.HostSystem, command string, flags ...string) []cli.Values {
	t.Helper()
	res, err := esxcliRun(t, c, h, append(strings.Fields(command), flags...)...)
	require.NoError(t, err)
	return res.Values
}

func TestOutstandingOfADevice(t *testing.T) {
	t.Parallel()
	f, c := trial(t)
	h, other := hostNamed(t, c, "host04"), hostNamed(t, c, "host06")
	of := func(h *object.HostSystem, device string) string {
		rows := esxcliRows(t, c, h, "storage core device list", "-d", device)
		require.Len(t, rows, 1)
		return rows[0].Value("NoofoutstandingIOswithcompetingworlds")
	}
	set := func(device, n string) error {
		_, err := esxcliRun(t, c, h, "storage", "core", "device", "set", "-d", device, "-O", n)
		return err
	}
	require.Equal(t, "8", of(h, sanDisk))
	require.NoError(t, set(sanDisk, "32"))
	require.Equal(t, "32", of(h, sanDisk))
	require.Equal(t, "32", of(other, sanDisk))
	require.Len(t, esxcliRows(t, c, h, "storage core device list"), 4)
	for _, wrong := range [][2]string{{sanDisk, "0"}, {sanDisk, "257"}, {sanDisk, "many"}, {"naa.0", "32"}} {
		require.Error(t, set(wrong[0], wrong[1]))
	}
	require.Equal(t, "32", of(h, sanDisk))
	require.NoError(t, f.CrashHost("host04"))
	require.Equal(t, "8", of(h, sanDisk), "it was not saved yet")
}

func TestSavedOnDemand(t *testing.T) {
	t.Parallel()
	f, c := trial(t)
	h := hostNamed(t, c, "host05")
	require.NoError(t, optionsOf(t, h).Update(t.Context(), set(world.NUMAIO, int64(3))))
	firmware := *hostProperties(t, h, "configManager.firmwareSystem").ConfigManager.FirmwareSystem
	res, err := methods.BackupFirmwareConfiguration(t.Context(), c, &types.BackupFirmwareConfiguration{This: firmware})
	require.NoError(t, err)
	require.Contains(t, res.Returnval, "configBundle-host05")
	require.NoError(t, optionsOf(t, h).Update(t.Context(), set(world.NUMAIO, int64(4))))
	trialClock.forward(time.Second)
	require.NoError(t, f.CrashHost("host05"))
	requireOption(t, h, world.NUMAIO, int64(3))
}

// These kinds of writes require the host's connection and the account's privileges, as others do.
func TestNewWritesAreRefusedToo(t *testing.T) {
	t.Parallel()
	c := login(t, start(t, Config{Scenarios: []string{sceneFreeLicence}}))
	h := hostNamed(t, c, "host01")
	requireFault[*types.RestrictedVersion](t, setThreads(t, c, h, false))
	_, err := esxcliRun(t, c, h, "storage", "core", "device", "set", "-d", sanDisk, "-O", "16")
	requireFault[*types.RestrictedVersion](t, err)
	require.NotEmpty(t, esxcliRows(t, c, h, "storage core device list"))

	c = login(t, start(t, Config{Scenarios: []string{sceneDeniedUser}}))
	h = hostNamed(t, c, "host02")
	require.Equal(t, "Host.Config.HyperThreading", requireFault[*types.NoPermission](t, setThreads(t, c, h, false)).PrivilegeId)
	_, err = esxcliRun(t, c, h, "storage", "core", "device", "set", "-d", sanDisk, "-O", "16")
	requireFault[*types.NoPermission](t, err)
}
