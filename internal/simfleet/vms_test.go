package simfleet

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

func TestVMs(t *testing.T) {
	all := untouched(t)
	vms := all.vms
	hostOf := map[string]string{}
	for _, h := range all.hosts {
		hostOf[h.Self.Value] = h.Name
	}
	for _, row := range vmTable {
		vm := vms[row.Name]
		require.NotNil(t, vm.Config, row.Name)
		require.Equal(t, row.Host+fleetdata.Domain, hostOf[vm.Runtime.Host.Value])
		require.Equal(t, row.VCPUs, vm.Config.Hardware.NumCPU)
		require.Equal(t, row.VCPUs, vm.Summary.Config.NumCpu)
		require.Equal(t, row.Template, vm.Config.Template)
		require.Equal(t, row.Template, vm.ResourcePool == nil)
		require.Equal(t, row.Off, vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOff)
		require.Equal(t, row.Consolidate, vm.Runtime.ConsolidationNeeded)
		require.Equal(t, row.Latency == "", vm.Config.LatencySensitivity == nil)
		for _, a := range []*types.ResourceAllocationInfo{vm.Config.CpuAllocation, vm.Config.MemoryAllocation} {
			require.NotNil(t, a.Reservation)
			require.NotNil(t, a.Limit)
			require.NotNil(t, a.Shares)
		}
		require.Contains(t, vmx(vm), "numa.autosize.vcpu.maxPerVirtualNode")
		require.NotEmpty(t, vm.Guest.GuestId)
	}
}

func TestReservations(t *testing.T) {
	vms := untouched(t).vms
	for name, want := range map[string]struct {
		mhz    int64
		memory int64
		locked bool
	}{
		"trade-lat-01": {0, 0, false},
		"trade-md-01":  {8 * 2600, 0, false},
		"trade-gw-01":  {4 * 2600, 16384, true},
		"trade-gw-02":  {4 * 2594, 16384, true},
		"trade-smt-01": {4 * 2594, 32768, true},
		"web-03":       {0, 0, false},
	} {
		c := vms[name].Config
		require.Equal(t, want.mhz, *c.CpuAllocation.Reservation, name)
		require.Equal(t, want.memory, *c.MemoryAllocation.Reservation, name)
		require.Equal(t, want.locked, c.MemoryReservationLockedToMax != nil && *c.MemoryReservationLockedToMax, name)
	}
	smt := vms["trade-smt-01"].Config
	require.EqualValues(t, 2, smt.Hardware.SimultaneousThreads)
	require.Equal(t, "vmx-20", smt.Version)
	require.EqualValues(t, 10_000, *vms["db-oltp-01"].Config.CpuAllocation.Limit)
	require.EqualValues(t, 4000, *vms["batch-etl-01"].Config.CpuAllocation.Limit)
	require.EqualValues(t, -1, *vms["web-03"].Config.CpuAllocation.Limit)
}

func TestVirtualNICs(t *testing.T) {
	vms := untouched(t).vms
	type nic struct {
		kind, label, features string
		key                   int32
	}
	nicsOf := func(name string) (list []nic) {
		vm := vms[name]
		for _, d := range object.VirtualDeviceList(vm.Config.Hardware.Device).SelectByType((*types.VirtualEthernetCard)(nil)) {
			v := d.GetVirtualDevice()
			n := nic{key: v.Key, label: v.DeviceInfo.GetDescription().Label}
			n.kind = strings.TrimPrefix(reflect.TypeOf(d).Elem().Name(), "Virtual")
			want := "ethernet" + string('0'+v.Key-firstNICKey) + ".pnicfeatures"
			for key, value := range vmx(vm) {
				if strings.EqualFold(key, want) {
					n.features = value
				}
			}
			list = append(list, n)
		}
		return list
	}
	require.Equal(t, []nic{{"Vmxnet3", "Network adapter 1", "4", 4000}}, nicsOf("trade-gw-02"))
	require.Contains(t, vmx(vms["trade-smt-01"]), "ethernet0.pnicfeatures")
	require.Equal(t, "4", nicsOf("trade-smt-01")[0].features)
	require.Equal(t, []nic{{"Vmxnet3", "Network adapter 1", "", 4000}}, nicsOf("feed-rx-01"))
	require.Equal(t, []nic{
		{"Vmxnet3", "Network adapter 1", "4", 4000}, {"Vmxnet3", "Network adapter 2", "1", 4001},
	}, nicsOf("feed-tx-01"))
	require.Equal(t, "E1000", nicsOf("web-01")[0].kind)
	require.Equal(t, "E1000e", nicsOf("web-02")[0].kind)
}

func TestSnapshots(t *testing.T) {
	vms := untouched(t).vms
	chain := func(name string) (taken []time.Time) {
		vm := vms[name]
		if vm.Snapshot == nil {
			return nil
		}
		for list := vm.Snapshot.RootSnapshotList; len(list) > 0; list = list[0].ChildSnapshotList {
			require.Len(t, list, 1)
			taken = append(taken, list[0].CreateTime.UTC())
			require.Equal(t, vm.Self, list[0].Vm)
		}
		return taken
	}
	require.Equal(t, []time.Time{time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)}, chain("web-03"), "counted from the full hour")
	require.Len(t, chain("app-build-01"), 5)
	require.True(t, slices.IsSortedFunc(chain("app-build-01"), time.Time.Compare))
	require.Greater(t, noon().Sub(chain("app-legacy-01")[0]), 100*24*time.Hour)
	require.Nil(t, chain("app-mail-01"))
}

// Readers must drop VMX keys that no rule uses: some VMs have a secret to prove it.
func TestSecretsArePlanted(t *testing.T) {
	vms := untouched(t).vms
	require.Equal(t, planted, vmx(vms["web-02"])["guestinfo.x"])
	require.Equal(t, planted, vmx(vms["app-build-01"])["guestinfo.userdata"])
}

func vmNamed(t *testing.T, c *vim25.Client, name string) *object.VirtualMachine {
	t.Helper()
	vm, err := find.NewFinder(c).VirtualMachine(t.Context(), "/demo/vm/*/"+name)
	require.NoError(t, err)
	return vm
}

func finish(t *testing.T, task *object.Task, err error) {
	t.Helper()
	require.NoError(t, err)
	require.NoError(t, task.Wait(t.Context()))
}

// VMs that were registered as complete objects behave like those that the simulator creates.
func TestVMsCanBeChanged(t *testing.T) {
	t.Parallel()
	c := login(t, start(t, Config{}))
	vm := vmNamed(t, c, "trade-lat-01")
	ctx := t.Context()
	task, err := vm.Reconfigure(ctx, types.VirtualMachineConfigSpec{
		MemoryReservationLockedToMax: new(true), ExtraConfig: set("ethernet0.pnicFeatures", "5"),
	})
	finish(t, task, err)
	task, err = vm.PowerOff(ctx)
	finish(t, task, err)
	task, err = vm.PowerOn(ctx)
	finish(t, task, err)
	task, err = vm.CreateSnapshot(ctx, "test", "", false, false)
	finish(t, task, err)
	task, err = vm.RemoveAllSnapshot(ctx, nil)
	finish(t, task, err)
	var m mo.VirtualMachine
	require.NoError(t, vm.Properties(ctx, vm.Reference(), []string{"config", "snapshot", "runtime"}, &m))
	require.Equal(t, "5", vmx(m)["ethernet0.pnicFeatures"])
	require.Nil(t, m.Snapshot)
	require.Equal(t, types.VirtualMachinePowerStatePoweredOn, m.Runtime.PowerState)

	build := vmNamed(t, c, "app-build-01")
	task, err = build.RemoveSnapshot(ctx, "runner upgrade", false, nil)
	finish(t, task, err)
	task, err = build.RemoveAllSnapshot(ctx, nil)
	finish(t, task, err)
	task, err = vmNamed(t, c, "tmpl-rhel9").Clone(ctx, folderOf(t, c), "copy", types.VirtualMachineCloneSpec{
		Location: types.VirtualMachineRelocateSpec{Pool: poolRef(t, c)},
	})
	finish(t, task, err)
	legacy := vmNamed(t, c, "app-legacy-01")
	task, err = legacy.Destroy(ctx)
	finish(t, task, err)
	require.Len(t, retrieve[mo.VirtualMachine](t, c, "VirtualMachine", "name"), len(vmTable))
}

func folderOf(t *testing.T, c *vim25.Client) *object.Folder {
	t.Helper()
	f, err := find.NewFinder(c).Folder(t.Context(), "/demo/vm/apps")
	require.NoError(t, err)
	return f
}

func poolRef(t *testing.T, c *vim25.Client) *types.ManagedObjectReference {
	t.Helper()
	p, err := find.NewFinder(c).ResourcePool(t.Context(), "/demo/host/general/Resources/web")
	require.NoError(t, err)
	ref := p.Reference()
	return &ref
}
