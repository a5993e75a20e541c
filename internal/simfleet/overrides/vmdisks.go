package overrides

import (
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// leastIOPS is the smallest valid limit of a disk.
const leastIOPS = 16

// diskAt finds a disk of the VM by its key, and returns its index among the devices, or -1.
func (c *vmChange) diskAt(key int32) (at int, disk *types.VirtualDisk) {
	for i, d := range c.vm.Config.Hardware.Device {
		if disk, ok := d.(*types.VirtualDisk); ok && disk.Key == key {
			return i, disk
		}
	}
	return -1, nil
}

// edited returns the disk that a change edits, or nil.
func edited(change types.BaseVirtualDeviceConfigSpec) *types.VirtualDisk {
	spec := change.GetVirtualDeviceConfigSpec()
	disk, ok := spec.Device.(*types.VirtualDisk)
	if !ok || spec.Operation != types.VirtualDeviceConfigSpecOperationEdit {
		return nil
	}
	return disk
}

// checkDisks refuses edits of missing disks, and invalid limits.
func (c *vmChange) checkDisks() types.BaseMethodFault {
	for i, change := range c.spec.DeviceChange {
		disk := edited(change)
		if disk == nil {
			continue
		}
		if at, _ := c.diskAt(disk.Key); at < 0 {
			return &types.InvalidDeviceSpec{DeviceIndex: int32(i)}
		}
		if io := disk.StorageIOAllocation; io != nil && io.Limit != nil && *io.Limit != world.NoLimit && *io.Limit < leastIOPS {
			return &types.InvalidArgument{InvalidProperty: "spec.deviceChange.device.storageIOAllocation.limit"}
		}
	}
	return nil
}

// editDisks applies edits of disks that do not change their files.
//
// govmomi v0.56.0 simulator: it writes files for them, and moves the disk behind all other devices.
func (c *vmChange) editDisks(config *types.VirtualMachineConfigInfo) {
	devices := slices.Clone(config.Hardware.Device) // the old ones may be in use for an answer
	var left []types.BaseVirtualDeviceConfigSpec
	for _, change := range c.spec.DeviceChange {
		disk := edited(change)
		if disk == nil {
			left = append(left, change)
			continue
		}
		at, old := c.diskAt(disk.Key)
		if sizeOf(disk) != sizeOf(old) || fileOf(disk) != fileOf(old) {
			left = append(left, change)
			continue
		}
		devices[at] = changed(old, disk)
	}
	if len(left) == len(c.spec.DeviceChange) {
		return
	}
	c.spec.DeviceChange = left
	config.Hardware.Device = devices
	c.ctx.Update(c.vm, []types.PropertyChange{{Name: "config.hardware.device", Val: devices}})
}

// changed returns the disk as sent; parts of its I/O allocation that were not sent keep their values.
func changed(old, sent *types.VirtualDisk) *types.VirtualDisk {
	disk := *sent
	disk.DeviceInfo = old.DeviceInfo
	if old.StorageIOAllocation != nil {
		all := *old.StorageIOAllocation
		if disk.StorageIOAllocation != nil {
			all = world.Overlay(all, *disk.StorageIOAllocation)
		}
		disk.StorageIOAllocation = &all
	}
	return &disk
}

// sizeOf returns a disk's size in kB; the size in bytes may be omitted.
func sizeOf(d *types.VirtualDisk) int64 { return max(d.CapacityInKB, d.CapacityInBytes>>10) }

func fileOf(d *types.VirtualDisk) string {
	if b, ok := d.Backing.(types.BaseVirtualDeviceFileBackingInfo); ok {
		return b.GetVirtualDeviceFileBackingInfo().FileName
	}
	return ""
}
