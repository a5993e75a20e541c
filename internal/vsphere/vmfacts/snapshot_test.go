package vmfacts

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

func chain(disk int32, files ...int32) types.VirtualMachineFileLayoutExDiskLayout {
	d := types.VirtualMachineFileLayoutExDiskLayout{Key: disk}
	for _, f := range files {
		d.Chain = append(d.Chain, types.VirtualMachineFileLayoutExDiskUnit{FileKey: []int32{f}})
	}
	return d
}

func point(id string, children ...types.VirtualMachineSnapshotTree) types.VirtualMachineSnapshotTree {
	return types.VirtualMachineSnapshotTree{Snapshot: ref{Type: "VirtualMachineSnapshot", Value: id}, ChildSnapshotList: children}
}

func taken(id string, data, memory int32, disks ...types.VirtualMachineFileLayoutExDiskLayout) types.VirtualMachineFileLayoutExSnapshotLayout {
	return types.VirtualMachineFileLayoutExSnapshotLayout{Key: point(id).Snapshot, DataKey: data, MemoryKey: memory, Disk: disks}
}

// TestSizeOfSnapshots: the size of file N is 1 << N, so that a sum shows which files it includes.
func TestSizeOfSnapshots(t *testing.T) {
	type (
		disks     = []types.VirtualMachineFileLayoutExDiskLayout
		snapshots = []types.VirtualMachineFileLayoutExSnapshotLayout
		trees     = []types.VirtualMachineSnapshotTree
	)
	for _, c := range []struct {
		name  string
		now   disks
		were  snapshots
		trees trees
		want  int64
	}{
		{"a chain of two", disks{chain(2000, 0, 1, 2)}, snapshots{taken("a", 3, -1, chain(2000, 0)), taken("b", 4, 5, chain(2000, 0, 1))},
			trees{point("a", point("b"))}, 1<<1 | 1<<2 | 1<<3 | 1<<4 | 1<<5},
		{"leaf first, as some servers list it", disks{chain(2000, 2, 1, 0)}, snapshots{taken("a", 3, -1, chain(2000, 0)), taken("b", 4, -1, chain(2000, 1, 0))},
			trees{point("a", point("b"))}, 1<<1 | 1<<2 | 1<<3 | 1<<4},
		{"two branches", disks{chain(2000, 0, 2)}, snapshots{taken("a", 3, -1, chain(2000, 0)), taken("b", 4, -1, chain(2000, 0, 1))},
			trees{point("a", point("b"))}, 1<<1 | 1<<2 | 1<<3 | 1<<4},
		{"a linked clone began with two files", disks{chain(2000, 0, 1, 2)}, snapshots{taken("a", 3, -1, chain(2000, 0, 1))}, trees{point("a")}, 1<<2 | 1<<3},
		{"a disk that was added later", disks{chain(2000, 0, 1), chain(2001, 6)}, snapshots{taken("a", 3, -1, chain(2000, 0))}, trees{point("a")}, 1<<1 | 1<<3},
		{"memory and data are one file", disks{chain(2000, 0, 1)}, snapshots{taken("a", 3, 3, chain(2000, 0))}, trees{point("a")}, 1<<1 | 1<<3},
		{"a file occurs twice in a unit", disks{chain(2000, 0, 1, 1)}, snapshots{taken("a", 3, -1, chain(2000, 0))}, trees{point("a")}, 1<<1 | 1<<3},
	} {
		l := &types.VirtualMachineFileLayoutEx{Disk: c.now, Snapshot: c.were}
		for key := range int32(8) {
			l.File = append(l.File, types.VirtualMachineFileLayoutExFileInfo{Key: key, Size: 1 << key})
		}
		require.Equal(t, inventory.Known(c.want), sizeOf(l, c.trees), c.name)

		l.Snapshot = l.Snapshot[:len(l.Snapshot)-1]
		size := sizeOf(l, c.trees)
		require.Equal(t, "unread: the server has not scanned the virtual machine's files since its last snapshot", vspheretest.ReasonOf(&size), c.name)
	}
	size := sizeOf(&types.VirtualMachineFileLayoutEx{Snapshot: snapshots{taken("a", 3, -1)}}, trees{point("a")})
	require.Equal(t, "unread: the server does not list all files of its snapshots", vspheretest.ReasonOf(&size))
}
