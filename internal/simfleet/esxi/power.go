package esxi

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// Keys of the power policies.
const (
	PolicyStatic int32 = iota + 1
	PolicyDynamic
	PolicyLow
	PolicyCustom
)

// PowerOption is the same setting as an advanced option; hosts have it from 8.0.
const PowerOption = "Power.CpuPolicy"

// policyTable gives each policy its short name, and the words that the hardware view and the advanced option use.
var policyTable = []struct {
	key         int32
	short, word string
}{
	{PolicyStatic, "static", "High Performance"},
	{PolicyDynamic, "dynamic", "Balanced"},
	{PolicyLow, "low", "Low Power"},
	{PolicyCustom, "custom", "Custom"},
}

func policies() []types.HostPowerPolicy {
	var list []types.HostPowerPolicy
	for _, p := range policyTable {
		list = append(list, types.HostPowerPolicy{
			Key: p.key, ShortName: p.short,
			Name: "PowerPolicy." + p.short + ".name", Description: "PowerPolicy." + p.short + ".description",
		})
	}
	return list
}

// PolicyNamed is the policy of a short name.
func PolicyNamed(short string) int32 {
	for _, p := range policyTable {
		if p.short == short {
			return p.key
		}
	}
	return 0
}

// PolicyWord is the policy in words, or "" for a key that is none.
func PolicyWord(key int32) string {
	for _, p := range policyTable {
		if p.key == key {
			return p.word
		}
	}
	return ""
}

// policyKey is the policy that words name, or 0.
func policyKey(word string) int32 {
	for _, p := range policyTable {
		if p.word == word {
			return p.key
		}
	}
	return 0
}

// powerSystem is a host's HostPowerSystem, which the simulator lacks. The mo type has to come first: the property
// collector looks for it there.
type powerSystem struct {
	mo.HostPowerSystem
	managerLock
	host *Host
}

// addPower puts the host's power system in the registry and the current policy wherever a client may read it.
func (e *Host) addPower(ctx *simulator.Context) {
	p := &powerSystem{host: e, managerLock: managerLock{&e.Mu}}
	p.Self = types.ManagedObjectReference{Type: "HostPowerSystem", Value: "powerSystem-" + e.System.Self.Value}
	p.Capability.AvailablePolicy = policies()
	e.power = p
	self := p.Self
	e.System.ConfigManager.PowerSystem = &self
	e.System.Config.PowerSystemCapability = &types.PowerSystemCapability{AvailablePolicy: policies()}
	e.setPolicy(ctx, PolicyNamed(e.Row.Power))
	ctx.Map.Put(p)
}

// setPolicy keeps all copies of the policy in step: the power system, the host's configuration, its hardware and,
// where the release has it, the advanced option.
func (e *Host) setPolicy(ctx *simulator.Context, key int32) {
	current := policies()[key-1]
	e.power.Info.CurrentPolicy = current
	option := &types.OptionValue{Key: PowerOption, Value: PolicyWord(key)}
	changes := []types.PropertyChange{
		{Name: "config.powerSystemInfo", Val: &types.PowerSystemInfo{CurrentPolicy: current}},
		{Name: "hardware.cpuPowerManagementInfo", Val: &types.HostCpuPowerManagementInfo{
			CurrentPolicy: PolicyWord(key), HardwareSupport: e.Row.PowerHardware,
		}},
	}
	if e.options.has(PowerOption) {
		e.options.write(option)
		changes = append(changes, e.options.change())
	}
	e.Edit(ctx, func(*mo.HostSystem) []types.PropertyChange { return changes })
}

// ConfigurePowerPolicy sets the policy. A host whose BIOS keeps power control says yes and changes nothing.
func (p *powerSystem) ConfigurePowerPolicy(ctx *simulator.Context, req *types.ConfigurePowerPolicy) soap.HasFault {
	body := new(methods.ConfigurePowerPolicyBody)
	if PolicyWord(req.Key) == "" {
		body.Fault_ = world.InvalidArgument("key")
		return body
	}
	if !p.host.Row.BIOSPower() {
		old := p.Info.CurrentPolicy.Key
		p.host.Wrote(func(ctx *simulator.Context) { p.host.setPolicy(ctx, old) })
		p.host.setPolicy(ctx, req.Key)
	}
	body.Res = new(types.ConfigurePowerPolicyResponse)
	return body
}
