package read

import (
	"context"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/pkg/inventory"
)

// readSnapshotSizes reads the files of the VMs that have snapshots, in one retrieval: file lists are long, and most VMs have no
// snapshot. If they cannot be read, the sizes are unread for that reason; an error means that ctx has ended.
func (r *inventoryReader) readSnapshotSizes(ctx context.Context, needs inventory.Needs, vms map[ref]*vm) error {
	var from []types.ObjectSpec
	if needs.Any("VM.snapshotBytes") {
		for of, v := range vms {
			if unmeasured(v) {
				from = append(from, types.ObjectSpec{Obj: of})
			}
		}
	}
	if len(from) == 0 {
		return nil
	}
	slices.SortStableFunc(from, func(a, b types.ObjectSpec) int { return strings.Compare(a.Obj.Value, b.Obj.Value) })
	q := &property.Query{
		What: "sizes of snapshots", Paths: []types.PropertySpec{{Type: property.TypeVM, PathSet: []string{vmfacts.PathLayout, vmfacts.PathSnapshots}}},
		From: from, Page: property.PageOfVMs, Needs: needs,
	}
	err := r.Collect(ctx, q, func(p *property.Props) {
		if v := vms[p.Ref]; v != nil {
			v.SnapshotBytes = vmfacts.SnapshotBytes(p)
		}
	})
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		for _, o := range from {
			if v := vms[o.Obj]; unmeasured(v) {
				v.SnapshotBytes = inventory.Unread[int64](err.Error())
			}
		}
	}
	return nil
}

func unmeasured(v *vm) bool {
	_, _, reason := v.SnapshotBytes.Get()
	return reason == vmfacts.NotMeasured
}
