package module

import (
	"time"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

// snapshotColumns: a VM without snapshots has only their number.
var snapshotColumns = []column[*inventory.VM]{
	{
		"esxi_vm_snapshots", "Snapshots of the VM (snapshot.rootSnapshotList).",
		func(v *inventory.VM) (float64, bool) { return length(v.Snapshots) },
	},
	{
		"esxi_vm_snapshot_oldest_timestamp_seconds", "Creation time of the oldest snapshot of the VM (snapshot.rootSnapshotList.createTime).",
		oldestSnapshot,
	},
	{
		"esxi_vm_snapshot_size_bytes",
		"Total space used by the snapshots of the VM: their files, and the disk changes since the first snapshot (layoutEx.file.size).",
		func(v *inventory.VM) (float64, bool) {
			size, known := number(v.SnapshotBytes, 1)
			return size, known && hasSnapshots(v)
		},
	},
}

func snapshotModule() Surveyed {
	return Surveyed{
		Name:  Snapshot,
		Needs: needsOf("VM.template", "VM.snapshots", "VM.snapshotBytes"),
		Write: func(w *exposition.Writer, v *inventory.VCenter) {
			writeColumns(w, realVMs(v.VMs), vmLabels, snapshotColumns)
		},
		Coverage: func(v *inventory.VCenter) (int, int, string) {
			return covered(v.Unread, realVMs(v.VMs), func(vm *inventory.VM) []inventory.Reader {
				return []inventory.Reader{&vm.Snapshots, &vm.SnapshotBytes}
			})
		},
	}
}

func vmLabels(v *inventory.VM) exposition.Labels {
	return exposition.NewLabels("vm", v.Name, "moid", v.ID)
}

// realVMs are the VMs that are no templates: those have no snapshots, and never run.
func realVMs(all []*inventory.VM) []*inventory.VM {
	list := make([]*inventory.VM, 0, len(all))
	for _, v := range all {
		if is, _ := v.Template.Value(); !is {
			list = append(list, v)
		}
	}
	return list
}

func hasSnapshots(v *inventory.VM) bool {
	n, known := length(v.Snapshots)
	return known && n > 0
}

func oldestSnapshot(v *inventory.VM) (float64, bool) {
	var oldest time.Time
	list, _ := v.Snapshots.Value()
	for _, s := range list {
		if oldest.IsZero() || s.Created.Before(oldest) {
			oldest = s.Created
		}
	}
	return exposition.Seconds(oldest), !oldest.IsZero()
}
