package hostfacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

const (
	pathESA        = "config.vsanHostConfig.vsanEsaEnabled"
	pathDiskGroups = "config.vsanHostConfig.storageInfo.diskMapInfo"
)

// fillESA sets whether the host uses vSAN ESA. If the property does not exist or is unset, the host uses the original
// architecture.
func fillESA(p *property.Props, h *host) {
	h.VSANESA = property.ReadOrDefault(p, pathESA, property.Bool, false)
}

// fillDiskGroups lists the mounted disk groups; an unmounted group holds no data. A host outside vSAN has none.
func fillDiskGroups(p *property.Props, h *host) {
	list := property.Read(p, pathDiskGroups, property.As[types.ArrayOfVsanHostDiskMapInfo], property.DefaultTo(types.ArrayOfVsanHostDiskMapInfo{}))
	h.DiskGroups = property.Then(list, func(a types.ArrayOfVsanHostDiskMapInfo) inventory.Fact[[]*inventory.DiskGroup] {
		groups := []*inventory.DiskGroup{}
		for _, g := range a.VsanHostDiskMapInfo {
			if g.Mounted {
				groups = append(groups, diskGroup(g.Mapping))
			}
		}
		return inventory.Known(groups)
	})
}

func diskGroup(m types.VsanHostDiskMapping) *inventory.DiskGroup {
	g := &inventory.DiskGroup{CacheMB: diskMB(m.Ssd), Disks: int64(len(m.NonSsd)), AllFlash: true}
	for _, d := range m.NonSsd {
		g.CapacityMB += diskMB(d)
		g.AllFlash = g.AllFlash && d.Ssd != nil && *d.Ssd
	}
	return g
}

func diskMB(d types.HostScsiDisk) int64 { return d.Capacity.Block * int64(d.Capacity.BlockSize) >> 20 }
