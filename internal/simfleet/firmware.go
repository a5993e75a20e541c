package simfleet

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// firmwareSystem is a host's HostFirmwareSystem, which the simulator lacks.
type firmwareSystem struct {
	mo.HostFirmwareSystem
	managerLock
	esxi *esxi
}

// addFirmware puts the host's firmware system in the registry.
func (e *esxi) addFirmware(ctx *simulator.Context) {
	f := &firmwareSystem{managerLock: managerLock{&e.Mu}, esxi: e}
	f.Self = types.ManagedObjectReference{Type: "HostFirmwareSystem", Value: "firmwareSystem-" + e.System.Self.Value}
	self := f.Self
	e.System.ConfigManager.FirmwareSystem = &self
	ctx.Map.Put(f)
}

// BackupFirmwareConfiguration has the host save its configuration to its boot device, to make the archive from it. The
// address that it answers with leads nowhere here.
func (f *firmwareSystem) BackupFirmwareConfiguration(*types.BackupFirmwareConfiguration) soap.HasFault {
	f.esxi.Saved()
	return &methods.BackupFirmwareConfigurationBody{Res: &types.BackupFirmwareConfigurationResponse{
		Returnval: "http://*/downloads/" + uuid(f.esxi.Row.Name) + "/configBundle-" + f.esxi.Row.Name + ".tgz",
	}}
}
