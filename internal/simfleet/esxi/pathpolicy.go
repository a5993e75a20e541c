package esxi

import (
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// Path selection policies that come with ESXi.
const (
	pathFixed      = "VMW_PSP_FIXED"
	pathRecent     = "VMW_PSP_MRU"
	pathRoundRobin = world.PathRoundRobin
)

var pathPolicies = []string{pathFixed, pathRecent, pathRoundRobin}

// storageSystem is a host's HostStorageSystem that supports setting the path policy of a device.
type storageSystem struct {
	*simulator.HostStorageSystem
	managerLock
	host *Host
}

// addStorage gives the host its own devices.
//
// govmomi v0.56.0 simulator: all hosts of the process share them.
func (e *Host) addStorage(ctx *simulator.Context, stock *simulator.HostStorageSystem) {
	s := &storageSystem{HostStorageSystem: stock, managerLock: managerLock{&e.Mu}, host: e}
	s.StorageDeviceInfo, e.System.Config.StorageDevice = e.storage(), e.storage()
	s.HBA = s.StorageDeviceInfo.HostBusAdapter
	ctx.Map.Put(s)
}

// SetMultipathLunPolicy sets the policy of one device permanently: no call reverts to the default.
func (s *storageSystem) SetMultipathLunPolicy(ctx *simulator.Context, req *types.SetMultipathLunPolicy) soap.HasFault {
	body := new(methods.SetMultipathLunPolicyBody)
	at := slices.IndexFunc(s.StorageDeviceInfo.MultipathInfo.Lun, func(l types.HostMultipathInfoLogicalUnit) bool { return l.Id == req.LunId })
	switch {
	case at < 0:
		body.Fault_ = simulator.Fault("The object or item referred to could not be found: "+req.LunId, &types.NotFound{})
		return body
	case req.Policy == nil || !slices.Contains(pathPolicies, req.Policy.GetHostMultipathInfoLogicalUnitPolicy().Policy):
		body.Fault_ = world.InvalidArgument("policy")
		return body
	}
	ctx.Update(s, []types.PropertyChange{{Name: "storageDeviceInfo", Val: withPolicy(s.StorageDeviceInfo, at, req.Policy)}})
	s.host.Edit(ctx, func(h *mo.HostSystem) []types.PropertyChange {
		return []types.PropertyChange{{Name: "config.storageDevice", Val: withPolicy(h.Config.StorageDevice, at, req.Policy)}}
	})
	body.Res = new(types.SetMultipathLunPolicyResponse)
	return body
}

// withPolicy returns the devices with another policy for one of them, as a copy, because the old list may be in use for an
// answer.
func withPolicy(
	old *types.HostStorageDeviceInfo, at int, policy types.BaseHostMultipathInfoLogicalUnitPolicy,
) *types.HostStorageDeviceInfo {
	info, paths := *old, *old.MultipathInfo
	paths.Lun = slices.Clone(paths.Lun)
	paths.Lun[at].Policy = policy
	info.MultipathInfo = &paths
	return &info
}
