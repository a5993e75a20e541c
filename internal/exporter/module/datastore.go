package module

import (
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

// datastoreColumns: of an inaccessible datastore only that fact and its hosts are known.
var datastoreColumns = []column[*inventory.Datastore]{
	{
		"esxi_datastore_accessible", "Whether any host can access the datastore (summary.accessible).",
		func(d *inventory.Datastore) (float64, bool) { return yes(d.Accessible) },
	},
	{
		"esxi_datastore_capacity_bytes", "Size of the datastore (summary.capacity), to the MiB.",
		func(d *inventory.Datastore) (float64, bool) { return number(d.CapacityMB, mib) },
	},
	{
		"esxi_datastore_free_bytes", "Free space of the datastore (summary.freeSpace), to the MiB.",
		func(d *inventory.Datastore) (float64, bool) { return number(d.FreeMB, mib) },
	},
	{
		"esxi_datastore_provisioned_bytes",
		"Provisioned space: used space plus space that VMs can still allocate (summary.capacity - summary.freeSpace + summary.uncommitted); exceeds the capacity if the datastore is overcommitted.",
		provisioned,
	},
	{
		"esxi_datastore_in_maintenance", "Whether the datastore is in maintenance mode or entering it (summary.maintenanceMode).",
		func(d *inventory.Datastore) (float64, bool) { return yes(d.InMaintenance) },
	},
	{
		"esxi_datastore_hosts", "Hosts that mount the datastore (host.mountInfo.mounted).",
		func(d *inventory.Datastore) (float64, bool) { return length(d.HostIDs) },
	},
	{
		"esxi_datastore_vms", "VMs and templates with files on the datastore (vm).",
		func(d *inventory.Datastore) (float64, bool) { return number(d.VMCount, 1) },
	},
}

func provisioned(d *inventory.Datastore) (float64, bool) {
	size, sized := d.CapacityMB.Value()
	free, freed := d.FreeMB.Value()
	more, promised := d.UncommittedMB.Value()
	return float64(size-free+more) * mib, sized && freed && promised
}

func datastoreModule() Surveyed {
	return Surveyed{
		Name: Datastore,
		Needs: needsOf("Datastore.kind", "Datastore.accessible", "Datastore.capacityMB", "Datastore.freeMB", "Datastore.uncommittedMB",
			"Datastore.inMaintenance", "Datastore.hostIds", "Datastore.vmCount"),
		Write:    writeDatastores,
		Coverage: datastoreCoverage,
	}
}

func writeDatastores(w *exposition.Writer, v *inventory.VCenter) {
	writeInfo(w, "esxi_datastore_info", "Datastore; the label kind is VMFS, NFS, NFS41, vsan or VVOL (summary.type).", v.Datastores,
		func(d *inventory.Datastore) exposition.Labels {
			return exposition.NewLabels("datastore", d.Name, "moid", d.ID, "kind", text(d.Kind))
		})
	writeColumns(w, v.Datastores, datastoreLabels, datastoreColumns)
}

func datastoreLabels(d *inventory.Datastore) exposition.Labels {
	return exposition.NewLabels("datastore", d.Name, "moid", d.ID)
}

// datastoreCoverage treats an inaccessible datastore as read.
func datastoreCoverage(v *inventory.VCenter) (expected, collected int, trouble string) {
	return covered("", v.Datastores, func(d *inventory.Datastore) []inventory.Reader {
		if reached, known := d.Accessible.Value(); known && !reached {
			return nil
		}
		return []inventory.Reader{&d.Kind, &d.Accessible, &d.CapacityMB, &d.FreeMB, &d.UncommittedMB, &d.InMaintenance, &d.HostIDs, &d.VMCount}
	})
}
