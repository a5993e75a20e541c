package change

import (
	"context"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// niocWriter turns Network I/O Control of a distributed switch on and off. The switch belongs to vCenter itself, so vCenter's
// value is the current one.
var niocWriter = &singleReadWriter[*property.Props]{
	readAll: func(ctx context.Context, s *estate, t tuning.Target) (*property.Props, error) {
		return s.target(ctx, t, estatefacts.PathNIOC)
	},
	value: func(p *property.Props, _ tuning.Address) valueFact {
		return property.Then(property.Read(p, estatefacts.PathNIOC, property.Bool, property.Required), func(on bool) valueFact { return inventory.Known(inventory.BoolValue(on)) })
	},
	absentMeans: "the switch has no Network I/O Control",
	refuse:      func(*property.Props, tuning.Address, inventory.Value) string { return "" },
	set: func(ctx context.Context, s *estate, p *property.Props, v inventory.Value) error {
		on, _ := v.Bool()
		_, err := methods.EnableNetworkResourceManagement(ctx, s, &types.EnableNetworkResourceManagement{This: p.Ref, Enable: on})
		return session.Unsure(ctx, err)
	},
}
