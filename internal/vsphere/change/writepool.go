package change

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// poolCPUWriter sets the CPU limit of a resource pool.
var poolCPUWriter = poolLimit(estatefacts.PathPoolLimit, "MHz", func(c *types.ResourceConfigSpec) *types.ResourceAllocationInfo { return &c.CpuAllocation })

// poolMemoryWriter sets the memory limit of a resource pool.
var poolMemoryWriter = poolLimit(estatefacts.PathPoolMemoryLimit, "MB", func(c *types.ResourceConfigSpec) *types.ResourceAllocationInfo { return &c.MemoryAllocation })

// poolLimit returns a writer for the limit at path, in unit. It does not change the pool's other allocations: fields that are not
// sent keep their values.
func poolLimit(path, unit string, of func(*types.ResourceConfigSpec) *types.ResourceAllocationInfo) *singleReadWriter[*property.Props] {
	return &singleReadWriter[*property.Props]{
		readAll: func(ctx context.Context, s *estate, t tuning.Target) (*property.Props, error) {
			return s.target(ctx, t, path, tree.PathParent)
		},
		value: func(p *property.Props, _ tuning.Address) valueFact {
			return property.Then(property.Read(p, path, property.Int, property.Required), func(limit int64) valueFact { return inventory.Known(inventory.LongValue(limit)) })
		},
		absentMeans: "the pool has no such limit",
		refuse:      func(p *property.Props, _ tuning.Address, v inventory.Value) string { return refusePool(p, v, unit) },
		set: func(ctx context.Context, s *estate, p *property.Props, v inventory.Value) error {
			limit, _ := v.Int()
			config := new(types.ResourceConfigSpec)
			of(config).Limit = &limit
			_, err := methods.UpdateConfig(ctx, s, &types.UpdateConfig{This: p.Ref, Config: config})
			return session.Unsure(ctx, err)
		},
	}
}

func refusePool(p *property.Props, v inventory.Value, unit string) string {
	if above, ok := property.Read(p, tree.PathParent, property.As[ref], property.Required).Value(); ok && !property.IsPool(above) {
		return "the root resource pool has the capacity of its hosts and no limit of its own"
	}
	if limit, _ := v.Int(); limit < inventory.NoLimit {
		return fmt.Sprintf("a limit is a number of %s, or %d for no limit, not %d", unit, inventory.NoLimit, limit)
	}
	return ""
}
