package vsphere

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

const pathPoolLimit = "config.cpuAllocation.limit"

// poolWriter sets the CPU limit of a resource pool, and nothing of what else the pool is allotted: fields that are not
// sent stay as they are.
var poolWriter = &lone[*props]{
	look: func(ctx context.Context, s *Session, t tuning.Target) (*props, error) {
		return s.target(ctx, t, pathPoolLimit, pathParent)
	},
	value: func(p *props) valueFact {
		return then(read(p, pathPoolLimit, asInt, must), func(mhz int64) valueFact { return inventory.Known(inventory.LongValue(mhz)) })
	},
	lacking: "the pool has no CPU limit",
	refuse:  refusePool,
	set: func(ctx context.Context, s *Session, p *props, v inventory.Value) error {
		mhz, _ := v.Int()
		_, err := methods.UpdateConfig(ctx, s.call, &types.UpdateConfig{
			This: p.ref, Config: &types.ResourceConfigSpec{CpuAllocation: types.ResourceAllocationInfo{Limit: &mhz}},
		})
		return unsure(ctx, err)
	},
}

func refusePool(p *props, v inventory.Value) string {
	if above, ok := read(p, pathParent, asIs[ref], must).Value(); ok && !isPool(above) {
		return "the root of all pools has what its hosts have, and no limit of its own"
	}
	if mhz, _ := v.Int(); mhz < inventory.NoLimit {
		return fmt.Sprintf("a limit is in MHz, or %d for none, not %d", inventory.NoLimit, mhz)
	}
	return ""
}
