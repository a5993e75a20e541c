package esxi

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// vsanSystem and vsanInternalSystem report a host's vSAN state; the simulator does not have them.
type vsanSystem struct {
	mo.HostVsanSystem
	managerLock
	host *Host
}

type vsanInternalSystem struct {
	mo.HostVsanInternalSystem
	managerLock
}

// addVSAN registers the vSAN managers of a host that takes part in vSAN.
func (e *Host) addVSAN(ctx *simulator.Context) {
	if len(e.Row.DiskGroups) == 0 {
		return
	}
	system := &vsanSystem{managerLock: managerLock{&e.Mu}, host: e}
	system.Self = types.ManagedObjectReference{Type: "HostVsanSystem", Value: "vsanSystem-" + e.System.Self.Value}
	inner := &vsanInternalSystem{managerLock: managerLock{&e.Mu}}
	inner.Self = types.ManagedObjectReference{Type: "HostVsanInternalSystem", Value: "ha-vsan-internal-system-" + e.System.Self.Value}
	e.System.ConfigManager.VsanSystem, e.System.ConfigManager.VsanInternalSystem = &system.Self, &inner.Self
	ctx.Map.Put(system)
	ctx.Map.Put(inner)
}

// QueryHostStatus reports a healthy state.
func (s *vsanSystem) QueryHostStatus(*types.QueryHostStatus) soap.HasFault {
	return &methods.QueryHostStatusBody{Res: &types.QueryHostStatusResponse{Returnval: types.VsanHostClusterStatus{
		Uuid: world.UUID("vsan " + s.host.Row.Cluster), NodeUuid: world.UUID("vsan " + s.host.Row.Name), Health: string(types.VsanHostHealthStateHealthy),
		NodeState: types.VsanHostClusterStatusState{State: string(types.VsanHostNodeStateAgent)},
	}}}
}

// QuerySyncingVsanObjects returns no objects: every copy is up to date.
func (s *vsanInternalSystem) QuerySyncingVsanObjects(*types.QuerySyncingVsanObjects) soap.HasFault {
	return &methods.QuerySyncingVsanObjectsBody{Res: &types.QuerySyncingVsanObjectsResponse{
		Returnval: `{"dom_objects": {}, "lsom_objects": {}, "disk_objects": {}}`,
	}}
}
