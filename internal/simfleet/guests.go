package simfleet

import (
	"fmt"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// guest returns what VMware Tools reports of the guest; for a powered-off VM only the configured values.
func (v *vmBuilder) guest() *types.GuestInfo {
	g, tools := v.row.Guest, v.row.Tools
	info := &types.GuestInfo{
		GuestId: g.ID, GuestFullName: g.Name, GuestFamily: g.Family,
		ToolsVersion: tools.Version, ToolsVersionStatus2: tools.Status, ToolsVersionStatus: tools.Status,
		ToolsStatus: types.VirtualMachineToolsStatusToolsNotRunning, ToolsRunningStatus: world.ToolsStopped,
		GuestState: string(types.VirtualMachineGuestStateNotRunning),
		HwVersion:  fmt.Sprintf("vmx-%d", v.row.Hardware),
	}
	if v.row.Off {
		return info
	}
	info.GuestState = string(types.VirtualMachineGuestStateRunning)
	if tools.Status == world.ToolsMissing {
		info.ToolsStatus = types.VirtualMachineToolsStatusToolsNotInstalled
		info.GuestState = string(types.VirtualMachineGuestStateUnknown)
		return info
	}
	info.ToolsStatus = types.VirtualMachineToolsStatusToolsOk
	if tools.Status == "guestToolsSupportedOld" || tools.Status == "guestToolsTooOld" {
		info.ToolsStatus = types.VirtualMachineToolsStatusToolsOld
	}
	info.ToolsRunningStatus = world.ToolsRunning
	info.GuestOperationsReady = new(false)
	info.HostName = v.row.Name + fleetdata.Domain
	info.IpAddress = v.address()
	info.Net = v.guestNics()
	return info
}

// address returns an address in the ranges for documentation and benchmarks.
func (v *vmBuilder) address() string {
	if v.number < 200 {
		return fmt.Sprintf("198.51.100.%d", v.number+10)
	}
	return fmt.Sprintf("198.19.%d.%d", v.number>>8&0xff, v.number&0xff)
}

func (v *vmBuilder) guestNics() []types.GuestNicInfo {
	var nics []types.GuestNicInfo
	for i := range v.row.NICs {
		n := types.GuestNicInfo{
			Network: networkName, MacAddress: v.mac(i), Connected: true, DeviceConfigId: firstNICKey + int32(i),
		}
		if i == 0 {
			n.IpAddress = []string{v.address()}
		}
		nics = append(nics, n)
	}
	return nics
}
