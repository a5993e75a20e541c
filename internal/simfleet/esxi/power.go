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

// PowerOption is the same setting as an advanced option, on hosts from 8.0 on.
const PowerOption = "Power.CpuPolicy"

// policyTable has each policy's short name, and its name in the hardware view and the advanced option.
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

// PolicyNamed returns the policy with a short name.
func PolicyNamed(short string) int32 {
	for _, p := range policyTable {
		if p.short == short {
			return p.key
		}
	}
	return 0
}

// PolicyWord returns the policy's name, or "" for an unknown key.
func PolicyWord(key int32) string {
	for _, p := range policyTable {
		if p.key == key {
			return p.word
		}
	}
	return ""
}

// policyKey returns the policy with this name, or 0.
func policyKey(word string) int32 {
	for _, p := range policyTable {
		if p.word == word {
			return p.key
		}
	}
	return 0
}

// powerSystem is a host's HostPowerSystem, which the simulator does not have. The mo type has to be the first field: the property
// collector looks for it there.
type powerSystem struct {
	mo.HostPowerSystem
	managerLock
	host *Host
}

// addPower registers the host's power system and sets the current policy in all properties.
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

// setPolicy updates all copies of the policy: the power system, the host's configuration, its hardware and, if the release has
// it, the advanced option.
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

// ConfigurePowerPolicy sets the policy. A host whose BIOS controls power accepts the call and changes nothing.
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
