package esxi

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// firmwareSystem is a host's HostFirmwareSystem, which the simulator does not have.
type firmwareSystem struct {
	mo.HostFirmwareSystem
	managerLock
	host *Host
}

// addFirmware registers the host's firmware system.
func (e *Host) addFirmware(ctx *simulator.Context) {
	f := &firmwareSystem{managerLock: managerLock{&e.Mu}, host: e}
	f.Self = types.ManagedObjectReference{Type: "HostFirmwareSystem", Value: "firmwareSystem-" + e.System.Self.Value}
	self := f.Self
	e.System.ConfigManager.FirmwareSystem = &self
	ctx.Map.Put(f)
}

// BackupFirmwareConfiguration saves the host's configuration to its boot device, as creating the archive does. The returned
// address is not served.
func (f *firmwareSystem) BackupFirmwareConfiguration(*types.BackupFirmwareConfiguration) soap.HasFault {
	f.host.Saved()
	return &methods.BackupFirmwareConfigurationBody{Res: &types.BackupFirmwareConfigurationResponse{
		Returnval: "http://*/downloads/" + world.UUID(f.host.Row.Name) + "/configBundle-" + f.host.Row.Name + ".tgz",
	}}
}
