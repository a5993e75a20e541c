package simfleet

import (
	"fmt"
	"slices"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// addSnapshots adds the row's snapshots to the VM, each a child of the previous one.
func (v *vmBuilder) addSnapshots() {
	if len(v.row.Snapshots) == 0 {
		return
	}
	last := v.snapshotRef(len(v.row.Snapshots) - 1)
	v.vm.Snapshot = &types.VirtualMachineSnapshotInfo{CurrentSnapshot: &last, RootSnapshotList: v.snapshotTree(0)}
	v.vm.RootSnapshot = []types.ManagedObjectReference{v.snapshotRef(0)}
}

// snapshotTree returns the chain from the i-th snapshot down.
func (v *vmBuilder) snapshotTree(i int) []types.VirtualMachineSnapshotTree {
	if i == len(v.row.Snapshots) {
		return nil
	}
	return []types.VirtualMachineSnapshotTree{{
		Snapshot: v.snapshotRef(i), Vm: v.vm.Self, Name: v.row.Snapshots[i].Name, Id: int32(i + 1),
		CreateTime: takenAt(v.row.Snapshots[i], v.now), State: types.VirtualMachinePowerStatePoweredOff,
		ReplaySupported: new(false), ChildSnapshotList: v.snapshotTree(i + 1),
	}}
}

// takenAt returns when the snapshot was taken. An age counts from the last full hour, so that runs within an hour agree.
func takenAt(r fleetdata.Snapshot, now time.Time) time.Time {
	if r.Taken.IsZero() {
		return now.UTC().Truncate(time.Hour).Add(-r.Age)
	}
	return r.Taken
}

func (v *vmBuilder) snapshotRef(i int) types.ManagedObjectReference {
	return types.ManagedObjectReference{
		Type: "VirtualMachineSnapshot", Value: fmt.Sprintf("snapshot-%d", 10*(firstVM+v.number)+i),
	}
}

// putSnapshots registers the objects of the tree.
//
// govmomi v0.56.0 simulator: removing a snapshot without its object ends the process.
func (v *vmBuilder) putSnapshots() {
	for i := range v.row.Snapshots {
		s := &simulator.VirtualMachineSnapshot{}
		s.Self, s.Vm, s.Config = v.snapshotRef(i), v.vm.Self, *v.vm.Config
		if i+1 < len(v.row.Snapshots) {
			s.ChildSnapshot = []types.ManagedObjectReference{v.snapshotRef(i + 1)}
		}
		v.ctx.Map.Put(s)
	}
}

// vmsnBytes is the size of a snapshot's data without disks.
const vmsnBytes = 32 << 10

// snapshotFiles lists the files of the first disk that exist because of snapshots: the base, and for each snapshot its own file
// and the delta since then.
func (v *vmBuilder) snapshotFiles() *types.VirtualMachineFileLayoutEx {
	layout := &types.VirtualMachineFileLayoutEx{Timestamp: created}
	if len(v.row.Snapshots) == 0 {
		return layout
	}
	add := func(name string, kind types.VirtualMachineFileLayoutExFileType, size int64) int32 {
		key := int32(len(layout.File))
		layout.File = append(layout.File, types.VirtualMachineFileLayoutExFileInfo{
			Key: key, Name: v.path(name), Type: string(kind), Size: size, UniqueSize: size, Accessible: new(true),
		})
		return key
	}
	disk := types.VirtualMachineFileLayoutExDiskLayout{Key: firstDiskKey}
	grow := func(name string, size int64) {
		key := add(name, types.VirtualMachineFileLayoutExFileTypeDiskExtent, size)
		disk.Chain = append(slices.Clone(disk.Chain), types.VirtualMachineFileLayoutExDiskUnit{FileKey: []int32{key}})
	}
	grow(v.row.Name+"-flat.vmdk", diskBytes/4)
	for i, s := range v.row.Snapshots {
		layout.Snapshot = append(layout.Snapshot, types.VirtualMachineFileLayoutExSnapshotLayout{
			Key: v.snapshotRef(i), MemoryKey: -1, Disk: []types.VirtualMachineFileLayoutExDiskLayout{disk},
			DataKey: add(fmt.Sprintf("%s-Snapshot%d.vmsn", v.row.Name, i+1), types.VirtualMachineFileLayoutExFileTypeSnapshotData, vmsnBytes),
		})
		grow(fmt.Sprintf("%s-%06d-delta.vmdk", v.row.Name, i+1), s.GB<<30)
	}
	layout.Disk = []types.VirtualMachineFileLayoutExDiskLayout{disk}
	return layout
}
