package module

import (
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

// vsanColumns are of the hosts that take part in vSAN. Hosts with the express storage architecture have no disk groups.
var vsanColumns = []column[*inventory.Host]{
	{
		"esxi_vsan_host_member", "1 if the host is a member of a vSAN cluster (config.vsanHostConfig.enabled).",
		func(h *inventory.Host) (float64, bool) { return yes(h.VSAN) },
	},
	{
		"esxi_vsan_host_express_storage", "Whether vSAN uses the Express Storage Architecture (config.vsanHostConfig.vsanEsaEnabled).",
		func(h *inventory.Host) (float64, bool) { return yes(h.VSANESA) },
	},
	{
		"esxi_vsan_host_disk_groups", "vSAN disk groups of the host (config.vsanHostConfig.storageInfo.diskMapInfo).",
		ofGroups(func(*inventory.DiskGroup) float64 { return 1 }),
	},
	{
		"esxi_vsan_host_capacity_disks", "vSAN capacity disks of the host (diskMapInfo.mapping.nonSsd).",
		ofGroups(func(g *inventory.DiskGroup) float64 { return float64(g.Disks) }),
	},
	{
		"esxi_vsan_host_capacity_bytes", "Total size of the vSAN capacity disks of the host (diskMapInfo.mapping.nonSsd.capacity), to the MiB.",
		ofGroups(func(g *inventory.DiskGroup) float64 { return float64(g.CapacityMB) * mib }),
	},
	{
		"esxi_vsan_host_cache_bytes", "Total size of the vSAN cache devices of the host (diskMapInfo.mapping.ssd.capacity), to the MiB.",
		ofGroups(func(g *inventory.DiskGroup) float64 { return float64(g.CacheMB) * mib }),
	},
}

// ofGroups adds something up over the disk groups of a host.
func ofGroups(of func(*inventory.DiskGroup) float64) func(*inventory.Host) (float64, bool) {
	return func(h *inventory.Host) (sum float64, exists bool) {
		groups, known := h.DiskGroups.Value()
		express, _ := h.VSANESA.Value()
		for _, g := range groups {
			sum += of(g)
		}
		return sum, known && !express
	}
}

var vsanStoreColumns = []column[*inventory.Datastore]{
	{
		"esxi_vsan_datastore_capacity_bytes", "Size of the vSAN datastore (summary.capacity), to the MiB.",
		func(d *inventory.Datastore) (float64, bool) { return number(d.CapacityMB, mib) },
	},
	{
		"esxi_vsan_datastore_free_bytes", "Free space of the vSAN datastore (summary.freeSpace), to the MiB.",
		func(d *inventory.Datastore) (float64, bool) { return number(d.FreeMB, mib) },
	},
}

func vsanModule() Surveyed {
	return Surveyed{
		Name: VSAN,
		Needs: needsOf("Host.vsan", "Host.vsanEsa", "Host.diskGroups", "Datastore.kind", "Datastore.capacityMB", "Datastore.freeMB",
			"Datastore.hostIds"),
		Write: writeVSAN,
		Coverage: func(v *inventory.VCenter) (int, int, string) {
			return covered("", v.Hosts, func(h *inventory.Host) []inventory.Reader {
				if is, known := h.VSAN.Value(); known && !is {
					return nil
				}
				return []inventory.Reader{&h.VSAN, &h.VSANESA, &h.DiskGroups}
			})
		},
	}
}

func writeVSAN(w *exposition.Writer, v *inventory.VCenter) {
	var members []*inventory.Host
	for _, h := range v.Hosts {
		if is, _ := h.VSAN.Value(); is {
			members = append(members, h)
		}
	}
	writeColumns(w, members, func(h *inventory.Host) exposition.Labels {
		return exposition.NewLabels("host", h.Name, "moid", h.ID)
	}, vsanColumns)
	var stores []*inventory.Datastore
	for _, d := range v.Datastores {
		if text(d.Kind) == inventory.DatastoreVSAN {
			stores = append(stores, d)
		}
	}
	writeColumns(w, stores, datastoreLabels, vsanStoreColumns)
}
