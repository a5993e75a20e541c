package simfleet

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
	policyStatic int32 = iota + 1
	policyDynamic
	policyLow
	policyCustom
)

// powerOption is the same setting as an advanced option; hosts have it from 8.0.
const powerOption = "Power.CpuPolicy"

// policyTable gives each policy its short name, and the words that the hardware view and the advanced option use.
var policyTable = []struct {
	key         int32
	short, word string
}{
	{policyStatic, "static", "High Performance"},
	{policyDynamic, "dynamic", "Balanced"},
	{policyLow, "low", "Low Power"},
	{policyCustom, "custom", "Custom"},
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

// policyNamed is the policy of a short name.
func policyNamed(short string) int32 {
	for _, p := range policyTable {
		if p.short == short {
			return p.key
		}
	}
	return 0
}

// policyWord is the policy in words, or "" for a key that is none.
func policyWord(key int32) string {
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
	esxi *esxi
}

// addPower puts the host's power system in the registry and the current policy wherever a client may read it.
func (e *esxi) addPower(ctx *simulator.Context) {
	p := &powerSystem{esxi: e, managerLock: managerLock{&e.Mu}}
	p.Self = types.ManagedObjectReference{Type: "HostPowerSystem", Value: "powerSystem-" + e.System.Self.Value}
	p.Capability.AvailablePolicy = policies()
	e.power = p
	self := p.Self
	e.System.ConfigManager.PowerSystem = &self
	e.System.Config.PowerSystemCapability = &types.PowerSystemCapability{AvailablePolicy: policies()}
	e.setPolicy(ctx, policyNamed(e.Row.Power))
	ctx.Map.Put(p)
}

// setPolicy keeps all copies of the policy in step: the power system, the host's configuration, its hardware and,
// where the release has it, the advanced option.
func (e *esxi) setPolicy(ctx *simulator.Context, key int32) {
	current := policies()[key-1]
	e.power.Info.CurrentPolicy = current
	option := &types.OptionValue{Key: powerOption, Value: policyWord(key)}
	changes := []types.PropertyChange{
		{Name: "config.powerSystemInfo", Val: &types.PowerSystemInfo{CurrentPolicy: current}},
		{Name: "hardware.cpuPowerManagementInfo", Val: &types.HostCpuPowerManagementInfo{
			CurrentPolicy: policyWord(key), HardwareSupport: e.Row.PowerHardware,
		}},
	}
	if e.options.has(powerOption) {
		e.options.write(option)
		changes = append(changes, e.options.change())
	}
	e.Edit(ctx, func(*mo.HostSystem) []types.PropertyChange { return changes })
}

// ConfigurePowerPolicy sets the policy. A host whose BIOS keeps power control says yes and changes nothing.
func (p *powerSystem) ConfigurePowerPolicy(ctx *simulator.Context, req *types.ConfigurePowerPolicy) soap.HasFault {
	body := new(methods.ConfigurePowerPolicyBody)
	if policyWord(req.Key) == "" {
		body.Fault_ = world.InvalidArgument("key")
		return body
	}
	if !p.esxi.Row.BIOSPower() {
		old := p.Info.CurrentPolicy.Key
		p.esxi.Wrote(func(ctx *simulator.Context) { p.esxi.setPolicy(ctx, old) })
		p.esxi.setPolicy(ctx, req.Key)
	}
	body.Res = new(types.ConfigurePowerPolicyResponse)
	return body
}
