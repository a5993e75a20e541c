package vmfacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// back sets the file or device behind a disk. Only a flat file can be thick or thin, and zeroed or not.
func back(disk *inventory.VDisk, backing types.BaseVirtualDeviceBackingInfo) {
	disk.Thin, disk.EagerZeroed = inventory.Absent[bool](), inventory.Absent[bool]()
	disk.DeltaFormat, disk.LUNUUID = inventory.Known(""), inventory.Absent[string]()
	kind := "other"
	switch b := backing.(type) {
	case *types.VirtualDiskFlatVer2BackingInfo:
		kind = "flat"
		disk.Thin = property.Reported(b.ThinProvisioned, "whether "+session.Plain(disk.Label)+" is thin")
		disk.EagerZeroed = eager(disk, b)
		disk.DeltaFormat = delta(disk, b.Parent != nil, b.DeltaDiskFormat)
	case *types.VirtualDiskFlatVer1BackingInfo:
		kind = "flat"
	case *types.VirtualDiskSeSparseBackingInfo:
		kind = "sesparse"
		disk.DeltaFormat = delta(disk, b.Parent != nil, b.DeltaDiskFormat)
	case *types.VirtualDiskSparseVer1BackingInfo, *types.VirtualDiskSparseVer2BackingInfo:
		kind = "sparse"
	case *types.VirtualDiskRawDiskMappingVer1BackingInfo:
		kind = "rdm"
		disk.LUNUUID = property.ReportedText(b.LunUuid, "which disk "+session.Plain(disk.Label)+" maps")
		disk.DeltaFormat = delta(disk, b.Parent != nil, b.DeltaDiskFormat)
	case *types.VirtualDiskRawDiskVer2BackingInfo, *types.VirtualDiskPartitionedRawDiskVer2BackingInfo:
		kind = "rdm"
	}
	disk.Backing = inventory.Known(kind)
	disk.DatastoreID = storeOf(disk, backing)
}

// eager returns whether a disk is eagerly zeroed. A thin disk is zeroed as it grows; for a thick one servers may omit how it was
// created.
func eager(disk *inventory.VDisk, b *types.VirtualDiskFlatVer2BackingInfo) inventory.Fact[bool] {
	if b.EagerlyScrub == nil && b.ThinProvisioned != nil && *b.ThinProvisioned {
		return inventory.Known(false)
	}
	return property.Reported(b.EagerlyScrub, "whether "+session.Plain(disk.Label)+" was zeroed when it was made")
}

// delta returns the format of a disk with a parent; the server may report one for a disk without a parent, too.
func delta(disk *inventory.VDisk, isDelta bool, format string) inventory.Fact[string] {
	if !isDelta {
		return inventory.Known("")
	}
	return property.ReportedText(format, "in which format "+session.Plain(disk.Label)+" keeps its changes")
}

// storeOf returns the datastore of the disk's file; a raw device has none.
func storeOf(disk *inventory.VDisk, backing types.BaseVirtualDeviceBackingInfo) inventory.Fact[string] {
	file, isFile := backing.(types.BaseVirtualDeviceFileBackingInfo)
	if !isFile {
		return inventory.Absent[string]()
	}
	if store := file.GetVirtualDeviceFileBackingInfo().Datastore; store != nil {
		return inventory.Known(store.Value)
	}
	return inventory.Unread[string]("the server does not report the datastore of " + session.Plain(disk.Label))
}
