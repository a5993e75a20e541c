package change

import (
	"context"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// scheduler holds the hyperthreading settings of a host's CPU scheduler.
type scheduler struct {
	self    inventory.Fact[ref]
	threads inventory.Fact[types.HostHyperThreadScheduleInfo]
}

// The configured value is in force after the next restart; until then it differs from the active one.
var hyperthreadingWriter = &singleReadWriter[scheduler]{
	readAll: readThreads,
	value: func(c scheduler, _ tuning.Address) valueFact {
		return property.Then(c.threads, func(i types.HostHyperThreadScheduleInfo) valueFact {
			return inventory.Known(inventory.BoolValue(i.Config))
		})
	},
	absentMeans: "the host has no hyper-threading",
	refuse: func(c scheduler, _ tuning.Address, _ inventory.Value) string {
		if i, _ := c.threads.Value(); !i.Available {
			return "the host has no hyper-threading: its processor has none, or the BIOS turns it off"
		}
		return ""
	},
	set: func(ctx context.Context, s *estate, c scheduler, v inventory.Value) error {
		system, err := requireKnown("CPU scheduler", c.self)
		if err != nil {
			return err
		}
		if on, _ := v.Bool(); on {
			_, err = methods.EnableHyperThreading(ctx, s, &types.EnableHyperThreading{This: system})
		} else {
			_, err = methods.DisableHyperThreading(ctx, s, &types.DisableHyperThreading{This: system})
		}
		return session.Unsure(ctx, err)
	},
}

func readThreads(ctx context.Context, s *estate, t tuning.Target) (scheduler, error) {
	self, err := s.manager(ctx, t, "configManager.cpuScheduler")
	c := scheduler{self: self, threads: property.Then(self, func(ref) inventory.Fact[types.HostHyperThreadScheduleInfo] {
		return inventory.Absent[types.HostHyperThreadScheduleInfo]()
	})}
	system, ok := self.Value()
	if err != nil || !ok {
		return c, err
	}
	p, err := s.object(ctx, system, "hyperthreadInfo")
	if err != nil {
		return c, err
	}
	c.threads = property.Read(p, "hyperthreadInfo", property.As[types.HostHyperThreadScheduleInfo], property.AbsentIfUnset)
	return c, nil
}
