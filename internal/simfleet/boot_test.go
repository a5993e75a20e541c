package simfleet

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

func reboot(t *testing.T, c *vim25.Client, h *object.HostSystem, force bool) (*object.Task, error) {
	t.Helper()
	res, err := methods.RebootHost_Task(t.Context(), c, &types.RebootHost_Task{This: h.Reference(), Force: force})
	if err != nil {
		return nil, err
	}
	return object.NewTask(c, res.Returnval), nil
}

// bootedAfter waits until the host is connected again with a later boot time.
func bootedAfter(t *testing.T, h *object.HostSystem, old time.Time) {
	t.Helper()
	require.Eventually(t, func() bool {
		r := hostProperties(t, h, "runtime").Runtime
		return r.ConnectionState == types.HostSystemConnectionStateConnected && r.BootTime.After(old)
	}, 30*time.Second, 5*time.Millisecond)
}

// emptied powers off the VMs on a host.
func emptied(t *testing.T, c *vim25.Client, h *object.HostSystem) {
	t.Helper()
	for _, ref := range hostProperties(t, h, "vm").Vm {
		vm := object.NewVirtualMachine(c, ref)
		if state, err := vm.PowerState(t.Context()); err == nil && state == types.VirtualMachinePowerStatePoweredOn {
			off, err := vm.PowerOff(t.Context())
			finish(t, off, err)
		}
	}
}

// Row 4 of the refusals: settings that wait for a restart are in force after it, and a clean restart saves all.
func TestRebootBringsWhatWaited(t *testing.T) {
	t.Parallel()
	f := start(t, Config{})
	c := login(t, f)
	h := hostNamed(t, c, "host04")
	modules := modulesOf(t, h)
	require.NoError(t, setThreads(t, c, h, true))
	require.NoError(t, setModule(t, c, modules, "tcpip4", "x=1"))
	require.NoError(t, optionsOf(t, h).Update(t.Context(), set(world.NUMAIO, int64(9))))
	before := hostProperties(t, h, "runtime", "hardware")
	job, err := reboot(t, c, h, false)
	require.IsType(t, &types.InvalidState{}, taskFault(t, job, err), "not in maintenance mode")

	emptied(t, c, h)
	job, err = h.EnterMaintenanceMode(t.Context(), 0, false, nil)
	finish(t, job, err)
	job, err = reboot(t, c, h, false)
	finish(t, job, err)
	require.Eventually(t, func() bool {
		return hostProperties(t, h, "runtime").Runtime.ConnectionState == types.HostSystemConnectionStateNotResponding
	}, 30*time.Second, 5*time.Millisecond)
	requireFault[*types.HostNotConnected](t, optionsOf(t, h).Update(t.Context(), set(world.NUMAIO, int64(10))))
	_, err = moduleOption(t, c, modules, "tcpip4")
	requireFault[*types.HostNotConnected](t, err)

	bootedAfter(t, h, *before.Runtime.BootTime)
	after := hostProperties(t, h, "runtime", "hardware", "summary")
	require.True(t, after.Runtime.InMaintenanceMode, "it stays in it")
	require.Equal(t, types.HostSystemPowerStatePoweredOn, after.Runtime.PowerState)
	require.Equal(t, &types.HostHyperThreadScheduleInfo{Available: true, Active: true, Config: true}, threads(t, c, h))
	require.Equal(t, 2*before.Hardware.CpuInfo.NumCpuThreads, after.Hardware.CpuInfo.NumCpuThreads)
	require.Equal(t, after.Hardware.CpuInfo.NumCpuThreads, after.Summary.Hardware.NumCpuThreads)
	require.Len(t, after.Hardware.CpuPkg[0].ThreadId, 2*len(before.Hardware.CpuPkg[0].ThreadId))
	require.Equal(t, "x=1", f.vcenter().built.hosts["host04.demo.local"].Modules["tcpip4"].Running)
	row := esxcliRows(t, c, h, "system settings kernel list")[1]
	require.Equal(t, "TRUE", row.Value("Runtime"))

	require.NoError(t, f.CrashHost("host04"))
	requireOption(t, h, world.NUMAIO, int64(9))
	job, err = h.ExitMaintenanceMode(t.Context(), 0)
	finish(t, job, err)
}

func TestRebootByForceStopsWhatRuns(t *testing.T) {
	t.Parallel()
	c := login(t, start(t, Config{RebootTakes: 30 * time.Millisecond}))
	h, vm := hostNamed(t, c, "host07"), ofVM{t, vmNamed(t, c, "app-iis-01")}
	old := *hostProperties(t, h, "runtime").Runtime.BootTime
	require.NoError(t, optionsOf(t, h).Update(t.Context(), set("VMkernel.Boot.hyperthreadingMitigation", false)))
	job, err := reboot(t, c, h, true)
	finish(t, job, err)
	bootedAfter(t, h, old)
	r := vmProperties(t, vm.vm, "runtime").Runtime
	require.Equal(t, types.VirtualMachinePowerStatePoweredOff, r.PowerState)
	require.Equal(t, types.VirtualMachineConnectionStateConnected, r.ConnectionState)
	require.Equal(t, "systemDefault", hostProperties(t, h, "config.cpuScheduler").Config.CpuScheduler.Policy)
}

// The restart of a standalone host ends its connections and sessions.
func TestRebootEndsSessions(t *testing.T) {
	t.Parallel()
	f := startAll(t, Config{RebootTakes: 200 * time.Millisecond})
	c := loginTo(t, f, "esxi-b")
	h := hostNamed(t, c, "esxi-b")
	old := *hostProperties(t, h, "runtime").Runtime.BootTime
	_, err := reboot(t, c, h, true)
	require.NoError(t, err)
	e := endpoint(t, f, "esxi-b")
	require.Eventually(t, func() bool {
		_, err := methods.GetCurrentTime(t.Context(), c)
		return err != nil
	}, 30*time.Second, 5*time.Millisecond, "nothing answers")
	login := soap.NewClient(e.URL, true)
	require.Eventually(t, func() bool {
		_, err := vim25.NewClient(t.Context(), login)
		return err == nil
	}, 30*time.Second, 20*time.Millisecond, "it is back")
	_, err = methods.GetCurrentTime(t.Context(), c)
	requireFault[*types.NotAuthenticated](t, err)
	again := loginTo(t, f, "esxi-b")
	require.True(t, hostProperties(t, hostNamed(t, again, "esxi-b"), "runtime").Runtime.BootTime.After(old))
}

// hostOfVM returns the host of a VM.
func hostOfVM(t *testing.T, vm *object.VirtualMachine) types.ManagedObjectReference {
	t.Helper()
	return *vmProperties(t, vm, "runtime.host").Runtime.Host
}

func automate(t *testing.T, c *vim25.Client, name string, drs types.ClusterDrsConfigInfo) {
	t.Helper()
	cluster, _ := clusterConfig(t, c, name)
	job, err := cluster.Reconfigure(t.Context(), &types.ClusterConfigSpecEx{DrsConfig: &drs}, true)
	finish(t, job, err)
}

// Row 22 of the refusals: DRS moves the VMs that can be moved; the rest stays and blocks maintenance mode.
func TestMaintenanceModeWithDRS(t *testing.T) {
	t.Parallel()
	c := login(t, start(t, Config{}))
	h1, h2, h3 := hostNamed(t, c, "host01"), hostNamed(t, c, "host02"), hostNamed(t, c, "host03")
	moved := vmNamed(t, c, "trade-gw-01")
	job, err := h1.EnterMaintenanceMode(t.Context(), 1, false, nil)
	require.IsType(t, &types.Timedout{}, taskFault(t, job, err))
	require.Equal(t, h1.Reference(), hostOfVM(t, moved), "high latency sensitivity: it stays")
	for _, h := range []*object.HostSystem{h1, h2} {
		for _, ref := range hostProperties(t, h, "vm").Vm {
			ofVM{t, object.NewVirtualMachine(c, ref)}.takes(types.VirtualMachineConfigSpec{LatencySensitivity: &types.LatencySensitivity{Level: normal}})
		}
	}
	job, err = h1.EnterMaintenanceMode(t.Context(), 1, false, nil)
	require.IsType(t, &types.Timedout{}, taskFault(t, job, err))
	pinned := ofVM{t, vmNamed(t, c, "feed-pin-01")}
	require.Equal(t, []types.ManagedObjectReference{pinned.vm.Reference()}, hostProperties(t, h1, "vm").Vm, "bound to its CPUs")
	to := hostOfVM(t, moved)
	require.Contains(t, hostProperties(t, object.NewHostSystem(c, to), "vm").Vm, moved.Reference())
	require.False(t, hostProperties(t, h1, "runtime").Runtime.InMaintenanceMode)

	pinned.takes(types.VirtualMachineConfigSpec{CpuAffinity: affinityOf()})
	job, err = h1.EnterMaintenanceMode(t.Context(), 5, false, nil)
	finish(t, job, err)
	require.NotEqual(t, h1.Reference(), hostOfVM(t, pinned.vm))

	// the reservations on the other hosts leave no room for all VMs of the next one
	job, err = h2.EnterMaintenanceMode(t.Context(), 1, false, nil)
	require.IsType(t, &types.Timedout{}, taskFault(t, job, err))
	require.Contains(t, hostProperties(t, h2, "vm").Vm, vmNamed(t, c, "feed-pin-02").Reference())
	require.Empty(t, hostProperties(t, h1, "vm").Vm, "none goes to a host in maintenance mode")
	var mhz int64
	for _, ref := range hostProperties(t, h3, "vm").Vm {
		m := vmProperties(t, object.NewVirtualMachine(c, ref), "config.cpuAllocation", "runtime.powerState")
		if m.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn {
			mhz += *m.Config.CpuAllocation.Reservation
		}
	}
	require.LessOrEqual(t, mhz, int64(28*2600))
}

// VMs excluded from DRS stay, and host devices keep a VM on its host.
func TestMaintenanceModeWithExceptions(t *testing.T) {
	t.Parallel()
	c := login(t, start(t, Config{}))
	h6, h7 := hostNamed(t, c, "host06"), hostNamed(t, c, "host07")
	automate(t, c, "general", types.ClusterDrsConfigInfo{DefaultVmBehavior: types.DrsBehaviorFullyAutomated})
	stays := func(h *object.HostSystem) (names []string) {
		for _, ref := range hostProperties(t, h, "vm").Vm {
			var vm mo.VirtualMachine
			require.NoError(t, object.NewVirtualMachine(c, ref).Properties(t.Context(), ref, []string{"name", "runtime.powerState"}, &vm))
			if vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn {
				names = append(names, vm.Name)
			}
		}
		slices.Sort(names)
		return names
	}
	job, err := vmNamed(t, c, "web-03").Reconfigure(t.Context(), types.VirtualMachineConfigSpec{LatencySensitivity: &types.LatencySensitivity{Level: high}})
	finish(t, job, err)
	job, err = h6.EnterMaintenanceMode(t.Context(), 1, false, nil)
	require.IsType(t, &types.Timedout{}, taskFault(t, job, err))
	require.Equal(t, []string{"db-oltp-01", "web-01", "web-02", "web-03"}, stays(h6), "by their levels of automation, and by high latency sensitivity")
	require.Contains(t, hostProperties(t, h6, "vm").Vm, vmNamed(t, c, "app-legacy-01").Reference(), "powered-off VMs stay")
	job, err = h7.EnterMaintenanceMode(t.Context(), 1, false, nil)
	require.IsType(t, &types.Timedout{}, taskFault(t, job, err))
	require.Equal(t, []string{"ai-gpu-01"}, stays(h7))
}

func TestShutdownOfAGuest(t *testing.T) {
	c := workshop(t)
	vm, bare := ofVM{t, vmNamed(t, c, "app-vfrc-01")}, ofVM{t, vmNamed(t, c, "appl-fw-01")}
	state := func() *types.VirtualMachineRuntimeInfo {
		m := vmProperties(t, vm.vm, "runtime", "summary.runtime", "guest")
		require.Equal(t, m.Runtime.BootTime, m.Summary.Runtime.BootTime)
		require.Equal(t, m.Runtime.PowerState, m.Summary.Runtime.PowerState)
		on := m.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn
		require.Equal(t, on, m.Guest.ToolsRunningStatus == world.ToolsRunning)
		return &m.Runtime
	}
	old := state().BootTime
	require.NotNil(t, old)
	require.NoError(t, vm.vm.ShutdownGuest(t.Context()))
	require.Equal(t, types.VirtualMachinePowerStatePoweredOn, state().PowerState, "it takes a moment")
	require.Eventually(t, func() bool { return state().PowerState == types.VirtualMachinePowerStatePoweredOff }, 30*time.Second, 5*time.Millisecond)
	require.Nil(t, state().BootTime)
	requireFault[*types.InvalidPowerState](t, vm.vm.ShutdownGuest(t.Context()))
	vm.turns(true)
	require.True(t, state().BootTime.After(*old))
	vm.turns(false)
	require.Nil(t, state().BootTime)

	requireFault[*types.ToolsUnavailable](t, bare.vm.ShutdownGuest(t.Context()))
}
