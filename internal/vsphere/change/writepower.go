package change

import (
	"context"
	"fmt"
	"slices"
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
	send:        sendPower,
}

const pathPowerHardware = "hardware.cpuPowerManagementInfo"

func readPower(ctx context.Context, s *estate, t tuning.Target) (powerSystem, error) {
	self, err := s.manager(ctx, t, "configManager.powerSystem")
	if err != nil {
		return powerSystem{}, err
	}
	p := powerSystem{self: self, current: property.Then(self, func(ref) inventory.Fact[types.HostPowerPolicy] { return inventory.Absent[types.HostPowerPolicy]() })}
	system, ok := self.Value()
	if !ok {
		return p, nil
	}
	found, err := s.objects(ctx, "power policies", []types.ObjectSpec{{Obj: targetHost(t)}, {Obj: system}},
		types.PropertySpec{Type: property.TypeHost, PathSet: []string{pathPowerHardware}},
		types.PropertySpec{Type: system.Type, PathSet: []string{"info.currentPolicy", "capability.availablePolicy"}})
	switch {
	case session.IsFault[*types.ManagedObjectNotFound](session.FaultOf(err)), err == nil && !slices.ContainsFunc(found, func(o *property.Props) bool { return o.Ref == system }):
		return powerSystem{}, property.ErrGone
	case err != nil:
		return powerSystem{}, err
	}
	for _, o := range found {
		if o.Ref == system {
			p.current = property.Read(o, "info.currentPolicy", property.As[types.HostPowerPolicy], property.Required)
			list, _ := property.Read(o, "capability.availablePolicy", property.As[types.ArrayOfHostPowerPolicy], property.AbsentIfUnset).Value()
			p.offered = list.HostPowerPolicy
			continue
		}
		p.support = property.Then(property.Read(o, pathPowerHardware, property.As[types.HostCpuPowerManagementInfo], property.AbsentIfUnset), func(i types.HostCpuPowerManagementInfo) inventory.Fact[string] {
			return inventory.Known(i.HardwareSupport)
		})
	}
	return p, nil
}

// sendPower sets the power policy. The numbers of the policies that a host offers are read once.
func sendPower(ctx context.Context, s *estate, t tuning.Target, all []tuning.Assignment) error {
	v, err := single(all)
	if err != nil {
		return err
	}
	found, err := s.manager(ctx, t, "configManager.powerSystem")
	if err != nil {
		return err
	}
	system, err := requireKnown("power system", found)
	if err != nil {
		return err
	}
	p := powerSystem{offered: s.policiesOf(t)}
	key, err := p.policyKey(v.Text)
	if err != nil { // not read yet
		if p, err = readPower(ctx, s, t); err == nil {
			key, err = p.policyKey(v.Text)
		}
		if err != nil {
			return err
		}
		s.offers(t, p.offered)
	}
	_, err = methods.ConfigurePowerPolicy(ctx, s, &types.ConfigurePowerPolicy{This: system, Key: key})
	return session.Unsure(ctx, err)
}

func (s *estate) policiesOf(t tuning.Target) []types.HostPowerPolicy {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	return s.known.policies[t.ID]
}

func (s *estate) offers(t tuning.Target, policies []types.HostPowerPolicy) {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	s.known.policies[t.ID] = policies
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
