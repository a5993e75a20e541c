package change

import (
	"context"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

type vm = inventory.VM

// vmState holds the current state of a VM on the server.
type vmState struct {
	*vm
	props *property.Props
}

const pathChangeVersion = "config.changeVersion"

// vmBasics are the properties needed to check any setting.
var vmBasics = []string{
	"VM.powerState", "VM.hardwareVersion", "VM.vcpus", "VM.coresPerSocket", "VM.autoCoresPerSocket",
	"VM.autoCoresPerNumaNode", "VM.memoryMB", "VM.cpuReservationMHz", "VM.cpuLimitMHz", "VM.memoryReservationMB", "VM.memoryReservationLocked", "VM.memoryLimitMB",
}

// readVM reads the properties needed for settings of a VM, through the same tables as the audit, so that a value means the same
// in both.
func (s *estate) readVM(ctx context.Context, t tuning.Target, addresses []tuning.Address) (*vmState, error) {
	plan, err := vmPlan(addresses)
	if err != nil {
		return nil, err
	}
	p, err := s.object(ctx, vmRef(t), append(plan.Paths, pathChangeVersion)...)
	if err != nil {
		return nil, err
	}
	return newVMState(plan, p), nil
}

// vmPlan returns the plan to read the properties needed to check these settings.
func vmPlan(addresses []tuning.Address) (property.Plan[*vm], error) {
	var needs inventory.Needs
	needs.AddFact(vmBasics...)
	for _, a := range addresses {
		of, err := inventory.LookupSetting(a.Setting)
		if err != nil {
			return property.Plan[*vm]{}, err
		}
		needs.Add(of.Needs())
	}
	return vmfacts.Table.Plan(needs), nil
}

func newVMState(how property.Plan[*vm], p *property.Props) *vmState {
	now := &vmState{new(vm), p}
	how.Fill(p, now.vm)
	return now
}

// unset reports whether the server knows a property but returned no value, so that the default applies.
func (n *vmState) unset(path string) bool {
	v, g := n.props.Lookup(path)
	return v == nil && g.State == inventory.StateKnown
}

// knows reports whether the server has the property at all.
func (n *vmState) knows(path string) bool {
	v, g := n.props.Lookup(path)
	return v != nil || g.State != inventory.StateAbsent
}

func (n *vmState) runs() bool {
	state, _ := n.PowerState.Value()
	return state == string(types.VirtualMachinePowerStatePoweredOn)
}

// powerRefusal returns why the VM cannot be changed in its current power state.
func (n *vmState) powerRefusal() string {
	state, known := n.PowerState.Value()
	switch {
	case !known:
		_, _, reason := n.PowerState.Get()
		return "whether it runs could not be read: " + reason
	case state == string(types.VirtualMachinePowerStateSuspended):
		return "it is suspended: resume it, or shut it down"
	}
	return ""
}

// activation returns when a change takes effect. For a powered-off VM, any change takes effect when it starts.
func (n *vmState) activation(of inventory.Setting) inventory.Activation {
	if is := of.Activation(); n.runs() || is == inventory.ActivationLive {
		return is
	}
	return inventory.ActivationNextPowerOn
}

// known returns a fact's value, or otherwise if it is not known.
func known[T any](f inventory.Fact[T], otherwise T) T {
	if v, ok := f.Value(); ok {
		return v
	}
	return otherwise
}
