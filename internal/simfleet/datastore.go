package simfleet

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// addDatastore mounts one VMFS datastore, backed by a local directory, on all hosts.
func (b *builder) addDatastore() error {
	dir := filepath.Join(b.dir, datastoreName)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("making datastore %s: %w", datastoreName, err)
	}
	for _, e := range b.hostOrder {
		system := get[*simulator.HostDatastoreSystem](b, *e.System.ConfigManager.DatastoreSystem)
		body := system.CreateLocalDatastore(b.ctx, &types.CreateLocalDatastore{This: system.Self, Name: datastoreName, Path: dir})
		if err := refused(body, "mounting "+datastoreName+" on "+e.Row.Name); err != nil {
			return err
		}
		ref := body.(*methods.CreateLocalDatastoreBody).Res.Returnval
		if ref.Value != "" { // empty if the datastore exists already
			b.datastore = get[*simulator.Datastore](b, ref)
		}
		if e.Row.SwapCacheMB > 0 {
			e.System.Config.CacheConfigurationInfo = []types.HostCacheConfigurationInfo{{Key: b.datastore.Self, SwapSize: e.Row.SwapCacheMB}}
		}
	}
	configureDatastore(b.datastore, fleetdata.Demo().Datastores[0])
	return nil
}

// configureDatastore sets a datastore's properties from the table.
func configureDatastore(d *simulator.Datastore, row fleetdata.Datastore) {
	d.Summary.Type = row.Kind
	d.Summary.Capacity, d.Summary.FreeSpace, d.Summary.Uncommitted = row.CapacityGB<<30, row.FreeGB<<30, row.UncommittedGB<<30
	d.Summary.MultipleHostAccess = new(len(d.Host) > 1)
	d.IormConfiguration = sioc(row.SIOC)
	info := *d.Info.GetDatastoreInfo()
	info.FreeSpace = row.FreeGB << 30
	d.Info = storeInfo(row, info)
}
