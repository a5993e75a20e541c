package vmfacts

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

func fillDisks(p *property.Props, v *vm) {
	v.Disks = property.Read(p, PathDevices, asDisks, property.DefaultTo([]*inventory.VDisk{}))
}

func asDisks(v any) ([]*inventory.VDisk, bool) {
	list, ok := property.As[types.ArrayOfVirtualDevice](v)
	all := controllers(list.VirtualDevice)
	disks := []*inventory.VDisk{}
	for _, d := range list.VirtualDevice {
		if disk, isDisk := d.(*types.VirtualDisk); isDisk {
			disks = append(disks, vdisk(disk, all))
		}
	}
	slices.SortFunc(disks, func(a, b *inventory.VDisk) int { return cmp.Compare(a.Key, b.Key) })
	return disks, ok
}

// vdisk converts a disk. A disk without an allocation, or without a limit in it, is unlimited; one without a cache setting has
// none.
func vdisk(d *types.VirtualDisk, all map[int32]controller) *inventory.VDisk {
	disk := &inventory.VDisk{
		Key: d.Key, Label: cmp.Or(label(d.VirtualDevice), fmt.Sprintf("disk %d", d.Key)),
		IOPSLimit:     inventory.Known(int64(inventory.NoLimit)),
		ControllerKey: inventory.Known(int64(d.ControllerKey)),
		CapacityMB:    inventory.Known(cmp.Or(d.CapacityInBytes>>20, d.CapacityInKB>>10)),
		FlashCacheMB:  inventory.Known(int64(0)),
	}
	if a := d.StorageIOAllocation; a != nil && a.Limit != nil {
		disk.IOPSLimit = inventory.Known(*a.Limit)
	}
	if c := d.VFlashCacheConfigInfo; c != nil {
		disk.FlashCacheMB = inventory.Known(c.ReservationInMB)
	}
	plug(disk, d, all)
	back(disk, d.Backing)
	return disk
}

// controller is a controller of disks.
type controller struct {
	kind string
	bus  int32
	// sharing is whether VMs share the bus; absent for controllers without bus sharing.
	sharing inventory.Fact[string]
}

// plug sets the disk's controller and address.
func plug(disk *inventory.VDisk, d *types.VirtualDisk, all map[int32]controller) {
	c, listed := all[d.ControllerKey]
	if !listed {
		missing := fmt.Sprintf("the server lists no controller %d, to which %s is connected", d.ControllerKey, session.Plain(disk.Label))
		disk.Controller, disk.Address, disk.BusSharing = inventory.Unread[string](missing), inventory.Unread[string](missing), inventory.Unread[string](missing)
		return
	}
	disk.Controller, disk.BusSharing = inventory.Known(c.kind), c.sharing
	switch family := addressOf[c.kind]; {
	case family == "":
		disk.Address = inventory.Unread[string]("hosts have no known name for disks of such a controller")
	case d.UnitNumber == nil:
		disk.Address = inventory.Unread[string]("the server does not report which unit of its controller it is")
	default:
		disk.Address = inventory.Known(fmt.Sprintf("%s%d:%d", family, c.bus, *d.UnitNumber))
	}
}

// addressOf maps kinds of controllers to the prefix of a disk's address, before bus and unit: scsi0:1.
var addressOf = map[string]string{
	inventory.ControllerPVSCSI: "scsi", inventory.ControllerLSISAS: "scsi", inventory.ControllerLSI: "scsi",
	inventory.ControllerBusLogic: "scsi", inventory.ControllerIDE: "ide", inventory.ControllerSATA: "sata",
	inventory.ControllerNVMe: "nvme",
}

// controllers returns the VM's controllers by key.
func controllers(devices []types.BaseVirtualDevice) map[int32]controller {
	all := map[int32]controller{}
	for _, d := range devices {
		if c, ok := d.(types.BaseVirtualController); ok {
			of := c.GetVirtualController()
			all[of.Key] = controller{controllerKind(c), of.BusNumber, busSharing(c)}
		}
	}
	return all
}

func busSharing(c types.BaseVirtualController) inventory.Fact[string] {
	scsi, ok := c.(types.BaseVirtualSCSIController)
	if !ok {
		return inventory.Absent[string]()
	}
	return property.ReportedText(scsi.GetVirtualSCSIController().SharedBus, "whether virtual machines share the controller's bus")
}

// controllerKind compares exact types, because govmomi's controllers embed those of their family.
func controllerKind(c types.BaseVirtualController) string {
	switch c.(type) {
	case *types.ParaVirtualSCSIController:
		return inventory.ControllerPVSCSI
	case *types.VirtualLsiLogicSASController:
		return inventory.ControllerLSISAS
	case *types.VirtualLsiLogicController:
		return inventory.ControllerLSI
	case *types.VirtualBusLogicController:
		return inventory.ControllerBusLogic
	case *types.VirtualIDEController:
		return inventory.ControllerIDE
	case *types.VirtualAHCIController, *types.VirtualSATAController:
		return inventory.ControllerSATA
	case *types.VirtualNVMEController:
		return inventory.ControllerNVMe
	}
	return inventory.ControllerOther
}
