package simfleet

import (
	"fmt"

	"github.com/vmware/govmomi/vim25/types"
)

// vsanConfig is a host's part in vSAN, if it has disks for it.
func (e *esxi) vsanConfig() *types.VsanHostConfigInfo {
	config := &types.VsanHostConfigInfo{Enabled: new(len(e.row.diskGroups) > 0)}
	if e.row.version >= "8" {
		config.VsanEsaEnabled = new(false)
	}
	if !*config.Enabled {
		return config
	}
	config.StorageInfo = &types.VsanHostConfigInfoStorageInfo{AutoClaimStorage: new(false)}
	for i, row := range e.row.diskGroups {
		mapping := e.diskMapping(i, row)
		config.StorageInfo.DiskMapping = append(config.StorageInfo.DiskMapping, mapping)
		config.StorageInfo.DiskMapInfo = append(config.StorageInfo.DiskMapInfo, types.VsanHostDiskMapInfo{Mapping: mapping, Mounted: true})
	}
	config.NetworkInfo = new(types.VsanHostConfigInfoNetworkInfo)
	for i, service := range e.row.services() {
		if service == "vsan" {
			config.NetworkInfo.Port = append(config.NetworkInfo.Port, types.VsanHostConfigInfoNetworkInfoPortConfig{Device: vmkName(i)})
		}
	}
	return config
}

func (e *esxi) diskMapping(group int, row diskGroupRow) types.VsanHostDiskMapping {
	var disks []types.HostScsiDisk
	for _, d := range e.vsanDisks(group, row) {
		disk := d.disk()
		disk.LocalDisk = new(true)
		disks = append(disks, *disk)
	}
	return types.VsanHostDiskMapping{Ssd: disks[0], NonSsd: disks[1:]}
}

// vsanDiskPrefix begins the names of disks that vSAN has.
const vsanDiskPrefix = "naa.58ce38ee2"

// vsanDisks are the disks of a group, the cache first.
func (e *esxi) vsanDisks(group int, g diskGroupRow) []lunRow {
	list := make([]lunRow, 1+g.disks)
	for n := range list {
		list[n] = lunRow{
			id: fmt.Sprintf(vsanDiskPrefix+"%03x%02x%02x", e.number, group, n), vendor: "KIOXIA", model: "KPM61RUG3T84",
			gb: g.capacityGB, flash: g.flash, offload: types.ScsiLunVStorageSupportStatusVStorageUnsupported,
			array: "VMW_SATP_LOCAL", policy: pathFixed, paths: active(1),
		}
		if !g.flash {
			list[n].vendor, list[n].model = "SEAGATE", "ST2400MM0159"
		}
	}
	list[0].vendor, list[0].model, list[0].gb, list[0].flash = "KIOXIA", "KPM61VUG800G", g.cacheGB, true
	return list
}

// flashCache is the virtual flash resource, which releases before 9.0 can have.
// osDataGB is the size of the volume that ESXi 7.0 and later run from.
const osDataGB = 120

func (e *esxi) flashCache() *types.HostVFlashManagerVFlashConfigInfo {
	if e.row.version >= "9" {
		return nil
	}
	info := &types.HostVFlashManagerVFlashConfigInfo{
		VFlashCacheConfigInfo: &types.HostVFlashManagerVFlashCacheConfigInfo{DefaultVFlashModule: "vfc"},
	}
	name, gb := "flash-"+shortName(e.row.name), e.row.flashCacheGB
	if e.row.osData {
		name, gb = "OSDATA-"+uuid(e.row.name+" system volume"), osDataGB
	}
	if gb > 0 {
		info.VFlashResourceConfigInfo = &types.HostVFlashManagerVFlashResourceConfigInfo{
			Capacity: gb << 30,
			Vffs: &types.HostVffsVolume{
				HostFileSystemVolume: types.HostFileSystemVolume{Type: "VFFS", Name: name, Capacity: gb << 30},
				MajorVersion:         1, Version: "1.0", Uuid: uuid(e.row.name + " system volume"),
			},
		}
	}
	return info
}
