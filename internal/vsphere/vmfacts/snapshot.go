package vmfacts

import (
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// Properties of a VM from which the size of its snapshots is computed: the snapshots, and the files of each.
const (
	PathSnapshots = "snapshot.rootSnapshotList"
	PathLayout    = "layoutEx"
)

// NotMeasured marks the VMs whose files are still to be read.
const NotMeasured = "the server returned nothing about its files"

// fillSnapshotBytes finds the VMs that have snapshots; for the others the size is 0.
func fillSnapshotBytes(p *property.Props, v *vm) {
	points := property.Read(p, PathSnapshots, asSnapshots, property.DefaultTo([]*inventory.SnapshotPoint{}))
	v.SnapshotBytes = property.Then(points, func(list []*inventory.SnapshotPoint) inventory.Fact[int64] {
		if len(list) == 0 {
			return inventory.Known(int64(0))
		}
		return inventory.Unread[int64](NotMeasured)
	})
}

// SnapshotBytes sums the files that exist because of snapshots.
func SnapshotBytes(p *property.Props) inventory.Fact[int64] {
	trees := property.Read(p, PathSnapshots, property.As[types.ArrayOfVirtualMachineSnapshotTree], property.DefaultTo(types.ArrayOfVirtualMachineSnapshotTree{}))
	layout := property.Read(p, PathLayout, property.As[types.VirtualMachineFileLayoutEx], property.Required)
	return property.Then(trees, func(a types.ArrayOfVirtualMachineSnapshotTree) inventory.Fact[int64] {
		return property.Then(layout, func(l types.VirtualMachineFileLayoutEx) inventory.Fact[int64] {
			return sizeOf(&l, a.VirtualMachineSnapshotTree)
		})
	})
}

// sizeOf computes the size of snapshots: a file that belongs to every state of a disk existed before the first snapshot; the
// other files exist for snapshots, and so do the snapshots' own.
func sizeOf(l *types.VirtualMachineFileLayoutEx, trees []types.VirtualMachineSnapshotTree) inventory.Fact[int64] {
	seen := map[ref]bool{}
	var own []int32
	states := slices.Clone(l.Disk)
	for _, s := range l.Snapshot {
		seen[s.Key] = true
		states = append(states, s.Disk...)
		own = append(own, s.DataKey)
		if s.MemoryKey >= 0 { // -1 means none
			own = append(own, s.MemoryKey)
		}
	}
	for todo := trees; len(todo) > 0; {
		t := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1:len(todo)-1], t.ChildSnapshotList...)
		if !seen[t.Snapshot] {
			return inventory.Unread[int64]("the server has not scanned the virtual machine's files since its last snapshot")
		}
	}
	return total(l, append(own, added(states)...))
}

// added returns the files that belong to only some states of their disk.
func added(states []types.VirtualMachineFileLayoutExDiskLayout) (files []int32) {
	type file struct{ disk, key int32 }
	of, in := map[int32]int{}, map[file]int{} // number of states, by disk and by file
	for _, s := range states {
		of[s.Key]++
		ownKeys := map[int32]bool{}
		for _, u := range s.Chain {
			for _, key := range u.FileKey {
				ownKeys[key] = true
			}
		}
		for key := range ownKeys {
			in[file{s.Key, key}]++
		}
	}
	for f, n := range in {
		if n < of[f.disk] {
			files = append(files, f.key)
		}
	}
	return files
}

// total sums the sizes of files, each once.
func total(l *types.VirtualMachineFileLayoutEx, files []int32) inventory.Fact[int64] {
	size := map[int32]int64{}
	for _, f := range l.File {
		size[f.Key] = f.Size
	}
	slices.Sort(files)
	sum := int64(0)
	for _, key := range slices.Compact(files) {
		n, listed := size[key]
		if !listed {
			return inventory.Unread[int64]("the server does not list all files of its snapshots")
		}
		sum += n
	}
	return inventory.Known(sum)
}

// asSnapshots flattens the tree from the root down. It uses its own stack, because chains can be long.
func asSnapshots(v any) ([]*inventory.SnapshotPoint, bool) {
	list, ok := property.As[types.ArrayOfVirtualMachineSnapshotTree](v)
	type level struct {
		tree  types.VirtualMachineSnapshotTree
		depth int64
	}
	points := []*inventory.SnapshotPoint{}
	var todo []level
	push := func(trees []types.VirtualMachineSnapshotTree, depth int64) {
		for _, t := range slices.Backward(trees) {
			todo = append(todo, level{t, depth})
		}
	}
	push(list.VirtualMachineSnapshotTree, 1)
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		points = append(points, &inventory.SnapshotPoint{Name: tree.Unescape(at.tree.Name), Created: at.tree.CreateTime, Depth: at.depth})
		push(at.tree.ChildSnapshotList, at.depth+1)
	}
	return points, ok
}
