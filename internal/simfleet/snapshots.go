package simfleet

import (
	"fmt"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// addSnapshots gives the VM the row's snapshots, each below the one before.
func (v *vmBuilder) addSnapshots() {
	if len(v.row.snapshots) == 0 {
		return
	}
	last := v.snapshotRef(len(v.row.snapshots) - 1)
	v.vm.Snapshot = &types.VirtualMachineSnapshotInfo{CurrentSnapshot: &last, RootSnapshotList: v.snapshotTree(0)}
	v.vm.RootSnapshot = []types.ManagedObjectReference{v.snapshotRef(0)}
}

// snapshotTree is the chain from the i-th snapshot down.
func (v *vmBuilder) snapshotTree(i int) []types.VirtualMachineSnapshotTree {
	if i == len(v.row.snapshots) {
		return nil
	}
	return []types.VirtualMachineSnapshotTree{{
		Snapshot: v.snapshotRef(i), Vm: v.vm.Self, Name: v.row.snapshots[i].name, Id: int32(i + 1),
		CreateTime: v.row.snapshots[i].at(v.now), State: types.VirtualMachinePowerStatePoweredOff,
		ReplaySupported: new(false), ChildSnapshotList: v.snapshotTree(i + 1),
	}}
}

// at is when the snapshot was taken. An age counts from the last full hour, so that two runs close together agree.
func (r snapshotRow) at(now time.Time) time.Time {
	if r.taken.IsZero() {
		return now.UTC().Truncate(time.Hour).Add(-r.age)
	}
	return r.taken
}

func (v *vmBuilder) snapshotRef(i int) types.ManagedObjectReference {
	return types.ManagedObjectReference{
		Type: "VirtualMachineSnapshot", Value: fmt.Sprintf("snapshot-%d", 10*(firstVM+v.number)+i),
	}
}

// putSnapshots registers the objects behind the tree: without them a client that removes one stops the simulator.
func (v *vmBuilder) putSnapshots() {
	for i := range v.row.snapshots {
		s := &simulator.VirtualMachineSnapshot{}
		s.Self, s.Vm, s.Config = v.snapshotRef(i), v.vm.Self, *v.vm.Config
		if i+1 < len(v.row.snapshots) {
			s.ChildSnapshot = []types.ManagedObjectReference{v.snapshotRef(i + 1)}
		}
		v.ctx.Map.Put(s)
	}
}
