package vsphere

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

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

// TestSizeOfSnapshots: the size of file N is 1 << N, so that a sum tells which files were taken in.
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
		{"a file stands twice in a unit", disks{chain(2000, 0, 1, 1)}, snapshots{taken("a", 3, -1, chain(2000, 0))}, trees{point("a")}, 1<<1 | 1<<3},
	} {
		l := &types.VirtualMachineFileLayoutEx{Disk: c.now, Snapshot: c.were}
		for key := range int32(8) {
			l.File = append(l.File, types.VirtualMachineFileLayoutExFileInfo{Key: key, Size: 1 << key})
		}
		require.Equal(t, inventory.Known(c.want), sizeOf(l, c.trees), c.name)

		l.Snapshot = l.Snapshot[:len(l.Snapshot)-1]
		size := sizeOf(l, c.trees)
		require.Equal(t, "unread: the server has not looked at the virtual machine's files since its last snapshot", reasonOf(&size), c.name)
	}
	size := sizeOf(&types.VirtualMachineFileLayoutEx{Snapshot: snapshots{taken("a", 3, -1)}}, trees{point("a")})
	require.Equal(t, "unread: the server does not list all files of its snapshots", reasonOf(&size))
}

// TestSnapshotSizesOfTheDemoFleet: they are what the fleet was given, and take one retrieval more, of those VMs alone.
func TestSnapshotSizesOfTheDemoFleet(t *testing.T) {
	t.Parallel()
	session := demo(t)
	sizes := func(facts ...string) (map[string]int64, int) {
		before := session.Calls()["RetrievePropertiesEx"]
		vc, err := Inventory(t.Context(), session, Scope{}, needing(facts...), nil)
		require.NoError(t, err)
		all := map[string]int64{}
		for _, v := range vc.VMs {
			if size, known := v.SnapshotBytes.Value(); known && size > 0 {
				all[v.Name] = size
			}
		}
		return all, session.Calls()["RetrievePropertiesEx"] - before
	}
	none, calls := sizes("VM.snapshots")
	require.Empty(t, none)
	require.Equal(t, 2, calls)
	got, calls := sizes("VM.snapshotBytes")
	require.Equal(t, 3, calls)
	const desktopParent = "cp-replica-3f9a5c20-7d1e-4b86-9a42-0c5e8f6b1d37"
	const gb, vmsn = int64(1 << 30), int64(32 << 10)
	require.Equal(t, map[string]int64{"web-03": gb + vmsn, "app-build-01": 68*gb + 5*vmsn, "app-legacy-01": 14*gb + vmsn, "tmpl-rhel9": gb + vmsn, desktopParent: gb + vmsn}, got)
}
