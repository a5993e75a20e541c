package hostfacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

// asTiers decodes the memory tiers of a host.
func asTiers(v any) ([]*inventory.MemoryTier, bool) {
	list, ok := property.As[types.ArrayOfHostMemoryTierInfo](v)
	tiers := []*inventory.MemoryTier{}
	for _, t := range list.HostMemoryTierInfo {
		tiers = append(tiers, &inventory.MemoryTier{Name: t.Name, Kind: t.Type, SizeMB: t.Size >> 20})
	}
	return tiers, ok
}
