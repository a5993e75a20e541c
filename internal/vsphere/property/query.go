package property

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// How many objects one answer holds. A host's options and their definitions alone are half a megabyte.
const (
	PageOfIndex = 500
	PageOfHosts = 25
	PageOfVMs   = 250
)

// Query is one retrieval: which properties of which objects, in pages of which size.
type Query struct {
	What  string // for progress and errors: "hosts"
	Paths []types.PropertySpec
	// from are the objects to start at; nil means everything in the view.
	From []types.ObjectSpec
	// beside are objects outside the view that ride on a query of it.
	Beside []types.ObjectSpec
	Page   int32
	Needs  inventory.Needs
	Server inventory.Version
}
