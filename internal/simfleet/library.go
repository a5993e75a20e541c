package simfleet

import (
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/rest"
)

// addREST adds tags, content libraries and configuration profiles to the vCenter.
func (b *builder) addREST() error {
	b.rest = rest.New()
	for name, c := range b.clusters {
		b.rest.Profile(c.Self, slices.Contains(b.scene.profileClusters(), name))
	}
	for object, tags := range b.tags {
		for _, name := range tags {
			b.rest.Attach(object, name)
		}
	}
	for _, row := range fleetdata.Demo().Libraries {
		var store *types.ManagedObjectReference
		if d := b.datastores[row.Datastore]; d != nil {
			store = &d.Self
		}
		b.rest.AddLibrary(row.Name, store)
	}
	return nil
}
