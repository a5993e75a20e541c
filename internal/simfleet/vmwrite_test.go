package simfleet

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/overrides"
)

func affinityOf(n ...int32) *types.VirtualMachineAffinityInfo {
	return &types.VirtualMachineAffinityInfo{AffinitySet: append([]int32{}, n...)}
}

func TestFlagsThatAreNotSentStay(t *testing.T) {
	vm := changing(t, "case-4711")
	before := vm.config().Flags
	require.Equal(t, "debug", before.MonitorType)
	after := vm.takes(types.VirtualMachineConfigSpec{Flags: &types.VirtualMachineFlagInfo{MonitorType: "release"}}).Flags
	before.MonitorType = "release"
	require.Equal(t, before, after)
	after = vm.takes(types.VirtualMachineConfigSpec{Flags: &types.VirtualMachineFlagInfo{EnableLogging: new(true), HtSharing: "none"}}).Flags
	before.EnableLogging, before.HtSharing = new(true), "none"
	require.Equal(t, before, after)
	after = vm.takes(types.VirtualMachineConfigSpec{Flags: &types.VirtualMachineFlagInfo{EnableLogging: new(false)}}).Flags
	require.False(t, *after.EnableLogging, "false is a value")

	for _, f := range []types.VirtualMachineFlagInfo{
		{MonitorType: "fast"}, {HtSharing: "some"}, {VirtualExecUsage: "x"}, {VirtualMmuUsage: "x"},
	} {
		vm.refuses(types.VirtualMachineConfigSpec{Flags: &f}, &types.InvalidArgument{})
	}
}

func TestEngineOnlyWhileOff(t *testing.T) {
	vm := changing(t, "app-next-01")
	exec := types.VirtualMachineConfigSpec{Flags: &types.VirtualMachineFlagInfo{VirtualExecUsage: "hvOn"}}
	mmu := types.VirtualMachineConfigSpec{Flags: &types.VirtualMachineFlagInfo{VirtualMmuUsage: "off"}}
	vm.refuses(exec, &types.InvalidPowerState{})
	vm.refuses(mmu, &types.InvalidPowerState{})
	vm.takes(types.VirtualMachineConfigSpec{Flags: &types.VirtualMachineFlagInfo{VirtualExecUsage: overrides.ExecAuto, VirtualMmuUsage: overrides.MmuAuto}}) // unchanged
	vm.turns(false)
	vm.takes(exec)
	flags := vm.takes(mmu).Flags
	require.Equal(t, "hvOn", flags.VirtualExecUsage)
	require.Equal(t, "off", flags.VirtualMmuUsage)
}

func TestAffinityComesAndGoes(t *testing.T) {
	pinned, bound := changing(t, "feed-pin-02"), changing(t, "app-prefer-01")
	require.Equal(t, []int32{4, 5}, pinned.config().CpuAffinity.AffinitySet)
	require.Nil(t, pinned.takes(types.VirtualMachineConfigSpec{CpuAffinity: affinityOf()}).CpuAffinity)
	require.Equal(t, []int32{0, 55}, pinned.takes(types.VirtualMachineConfigSpec{CpuAffinity: affinityOf(0, 55)}).CpuAffinity.AffinitySet)
	pinned.refuses(types.VirtualMachineConfigSpec{CpuAffinity: affinityOf(0, 56)}, &types.InvalidArgument{})

	require.Equal(t, []int32{1}, bound.config().MemoryAffinity.AffinitySet)
	require.Nil(t, bound.takes(types.VirtualMachineConfigSpec{MemoryAffinity: affinityOf()}).MemoryAffinity)
	bound.refuses(types.VirtualMachineConfigSpec{MemoryAffinity: affinityOf(2)}, &types.InvalidArgument{})
	require.Equal(t, []int32{1}, bound.takes(types.VirtualMachineConfigSpec{MemoryAffinity: affinityOf(1)}).MemoryAffinity.AffinitySet)
}

// diskOf returns a disk of the VM by its label.
func (o ofVM) diskOf(label string) *types.VirtualDisk {
	o.t.Helper()
	for _, d := range o.config().Hardware.Device {
		if disk, ok := d.(*types.VirtualDisk); ok && disk.DeviceInfo.GetDescription().Label == label {
			return disk
		}
	}
	o.t.Fatalf("no %s", label)
	return nil
}

func edit(d types.BaseVirtualDevice) types.VirtualMachineConfigSpec {
	return types.VirtualMachineConfigSpec{DeviceChange: []types.BaseVirtualDeviceConfigSpec{
		&types.VirtualDeviceConfigSpec{Operation: types.VirtualDeviceConfigSpecOperationEdit, Device: d},
	}}
}

func TestLimitOfADisk(t *testing.T) {
	vm := changing(t, "db-pg-01")
	before := vm.config().Hardware.Device
	disk := vm.diskOf("Hard disk 2")
	require.EqualValues(t, 500, *disk.StorageIOAllocation.Limit)
	*disk.StorageIOAllocation.Limit = noLimit
	after := vm.takes(edit(disk)).Hardware.Device
	require.EqualValues(t, noLimit, *vm.diskOf("Hard disk 2").StorageIOAllocation.Limit)
	*disk.StorageIOAllocation.Limit = 500
	require.Equal(t, before, vm.takes(edit(disk)).Hardware.Device, "nothing else changes, nor the order")
	require.Len(t, after, len(before))

	shares := disk.StorageIOAllocation.Shares
	disk.StorageIOAllocation = &types.StorageIOAllocationInfo{Limit: new(int64(700))}
	vm.takes(edit(disk))
	require.Equal(t, shares, vm.diskOf("Hard disk 2").StorageIOAllocation.Shares, "fields that are not sent are kept")
	require.EqualValues(t, 700, *vm.diskOf("Hard disk 2").StorageIOAllocation.Limit)

	disk.StorageIOAllocation.Limit = new(int64(15))
	vm.refuses(edit(disk), &types.InvalidArgument{})
	disk.StorageIOAllocation.Limit = new(int64(16))
	disk.Key = 2099
	spec := edit(disk)
	spec.Annotation = "half"
	vm.refuses(spec, &types.InvalidDeviceSpec{})
}

// A disk with parents can have a limit, too.
func TestLimitOfADelta(t *testing.T) {
	vm := changing(t, "vdi-clone-01")
	for _, label := range []string{"Hard disk 1", "Hard disk 2"} {
		disk := vm.diskOf(label)
		disk.StorageIOAllocation = &types.StorageIOAllocationInfo{Limit: new(int64(1000))}
		vm.takes(edit(disk))
		require.EqualValues(t, 1000, *vm.diskOf(label).StorageIOAllocation.Limit)
	}
}

func TestSettingsOfOneSpec(t *testing.T) {
	vm := changing(t, "app-guest-01")
	config := vm.takes(types.VirtualMachineConfigSpec{
		LatencySensitivity: &types.LatencySensitivity{Level: high}, MemoryReservationLockedToMax: new(true),
		CpuAllocation: &types.ResourceAllocationInfo{Reservation: new(int64(2600))},
	})
	require.Equal(t, high, config.LatencySensitivity.Level)
	require.True(t, *config.MemoryReservationLockedToMax)
	require.EqualValues(t, 2600, *config.CpuAllocation.Reservation)
	require.EqualValues(t, twoGB, *config.MemoryAllocation.Reservation)
	summary := vmProperties(t, vm.vm, "summary.config").Summary.Config
	require.EqualValues(t, 2600, summary.CpuReservation)
	require.EqualValues(t, twoGB, summary.MemoryReservation)
	vm.refuses(types.VirtualMachineConfigSpec{LatencySensitivity: &types.LatencySensitivity{Level: "great"}}, &types.InvalidArgument{})
	vm.refuses(types.VirtualMachineConfigSpec{
		MemoryAllocation: &types.ResourceAllocationInfo{Limit: new(int64(1024))},
	}, &types.InvalidArgument{})
	config = vm.takes(types.VirtualMachineConfigSpec{
		LatencySensitivity: &types.LatencySensitivity{Level: normal}, MemoryReservationLockedToMax: new(false),
		CpuAllocation:    &types.ResourceAllocationInfo{Reservation: new(int64(0))},
		MemoryAllocation: &types.ResourceAllocationInfo{Reservation: new(int64(0))},
	})
	require.False(t, *config.MemoryReservationLockedToMax)
	require.Zero(t, *config.CpuAllocation.Reservation)
	require.Zero(t, *config.MemoryAllocation.Reservation)
}

func TestWholeSocketsOnly(t *testing.T) {
	vm := changing(t, "hpc-cfd-03")
	vm.turns(false)
	vm.refuses(types.VirtualMachineConfigSpec{NumCPUs: 12}, &types.InvalidArgument{})
	vm.refuses(types.VirtualMachineConfigSpec{NumCPUs: -8}, &types.InvalidArgument{})
	require.EqualValues(t, 8, vm.takes(types.VirtualMachineConfigSpec{NumCPUs: 8}).Hardware.NumCPU)
	config := vm.takes(types.VirtualMachineConfigSpec{NumCPUs: 12, NumCoresPerSocket: new(int32(6)), MemoryHotAddEnabled: new(true)})
	require.EqualValues(t, 6, *config.Hardware.NumCoresPerSocket)
	require.True(t, *config.MemoryHotAddEnabled)
}

// Virtual NUMA: 0 leaves the choice to ESXi, and a number sets it.
func TestCoresPerNumaNode(t *testing.T) {
	vm := changing(t, "app-clean-01")
	vm.turns(false)
	numa := func(cores int32) types.VirtualMachineConfigSpec {
		return types.VirtualMachineConfigSpec{VirtualNuma: &types.VirtualMachineVirtualNuma{CoresPerNumaNode: new(cores)}}
	}
	require.True(t, *vm.config().NumaInfo.AutoCoresPerNumaNode)
	info := vm.takes(numa(2)).NumaInfo
	require.False(t, *info.AutoCoresPerNumaNode)
	require.EqualValues(t, 2, *info.CoresPerNumaNode)
	info = vm.takes(numa(0)).NumaInfo
	require.True(t, *info.AutoCoresPerNumaNode)
	require.NotNil(t, info.VnumaOnCpuHotaddExposed)
}

func vmProperties(t *testing.T, vm *object.VirtualMachine, paths ...string) (m mo.VirtualMachine) {
	t.Helper()
	require.NoError(t, vm.Properties(t.Context(), vm.Reference(), paths, &m))
	return m
}
