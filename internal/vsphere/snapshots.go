package vsphere

import (
	"context"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// readSnapshotSizes looks at the files of the VMs that have snapshots, in one retrieval: a list of files is long, and most VMs
// have no snapshot. What keeps it from looking is the reason that the sizes are unread; an error means that ctx has ended.
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
	slices.SortFunc(from, func(a, b types.ObjectSpec) int { return strings.Compare(a.Obj.Value, b.Obj.Value) })
	q := &query{
		what: "sizes of snapshots", paths: []types.PropertySpec{{Type: typeVM, PathSet: []string{pathLayout, pathSnapshots}}},
		from: from, page: pageOfVMs, needs: needs,
	}
	err := r.collect(ctx, q, func(p *props) {
		if v := vms[p.ref]; v != nil {
			v.SnapshotBytes = snapshotBytes(p)
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
	return reason == notMeasured
}
