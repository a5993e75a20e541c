package hostfacts

import (
	"cmp"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

// Properties of a host's disks and of the paths to them.
const (
	pathLUN       = "config.storageDevice.scsiLun"
	PathMultipath = "config.storageDevice.multipathInfo"
)

// readDisks returns the disks in the host's list of devices; its entries for CD drives and enclosures have the same type
// otherwise. An unset list means an empty one.
func readDisks(p *property.Props) inventory.Fact[[]*types.HostScsiDisk] {
	all := property.Read(p, pathLUN, property.As[types.ArrayOfScsiLun], property.DefaultTo(types.ArrayOfScsiLun{}))
	return property.Then(all, func(a types.ArrayOfScsiLun) inventory.Fact[[]*types.HostScsiDisk] {
		var disks []*types.HostScsiDisk
		for _, l := range a.ScsiLun {
			if d, ok := l.(*types.HostScsiDisk); ok {
				disks = append(disks, d)
			}
		}
		return inventory.Known(disks)
	})
}

func fillLUNs(p *property.Props, h *host) {
	h.LUNs = property.Then(readDisks(p), func(disks []*types.HostScsiDisk) inventory.Fact[[]*inventory.LUN] {
		luns := make([]*inventory.LUN, 0, len(disks))
		for _, d := range disks {
			luns = append(luns, lun(d))
		}
		return inventory.Known(luns)
	})
}

// lun converts a disk. Values that a driver or an array does not report are unknown. A queue depth that is not set does not exist
// on the device.
func lun(d *types.HostScsiDisk) *inventory.LUN {
	l := &inventory.LUN{
		Device: cmp.Or(d.CanonicalName, d.DeviceName), QueueDepth: inventory.Absent[int64](),
		Local: yesNo(d.LocalDisk, "the host does not report whether the disk is local"),
		SSD:   yesNo(d.Ssd, "the host does not report whether the disk is flash"),

		MemoryTier: inventory.Known(d.UsedByMemoryTiering != nil && *d.UsedByMemoryTiering),
	}
	l.UUID = trimmed(d.Uuid, "the host does not report the unique id of the disk")
	l.PerenniallyReserved = yesNo(d.PerenniallyReserved, "the host does not report whether the disk is perennially reserved")
	l.Vendor = trimmed(d.Vendor, "the host does not report the vendor of the disk")
	l.Model = trimmed(d.Model, "the host does not report the model of the disk")
	l.HardwareAcceleration = trimmed(d.VStorageSupport, "the host does not report hardware acceleration")
	if d.QueueDepth != 0 {
		l.QueueDepth = inventory.Known(int64(d.QueueDepth))
	}
	return l
}

// trimmed returns a text without padding blanks, or a fact that missing explains.
func trimmed(text, missing string) inventory.Fact[string] {
	if text = strings.TrimSpace(text); text == "" {
		return inventory.Unread[string](missing)
	}
	return inventory.Known(text)
}

func yesNo(b *bool, missing string) inventory.Fact[bool] {
	if b == nil {
		return inventory.Unread[bool](missing)
	}
	return inventory.Known(*b)
}

// eachLUN calls do for each fact and the disk it was made from; both lists have the same order.
func eachLUN(p *property.Props, h *host, do func(*inventory.LUN, *types.HostScsiDisk)) {
	disks, _ := readDisks(p).Value()
	luns, _ := h.LUNs.Value()
	for i, l := range luns {
		do(l, disks[i])
	}
}

// fillPaths finds each disk among the logical units in the host's list of paths.
func fillPaths(p *property.Props, h *host) {
	info := property.Read(p, PathMultipath, property.As[types.HostMultipathInfo], property.UnreadIfUnset[types.HostMultipathInfo]("the host does not report paths"))
	units := property.Then(info, func(i types.HostMultipathInfo) inventory.Fact[map[string]unit] {
		byDisk := make(map[string]unit, len(i.Lun))
		for n := range i.Lun {
			byDisk[i.Lun[n].Lun] = &i.Lun[n]
		}
		return inventory.Known(byDisk)
	})
	eachLUN(p, h, func(l *inventory.LUN, d *types.HostScsiDisk) {
		fillPathsOf(l, property.Then(units, func(byDisk map[string]unit) inventory.Fact[unit] {
			if u := byDisk[d.Key]; u != nil {
				return inventory.Known(u)
			}
			return inventory.Unread[unit]("the host lists no paths of the disk")
		}))
	})
}

type unit = *types.HostMultipathInfoLogicalUnit

// fillPathsOf sets the paths of one disk. A device that the native plug-in (NMP) does not claim, such as an NVMe device, has a
// policy but no array type.
func fillPathsOf(l *inventory.LUN, u inventory.Fact[unit]) {
	l.PathPolicy = property.Then(u, func(u unit) inventory.Fact[string] {
		if u.Policy == nil {
			return inventory.Unread[string]("the host does not report the path policy of the disk")
		}
		return trimmed(u.Policy.GetHostMultipathInfoLogicalUnitPolicy().Policy, "the host does not report the path policy of the disk")
	})
	l.ArrayType = property.Then(u, func(u unit) inventory.Fact[string] {
		if u.StorageArrayTypePolicy == nil {
			return inventory.Absent[string]()
		}
		return inventory.Known(u.StorageArrayTypePolicy.Policy)
	})
	l.Paths = property.Then(u, func(u unit) inventory.Fact[int64] { return inventory.Known(int64(len(u.Path))) })
	l.ActivePaths = property.Then(u, func(u unit) inventory.Fact[int64] { return PathsIn(u, types.MultipathStateActive) })
	l.DeadPaths = property.Then(u, func(u unit) inventory.Fact[int64] { return PathsIn(u, types.MultipathStateDead) })
}

// PathsIn counts paths by the state that the storage system reports; old hosts have only one state field.
func PathsIn(u unit, state types.MultipathState) inventory.Fact[int64] {
	n := int64(0)
	for _, p := range u.Path {
		if cmp.Or(p.State, p.PathState) == string(state) {
			n++
		}
	}
	return inventory.Known(n)
}

// fillDeviceQueues and fillRoundRobin mark facts that need calls per host and device. Session.Fill makes them.
func fillDeviceQueues(p *property.Props, h *host) {
	eachLUN(p, h, func(l *inventory.LUN, _ *types.HostScsiDisk) {
		l.OutstandingIOs = inventory.Unread[int64](inventory.PerHost)
		l.QueueFullSampleSize, l.QueueFullThreshold = l.OutstandingIOs, l.OutstandingIOs
	})
}

func fillRoundRobin(p *property.Props, h *host) {
	eachLUN(p, h, func(l *inventory.LUN, _ *types.HostScsiDisk) {
		l.RoundRobinIOs, l.RoundRobinType = inventory.Unread[int64](inventory.PerHost), inventory.Unread[string](inventory.PerHost)
	})
}
