package simfleet

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	datastoreBytes = 20 << 40
	datastoreFree  = 7 << 40
	datastoreOwed  = 6 << 40 // that VMs may yet take
)

// addDatastore mounts one VMFS datastore on all hosts; a directory of ours stands behind it.
func (b *builder) addDatastore() error {
	dir := filepath.Join(b.dir, datastoreName)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("making datastore %s: %w", datastoreName, err)
	}
	for _, e := range b.hostOrder {
		system := get[*simulator.HostDatastoreSystem](b, *e.host.ConfigManager.DatastoreSystem)
		body := system.CreateLocalDatastore(b.ctx, &types.CreateLocalDatastore{This: system.Self, Name: datastoreName, Path: dir})
		if err := refused(body, "mounting "+datastoreName+" on "+e.row.name); err != nil {
			return err
		}
		ref := body.(*methods.CreateLocalDatastoreBody).Res.Returnval
		if ref.Value != "" { // empty where the datastore exists already
			b.datastore = get[*simulator.Datastore](b, ref)
		}
		if e.row.swapCacheMB > 0 {
			e.host.Config.CacheConfigurationInfo = []types.HostCacheConfigurationInfo{{Key: b.datastore.Self, SwapSize: e.row.swapCacheMB}}
		}
	}
	dressDatastore(b.datastore)
	return nil
}

func dressDatastore(d *simulator.Datastore) {
	d.Summary.Type = "VMFS"
	d.Summary.Capacity, d.Summary.FreeSpace, d.Summary.Uncommitted = datastoreBytes, datastoreFree, datastoreOwed
	d.Summary.MultipleHostAccess = new(len(d.Host) > 1)
	d.IormConfiguration = sioc(false, types.StorageIORMThresholdModeAutomatic, 30)
	info := *d.Info.GetDatastoreInfo()
	info.FreeSpace = datastoreFree
	d.Info = &types.VmfsDatastoreInfo{
		DatastoreInfo: info,
		Vmfs: &types.HostVmfsVolume{
			HostFileSystemVolume: types.HostFileSystemVolume{Type: "VMFS", Name: datastoreName, Capacity: datastoreBytes},
			BlockSizeMb:          1, MajorVersion: 6, Version: "6.82", Uuid: uuid(datastoreName),
			UnmapPriority: "low", Extent: []types.HostScsiDiskPartition{{DiskName: sanExtent, Partition: 1}},
			Ssd: new(true), Local: new(false),
		},
	}
}
