package change

import (
	"context"
	"fmt"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// powerSystem holds the state of a host's power system.
type powerSystem struct {
	self    inventory.Fact[ref]
	current inventory.Fact[types.HostPowerPolicy]
	offered []types.HostPowerPolicy
	support inventory.Fact[string] // by the hardware; "" if unsupported: the BIOS keeps control
}

var powerWriter = &singleReadWriter[powerSystem]{
	readAll: readPower,
	value: func(p powerSystem, _ tuning.Address) valueFact {
		return property.Then(p.current, func(c types.HostPowerPolicy) valueFact { return inventory.Known(inventory.StringValue(c.ShortName)) })
	},
	absentMeans: "the host has no power policies",
	refuse:      refusePower,
	set: func(ctx context.Context, s *estate, p powerSystem, v inventory.Value) error {
		system, err := requireKnown("power system", p.self)
		if err != nil {
			return err
		}
		key, err := p.policyKey(v.Text)
		if err != nil {
			return err
		}
		_, err = methods.ConfigurePowerPolicy(ctx, s, &types.ConfigurePowerPolicy{This: system, Key: key})
		return session.Unsure(ctx, err)
	},
}

const pathPowerHardware = "hardware.cpuPowerManagementInfo"

func readPower(ctx context.Context, s *estate, t tuning.Target) (powerSystem, error) {
	host, err := s.target(ctx, t, "configManager.powerSystem", pathPowerHardware)
	if err != nil {
		return powerSystem{}, err
	}
	p := powerSystem{self: property.Read(host, "configManager.powerSystem", property.As[ref], property.AbsentIfUnset)}
	p.support = property.Then(property.Read(host, pathPowerHardware, property.As[types.HostCpuPowerManagementInfo], property.AbsentIfUnset), func(i types.HostCpuPowerManagementInfo) inventory.Fact[string] {
		return inventory.Known(i.HardwareSupport)
	})
	system, ok := p.self.Value()
	if !ok {
		p.current = property.Then(p.self, func(ref) inventory.Fact[types.HostPowerPolicy] { return inventory.Absent[types.HostPowerPolicy]() })
		return p, nil
	}
	own, err := s.object(ctx, system, "info.currentPolicy", "capability.availablePolicy")
	if err != nil {
		return powerSystem{}, err
	}
	p.current = property.Read(own, "info.currentPolicy", property.As[types.HostPowerPolicy], property.Required)
	list, _ := property.Read(own, "capability.availablePolicy", property.As[types.ArrayOfHostPowerPolicy], property.AbsentIfUnset).Value()
	p.offered = list.HostPowerPolicy
	return p, nil
}

func refusePower(p powerSystem, _ tuning.Address, v inventory.Value) string {
	if support, known := p.support.Value(); known && support == "" {
		return "its BIOS controls power: the host would accept the policy without effect; set it in the BIOS"
	}
	if _, err := p.policyKey(v.Text); err != nil {
		return err.Error()
	}
	return ""
}

// policyKey returns the host's number for a policy.
func (p powerSystem) policyKey(short string) (int32, error) {
	var names []string
	for _, o := range p.offered {
		if o.ShortName == short {
			return o.Key, nil
		}
		names = append(names, session.Plain(o.ShortName))
	}
	return 0, fmt.Errorf("the host has no power policy %q; it has %s", session.Plain(short), strings.Join(names, ", "))
}
