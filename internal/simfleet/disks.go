package simfleet

import (
	"cmp"
	"fmt"

	"github.com/vmware/govmomi/vim25/types"
)

// The disks of arrays, which all hosts see.
const (
	sanDisk   = "naa.6000097000019790031853303030314" // behind the datastore
	flashDisk = "naa.624a93708c75345fee774ee100011010"
	oldDisk   = "naa.600a0b80006e2b4e0000c1ab4d3a8f21" // of an array that cannot offload
)

// localDisk stands for each host's own, which has a name of its own.
const localDisk = "local"

// lunRow is how a disk is, and how hosts should reach it.
type lunRow struct {
	id, vendor, model string
	gb                int64
	flash             bool
	offload           types.ScsiLunVStorageSupportStatus
	array, policy     string
	paths             []string // their states
}

var sanTable = []lunRow{
	{
		id: sanDisk, vendor: "EMC", model: "SYMMETRIX", gb: datastoreBytes >> 30, flash: true,
		offload: types.ScsiLunVStorageSupportStatusVStorageSupported, array: "VMW_SATP_ALUA", policy: pathRoundRobin, paths: active(4),
	},
	{
		id: flashDisk, vendor: "PURE", model: "FlashArray", gb: 4096, flash: true,
		offload: types.ScsiLunVStorageSupportStatusVStorageSupported, array: "VMW_SATP_ALUA", policy: pathRoundRobin, paths: active(4),
	},
	{
		id: oldDisk, vendor: "IBM", model: "1726-4xx  FAStT", gb: 1024,
		offload: types.ScsiLunVStorageSupportStatusVStorageUnsupported, array: "VMW_SATP_LSI", policy: pathRecent,
		paths: []string{"active", "active", "standby", "standby"},
	},
}

func active(n int) []string {
	states := make([]string, n)
	for i := range states {
		states[i] = "active"
	}
	return states
}

// Storage adapters. The first has the disks in the host; the others lead to the arrays.
const (
	hbaLocal = "vmhba0"
	hbaFC    = "vmhba1"
	hbaFC2   = "vmhba2"
	hbaISCSI = "vmhba64"
)

// storage is what the host sees: a disk of its own, and those of the arrays. A CD drive is no disk.
func (e *esxi) storage() *types.HostStorageDeviceInfo {
	info := &types.HostStorageDeviceInfo{
		HostBusAdapter: e.hbas(), SoftwareInternetScsiEnabled: e.row.iscsi, MultipathInfo: new(types.HostMultipathInfo),
		ScsiLun: []types.BaseScsiLun{&types.ScsiLun{
			HostDevice: types.HostDevice{DeviceName: "/vmfs/devices/cdrom/mpx.vmhba32:C0:T0:L0", DeviceType: "cdrom"},
			Key:        "key-vim.host.ScsiLun-0005000000766d68626133323a303a30", Uuid: "0005000000766d68626133323a303a30",
			CanonicalName: "mpx.vmhba32:C0:T0:L0", LunType: "cdrom", Vendor: "VMware", Model: "Virtual CDROM", OperationalState: []string{"ok"},
		}},
	}
	e.addDisk(info, e.ownDisk(), true, 0)
	for i, row := range sanTable {
		e.addDisk(info, row, false, i+1)
	}
	for i, g := range e.row.diskGroups {
		for _, row := range e.vsanDisks(i, g) {
			e.addDisk(info, row, true, len(info.MultipathInfo.Lun))
		}
	}
	return info
}

// ownDisk is the disk that the host starts from.
func (e *esxi) ownDisk() lunRow {
	row := lunRow{
		id: fmt.Sprintf("naa.61866da07f0a4b00%016x", e.number), vendor: "DELL", model: "PERC H730 Mini", gb: 256,
		offload: types.ScsiLunVStorageSupportStatusVStorageUnsupported, array: "VMW_SATP_LOCAL", policy: pathFixed, paths: active(1),
	}
	if e.row.nested() {
		row.id, row.vendor, row.model = "mpx.vmhba0:C0:T0:L0", "VMware", "Virtual disk"
	}
	if e.row.server.model == r770.model { // of the high-performance plug-in, which has no types of array
		row.id, row.vendor, row.model = "t10.NVMe____Dell_Ent_NVMe_PM1743_MU_3.2TB___________0042", "NVMe", "Dell Ent NVMe PM1743 MU 3.2TB"
		row.array, row.policy, row.gb, row.flash = "", "FIXED", 2980, true
	}
	return row
}

// nested hosts are VMs.
func (r *hostRow) nested() bool { return r.server.nic.driver == virtual10.driver }

// addDisk adds a disk and the paths to it, as the host's row has them.
func (e *esxi) addDisk(info *types.HostStorageDeviceInfo, row lunRow, local bool, number int) {
	own := e.row.san[row.id]
	if local {
		own = e.row.san[localDisk]
	}
	disk := row.disk()
	if !e.row.nested() || !local { // what is in a VM is not said
		disk.LocalDisk = new(local)
	}
	info.ScsiLun = append(info.ScsiLun, disk)
	unit := types.HostMultipathInfoLogicalUnit{
		Key: "key-vim.host.MultipathInfo.LogicalUnit-" + row.id, Id: row.id, Lun: disk.Key,
		Policy: &types.HostMultipathInfoLogicalUnitPolicy{Policy: cmp.Or(own.policy, row.policy)},
	}
	if row.array != "" {
		unit.StorageArrayTypePolicy = &types.HostMultipathInfoLogicalUnitStorageArrayTypePolicy{Policy: row.array}
	}
	states := row.paths
	if own.paths != nil {
		states = own.paths
	}
	for i, state := range states {
		unit.Path = append(unit.Path, e.path(unit.Key, local, i, number, state))
	}
	info.MultipathInfo.Lun = append(info.MultipathInfo.Lun, unit)
}

func (row lunRow) disk() *types.HostScsiDisk {
	return &types.HostScsiDisk{
		ScsiLun: types.ScsiLun{
			HostDevice: types.HostDevice{DeviceName: "/vmfs/devices/disks/" + row.id, DeviceType: "disk"},
			Key:        "key-vim.host.ScsiDisk-" + row.id, Uuid: row.id, CanonicalName: row.id, DisplayName: row.vendor + " disk (" + row.id + ")",
			LunType: "disk", Vendor: fmt.Sprintf("%-8s", row.vendor), Model: fmt.Sprintf("%-16s", row.model), Revision: "0001",
			OperationalState: []string{"ok"}, QueueDepth: 64, VStorageSupport: string(row.offload),
		},
		Capacity:   types.HostDiskDimensionsLba{BlockSize: 512, Block: row.gb << 21},
		DevicePath: "/vmfs/devices/disks/" + row.id, Ssd: new(row.flash), ScsiDiskType: "native512",
	}
}

// path is the nth path to a disk. Those to arrays take turns over the adapters there are.
func (e *esxi) path(unit string, local bool, n, number int, state string) types.HostMultipathInfoPath {
	hba := hbaLocal
	if !local {
		hba = []string{hbaFC, hbaFC2}[n%2]
		if e.row.iscsi {
			hba = hbaISCSI
		}
	}
	name := fmt.Sprintf("%s:C0:T%d:L%d", hba, n, number)
	return types.HostMultipathInfoPath{
		Key: "key-vim.host.MultipathInfo.Path-" + name, Name: name, PathState: state, State: state, IsWorkingPath: new(n == 0),
		Adapter: "key-vim.host." + hba, Lun: unit, Transport: &types.HostTargetTransport{},
	}
}

// hbas are the host's storage adapters.
func (e *esxi) hbas() []types.BaseHostHostBusAdapter {
	common := func(device, model, driver, pci string) types.HostHostBusAdapter {
		return types.HostHostBusAdapter{Key: "key-vim.host." + device, Device: device, Status: "unknown", Model: model, Driver: driver, Pci: pci}
	}
	var list []types.BaseHostHostBusAdapter
	switch {
	case e.row.nested():
		list = append(list, &types.HostParallelScsiHba{HostHostBusAdapter: common(hbaLocal, "PVSCSI SCSI Controller", "pvscsi", "0000:03:00.0")})
	case e.row.server.model == r770.model:
		nvme := common(hbaLocal, "NVMe SSD Controller PM1743", "nvme_pcie", "0000:01:00.0")
		nvme.StorageProtocol = string(types.HostStorageProtocolNvme)
		list = append(list, &types.HostPcieHba{HostHostBusAdapter: nvme})
	default:
		list = append(list, &types.HostSerialAttachedHba{HostHostBusAdapter: common(hbaLocal, "PERC H730 Mini", "lsi_mr3", "0000:03:00.0")})
	}
	if e.row.iscsi {
		adapter := &types.HostInternetScsiHba{
			HostHostBusAdapter: common(hbaISCSI, "iSCSI Software Adapter", "iscsi_vmk", ""), IsSoftwareBased: true,
			IScsiName: "iqn.1998-01.com.vmware:" + shortName(e.row.name), CurrentSpeedMb: e.row.server.nic.mbps,
			AdvancedOptions: []types.HostInternetScsiHbaParamValue{
				{OptionValue: types.OptionValue{Key: "LoginTimeout", Value: int32(5)}, IsInherited: new(false)},
				{OptionValue: types.OptionValue{Key: "DelayedAck", Value: !e.row.noDelayedAck}, IsInherited: new(false)},
			},
		}
		adapter.Status = "unbound"
		if !e.row.unbound {
			adapter.Status = "online"
			adapter.ConfiguredSendTarget = []types.HostInternetScsiHbaSendTarget{{Address: "198.51.100.20", Port: 3260}}
		}
		return append(list, adapter)
	}
	for i, device := range []string{hbaFC, hbaFC2} {
		list = append(list, &types.HostFibreChannelHba{
			HostHostBusAdapter: common(device, "Emulex LPe31000/LPe32000 PCIe Fibre Channel Adapter", "lpfc", fmt.Sprintf("0000:05:00.%d", i)),
			PortWorldWideName:  int64(0x1000_00109b_000000 + 2*e.number + i), NodeWorldWideName: int64(0x2000_00109b_000000 + 2*e.number + i),
			PortType: types.FibreChannelPortTypeFabric, Speed: 16,
		})
	}
	return list
}
