package esxi

import (
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// unmapFrom is the first VMFS version with automatic space reclamation.
const unmapFrom = 6

// UpdateVmfsUnmapPriority sets the priority of space reclamation. It is stored in the volume: all hosts see it, and a host's
// crash does not undo it.
func (s *storageSystem) UpdateVmfsUnmapPriority(ctx *simulator.Context, req *types.UpdateVmfsUnmapPriority) soap.HasFault {
	body := new(methods.UpdateVmfsUnmapPriorityBody)
	d := s.volume(ctx, req.VmfsUuid)
	switch {
	case d == nil:
		body.Fault_ = simulator.Fault("The object or item referred to could not be found: "+req.VmfsUuid, &types.NotFound{})
		return body
	case req.UnmapPriority != "none" && req.UnmapPriority != "low":
		body.Fault_ = world.InvalidArgument("unmapPriority")
		return body
	}
	ctx.WithLock(d, func() {
		info := *d.Info.(*types.VmfsDatastoreInfo)
		vmfs := *info.Vmfs
		if vmfs.MajorVersion < unmapFrom {
			body.Fault_ = simulator.Fault("The operation is not supported on the object.", &types.NotSupported{})
			return
		}
		vmfs.UnmapPriority, info.Vmfs = req.UnmapPriority, &vmfs
		ctx.Update(d, []types.PropertyChange{{Name: "info", Val: &info}})
		body.Res = new(types.UpdateVmfsUnmapPriorityResponse)
	})
	return body
}

// volume finds a VMFS datastore that the host has mounted.
func (s *storageSystem) volume(ctx *simulator.Context, id string) *simulator.Datastore {
	for _, e := range ctx.Map.All("Datastore") {
		d := e.(*simulator.Datastore)
		found := false
		ctx.WithLock(d, func() {
			info, ok := d.Info.(*types.VmfsDatastoreInfo)
			found = ok && info.Vmfs.Uuid == id &&
				slices.ContainsFunc(d.Host, func(m types.DatastoreHostMount) bool { return m.Key == s.host.System.Self })
		})
		if found {
			return d
		}
	}
	return nil
}
