package simfleet

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// firstStore is the number in the id of the first datastore.
const firstStore = 701

// sioc returns a datastore's Storage I/O Control configuration, or nil.
func sioc(row *fleetdata.SIOC) *types.StorageIORMInfo {
	if row == nil {
		return nil
	}
	return &types.StorageIORMInfo{
		Enabled: row.Enabled, CongestionThresholdMode: row.Mode, CongestionThreshold: row.Threshold, PercentOfPeakThroughput: 90,
		StatsAggregationDisabled: new(false), ReservationEnabled: true,
	}
}

// addStores registers complete datastores with ids of their own. They share one local directory, because creating directories
// would take most of the start time.
func (b *builder) addStores() error {
	b.datastores = map[string]*simulator.Datastore{datastoreName: b.datastore}
	dir := filepath.Join(b.dir, "others")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("making the other datastores: %w", err)
	}
	for i, row := range fleetdata.Demo().Datastores[1:] {
		b.addStore(row, firstStore+i, dir)
	}
	return nil
}

func (b *builder) addStore(row fleetdata.Datastore, id int, dir string) {
	d := new(simulator.Datastore)
	d.Self = types.ManagedObjectReference{Type: "Datastore", Value: fmt.Sprintf("datastore-%d", id)}
	d.Name = row.Name
	d.Browser, d.Capability, d.OverallStatus = b.datastore.Browser, b.datastore.Capability, types.ManagedEntityStatusGreen
	d.Info = storeInfo(row, types.DatastoreInfo{Name: row.Name, Url: dir, FreeSpace: row.FreeGB << 30, Timestamp: new(created)})
	d.IormConfiguration = sioc(row.SIOC)
	for _, e := range b.hostOrder {
		if !row.On(e.Row.Short()) {
			continue
		}
		d.Host = append(d.Host, types.DatastoreHostMount{
			Key:       e.System.Self,
			MountInfo: types.HostMountInfo{Path: dir, AccessMode: "readWrite", Mounted: new(true), Accessible: new(true)},
		})
		e.System.Datastore = append(e.System.Datastore, d.Self)
	}
	d.Summary = types.DatastoreSummary{
		Datastore: &d.Self, Name: row.Name, Url: "ds:///vmfs/volumes/" + world.UUID(row.Name) + "/", Capacity: row.CapacityGB << 30, FreeSpace: row.FreeGB << 30, Uncommitted: row.UncommittedGB << 30, Accessible: true, Type: row.Kind,
		MultipleHostAccess: new(len(d.Host) > 1), MaintenanceMode: string(types.DatastoreSummaryMaintenanceModeStateNormal),
	}
	folder := get[*simulator.Folder](b, b.datacenter.DatastoreFolder)
	folder.ChildEntity = append(folder.ChildEntity, d.Self)
	b.datacenter.Datastore = append(b.datacenter.Datastore, d.Self)
	b.ctx.Map.PutEntity(folder, d)
	b.datastores[row.Name] = d
}

// storeInfo returns the info for the type of a datastore's volume.
func storeInfo(r fleetdata.Datastore, info types.DatastoreInfo) types.BaseDatastoreInfo {
	volume := types.HostFileSystemVolume{Type: r.Kind, Name: r.Name, Capacity: r.CapacityGB << 30}
	if r.Kind != "VMFS" {
		return &types.NasDatastoreInfo{DatastoreInfo: info, Nas: &types.HostNasVolume{
			HostFileSystemVolume: volume, RemoteHost: "nas.demo.local", RemotePath: r.Remote,
		}}
	}
	return &types.VmfsDatastoreInfo{DatastoreInfo: info, Vmfs: &types.HostVmfsVolume{
		HostFileSystemVolume: volume, BlockSizeMb: 1, MajorVersion: int32(r.VMFS[0] - '0'), Version: r.VMFS, Uuid: world.UUID(r.Name),
		UnmapPriority: r.Unmap, Extent: []types.HostScsiDiskPartition{{DiskName: fleetdata.Demo().LUN(r.LUN).ID, Partition: 1}},
		Ssd: new(r.Flash), Local: new(false),
	}}
}
