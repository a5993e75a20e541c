package change

import (
	"context"
	"errors"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// vmEdit holds a VM and the changes to it. The specification has only the changed fields: the API keeps the values of fields that
// are not set, also in nested parts.
type vmEdit struct {
	now  *vmState
	spec types.VirtualMachineConfigSpec
}

func (e *vmEdit) cpu() *types.ResourceAllocationInfo { return allocated(&e.spec.CpuAllocation) }

func (e *vmEdit) memory() *types.ResourceAllocationInfo { return allocated(&e.spec.MemoryAllocation) }

func (e *vmEdit) flags() *types.VirtualMachineFlagInfo { return allocated(&e.spec.Flags) }

func (e *vmEdit) numa() *types.VirtualMachineVirtualNuma { return allocated(&e.spec.VirtualNuma) }

// allocated returns a part of the specification and creates it if it is nil.
func allocated[T any](part **T) *T {
	if *part == nil {
		*part = new(T)
	}
	return *part
}

// next returns the value of a field after the change: the sent value, or the current one if none is sent.
func next[T any](sent *T, now T) T {
	if sent != nil {
		return *sent
	}
	return now
}

// reconfigure makes the changes of an edit in one task and waits for its end. The server refuses them if the VM was changed since
// it was read.
func (s *estate) reconfigure(ctx context.Context, e *vmEdit) error {
	version, ok := property.Text(e.now.props.Values[pathChangeVersion])
	if !ok || version == "" {
		return errors.New("its configuration could not be read")
	}
	e.spec.ChangeVersion = version
	res, err := methods.ReconfigVM_Task(ctx, s, &types.ReconfigVM_Task{This: e.now.props.Ref, Spec: e.spec})
	if err != nil {
		return session.Unsure(ctx, err)
	}
	return s.await(ctx, "ReconfigVM_Task", res.Returnval, s.limits.change)
}
