package esxi

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// localDisk is the name of each host's local disk in its row.
const localDisk = "local"

// Storage adapters. The first has the local disks; the others are connected to the arrays.
const (
	hbaLocal = world.HBALocal
	hbaFC    = "vmhba1"
	hbaFC2   = "vmhba2"
	hbaISCSI = world.HBAISCSI
)

// storage returns the host's storage devices: a local disk, those of the arrays, and a CD drive, which is not a disk.
func (e *Host) storage() *types.HostStorageDeviceInfo {
	info := &types.HostStorageDeviceInfo{
		HostBusAdapter: e.hbas(), SoftwareInternetScsiEnabled: e.Row.ISCSI, MultipathInfo: new(types.HostMultipathInfo),
		ScsiLun: []types.BaseScsiLun{&types.ScsiLun{
			HostDevice: types.HostDevice{DeviceName: "/vmfs/devices/cdrom/mpx.vmhba32:C0:T0:L0", DeviceType: "cdrom"},
			Key:        "key-vim.host.ScsiLun-0005000000766d68626133323a303a30", Uuid: "0005000000766d68626133323a303a30",
			CanonicalName: "mpx.vmhba32:C0:T0:L0", LunType: "cdrom", Vendor: "VMware", Model: "Virtual CDROM", OperationalState: []string{"ok"},
		}},
	}
	e.addDisk(info, e.ownDisk(), true, 0)
	for i, row := range fleetdata.Demo().LUNs {
		e.addDisk(info, row, false, i+1)
	}
	for i, g := range e.Row.DiskGroups {
		for _, row := range e.vsanDisks(i, g) {
			e.addDisk(info, row, true, len(info.MultipathInfo.Lun))
		}
	}
	return info
}

// ownDisk returns the boot disk of the host.
func (e *Host) ownDisk() fleetdata.LUN {
	row := e.Row.Server.LocalDisk
	row.Name = localDisk
	if strings.Contains(row.ID, "%") {
		row.ID = fmt.Sprintf(row.ID, e.number)
	}
	return row
}

// addDisk adds a disk and its paths from the host's row.
func (e *Host) addDisk(info *types.HostStorageDeviceInfo, row fleetdata.LUN, local bool, number int) {
	own := e.Row.SAN[row.Name]
	disk := diskOf(row)
	if !e.Row.Server.Virtual || !local { // local disks of a virtual host have no such data
		disk.LocalDisk = new(local)
	}
	info.ScsiLun = append(info.ScsiLun, disk)
	unit := types.HostMultipathInfoLogicalUnit{
		Key: "key-vim.host.MultipathInfo.LogicalUnit-" + row.ID, Id: row.ID, Lun: disk.Key,
		Policy: &types.HostMultipathInfoLogicalUnitPolicy{Policy: cmp.Or(own.Policy, row.Policy)},
	}
	if row.Array != "" {
		unit.StorageArrayTypePolicy = &types.HostMultipathInfoLogicalUnitStorageArrayTypePolicy{Policy: row.Array}
	}
	states := row.Paths
	if own.Paths != nil {
		states = own.Paths
	}
	for i, state := range states {
		unit.Path = append(unit.Path, e.path(unit.Key, local, i, number, state))
	}
	info.MultipathInfo.Lun = append(info.MultipathInfo.Lun, unit)
}

func diskOf(row fleetdata.LUN) *types.HostScsiDisk {
	offload := types.ScsiLunVStorageSupportStatusVStorageUnsupported
	if row.Offload {
		offload = types.ScsiLunVStorageSupportStatusVStorageSupported
	}
	return &types.HostScsiDisk{
		ScsiLun: types.ScsiLun{
			HostDevice: types.HostDevice{DeviceName: "/vmfs/devices/disks/" + row.ID, DeviceType: "disk"},
			Key:        "key-vim.host.ScsiDisk-" + row.ID, Uuid: row.ID, CanonicalName: row.ID, DisplayName: row.Vendor + " disk (" + row.ID + ")",
			LunType: "disk", Vendor: fmt.Sprintf("%-8s", row.Vendor), Model: fmt.Sprintf("%-16s", row.Model), Revision: "0001",
			OperationalState: []string{"ok"}, QueueDepth: 64, VStorageSupport: string(offload),
		},
		Capacity:   types.HostDiskDimensionsLba{BlockSize: 512, Block: row.GB << 21},
		DevicePath: "/vmfs/devices/disks/" + row.ID, Ssd: new(row.Flash), ScsiDiskType: "native512",
	}
}

// path returns the nth path to a disk. Paths to arrays alternate between the adapters.
func (e *Host) path(unit string, local bool, n, number int, state string) types.HostMultipathInfoPath {
	hba := hbaLocal
	if !local {
		hba = []string{hbaFC, hbaFC2}[n%2]
		if e.Row.ISCSI {
			hba = hbaISCSI
		}
	}
	name := fmt.Sprintf("%s:C0:T%d:L%d", hba, n, number)
	return types.HostMultipathInfoPath{
		Key: "key-vim.host.MultipathInfo.Path-" + name, Name: name, PathState: state, State: state, IsWorkingPath: new(n == 0),
		Adapter: "key-vim.host." + hba, Lun: unit, Transport: &types.HostTargetTransport{},
	}
}

// hbas returns the host's storage adapters.
func (e *Host) hbas() []types.BaseHostHostBusAdapter {
	list := []types.BaseHostHostBusAdapter{world.Decoded[types.BaseHostHostBusAdapter](e.Row.Server.Adapter)}
	common := func(device, model, driver, pci string) types.HostHostBusAdapter {
		return types.HostHostBusAdapter{Key: "key-vim.host." + device, Device: device, Status: "unknown", Model: model, Driver: driver, Pci: pci}
	}
	if e.Row.ISCSI {
		adapter := &types.HostInternetScsiHba{
			HostHostBusAdapter: common(hbaISCSI, "iSCSI Software Adapter", "iscsi_vmk", ""), IsSoftwareBased: true,
			IScsiName: "iqn.1998-01.com.vmware:" + e.Row.Short(), CurrentSpeedMb: e.Row.Server.NIC.Mbps,
			AdvancedOptions: []types.HostInternetScsiHbaParamValue{
				{OptionValue: types.OptionValue{Key: "LoginTimeout", Value: int32(5)}, IsInherited: new(false)},
				{OptionValue: types.OptionValue{Key: "DelayedAck", Value: !e.Row.NoDelayedAck}, IsInherited: new(false)},
			},
		}
		adapter.Status = "unbound"
		if !e.Row.Unbound {
			adapter.Status = "online"
			adapter.ConfiguredSendTarget = []types.HostInternetScsiHbaSendTarget{{Address: "198.51.100.20", Port: 3260}}
		}
		return append(list, adapter)
	}
	fc := fleetdata.Demo().FC
	for i, device := range []string{hbaFC, hbaFC2} {
		list = append(list, &types.HostFibreChannelHba{
			HostHostBusAdapter: common(device, fc.Model, fc.Driver, fmt.Sprintf("0000:05:00.%d", i)),
			PortWorldWideName:  int64(0x1000_00109b_000000 + 2*e.number + i), NodeWorldWideName: int64(0x2000_00109b_000000 + 2*e.number + i),
			PortType: types.FibreChannelPortTypeFabric, Speed: 16,
		})
	}
	return list
}
