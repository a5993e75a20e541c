package estatefacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tagging"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// Properties of a datastore. PathMounts lists the hosts that mount it; PathInfo has the data specific to its type of file system.
const (
	PathStoreMaintenance = "summary.maintenanceMode"
	PathAccessible       = "summary.accessible"
	PathMounts           = "host"
	PathInfo             = "info"
	pathSIOC             = "iormConfiguration.congestionThresholdMode"
)

// StoreTable defines how every fact of a datastore is read; it is part of the index if facts of datastores are needed. Every
// datastore has the property that says whether a host can access it. VMFS data is requested with the whole info of the datastore:
// it is declared with the type of any datastore, and a server knows no property paths into the VMFS part.
var StoreTable = property.Table[*inventory.Datastore]{
	Of:     property.TypeDatastore,
	Always: []string{tree.PathName, tree.PathParent, PathAccessible, PathMounts},
	Entries: append(tagging.Entries("Datastore", func(d *inventory.Datastore) *inventory.Entity { return &d.Entity }), []property.Entry[*inventory.Datastore]{
		{Facts: []string{"Datastore.hostIds"}, Fill: func(*property.Props, *inventory.Datastore) {}}, // newStore always reads them
		property.Leaf("Datastore.kind", "summary.type", property.Text, property.Required, func(d *inventory.Datastore) *inventory.Fact[string] { return &d.Kind }),
		property.Leaf("Datastore.capacityMB", "summary.capacity", property.MB, property.Required,
			func(d *inventory.Datastore) *inventory.Fact[int64] { return &d.CapacityMB }),
		property.Leaf("Datastore.freeMB", "summary.freeSpace", property.MB, property.Required,
			func(d *inventory.Datastore) *inventory.Fact[int64] { return &d.FreeMB }),
		{Facts: []string{"Datastore.pseudo"}, Fill: func(*property.Props, *inventory.Datastore) {}},     // Link computes it
		{Facts: []string{"Datastore.accessible"}, Fill: func(*property.Props, *inventory.Datastore) {}}, // newStore always reads it
		{Facts: []string{"Datastore.inCluster"}, Fill: func(p *property.Props, d *inventory.Datastore) {
			d.InCluster = property.Then(property.Read(p, tree.PathParent, property.As[ref], property.Required), func(above ref) inventory.Fact[bool] {
				return inventory.Known(above.Type == "StoragePod")
			})
		}},
		// A server that does not compute the uncommitted space omits it.
		property.Leaf("Datastore.uncommittedMB", "summary.uncommitted", property.MB, property.AbsentIfUnset,
			func(d *inventory.Datastore) *inventory.Fact[int64] { return &d.UncommittedMB }),
		property.Leaf("Datastore.inMaintenance", PathStoreMaintenance, asMaintenance, property.AbsentIfUnset,
			func(d *inventory.Datastore) *inventory.Fact[bool] { return &d.InMaintenance }),
		{Facts: []string{"Datastore.vmfsVersion", "Datastore.unmapPriority", "Datastore.extents", "Datastore.local", "Datastore.ssd"},
			Paths: []string{PathInfo}, Fill: fillVMFS},
		// A datastore that does not support Storage I/O Control has no such configuration; nor has any datastore of a standalone
		// host.
		property.Leaf("Datastore.siocEnabled", "iormConfiguration.enabled", property.Bool, property.AbsentIfUnset,
			func(d *inventory.Datastore) *inventory.Fact[bool] { return &d.SIOCEnabled }),
		property.Leaf("Datastore.siocMode", pathSIOC, property.Text, property.AbsentIfUnset, func(d *inventory.Datastore) *inventory.Fact[string] { return &d.SIOCMode }),
		{Facts: []string{"Datastore.siocThresholdMillis"}, Paths: []string{pathSIOC, "iormConfiguration.congestionThreshold"}, Fill: fillThreshold},
		// A datastore without VMs has no list of them.
		property.Leaf("Datastore.vmCount", "vm", property.Count, property.DefaultTo(int64(0)), func(d *inventory.Datastore) *inventory.Fact[int64] { return &d.VMCount }),
	}...),
}

// NewStore creates a datastore from its properties. Its mounts decide whether it is in scope. The data of a datastore that no
// host can access dates from the last access, so it is not evaluated.
func NewStore(p *property.Props, plan property.Plan[*inventory.Datastore]) *inventory.Datastore {
	d := &inventory.Datastore{HostIDs: property.Read(p, PathMounts, asMounts, property.DefaultTo([]string{}))}
	d.Accessible = property.Read(p, PathAccessible, property.Bool, property.Required)
	accessible, ok := d.Accessible.Value()
	switch {
	case !ok && !p.Has(pathSummary):
		d.Unread = p.SectionGap(pathSummary)
	case !accessible:
		d.Unread = "no host reaches the datastore"
	default:
		plan.Fill(p, d)
	}
	return d
}

// asMounts returns the hosts that mount a datastore; a host stays in the list after it has unmounted it.
func asMounts(v any) ([]string, bool) {
	list, ok := property.As[types.ArrayOfDatastoreHostMount](v)
	ids := []string{}
	for _, m := range list.DatastoreHostMount {
		if mounted := m.MountInfo.Mounted; mounted == nil || *mounted {
			ids = append(ids, m.Key.Value)
		}
	}
	return ids, ok
}

// asMaintenance reports maintenance mode. A datastore that is entering maintenance mode takes no new VMs either.
func asMaintenance(v any) (bool, bool) {
	mode, ok := property.Text(v)
	return mode != string(types.DatastoreSummaryMaintenanceModeStateNormal), ok
}

func fillVMFS(p *property.Props, d *inventory.Datastore) {
	vmfs := property.Read(p, PathInfo, AsVMFS, property.Required)
	vmfs = property.Then(vmfs, func(v *types.HostVmfsVolume) inventory.Fact[*types.HostVmfsVolume] {
		if v == nil {
			return inventory.Absent[*types.HostVmfsVolume]()
		}
		return inventory.Known(v)
	})
	d.VMFSVersion = property.Then(vmfs, func(v *types.HostVmfsVolume) inventory.Fact[int64] { return inventory.Known(int64(v.MajorVersion)) })
	d.UnmapPriority = UnmapPriority(vmfs)
	d.Extents = property.Then(vmfs, func(v *types.HostVmfsVolume) inventory.Fact[[]string] {
		names := []string{}
		for _, e := range v.Extent {
			names = append(names, e.DiskName)
		}
		return inventory.Known(names)
	})
	d.Local = property.Then(vmfs, func(v *types.HostVmfsVolume) inventory.Fact[bool] {
		return property.Reported(v.Local, "whether it is in one host")
	})
	d.SSD = property.Then(vmfs, func(v *types.HostVmfsVolume) inventory.Fact[bool] {
		return property.Reported(v.Ssd, "whether it is on flash")
	})
}

// unmapsFrom is the first version of VMFS with automatic space reclamation.
const unmapsFrom = 6

// UnmapPriority returns the priority of automatic space reclamation, for example none or low. It is absent before VMFS 6 and if
// vmfs is absent; a known vmfs must not be nil.
func UnmapPriority(vmfs inventory.Fact[*types.HostVmfsVolume]) inventory.Fact[string] {
	return property.Then(vmfs, func(v *types.HostVmfsVolume) inventory.Fact[string] {
		if v.MajorVersion < unmapsFrom {
			return inventory.Absent[string]()
		}
		return property.ReportedText(v.UnmapPriority, "how space is reclaimed")
	})
}

// AsVMFS returns the volume, or nil for a datastore of another type.
func AsVMFS(v any) (*types.HostVmfsVolume, bool) {
	info, isVMFS := property.As[types.VmfsDatastoreInfo](v)
	return info.Vmfs, isVMFS || property.IsA[types.BaseDatastoreInfo](v)
}

// fillThreshold sets the congestion threshold. In automatic mode vSphere computes the threshold, and the stored value has no
// meaning.
func fillThreshold(p *property.Props, d *inventory.Datastore) {
	d.SIOCThresholdMillis = property.Then(property.Read(p, pathSIOC, property.Text, property.AbsentIfUnset), func(mode string) inventory.Fact[int64] {
		if mode != string(types.StorageIORMThresholdModeManual) {
			return inventory.Absent[int64]()
		}
		return property.Read(p, "iormConfiguration.congestionThreshold", property.Int, property.Required)
	})
}
