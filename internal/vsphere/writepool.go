package vsphere

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// poolCPUWriter and poolMemoryWriter set a limit of a resource pool.
var (
	poolCPUWriter = poolLimit(pathPoolLimit, "MHz", func(c *types.ResourceConfigSpec) *types.ResourceAllocationInfo { return &c.CpuAllocation })

	poolMemoryWriter = poolLimit(pathPoolMemoryLimit, "MB", func(c *types.ResourceConfigSpec) *types.ResourceAllocationInfo { return &c.MemoryAllocation })
)

// poolLimit writes the limit at path, in unit, and nothing else of the pool's allocations: fields that are not sent stay as they
// are.
func poolLimit(path, unit string, of func(*types.ResourceConfigSpec) *types.ResourceAllocationInfo) *lone[*props] {
	return &lone[*props]{
		look: func(ctx context.Context, s *estate, t tuning.Target) (*props, error) {
			return s.target(ctx, t, path, pathParent)
		},
		value: func(p *props) valueFact {
			return then(read(p, path, asInt, must), func(limit int64) valueFact { return inventory.Known(inventory.LongValue(limit)) })
		},
		lacking: "the pool has no such limit",
		refuse:  func(p *props, v inventory.Value) string { return refusePool(p, v, unit) },
		set: func(ctx context.Context, s *estate, p *props, v inventory.Value) error {
			limit, _ := v.Int()
			config := new(types.ResourceConfigSpec)
			of(config).Limit = &limit
			_, err := methods.UpdateConfig(ctx, s, &types.UpdateConfig{This: p.ref, Config: config})
			return unsure(ctx, err)
		},
	}
}

func refusePool(p *props, v inventory.Value, unit string) string {
	if above, ok := read(p, pathParent, asIs[ref], must).Value(); ok && !isPool(above) {
		return "the root of all pools has what its hosts have, and no limit of its own"
	}
	if limit, _ := v.Int(); limit < inventory.NoLimit {
		return fmt.Sprintf("a limit is in %s, or %d for none, not %d", unit, inventory.NoLimit, limit)
	}
	return ""
}
