package simfleet

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/task"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/overrides"
	"github.com/vperf/vperf/internal/simfleet/perf"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// Each row of the behaviours of a real host (refusals, ignored writes and changes) has a test named after it.
func TestEachRowIsTested(t *testing.T) {
	source, err := os.ReadFile("refusals_test.go")
	require.NoError(t, err)
	for row := 1; row <= 30; row++ {
		require.Contains(t, string(source), fmt.Sprintf("\nfunc TestRefusal%02d", row))
	}
}

// taskFault returns the fault of a task, or of the call itself.
func taskFault(t *testing.T, job *object.Task, err error) types.BaseMethodFault {
	t.Helper()
	if err == nil {
		err = job.Wait(t.Context()) // with a collector of its own: sessions that wait on the default one consume each other's updates
	}
	require.Error(t, err)
	if ended, ok := err.(task.Error); ok { //nolint:errorlint // the client returns it bare
		return ended.Fault()
	}
	require.True(t, soap.IsSoapFault(err), "%v", err)
	fault := reflect.New(reflect.TypeOf(soap.ToSoapFault(err).VimFault()))
	fault.Elem().Set(reflect.ValueOf(soap.ToSoapFault(err).VimFault()))
	return fault.Interface().(types.BaseMethodFault)
}

// ofVM changes one VM and reads it.
type ofVM struct {
	t  *testing.T
	vm *object.VirtualMachine
}

func (o ofVM) takes(spec types.VirtualMachineConfigSpec) *types.VirtualMachineConfigInfo {
	o.t.Helper()
	job, err := o.vm.Reconfigure(o.t.Context(), spec)
	finish(o.t, job, err)
	return o.config()
}

func (o ofVM) refuses(spec types.VirtualMachineConfigSpec, want types.BaseMethodFault) {
	o.t.Helper()
	before := o.config()
	job, err := o.vm.Reconfigure(o.t.Context(), spec)
	require.IsType(o.t, want, taskFault(o.t, job, err))
	require.Equal(o.t, before, o.config(), "nothing is written")
}

func (o ofVM) config() *types.VirtualMachineConfigInfo {
	o.t.Helper()
	var m mo.VirtualMachine
	require.NoError(o.t, o.vm.Properties(o.t.Context(), o.vm.Reference(), []string{"config"}, &m))
	return m.Config
}

func (o ofVM) vmx() map[string]string { return vmx(mo.VirtualMachine{Config: o.config()}) }

func (o ofVM) turns(on bool) {
	o.t.Helper()
	power := o.vm.PowerOff
	if on {
		power = o.vm.PowerOn
	}
	job, err := power(o.t.Context())
	finish(o.t, job, err)
}

// changedFleets are fleets that tests share and change. With -count each test runs several times in one process, and each time needs a
// fleet that it has not changed yet.
type changedFleets struct {
	start func() (*Fleet, error)

	mu     sync.Mutex
	rounds map[string]int // how often each test has ended
	fleets []*Fleet       // by round
}

func (c *changedFleets) of(t *testing.T) *Fleet {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	round := c.rounds[t.Name()]
	for len(c.fleets) <= round {
		f, err := c.start()
		require.NoError(t, err)
		c.fleets = append(c.fleets, f)
	}
	t.Cleanup(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.rounds == nil {
			c.rounds = map[string]int{}
		}
		c.rounds[t.Name()] = round + 1
	})
	return c.fleets[round]
}

func (c *changedFleets) close() {
	for _, f := range c.fleets {
		f.Close()
	}
}

var workshops = changedFleets{start: func() (*Fleet, error) { return Start(Config{}) }}

// workshop returns a fleet shared by tests that each change a VM or a host of their own.
func workshop(t *testing.T) *vim25.Client {
	t.Helper()
	return login(t, workshops.of(t))
}

// changing returns a VM that no other test changes.
func changing(t *testing.T, name string) ofVM {
	t.Helper()
	return ofVM{t, vmNamed(t, workshop(t), name)}
}

func TestRefusal01UnknownOption(t *testing.T) {
	m := optionsOf(t, hostNamed(t, login(t, common(t)), "host01"))
	_, err := m.Query(t.Context(), "No.Such")
	requireFault[*types.InvalidName](t, err)
	requireFault[*types.InvalidName](t, m.Update(t.Context(), set("No.Such", int64(1))))
}

func TestRefusal02OptionOfAnotherType(t *testing.T) {
	h := hostNamed(t, login(t, common(t)), "host01")
	m := optionsOf(t, h)
	requireFault[*types.InvalidArgument](t, m.Update(t.Context(), set(world.NUMAIO, int32(1))))
	requireFault[*types.InvalidArgument](t, m.Update(t.Context(), set(world.NUMAIO, int64(-1))))
	requireOption(t, h, world.NUMAIO, int64(0))
}

func TestRefusal03NumaIOAbove60(t *testing.T) {
	f := common(t)
	c := login(t, f)
	for _, short := range []string{"host02", "host01", "host06"} {
		requireFault[*types.InvalidArgument](t, optionsOf(t, hostNamed(t, c, short)).Update(t.Context(), set(world.NUMAIO, int64(61))))
	}
	kind, _, ok := esxi.TableOption(world.NUMAIO, "6.5U2")
	require.True(t, ok)
	require.EqualValues(t, 200, kind.(*types.LongOption).Max, "as 6.5 took it")
}

func modulesOf(t *testing.T, h *object.HostSystem) types.ManagedObjectReference {
	t.Helper()
	return *hostProperties(t, h, "configManager.kernelModuleSystem").ConfigManager.KernelModuleSystem
}

func moduleOption(t *testing.T, c *vim25.Client, system types.ManagedObjectReference, name string) (string, error) {
	t.Helper()
	res, err := methods.QueryConfiguredModuleOptionString(t.Context(), c, &types.QueryConfiguredModuleOptionString{This: system, Name: name})
	if err != nil {
		return "", err
	}
	return res.Returnval, nil
}

func setModule(t *testing.T, c *vim25.Client, system types.ManagedObjectReference, name, options string) error {
	t.Helper()
	_, err := methods.UpdateModuleOptionString(t.Context(), c, &types.UpdateModuleOptionString{This: system, Name: name, Options: options})
	return err
}

func TestRefusal04BootOptionsWait(t *testing.T) {
	c := workshop(t)
	f := workshops.of(t)
	h := hostNamed(t, c, "host01")
	require.NoError(t, optionsOf(t, h).Update(t.Context(), set(esxi.HyperthreadingOption, false)))
	requireOption(t, h, esxi.HyperthreadingOption, false)
	threads := hostProperties(t, h, "config.hyperThread").Config.HyperThread
	require.False(t, threads.Config)
	require.True(t, threads.Active, "until the next start")

	system := modulesOf(t, h)
	require.NoError(t, setModule(t, c, system, "nmlx5_core", "RSS=4"))
	got, err := moduleOption(t, c, system, "nmlx5_core")
	require.NoError(t, err)
	require.Equal(t, "RSS=4", got)
	modules := f.vcenter().built.owners()[system].Modules
	require.Equal(t, "RSS=0", modules["nmlx5_core"].Running)
}

func TestRefusal05ModuleOptionsAreOneText(t *testing.T) {
	c := workshop(t)
	system := modulesOf(t, hostNamed(t, c, "host02"))
	got, err := moduleOption(t, c, system, "nmlx5_core")
	require.NoError(t, err)
	require.Equal(t, "RSS=4 DRSS=4", got)
	require.NoError(t, setModule(t, c, system, "nmlx5_core", "DRSS=8"))
	got, err = moduleOption(t, c, system, "nmlx5_core")
	require.NoError(t, err)
	require.Equal(t, "DRSS=8", got)

	_, err = moduleOption(t, c, system, "ixgben")
	requireFault[*types.NotFound](t, err)
	requireFault[*types.NotFound](t, setModule(t, c, system, "ixgben", "RSS=1"))
	list, err := methods.QueryModules(t.Context(), c, &types.QueryModules{This: system})
	require.NoError(t, err)
	require.Len(t, list.Returnval, len(fleetTables.Modules)+1)
}

func TestRefusal06OwnedKeysAreDropped(t *testing.T) {
	vm := changing(t, "web-03")
	vm.takes(types.VirtualMachineConfigSpec{ExtraConfig: []types.BaseOptionValue{
		&types.OptionValue{Key: "sched.cpu.latencySensitivity", Value: "high"}, &types.OptionValue{Key: "numvcpus", Value: "8"},
		&types.OptionValue{Key: "sched.mem.min", Value: "100"}, &types.OptionValue{Key: "numa.nodeAffinity", Value: "0"},
	}})
	keys := vm.vmx()
	require.Equal(t, "0", keys["numa.nodeAffinity"])
	require.NotContains(t, keys, "sched.cpu.latencySensitivity")
	require.NotContains(t, keys, "numvcpus")
	require.NotContains(t, keys, "sched.mem.min")
	require.EqualValues(t, 2, vm.config().Hardware.NumCPU)
}

func TestRefusal07EmptyValueRemoves(t *testing.T) {
	vm := changing(t, "app-lega-01")
	n := len(vm.config().ExtraConfig)
	vm.takes(types.VirtualMachineConfigSpec{ExtraConfig: set("ethernet0.intrmode", "")})
	require.NotContains(t, vm.vmx(), "ethernet0.intrmode")
	vm.takes(types.VirtualMachineConfigSpec{ExtraConfig: set("never.was", "")})
	require.Len(t, vm.config().ExtraConfig, n-1)
}

func TestRefusal08ValuesAndKeysInAnyCase(t *testing.T) {
	vm := changing(t, "app-lega-02")
	vm.takes(types.VirtualMachineConfigSpec{ExtraConfig: []types.BaseOptionValue{
		&types.OptionValue{Key: "ethernet0.intrmode", Value: "2"}, &types.OptionValue{Key: "MONITOR_control.restrict_backdoor", Value: "false"},
		&types.OptionValue{Key: "numa.vcpu.preferHT", Value: "True"},
	}})
	keys := vm.vmx()
	require.Equal(t, "2", keys["Ethernet0.IntrMode"], "the key stays as it was written")
	require.NotContains(t, keys, "ethernet0.intrmode")
	require.Equal(t, "FALSE", keys["monitor_control.restrict_backdoor"])
	require.Equal(t, "TRUE", keys["numa.vcpu.preferHT"])
}

func TestRefusal09OnlyWhileOff(t *testing.T) {
	vm := changing(t, "db-sql-01")
	specs := map[string]types.VirtualMachineConfigSpec{
		"CPU hot-add":          {CpuHotAddEnabled: new(true)},
		"memory hot-add":       {MemoryHotAddEnabled: new(true)},
		"cores per socket":     {NumCoresPerSocket: new(int32(4))},
		"cores per NUMA node":  {VirtualNuma: &types.VirtualMachineVirtualNuma{CoresPerNumaNode: new(int32(4))}},
		"virtual NUMA":         {VirtualNuma: &types.VirtualMachineVirtualNuma{ExposeVnumaOnCpuHotadd: new(true)}},
		"nested":               {NestedHVEnabled: new(true)},
		"performance counters": {VPMCEnabled: new(true)},
		"1 GB pages":           {ExtraConfig: set(overrides.OnePagesKey, "TRUE")},
		"more vCPUs":           {NumCPUs: 16},
		"fewer vCPUs":          {NumCPUs: 4},
		"less memory":          {MemoryMB: 1024},
		"threads":              {SimultaneousThreads: 2},
	}
	for name, spec := range specs {
		t.Log(name)
		vm.refuses(spec, &types.InvalidPowerState{})
	}
	vm.takes(types.VirtualMachineConfigSpec{CpuHotAddEnabled: new(false), NumCPUs: 8}) // already set
	vm.turns(false)
	for _, spec := range specs {
		vm.takes(spec)
	}
	config := vm.config()
	require.True(t, *config.CpuHotAddEnabled)
	require.True(t, *config.VPMCEnabled)
	require.True(t, *config.NumaInfo.VnumaOnCpuHotaddExposed)
	require.EqualValues(t, 4, *config.NumaInfo.CoresPerNumaNode)
	require.EqualValues(t, 4, *config.Hardware.NumCoresPerSocket)
	require.False(t, *config.Hardware.AutoCoresPerSocket)
	require.EqualValues(t, 2, config.Hardware.SimultaneousThreads)
	require.Equal(t, "TRUE", vm.vmx()[overrides.OnePagesKey])
}

func TestRefusal09HotAddLetsItGrow(t *testing.T) {
	vm := changing(t, "db-my-01")
	require.EqualValues(t, 6, vm.takes(types.VirtualMachineConfigSpec{NumCPUs: 6}).Hardware.NumCPU)
	vm.refuses(types.VirtualMachineConfigSpec{NumCPUs: 4}, &types.InvalidPowerState{})
}

func TestRefusal10AutomaticCores(t *testing.T) {
	c := workshop(t)
	old, young := ofVM{t, vmNamed(t, c, "hpc-cfd-01")}, ofVM{t, vmNamed(t, c, "spark-01")}
	for _, vm := range []ofVM{old, young} {
		vm.turns(false)
		vm.refuses(types.VirtualMachineConfigSpec{NumCoresPerSocket: new(int32(7))}, &types.InvalidArgument{})
	}
	old.refuses(types.VirtualMachineConfigSpec{NumCoresPerSocket: new(int32(0))}, &types.InvalidArgument{})
	require.False(t, *young.config().Hardware.AutoCoresPerSocket)
	config := young.takes(types.VirtualMachineConfigSpec{NumCoresPerSocket: new(int32(0))})
	require.True(t, *config.Hardware.AutoCoresPerSocket)
	require.EqualValues(t, 20, *config.Hardware.NumCoresPerSocket, "until it starts")
}

func TestRefusal11LockedReservation(t *testing.T) {
	vm := changing(t, "trade-gw-02")
	reserve := func(mb int64) types.VirtualMachineConfigSpec {
		return types.VirtualMachineConfigSpec{MemoryAllocation: &types.ResourceAllocationInfo{Reservation: new(mb)}}
	}
	vm.refuses(reserve(1024), &types.InvalidArgument{})
	vm.takes(reserve(16384))
	config := vm.takes(types.VirtualMachineConfigSpec{MemoryReservationLockedToMax: new(false)})
	require.EqualValues(t, 16384, *config.MemoryAllocation.Reservation, "stays when the lock goes")
	vm.takes(reserve(1024))
	config = vm.takes(types.VirtualMachineConfigSpec{MemoryReservationLockedToMax: new(true)})
	require.EqualValues(t, 16384, *config.MemoryAllocation.Reservation)
	vm.turns(false)
	config = vm.takes(types.VirtualMachineConfigSpec{MemoryMB: 8192})
	require.EqualValues(t, 8192, *config.MemoryAllocation.Reservation, "follows the size")
}

func TestRefusal12PartialAllocations(t *testing.T) {
	vm := changing(t, "db-oltp-01")
	before := vm.config()
	config := vm.takes(types.VirtualMachineConfigSpec{
		CpuAllocation:    &types.ResourceAllocationInfo{Reservation: new(int64(500))},
		MemoryAllocation: &types.ResourceAllocationInfo{Limit: new(int64(65536))},
	})
	require.EqualValues(t, 500, *config.CpuAllocation.Reservation)
	require.Equal(t, before.CpuAllocation.Limit, config.CpuAllocation.Limit)
	require.Equal(t, before.CpuAllocation.Shares, config.CpuAllocation.Shares)
	require.Equal(t, before.CpuAllocation.ExpandableReservation, config.CpuAllocation.ExpandableReservation)
	require.EqualValues(t, 65536, *config.MemoryAllocation.Limit)
	require.Equal(t, before.MemoryAllocation.Reservation, config.MemoryAllocation.Reservation)
	vm.refuses(types.VirtualMachineConfigSpec{CpuAllocation: &types.ResourceAllocationInfo{Reservation: new(int64(-2))}}, &types.InvalidArgument{})
	vm.refuses(types.VirtualMachineConfigSpec{CpuAllocation: &types.ResourceAllocationInfo{Limit: new(int64(499))}}, &types.InvalidArgument{})
}

func TestRefusal13StaleVersion(t *testing.T) {
	vm := changing(t, "web-02")
	old := vm.config().ChangeVersion
	fresh := vm.takes(types.VirtualMachineConfigSpec{ChangeVersion: old, Annotation: "one"}).ChangeVersion
	require.NotEqual(t, old, fresh)
	vm.refuses(types.VirtualMachineConfigSpec{ChangeVersion: old, Annotation: "two"}, &types.ConcurrentAccess{})
	require.Equal(t, "two", vm.takes(types.VirtualMachineConfigSpec{ChangeVersion: fresh, Annotation: "two"}).Annotation)
}

func TestRefusal14NotThatMuch(t *testing.T) {
	vm := changing(t, "feed-pin-01")
	cpu := func(mhz int64) types.VirtualMachineConfigSpec {
		return types.VirtualMachineConfigSpec{CpuAllocation: &types.ResourceAllocationInfo{Reservation: new(mhz)}}
	}
	left := int64(28*2600 - 8*2600 - 4*2600 - 8*2600) // host01 without its other reservations
	vm.refuses(cpu(left+1), &types.InsufficientCpuResourcesFault{})
	vm.takes(cpu(left))
	vm.turns(false)
	vm.takes(types.VirtualMachineConfigSpec{MemoryMB: 600 << 10, MemoryReservationLockedToMax: new(true)}) // a powered-off VM may request any amount
	job, err := vm.vm.PowerOn(t.Context())
	require.IsType(t, &types.InsufficientMemoryResourcesFault{}, taskFault(t, job, err))
}

func TestRefusal15HighWithoutMemory(t *testing.T) {
	c := workshop(t)
	young, old := ofVM{t, vmNamed(t, c, "trade-lat-01")}, ofVM{t, vmNamed(t, c, "trade-lat-02")}
	for _, vm := range []ofVM{young, old} {
		require.Equal(t, high, vm.config().LatencySensitivity.Level)
		vm.turns(false)
	}
	job, err := young.vm.PowerOn(t.Context())
	require.IsType(t, &types.InvalidVmConfig{}, taskFault(t, job, err))
	old.turns(true) // on 6.7 it starts, and the level has no effect
	young.takes(types.VirtualMachineConfigSpec{MemoryReservationLockedToMax: new(true)})
	young.turns(true)
}

func TestRefusal16NothingUnsetsThreads(t *testing.T) {
	vm := changing(t, "trade-smt-01")
	vm.turns(false)
	config := vm.takes(types.VirtualMachineConfigSpec{SimultaneousThreads: 0, VirtualNuma: &types.VirtualMachineVirtualNuma{}})
	require.EqualValues(t, 2, config.Hardware.SimultaneousThreads)
	require.False(t, *config.NumaInfo.VnumaOnCpuHotaddExposed)
}

func TestRefusal17PowerInTheBIOS(t *testing.T) {
	h := hostNamed(t, login(t, common(t)), "host03")
	require.NoError(t, setPower(t, h, esxi.PolicyLow))
	requirePower(t, h, "static", "High Performance")
}

func TestRefusal18FreeLicence(t *testing.T) {
	c := loginTo(t, common(t), "esxi-a")
	requireReadOnly[*types.RestrictedVersion](t, c, "esxi-a", "edge-web-01")
	// the other host has another licence
	c = loginTo(t, common(t), "esxi-b")
	require.NoError(t, optionsOf(t, hostNamed(t, c, "esxi-b")).Update(t.Context(), set(world.NUMAIO, int64(0))))
}

// requireReadOnly reads a host and one of its VMs and tries each kind of write.
func requireReadOnly[F any](t *testing.T, c *vim25.Client, host, name string) {
	t.Helper()
	h := hostNamed(t, c, host)
	_, err := optionsOf(t, h).Query(t.Context(), world.NUMAIO)
	require.NoError(t, err)
	system := modulesOf(t, h)
	_, err = methods.QueryModules(t.Context(), c, &types.QueryModules{This: system})
	require.NoError(t, err)

	requireFault[F](t, optionsOf(t, h).Update(t.Context(), set(world.NUMAIO, int64(1))))
	requireFault[F](t, setPower(t, h, esxi.PolicyStatic))
	requireFault[F](t, setModule(t, c, system, "tcpip4", "x=1"))
	_, err = h.EnterMaintenanceMode(t.Context(), 1, false, nil)
	requireFault[F](t, err)
	vm := object.NewVirtualMachine(c, vmRef(t, c, name))
	_, err = vm.Reconfigure(t.Context(), types.VirtualMachineConfigSpec{Annotation: "x"})
	requireFault[F](t, err)
	_, err = vm.PowerOff(t.Context())
	requireFault[F](t, err)
}

func vmRef(t *testing.T, c *vim25.Client, name string) types.ManagedObjectReference {
	t.Helper()
	for _, vm := range retrieve[mo.VirtualMachine](t, c, "VirtualMachine", "name") {
		if vm.Name == name {
			return vm.Self
		}
	}
	t.Fatalf("no VM %s", name)
	return types.ManagedObjectReference{}
}

func TestRefusal19NoPermission(t *testing.T) {
	t.Parallel()
	c := login(t, start(t, Config{Scenarios: []string{sceneDeniedUser}}))
	h := hostNamed(t, c, "host02")
	power := hostProperties(t, h, "configManager.powerSystem").ConfigManager.PowerSystem
	_, err := methods.ConfigurePowerPolicy(t.Context(), c, &types.ConfigurePowerPolicy{This: *power, Key: esxi.PolicyStatic})
	fault := requireFault[*types.NoPermission](t, err)
	require.Equal(t, "Host.Config.Power", fault.PrivilegeId)
	require.Equal(t, *power, *fault.Object)
	vm := types.ManagedObjectReference{Type: "VirtualMachine", Value: "vm-1032"} // db-ora-01
	_, err = object.NewVirtualMachine(c, vm).Reconfigure(t.Context(), types.VirtualMachineConfigSpec{Annotation: "x"})
	fault = requireFault[*types.NoPermission](t, err)
	require.Equal(t, "VirtualMachine.Config.Settings", fault.PrivilegeId)
	require.Equal(t, vm, fault.MissingPrivileges[0].Entity)
	require.NoError(t, setPower(t, hostNamed(t, c, "host01"), esxi.PolicyStatic), "elsewhere the account may write")
}

func TestRefusal20Lockdown(t *testing.T) {
	t.Parallel()
	f := startAll(t, Config{Scenarios: []string{sceneLockdown}})
	e := endpoint(t, f, lockedHost)
	require.Equal(t, "System.View", requireFault[*types.NoPermission](t, tryLogin(t, e)).PrivilegeId)
	e.Password = "wrong"
	requireFault[*types.NoPermission](t, tryLogin(t, e))
	require.NoError(t, tryLogin(t, endpoint(t, f, "esxi-b")))
	require.NoError(t, tryLogin(t, endpoint(t, f, "vcenter")))
}

func TestRefusal21NotResponding(t *testing.T) {
	t.Parallel()
	c := login(t, start(t, Config{Scenarios: []string{sceneHostDown}}))
	h := hostNamed(t, c, "host08")
	m := hostProperties(t, h, "runtime.connectionState", "config.product.version", "configManager")
	require.Equal(t, types.HostSystemConnectionStateNotResponding, m.Runtime.ConnectionState)
	require.Equal(t, "8.0.3", m.Config.Product.Version, "the last that the vCenter knew")
	requireFault[*types.HostNotConnected](t, setPower(t, h, esxi.PolicyStatic))
	requireFault[*types.HostNotConnected](t, optionsOf(t, h).Update(t.Context(), set(world.NUMAIO, int64(1))))
	_, err := methods.QueryModules(t.Context(), c, &types.QueryModules{This: *m.ConfigManager.KernelModuleSystem})
	requireFault[*types.HostNotConnected](t, err)
	vm := ofVM{t, vmNamed(t, c, "app-clean-01")}
	require.EqualValues(t, 4, vm.config().Hardware.NumCPU)
	_, err = vm.vm.Reconfigure(t.Context(), types.VirtualMachineConfigSpec{Annotation: "x"})
	requireFault[*types.HostNotConnected](t, err)
	require.NoError(t, setPower(t, hostNamed(t, c, "host06"), esxi.PolicyStatic))
}

func TestRefusal22MaintenanceModeWaits(t *testing.T) {
	t.Parallel()
	c := workshop(t)
	h := hostNamed(t, c, "host08")
	job, err := h.EnterMaintenanceMode(t.Context(), 1, false, nil)
	require.IsType(t, &types.Timedout{}, taskFault(t, job, err))

	job, err = h.EnterMaintenanceMode(t.Context(), 0, false, nil) // never gives up
	require.NoError(t, err)
	var m mo.Task
	running := func() bool {
		require.NoError(t, job.Properties(t.Context(), job.Reference(), []string{"info"}, &m))
		return m.Info.State == types.TaskInfoStateRunning
	}
	for !running() {
		require.NotContains(t, []types.TaskInfoState{types.TaskInfoStateSuccess, types.TaskInfoStateError}, m.Info.State)
		time.Sleep(20 * time.Millisecond)
	}
	time.Sleep(3 * 20 * time.Millisecond)
	running()
	require.Equal(t, types.TaskInfoStateRunning, m.Info.State)
	require.Equal(t, h.Reference(), *m.Info.Entity)
	require.False(t, hostProperties(t, h, "runtime").Runtime.InMaintenanceMode, "the host can be read meanwhile")
	require.NoError(t, job.Cancel(t.Context()))
	require.IsType(t, &types.RequestCanceled{}, taskFault(t, job, nil))

	for _, ref := range hostProperties(t, h, "vm").Vm {
		vm := object.NewVirtualMachine(c, ref)
		if state, err := vm.PowerState(t.Context()); err == nil && state == types.VirtualMachinePowerStatePoweredOn {
			off, err := vm.PowerOff(t.Context())
			finish(t, off, err)
		}
	}
	job, err = h.EnterMaintenanceMode(t.Context(), 0, false, nil)
	finish(t, job, err)
	require.True(t, hostProperties(t, h, "runtime").Runtime.InMaintenanceMode)
	job, err = h.EnterMaintenanceMode(t.Context(), 0, false, nil)
	require.IsType(t, &types.InvalidState{}, taskFault(t, job, err))
	job, err = h.ExitMaintenanceMode(t.Context(), 0)
	finish(t, job, err)
	job, err = h.ExitMaintenanceMode(t.Context(), 0)
	require.IsType(t, &types.InvalidState{}, taskFault(t, job, err))
}

func TestRefusal23QuickStatsNeverNotify(t *testing.T) {
	t.Parallel()
	c := workshop(t)
	vm := vmNamed(t, c, "app-print-01")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told, ready := 0, make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = property.Wait(ctx, property.DefaultCollector(c), vm.Reference(), []string{"summary.quickStats"}, func([]types.PropertyChange) bool {
			if told++; told == 1 {
				close(ready)
			}
			return false
		})
	}()
	<-ready
	job, err := vm.Reconfigure(t.Context(), types.VirtualMachineConfigSpec{NumCPUs: 2, Annotation: "x"})
	finish(t, job, err)
	job, err = vm.PowerOff(t.Context())
	finish(t, job, err)
	time.Sleep(100 * time.Millisecond) // to wait for an answer that must not come
	cancel()
	<-done
	require.Equal(t, 1, told, "only the first answer")
}

func TestRefusal24HistoryStaysOnTheHost(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	c := login(t, start(t, Config{Now: clock.now}))
	s := newStatistics(t, c)
	vm, from, to := vmNamed(t, c, "db-my-01"), hostNamed(t, c, "host06"), hostNamed(t, c, "host07")
	of := func(ref types.ManagedObjectReference, interval int32) *samples {
		return s.of(s.spec(ref, interval, "cpu.usagemhz.average"))
	}
	before, there, here := of(vm.Reference(), perf.Interval), of(from.Reference(), perf.Interval), of(to.Reference(), perf.Interval)
	require.Len(t, before.stamps, 180)

	job, err := vm.Relocate(t.Context(), types.VirtualMachineRelocateSpec{Host: new(to.Reference())}, types.VirtualMachineMovePriorityDefaultPriority)
	finish(t, job, err)
	require.Nil(t, of(vm.Reference(), perf.Interval))
	require.Equal(t, there, of(from.Reference(), perf.Interval), "the old host keeps earlier samples")
	require.Equal(t, here, of(to.Reference(), perf.Interval))
	require.NotContains(t, hostProperties(t, from, "vm").Vm, vm.Reference())
	require.Contains(t, hostProperties(t, to, "vm").Vm, vm.Reference())

	clock.forward(time.Minute)
	after := of(vm.Reference(), perf.Interval)
	require.Len(t, after.stamps, 2, "none of the 20 s in which it came")
	require.True(t, after.stamps[0].After(before.stamps[179]))
	require.Len(t, of(vm.Reference(), 300).stamps, 288, "the vCenter's own history goes with the VM")

	_, err = methods.MigrateVM_Task(t.Context(), c, &types.MigrateVM_Task{
		This: vm.Reference(), Host: new(from.Reference()), Priority: types.VirtualMachineMovePriorityDefaultPriority,
	})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return of(vm.Reference(), perf.Interval) == nil }, 30*time.Second, 5*time.Millisecond)
	clock.forward(40 * time.Second)
	require.Len(t, of(vm.Reference(), perf.Interval).stamps, 1)
	ofVM{t, vm}.turns(false)
	require.Nil(t, of(vm.Reference(), perf.Interval))
}

func TestRefusal25TooManyMetrics(t *testing.T) {
	proof.NotRaced(t)
	c := workshop(t)
	m := object.NewOptionManager(c, *c.ServiceContent.Setting)
	limit, err := m.Query(t.Context(), "config.vpxd.stats.maxQueryMetrics")
	require.NoError(t, err)
	require.Equal(t, "64", limit[0].GetOptionValue().Value)

	s := newStatistics(t, c)
	ask := func(n int, interval int32) error {
		vm := vmNamed(t, c, "web-03").Reference()
		specs := make([]types.PerfQuerySpec, n)
		for i := range specs {
			specs[i] = s.spec(vm, interval, "cpu.usage.average")
			specs[i].MaxSample = 1
		}
		_, err := s.query(specs...)
		return err
	}
	require.NoError(t, ask(64, 300))
	err = ask(65, 300)
	require.Equal(t, "querySpec.size", requireFault[*types.InvalidArgument](t, err).InvalidProperty)
	require.ErrorContains(t, err, "vpxd.stats.maxQueryMetrics")
	require.NoError(t, ask(65, perf.Interval), "real-time queries go to the hosts")
	require.NoError(t, m.Update(t.Context(), set("config.vpxd.stats.maxQueryMetrics", "-1")))
	require.NoError(t, ask(65, 300))
	require.NoError(t, m.Update(t.Context(), set("config.vpxd.stats.maxQueryMetrics", "64")))
}

func TestRefusal26SamplesAsAHostHasThem(t *testing.T) {
	f := common(t)
	c := login(t, f)
	s := newStatistics(t, c)
	host := hostNamed(t, c, "host06")
	spec := s.spec(host.Reference(), perf.Interval, "cpu.usagemhz.average", "mem.swapinRate.average", "net.droppedRx.summation|*")
	got := s.of(spec)
	require.Equal(t, got, s.of(spec), "the same as before")
	require.Len(t, got.series, 3+len(f.vcenter().built.hosts["host06.demo.local"].Cards()))
	s.requireCSV(spec, got)

	require.Len(t, got.stamps, 180)
	require.Equal(t, noon().Truncate(20*time.Second), got.stamps[179])
	for i := range got.stamps[1:] {
		require.Equal(t, 20*time.Second, got.stamps[i+1].Sub(got.stamps[i]), "oldest first")
	}
	require.Equal(t, make([]int64, 180), got.series["mem.swapinRate.average|"], "zeros are there")

	sum := make([]int64, 180)
	for _, ref := range hostProperties(t, host, "vm").Vm {
		vm := s.of(s.spec(ref, perf.Interval, "cpu.usagemhz.average"))
		if vm == nil {
			state, err := object.NewVirtualMachine(c, ref).PowerState(t.Context())
			require.NoError(t, err)
			require.Equal(t, types.VirtualMachinePowerStatePoweredOff, state)
			continue
		}
		for i, v := range vm.series["cpu.usagemhz.average|"] {
			if sum[i] += v; v == perf.NoSample {
				sum[i] = math.MinInt64 / 2
			}
		}
	}
	for i, v := range got.series["cpu.usagemhz.average|"] {
		if v == perf.NoSample || sum[i] < 0 {
			continue // an unknown user has none
		}
		require.Greater(t, v, sum[i])
		require.LessOrEqual(t, v-sum[i], int64(32*2600*30/1000), "the host's own share, its NICs among it")
	}

	waits := s.of(s.spec(vmNamed(t, c, "db-sql-01").Reference(), perf.Interval, "cpu.costop.summation")).series["cpu.costop.summation|"]
	require.Contains(t, waits, int64(0))
	require.NotEqual(t, make([]int64, 180), waits, "zeros among others")

	spec.MetricId = []types.PerfMetricId{{CounterId: 601}}
	_, err := s.query(spec)
	requireFault[*types.InvalidArgument](t, err)
	spec.Entity = missing
	_, err = s.query(spec)
	requireFault[*types.ManagedObjectNotFound](t, err)
}

var trialClock = newMovable()

// trials are fleets whose hosts crash. Tests that share one use hosts of their own.
var trials = changedFleets{start: func() (*Fleet, error) {
	return Start(Config{Now: trialClock.now, Scenarios: []string{sceneConfigProfile}, VCenterOnly: true})
}}

func trial(t *testing.T) (*Fleet, *vim25.Client) {
	t.Helper()
	f := trials.of(t)
	return f, login(t, f)
}

func TestRefusal27LostInACrash(t *testing.T) {
	t.Parallel()
	clock := trialClock
	f, c := trial(t)
	h, other := hostNamed(t, c, "host01"), hostNamed(t, c, "host02")
	modules := modulesOf(t, h)
	require.NoError(t, optionsOf(t, h).Update(t.Context(), set(world.NUMAIO, int64(7))))
	require.NoError(t, setModule(t, c, modules, "tcpip4", "old=1"))
	clock.forward(time.Hour)
	const password = "Security.PasswordMaxDays"
	require.NoError(t, optionsOf(t, h).Update(t.Context(), set(password, int64(90))))
	require.NoError(t, optionsOf(t, h).Update(t.Context(), set(world.NUMAIO, int64(8))))
	require.NoError(t, optionsOf(t, h).Update(t.Context(), set(world.NUMAIO, int64(9))))
	require.NoError(t, optionsOf(t, other).Update(t.Context(), set(world.NUMAIO, int64(9))))
	require.NoError(t, setModule(t, c, modules, "tcpip4", "new=1"))
	power := hostProperties(t, h, "config.powerSystemInfo").Config.PowerSystemInfo.CurrentPolicy
	require.NoError(t, setPower(t, h, esxi.PolicyLow))
	clock.forward(59 * time.Minute)

	require.NoError(t, f.CrashHost("host01"))
	requireOption(t, h, world.NUMAIO, int64(7))
	requireOption(t, h, password, int64(99_999))
	requirePower(t, h, power.ShortName, esxi.PolicyWord(power.Key))
	options, err := moduleOption(t, c, modules, "tcpip4")
	require.NoError(t, err)
	require.Equal(t, "old=1", options)
	require.Equal(t, "old=1", f.vcenter().built.hosts["host01.demo.local"].Modules["tcpip4"].Running)
	require.Equal(t, clock.now(), *hostProperties(t, h, "runtime").Runtime.BootTime)
	requireOption(t, other, world.NUMAIO, int64(9))
	s := newStatistics(t, c)
	require.Nil(t, s.of(s.spec(h.Reference(), perf.Interval, "cpu.usage.average")))

	require.NoError(t, optionsOf(t, h).Update(t.Context(), set(world.NUMAIO, int64(10))))
	clock.forward(time.Hour)
	require.NoError(t, f.CrashHost("host01.demo.local"))
	requireOption(t, h, world.NUMAIO, int64(10))
}

func TestRefusal28TheProfileTakesBack(t *testing.T) {
	t.Parallel()
	f, c := trial(t)
	owned, free := hostNamed(t, c, "host06"), hostNamed(t, c, "host03")
	before := hostProperties(t, owned, "config.option").Config.Option
	for _, h := range []*object.HostSystem{owned, free} {
		require.NoError(t, optionsOf(t, h).Update(t.Context(), set(world.NUMAIO, int64(17))))
	}
	require.NoError(t, optionsOf(t, owned).Update(t.Context(), set(esxi.PowerOption, "Low Power")))
	requireOption(t, owned, world.NUMAIO, int64(17))
	remediate(t, f, profileCluster)
	require.Equal(t, before, hostProperties(t, owned, "config.option").Config.Option)
	requireOption(t, free, world.NUMAIO, int64(17))
}

func TestRefusal29PathPoliciesStay(t *testing.T) {
	t.Parallel()
	f, c := trial(t)
	h, other := hostNamed(t, c, "host07"), hostNamed(t, c, "host08")
	system := *hostProperties(t, h, "configManager.storageSystem").ConfigManager.StorageSystem
	change := func(lun, policy string) error {
		_, err := methods.SetMultipathLunPolicy(t.Context(), c, &types.SetMultipathLunPolicy{
			This: system, LunId: lun, Policy: &types.HostMultipathInfoLogicalUnitPolicy{Policy: policy},
		})
		return err
	}
	policies := func(h *object.HostSystem) map[string]string {
		all := map[string]string{}
		m := hostProperties(t, h, "config.storageDevice", "configManager.storageSystem")
		var s mo.HostStorageSystem
		require.NoError(t, h.Properties(t.Context(), *m.ConfigManager.StorageSystem, []string{"storageDeviceInfo"}, &s))
		require.Equal(t, m.Config.StorageDevice.MultipathInfo, s.StorageDeviceInfo.MultipathInfo, "in step")
		for _, lun := range m.Config.StorageDevice.MultipathInfo.Lun[1:] { // the first is the host's own
			all[lun.Id] = lun.Policy.GetHostMultipathInfoLogicalUnitPolicy().Policy
		}
		return all
	}
	before := policies(h)
	require.Equal(t, map[string]string{sanDisk: pathRoundRobin, flashDisk: pathRoundRobin, oldDisk: pathRecent}, before)
	requireFault[*types.NotFound](t, change("naa.0", pathFixed))
	requireFault[*types.InvalidArgument](t, change(sanDisk, "VMW_PSP_FAST"))
	requireFault[*types.InvalidArgument](t, change(sanDisk, ""))
	require.Equal(t, before, policies(h))

	require.NoError(t, change(sanDisk, pathFixed))
	require.NoError(t, f.CrashHost("host07"))
	after := policies(h)
	require.Equal(t, pathFixed, after[sanDisk])
	after[sanDisk] = pathRoundRobin
	require.Equal(t, before, after, "the other devices are as they were")
	require.Equal(t, before, policies(other))
}

func TestRefusal30CountersOfEachEndpoint(t *testing.T) {
	f := common(t)
	var names []string
	ids := map[string][]int32{}
	for _, e := range f.Endpoints() {
		c := loginTo(t, f, e.Name)
		s := newStatistics(t, c)
		if names == nil {
			names = slices.Sorted(maps.Keys(s.ids))
		}
		require.Equal(t, names, slices.Sorted(maps.Keys(s.ids)))
		for _, name := range names {
			ids[e.Name] = append(ids[e.Name], s.id(name))
		}
		host := retrieve[mo.HostSystem](t, c, "HostSystem", "name")[0].Self
		got := s.of(s.spec(host, perf.Interval, "sys.resourceCpuUsage.average|*"))
		for _, name := range []string{"host/system/kernel", `host/iofilters/"cache" & Co, Ltd <1>`} {
			require.Contains(t, got.series, "sys.resourceCpuUsage.average|"+name)
		}
	}
	require.Len(t, ids, 4)
	require.NotEqual(t, ids[vcenterSite], ids["esxi-a"])
	require.NotEqual(t, ids["esxi-a"], ids["esxi-b"])
}

func TestRefusalFleetFitsItsHosts(t *testing.T) {
	type sum struct{ mhz, mb int64 }
	reserved := map[string]sum{}
	all := untouched(t)
	for _, vm := range all.vms {
		if vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn {
			s := reserved[vm.Runtime.Host.Value]
			s.mhz += *vm.Config.CpuAllocation.Reservation
			s.mb += *vm.Config.MemoryAllocation.Reservation
			reserved[vm.Runtime.Host.Value] = s
		}
	}
	for name, h := range all.hosts {
		s := reserved[h.Self.Value]
		require.LessOrEqual(t, s.mhz, int64(h.Summary.Hardware.CpuMhz)*int64(h.Hardware.CpuInfo.NumCpuCores), name)
		require.LessOrEqual(t, s.mb, h.Hardware.MemorySize>>20, name)
	}
}
