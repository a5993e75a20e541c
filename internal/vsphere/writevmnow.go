package vsphere

import (
	"context"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// vmNow is a VM as the server has it at the moment.
type vmNow struct {
	*vm
	props *props
}

const pathChangeVersion = "config.changeVersion"

// vmBasics are what settings are judged by, whichever they are.
var vmBasics = []string{
	"VM.powerState", "VM.hardwareVersion", "VM.vcpus", "VM.coresPerSocket", "VM.autoCoresPerSocket",
	"VM.autoCoresPerNumaNode", "VM.memoryMB", "VM.cpuReservationMHz", "VM.cpuLimitMHz", "VM.memoryReservationMB", "VM.memoryReservationLocked", "VM.memoryLimitMB",
}

// readVM reads what settings of a VM take, through the tables that the audit reads it by: a value means the same to both.
func (s *Session) readVM(ctx context.Context, t tuning.Target, addresses []tuning.Address) (*vmNow, error) {
	var needs inventory.Needs
	needs.AddFact(vmBasics...)
	for _, a := range addresses {
		of, err := inventory.LookupSetting(a.Setting)
		if err != nil {
			return nil, err
		}
		needs.Add(of.Needs())
	}
	plan := vmTable.plan(needs)
	p, err := s.object(ctx, vmRef(t), append(plan.paths, pathChangeVersion)...)
	if err != nil {
		return nil, err
	}
	now := &vmNow{new(vm), p}
	plan.fill(p, now.vm)
	return now, nil
}

// unset reports whether the server knows a property and says nothing of it, so that its value is implied.
func (n *vmNow) unset(path string) bool {
	v, g := n.props.look(path)
	return v == nil && g.state == inventory.StateKnown
}

// knows reports whether the server has the property at all.
func (n *vmNow) knows(path string) bool {
	v, g := n.props.look(path)
	return v != nil || g.state != inventory.StateAbsent
}

func (n *vmNow) runs() bool {
	state, _ := n.PowerState.Value()
	return state == string(types.VirtualMachinePowerStatePoweredOn)
}

// stuck says why the VM cannot be changed in the power state that it is in.
func (n *vmNow) stuck() string {
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

// activation is what a change needs. Nothing waits on a VM that is off: whatever is written is in force when it starts.
func (n *vmNow) activation(of inventory.Setting) inventory.Activation {
	if is := of.Activation(); n.runs() || is == inventory.ActivationLive {
		return is
	}
	return inventory.ActivationNextPowerOn
}

// known is a fact's value, or what stands for one that is not known.
func known[T any](f inventory.Fact[T], otherwise T) T {
	if v, ok := f.Value(); ok {
		return v
	}
	return otherwise
}
