package vsphere

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

const (
	pathUpkeep     = "summary.maintenanceMode"
	pathAccessible = "summary.accessible"
	pathMounts     = "host"
	pathInfo       = "info"
	pathSIOC       = "iormConfiguration.congestionThresholdMode"
)

// storeTable says how every fact of a datastore is read; it is part of the index where facts of datastores are needed.
// Whether any host reaches it is set on every datastore. What is known of a VMFS is asked for with the rest of the
// datastore's information: that is declared as any datastore's, and a server knows no path into what a VMFS has beside.
var storeTable = table[*inventory.Datastore]{
	of:     typeDatastore,
	always: []string{pathName, pathParent, pathAccessible, pathMounts},
	entries: append(marks("Datastore", func(d *inventory.Datastore) *inventory.Entity { return &d.Entity }), []entry[*inventory.Datastore]{
		{facts: []string{"Datastore.hostIds"}, fill: func(*props, *inventory.Datastore) {}}, // newStore reads them always
		leaf("Datastore.kind", "summary.type", asText, must, func(d *inventory.Datastore) *inventory.Fact[string] { return &d.Kind }),
		leaf("Datastore.capacityMB", "summary.capacity", asMB, must,
			func(d *inventory.Datastore) *inventory.Fact[int64] { return &d.CapacityMB }),
		leaf("Datastore.freeMB", "summary.freeSpace", asMB, must,
			func(d *inventory.Datastore) *inventory.Fact[int64] { return &d.FreeMB }),
		{facts: []string{"Datastore.pseudo"}, fill: func(*props, *inventory.Datastore) {}},     // Link works it out
		{facts: []string{"Datastore.accessible"}, fill: func(*props, *inventory.Datastore) {}}, // newStore reads it always
		{facts: []string{"Datastore.inCluster"}, fill: func(p *props, d *inventory.Datastore) {
			d.InCluster = then(read(p, pathParent, asIs[ref], must), func(above ref) inventory.Fact[bool] {
				return inventory.Known(above.Type == "StoragePod")
			})
		}},
		// A server that keeps no account of what VMs may yet take leaves it out.
		leaf("Datastore.uncommittedMB", "summary.uncommitted", asMB, none,
			func(d *inventory.Datastore) *inventory.Fact[int64] { return &d.UncommittedMB }),
		leaf("Datastore.inMaintenance", pathUpkeep, asUpkeep, none,
			func(d *inventory.Datastore) *inventory.Fact[bool] { return &d.InMaintenance }),
		{facts: []string{"Datastore.vmfsVersion", "Datastore.unmapPriority", "Datastore.extents", "Datastore.local", "Datastore.ssd"},
			paths: []string{pathInfo}, fill: fillVMFS},
		// A datastore that Storage I/O Control cannot look after has no configuration of it, nor has any on a host by itself.
		leaf("Datastore.siocEnabled", "iormConfiguration.enabled", asBool, none,
			func(d *inventory.Datastore) *inventory.Fact[bool] { return &d.SIOCEnabled }),
		leaf("Datastore.siocMode", pathSIOC, asText, none, func(d *inventory.Datastore) *inventory.Fact[string] { return &d.SIOCMode }),
		{facts: []string{"Datastore.siocThresholdMillis"}, paths: []string{pathSIOC, "iormConfiguration.congestionThreshold"}, fill: fillThreshold},
		// A datastore without VMs has no list of them.
		leaf("Datastore.vmCount", "vm", asCount, means(int64(0)), func(d *inventory.Datastore) *inventory.Fact[int64] { return &d.VMCount }),
	}...),
}

// newStore makes a datastore of its properties. Its mounts say whether it is in scope; one that no host reaches is as it
// was when one last did, which is nothing to judge.
func newStore(p *props, plan plan[*inventory.Datastore]) *inventory.Datastore {
	d := &inventory.Datastore{HostIDs: read(p, pathMounts, asMounts, means([]string{}))}
	d.Accessible = read(p, pathAccessible, asBool, must)
	accessible, ok := d.Accessible.Value()
	switch {
	case !ok && !p.has(pathSummary):
		d.Unread = p.whole(pathSummary)
	case !accessible:
		d.Unread = "no host reaches the datastore"
	default:
		plan.fill(p, d)
	}
	return d
}

// asMounts are the hosts that mount a datastore; a host stays in the list when it has unmounted it.
func asMounts(v any) ([]string, bool) {
	list, ok := asIs[types.ArrayOfDatastoreHostMount](v)
	ids := []string{}
	for _, m := range list.DatastoreHostMount {
		if mounted := m.MountInfo.Mounted; mounted == nil || *mounted {
			ids = append(ids, m.Key.Value)
		}
	}
	return ids, ok
}

// asUpkeep: one that is on its way into maintenance mode takes no new VMs either.
func asUpkeep(v any) (bool, bool) {
	mode, ok := asText(v)
	return mode != string(types.DatastoreSummaryMaintenanceModeStateNormal), ok
}

func fillVMFS(p *props, d *inventory.Datastore) {
	vmfs := read(p, pathInfo, asVMFS, must)
	vmfs = then(vmfs, func(v *types.HostVmfsVolume) inventory.Fact[*types.HostVmfsVolume] {
		if v == nil {
			return inventory.Absent[*types.HostVmfsVolume]()
		}
		return inventory.Known(v)
	})
	d.VMFSVersion = then(vmfs, func(v *types.HostVmfsVolume) inventory.Fact[int64] { return inventory.Known(int64(v.MajorVersion)) })
	d.UnmapPriority = unmapPriority(vmfs)
	d.Extents = then(vmfs, func(v *types.HostVmfsVolume) inventory.Fact[[]string] {
		names := []string{}
		for _, e := range v.Extent {
			names = append(names, e.DiskName)
		}
		return inventory.Known(names)
	})
	d.Local = then(vmfs, func(v *types.HostVmfsVolume) inventory.Fact[bool] {
		return stated(v.Local, "whether it lies in one host")
	})
	d.SSD = then(vmfs, func(v *types.HostVmfsVolume) inventory.Fact[bool] { return stated(v.Ssd, "whether it lies on flash") })
}

// unmapsFrom is the first version of VMFS that gives space back by itself.
const unmapsFrom = 6

func unmapPriority(vmfs inventory.Fact[*types.HostVmfsVolume]) inventory.Fact[string] {
	return then(vmfs, func(v *types.HostVmfsVolume) inventory.Fact[string] {
		if v.MajorVersion < unmapsFrom {
			return inventory.Absent[string]()
		}
		return statedWord(v.UnmapPriority, "how space is reclaimed")
	})
}

// asVMFS is nil for a datastore of another kind.
func asVMFS(v any) (*types.HostVmfsVolume, bool) {
	info, isVMFS := asIs[types.VmfsDatastoreInfo](v)
	return info.Vmfs, isVMFS || isA[types.BaseDatastoreInfo](v)
}

// fillThreshold: in automatic mode the threshold is worked out, and what stands there says nothing.
func fillThreshold(p *props, d *inventory.Datastore) {
	d.SIOCThresholdMillis = then(read(p, pathSIOC, asText, none), func(mode string) inventory.Fact[int64] {
		if mode != string(types.StorageIORMThresholdModeManual) {
			return inventory.Absent[int64]()
		}
		return read(p, "iormConfiguration.congestionThreshold", asInt, must)
	})
}
