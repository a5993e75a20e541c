package property

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// Page sizes. A host's options and their definitions alone are half a megabyte.
const (
	PageOfIndex = 500
	PageOfHosts = 25
	PageOfVMs   = 250
)

// Query is one retrieval: the properties of certain objects, and the page size.
type Query struct {
	What  string // for progress and errors: "hosts"
	Paths []types.PropertySpec
	// From are the objects to start at; nil means everything in the view.
	From []types.ObjectSpec
	// Extra are objects outside the view that are part of the query.
	Extra []types.ObjectSpec
	Page  int32
	// Reuse saves memory: the objects of a page share one Props, so the function that gets them must not keep it.
	Reuse  bool
	Needs  inventory.Needs
	Server inventory.Version
}
