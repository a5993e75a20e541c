package simfleet

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// The datastores beside the one that VMs start from.
const (
	storeOld     = "old01"
	storeFull    = "san02"
	storeShared  = "san03"
	storeNAS     = "nas01"
	storeArchive = "archive" // and a number
)

// archives are enough mounts to fill a host's TCP/IP heap as it is set.
const archives = 34

// The disks behind the VMFS datastores, by the names that hosts have for them.
const (
	sanExtent = "naa.6000097000019790031853303030314"
	newExtent = "naa.624a93708c75345fee774ee100011010"
	oldExtent = "naa.600a0b80006e2b4e0000c1ab4d3a8f21" // of an array that copies and zeroes nothing itself
)

// firstStore is the number in the id of the first of them.
const firstStore = 701

// storeRow is a datastore.
type storeRow struct {
	name, kind     string
	capacity, free int64
	uncommitted    int64  // that VMs may yet take; 0: nobody keeps account of it
	version        int32  // of VMFS
	unmap          string // priority
	extent         string
	sioc           *types.StorageIORMInfo
	hosts          []string // that mount it, short; none: all
	remote         string   // of NFS
	flash          bool
}

// storeTable has a datastore for each fault that one can have. Storage I/O Control is on where hosts still know it, and
// on one that no longer should.
func storeTable() []storeRow {
	table := []storeRow{
		{ // VMFS 5, on an array that does not help
			name: storeOld, kind: "VMFS", capacity: 4 << 40, free: 2 << 40, uncommitted: 1 << 40, version: 5, extent: oldExtent,
			hosts: []string{"host04", "host05", "host06"}, sioc: sioc(true, types.StorageIORMThresholdModeManual, 25),
		},
		{ // gives nothing back, and is nearly full
			name: storeFull, kind: "VMFS", capacity: 10 << 40, free: 600 << 30, uncommitted: 2 << 40, version: 6, unmap: "none", extent: newExtent, flash: true,
			sioc: sioc(false, types.StorageIORMThresholdModeAutomatic, 30),
		},
		{
			name: storeNAS, kind: "NFS", capacity: 30 << 40, free: 20 << 40, uncommitted: 3 << 40, remote: "/vol/iso", hosts: []string{"host06", "host07"},
			sioc: sioc(true, types.StorageIORMThresholdModeAutomatic, 30),
		},
		{ // more in use than the small cache of host11 was meant for
			name: "vsan01", kind: "vsan", capacity: 60 << 40, free: 30 << 40, uncommitted: 20 << 40, hosts: []string{"host09", "host10", "host11"}, flash: true,
		},
	}
	for i := range archives {
		table = append(table, storeRow{
			name: fmt.Sprintf("%s%02d", storeArchive, i+1), kind: "NFS41", capacity: 1 << 40, free: 1 << 39,
			remote: fmt.Sprintf("/vol/archive%02d", i+1), hosts: []string{"host05"},
		})
	}
	return append(table, storeRow{ // shared by hosts that still have Storage I/O Control, which is off
		name: storeShared, kind: "VMFS", capacity: 8 << 40, free: 5 << 40, uncommitted: 1 << 40, version: 6, unmap: "low", extent: sanExtent, flash: true,
		hosts: []string{"host04", "host05"}, sioc: sioc(false, types.StorageIORMThresholdModeAutomatic, 30),
	})
}

func sioc(enabled bool, mode types.StorageIORMThresholdMode, threshold int32) *types.StorageIORMInfo {
	return &types.StorageIORMInfo{
		Enabled: enabled, CongestionThresholdMode: string(mode), CongestionThreshold: threshold, PercentOfPeakThroughput: 90,
		StatsAggregationDisabled: new(false), ReservationEnabled: true,
	}
}

// addStores puts finished datastores in the registry, with ids of their own. One directory stands behind them all:
// making directories is most of what a start takes.
func (b *builder) addStores() error {
	b.datastores = map[string]*simulator.Datastore{datastoreName: b.datastore}
	dir := filepath.Join(b.dir, "others")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("making the other datastores: %w", err)
	}
	for i, row := range storeTable() {
		b.addStore(row, firstStore+i, dir)
	}
	return nil
}

func (b *builder) addStore(row storeRow, id int, dir string) {
	d := new(simulator.Datastore)
	d.Self = types.ManagedObjectReference{Type: "Datastore", Value: fmt.Sprintf("datastore-%d", id)}
	d.Name = row.name
	d.Browser, d.Capability, d.OverallStatus = b.datastore.Browser, b.datastore.Capability, types.ManagedEntityStatusGreen
	d.Info = row.info(dir)
	d.IormConfiguration = row.sioc
	for _, e := range b.hostOrder {
		if row.hosts != nil && !slices.Contains(row.hosts, shortName(e.row.name)) {
			continue
		}
		d.Host = append(d.Host, types.DatastoreHostMount{
			Key:       e.host.Self,
			MountInfo: types.HostMountInfo{Path: dir, AccessMode: "readWrite", Mounted: new(true), Accessible: new(true)},
		})
		e.host.Datastore = append(e.host.Datastore, d.Self)
	}
	d.Summary = types.DatastoreSummary{
		Datastore: &d.Self, Name: row.name, Url: "ds:///vmfs/volumes/" + uuid(row.name) + "/", Capacity: row.capacity, FreeSpace: row.free, Uncommitted: row.uncommitted, Accessible: true, Type: row.kind,
		MultipleHostAccess: new(len(d.Host) > 1), MaintenanceMode: string(types.DatastoreSummaryMaintenanceModeStateNormal),
	}
	folder := get[*simulator.Folder](b, b.datacenter.DatastoreFolder)
	folder.ChildEntity = append(folder.ChildEntity, d.Self)
	b.datacenter.Datastore = append(b.datacenter.Datastore, d.Self)
	b.ctx.Map.PutEntity(folder, d)
	b.datastores[row.name] = d
}

func (r storeRow) info(dir string) types.BaseDatastoreInfo {
	info := types.DatastoreInfo{Name: r.name, Url: dir, FreeSpace: r.free, Timestamp: new(created)}
	if r.kind == "VMFS" {
		return &types.VmfsDatastoreInfo{DatastoreInfo: info, Vmfs: &types.HostVmfsVolume{
			HostFileSystemVolume: types.HostFileSystemVolume{Type: r.kind, Name: r.name, Capacity: r.capacity},
			BlockSizeMb:          1, MajorVersion: r.version, Version: fmt.Sprintf("%d.81", r.version), Uuid: uuid(r.name),
			UnmapPriority: r.unmap, Extent: []types.HostScsiDiskPartition{{DiskName: r.extent, Partition: 1}},
			Ssd: new(r.flash), Local: new(false),
		}}
	}
	return &types.NasDatastoreInfo{DatastoreInfo: info, Nas: &types.HostNasVolume{
		HostFileSystemVolume: types.HostFileSystemVolume{Type: r.kind, Name: r.name, Capacity: r.capacity},
		RemoteHost:           "nas.demo.local", RemotePath: r.remote,
	}}
}
