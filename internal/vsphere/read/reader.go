package read

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

type (
	host = inventory.Host
	vm   = inventory.VM
)

// inventoryReader reads the inventory of one endpoint.
type inventoryReader struct{ *property.Reader }

// ref names a managed object.
type ref = types.ManagedObjectReference
