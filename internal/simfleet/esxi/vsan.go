package esxi

import (
	"fmt"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// vsanConfig returns a host's vSAN configuration, if it has disks for vSAN.
func (e *Host) vsanConfig() *types.VsanHostConfigInfo {
	config := &types.VsanHostConfigInfo{Enabled: new(len(e.Row.DiskGroups) > 0)}
	if e.Row.Version >= "8" {
		config.VsanEsaEnabled = new(false)
	}
	if !*config.Enabled {
		return config
	}
	config.StorageInfo = &types.VsanHostConfigInfoStorageInfo{AutoClaimStorage: new(false)}
	for i, row := range e.Row.DiskGroups {
		mapping := e.diskMapping(i, row)
		config.StorageInfo.DiskMapping = append(config.StorageInfo.DiskMapping, mapping)
		config.StorageInfo.DiskMapInfo = append(config.StorageInfo.DiskMapInfo, types.VsanHostDiskMapInfo{Mapping: mapping, Mounted: true})
	}
	config.NetworkInfo = new(types.VsanHostConfigInfoNetworkInfo)
	for i, service := range e.Row.Services() {
		if service == "vsan" {
			config.NetworkInfo.Port = append(config.NetworkInfo.Port, types.VsanHostConfigInfoNetworkInfoPortConfig{Device: vmkName(i)})
		}
	}
	return config
}

func (e *Host) diskMapping(group int, row fleetdata.DiskGroup) types.VsanHostDiskMapping {
	var disks []types.HostScsiDisk
	for _, d := range e.vsanDisks(group, row) {
		disk := diskOf(d)
		disk.LocalDisk = new(true)
		disks = append(disks, *disk)
	}
	return types.VsanHostDiskMapping{Ssd: disks[0], NonSsd: disks[1:]}
}

// vsanDiskPrefix is the prefix of the names of vSAN disks.
const vsanDiskPrefix = world.VSANDiskPrefix

// vsanDisks returns the disks of a group, the cache disk first.
func (e *Host) vsanDisks(group int, g fleetdata.DiskGroup) []fleetdata.LUN {
	models := fleetdata.Demo().VSANDisks
	list := make([]fleetdata.LUN, 1+g.Disks)
	for n := range list {
		disk, gb := models.Disk, g.CapacityGB
		switch {
		case n == 0:
			disk, gb = models.Cache, g.CacheGB
		case g.Flash:
			disk = models.Flash
		}
		disk.ID, disk.GB = fmt.Sprintf(vsanDiskPrefix+"%03x%02x%02x", e.number, group, n), gb
		list[n] = disk
	}
	return list
}

// osDataGB is the size of the volume that ESXi 7.0 and later run from.
const osDataGB = 120

// flashCache returns the virtual flash resource, which releases before 9.0 can have.
func (e *Host) flashCache() *types.HostVFlashManagerVFlashConfigInfo {
	if e.Row.Version >= "9" {
		return nil
	}
	info := &types.HostVFlashManagerVFlashConfigInfo{
		VFlashCacheConfigInfo: &types.HostVFlashManagerVFlashCacheConfigInfo{DefaultVFlashModule: "vfc"},
	}
	name, gb := "flash-"+e.Row.Short(), e.Row.FlashCacheGB
	if e.Row.OSData {
		name, gb = "OSDATA-"+world.UUID(e.Row.Name+" system volume"), osDataGB
	}
	if gb > 0 {
		info.VFlashResourceConfigInfo = &types.HostVFlashManagerVFlashResourceConfigInfo{
			Capacity: gb << 30,
			Vffs: &types.HostVffsVolume{
				HostFileSystemVolume: types.HostFileSystemVolume{Type: "VFFS", Name: name, Capacity: gb << 30},
				MajorVersion:         1, Version: "1.0", Uuid: world.UUID(e.Row.Name + " system volume"),
			},
		}
	}
	return info
}
