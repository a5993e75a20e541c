package simfleet

import (
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/rest"
)

// libraryRow is a content library; without a datastore it lies on a share of the vCenter's own.
type libraryRow struct{ name, datastore string }

// libraryTable has a library that all hosts can copy from, one that few can, and the slowest place there is.
var libraryTable = []libraryRow{{"templates", datastoreName}, {"images", storeNAS}, {"downloads", ""}}

// addREST has the vCenter serve tags, content libraries and configuration profiles.
func (b *builder) addREST() error {
	b.rest = rest.New()
	for name, c := range b.clusters {
		b.rest.Profile(c.Self, slices.Contains(b.scene.profileClusters(), name))
	}
	for _, row := range markTable {
		self := b.marked(row).Reference()
		for _, name := range row.tags {
			b.rest.Attach(self, name)
		}
	}
	for _, row := range libraryTable {
		var store *types.ManagedObjectReference
		if d := b.datastores[row.datastore]; d != nil {
			store = &d.Self
		}
		b.rest.AddLibrary(row.name, store)
	}
	return nil
}
