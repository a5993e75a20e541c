package vsphere

import (
	"context"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// niocWriter turns Network I/O Control of a distributed switch on and off. The switch is vCenter's own, so what vCenter
// says of it is how it is.
var niocWriter = &lone[*props]{
	look: func(ctx context.Context, s *estate, t tuning.Target) (*props, error) {
		return s.target(ctx, t, pathNIOC)
	},
	value: func(p *props) valueFact {
		return then(read(p, pathNIOC, asBool, must), func(on bool) valueFact { return inventory.Known(inventory.BoolValue(on)) })
	},
	lacking: "the switch has no Network I/O Control",
	refuse:  func(*props, inventory.Value) string { return "" },
	set: func(ctx context.Context, s *estate, p *props, v inventory.Value) error {
		on, _ := v.Bool()
		_, err := methods.EnableNetworkResourceManagement(ctx, s, &types.EnableNetworkResourceManagement{This: p.ref, Enable: on})
		return unsure(ctx, err)
	},
}
