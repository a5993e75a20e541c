package vsphere

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

func fillDisks(p *props, v *vm) {
	v.Disks = read(p, pathDevices, asDisks, means([]*inventory.VDisk{}))
}

func asDisks(v any) ([]*inventory.VDisk, bool) {
	list, ok := asIs[types.ArrayOfVirtualDevice](v)
	kinds := controllers(list.VirtualDevice)
	disks := []*inventory.VDisk{}
	for _, d := range list.VirtualDevice {
		if disk, isDisk := d.(*types.VirtualDisk); isDisk {
			disks = append(disks, vdisk(disk, kinds))
		}
	}
	slices.SortFunc(disks, func(a, b *inventory.VDisk) int { return cmp.Compare(a.Key, b.Key) })
	return disks, ok
}

// vdisk: a disk without an allocation, or without a limit in it, is not limited; one without a cache has none.
func vdisk(d *types.VirtualDisk, kinds map[int32]string) *inventory.VDisk {
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
	disk.Controller = inventory.Unread[string](fmt.Sprintf("the server lists no controller %d, which %s hangs off", d.ControllerKey, plain(disk.Label)))
	if kind, ok := kinds[d.ControllerKey]; ok {
		disk.Controller = inventory.Known(kind)
	}
	back(disk, d.Backing)
	return disk
}

// controllers are the kinds of the VM's controllers by key.
func controllers(devices []types.BaseVirtualDevice) map[int32]string {
	kinds := map[int32]string{}
	for _, d := range devices {
		if c, ok := d.(types.BaseVirtualController); ok {
			kinds[c.GetVirtualController().Key] = controllerKind(c)
		}
	}
	return kinds
}

// controllerKind goes by the very type: controllers embed their family's in govmomi.
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
