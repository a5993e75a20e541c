package simfleet

import (
	"fmt"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// Device keys as in vCenter.
const (
	ideKey       int32 = 200
	ps2Key       int32 = 300
	pciKey       int32 = 100
	sioKey       int32 = 400
	videoKey     int32 = 500
	keyboardKey  int32 = 600
	pointerKey   int32 = 700
	scsiKey      int32 = 1000
	firstDiskKey int32 = 2000
	firstNICKey  int32 = 4000
	vmciKey      int32 = 12000

	firstNICUnit  int32 = 7 // on the PCI controller
	scsiUnit      int32 = 3
	scsiOwnUnitID int32 = 7
)

const diskBytes = 80 << 30

func (v *vmBuilder) devices() []types.BaseVirtualDevice {
	list := boardDevices()
	pci := list[0].(*types.VirtualPCIController)
	list = append(list, controller(v.row.Disk, 0, firstDiskKey), v.virtualDisk(0, scsiKey, v.row.IOPSLimit))
	pci.Device = append(pci.Device, scsiKey)
	key, last := scsiKey, list[len(list)-2]
	for i, d := range v.row.Data { // each on a controller of its own, unless it shares another's
		disk := firstDiskKey + int32(i) + 1
		if d.Beside {
			c := last.(types.BaseVirtualController).GetVirtualController()
			c.Device = append(c.Device, disk)
			list = append(list, v.dataDisk(i+1, key, int32(len(c.Device)-1), d))
			continue
		}
		key++
		last = controller(d.Kind, key-scsiKey, disk)
		list = append(list, last, v.dataDisk(i+1, key, 0, d))
		pci.Device = append(pci.Device, key)
	}
	for i, n := range v.row.NICs {
		list = append(list, v.nic(i, n))
		pci.Device = append(pci.Device, firstNICKey+int32(i))
	}
	return list
}

func device(key int32, label, summary string) types.VirtualDevice {
	return types.VirtualDevice{Key: key, DeviceInfo: &types.Description{Label: label, Summary: summary}}
}

// on sets a device's controller and unit.
func on(d types.VirtualDevice, controller, unit int32) types.VirtualDevice {
	d.ControllerKey, d.UnitNumber = controller, new(unit)
	return d
}

// boardDevices returns the devices of every VM; the PCI controller comes first.
func boardDevices() []types.BaseVirtualDevice {
	bus := func(key int32, label string, devices ...int32) types.VirtualController {
		return types.VirtualController{VirtualDevice: device(key, label, label), Device: devices}
	}
	ide1 := bus(ideKey+1, "IDE 1")
	ide1.BusNumber = 1
	return []types.BaseVirtualDevice{
		&types.VirtualPCIController{VirtualController: bus(pciKey, "PCI controller 0", videoKey, vmciKey)},
		&types.VirtualIDEController{VirtualController: bus(ideKey, "IDE 0")},
		&types.VirtualIDEController{VirtualController: ide1},
		&types.VirtualPS2Controller{VirtualController: bus(ps2Key, "PS2 controller 0", keyboardKey, pointerKey)},
		&types.VirtualSIOController{VirtualController: bus(sioKey, "SIO controller 0")},
		&types.VirtualKeyboard{VirtualDevice: on(device(keyboardKey, "Keyboard", "Keyboard"), ps2Key, 0)},
		pointer(),
		&types.VirtualMachineVideoCard{
			VirtualDevice: on(device(videoKey, "Video card", "Video card"), pciKey, 0), VideoRamSizeInKB: 8192, NumDisplays: 1,
			UseAutoDetect: new(false), Enable3DSupport: new(false), Use3dRenderer: "automatic",
			GraphicsMemorySizeInKB: 262_144,
		},
		&types.VirtualMachineVMCIDevice{
			VirtualDevice: on(device(vmciKey, "VMCI device", "VMCI device"), pciKey, 17), Id: -1,
			AllowUnrestrictedCommunication: new(false), FilterEnable: new(true),
		},
	}
}

func pointer() *types.VirtualPointingDevice {
	d := on(device(pointerKey, "Pointing device", "Pointing device; Device"), ps2Key, 1)
	d.Backing = &types.VirtualPointingDeviceDeviceBackingInfo{
		VirtualDeviceDeviceBackingInfo: types.VirtualDeviceDeviceBackingInfo{UseAutoDetect: new(false)},
		HostPointingDevice:             "autodetect",
	}
	return &types.VirtualPointingDevice{VirtualDevice: d}
}

// controller returns the n-th SCSI controller, with one disk.
func controller(kind string, n, disk int32) types.BaseVirtualDevice {
	summary := "VMware paravirtual SCSI"
	switch kind {
	case fleetdata.DiskLSI:
		summary = "LSI Logic SAS"
	case fleetdata.DiskLSIParallel:
		summary = "LSI Logic"
	}
	c := types.VirtualSCSIController{
		VirtualController: types.VirtualController{
			VirtualDevice: on(device(scsiKey+n, fmt.Sprintf("SCSI controller %d", n), summary), pciKey, scsiUnit+n),
			BusNumber:     n, Device: []int32{disk},
		},
		SharedBus: types.VirtualSCSISharingNoSharing, ScsiCtlrUnitNumber: scsiOwnUnitID, HotAddRemove: new(true),
	}
	switch kind {
	case fleetdata.DiskLSI:
		return &types.VirtualLsiLogicSASController{VirtualSCSIController: c}
	case fleetdata.DiskLSIParallel:
		return &types.VirtualLsiLogicController{VirtualSCSIController: c}
	}
	return &types.ParaVirtualSCSIController{VirtualSCSIController: c}
}

// diskFile returns the file of the n-th disk.
func (v *vmBuilder) diskFile(n int) string {
	if n == 0 {
		return v.path(v.row.Name + ".vmdk")
	}
	return v.path(fmt.Sprintf("%s_%d.vmdk", v.row.Name, n))
}

func (v *vmBuilder) virtualDisk(n int, controller int32, iops int64) *types.VirtualDisk {
	store := v.datastore.Self
	d := on(device(firstDiskKey+int32(n), fmt.Sprintf("Hard disk %d", n+1), "83,886,080 KB"), controller, 0)
	name := v.row.Name + " disk"
	if n > 0 {
		name = fmt.Sprintf("%s %d", name, n)
	}
	d.Backing = &types.VirtualDiskFlatVer2BackingInfo{
		VirtualDeviceFileBackingInfo: types.VirtualDeviceFileBackingInfo{FileName: v.diskFile(n), Datastore: &store},
		DiskMode:                     string(types.VirtualDiskModePersistent),
		ThinProvisioned:              new(true),
		EagerlyScrub:                 new(false),
		Uuid:                         world.UUID(name),
	}
	return &types.VirtualDisk{
		VirtualDevice: d, CapacityInKB: diskBytes >> 10, CapacityInBytes: diskBytes,
		Shares: &types.SharesInfo{Level: types.SharesLevelNormal, Shares: 1000},
		StorageIOAllocation: &types.StorageIOAllocationInfo{
			Limit: new(limit(iops)), Shares: &types.SharesInfo{Level: types.SharesLevelNormal, Shares: 1000},
		},
	}
}

// dataDisk returns a disk after the first, as described by its row.
func (v *vmBuilder) dataDisk(n int, controller, unit int32, row fleetdata.Disk) *types.VirtualDisk {
	d := v.virtualDisk(n, controller, row.IOPSLimit)
	d.UnitNumber = new(unit)
	flat := d.Backing.(*types.VirtualDiskFlatVer2BackingInfo)
	if row.Store != "" {
		flat.FileName = fmt.Sprintf("[%s] %s/%s_%d.vmdk", row.Store, v.row.Name, v.row.Name, n)
		flat.Datastore = new(v.store(row.Store))
	}
	switch row.Form {
	case fleetdata.FormLazy:
		flat.ThinProvisioned, flat.EagerlyScrub = new(false), new(false)
	case fleetdata.FormEager:
		flat.ThinProvisioned, flat.EagerlyScrub = new(false), new(true)
	case fleetdata.FormRedo:
		flat.Parent = new(*flat)
		flat.DeltaDiskFormat, flat.DeltaDiskFormatVariant = string(types.VirtualDiskDeltaDiskFormatRedoLogFormat), string(types.VirtualDiskDeltaDiskFormatVariantVmfsSparseVariant)
	case fleetdata.FormSESparse:
		d.Backing = &types.VirtualDiskSeSparseBackingInfo{
			VirtualDeviceFileBackingInfo: flat.VirtualDeviceFileBackingInfo, DiskMode: flat.DiskMode, Uuid: flat.Uuid,
			DeltaDiskFormat: string(types.VirtualDiskDeltaDiskFormatSeSparseFormat), GrainSize: 8,
			Parent: &types.VirtualDiskSeSparseBackingInfo{VirtualDeviceFileBackingInfo: flat.VirtualDeviceFileBackingInfo, DiskMode: flat.DiskMode},
		}
	}
	return d
}

func (v *vmBuilder) mac(nic int) string { return world.MAC("00:50:56", firstVM+v.number, nic) }

func (v *vmBuilder) nic(index int, n fleetdata.VNIC) types.BaseVirtualDevice {
	network := v.network
	label := fmt.Sprintf("Network adapter %d", index+1)
	d := on(device(firstNICKey+int32(index), label, networkName), pciKey, firstNICUnit+int32(index))
	d.Backing = &types.VirtualEthernetCardNetworkBackingInfo{
		VirtualDeviceDeviceBackingInfo: types.VirtualDeviceDeviceBackingInfo{DeviceName: networkName, UseAutoDetect: new(false)},
		Network:                        &network,
	}
	d.Connectable = &types.VirtualDeviceConnectInfo{
		StartConnected: true, AllowGuestControl: true, Connected: !v.row.Off, Status: "ok", MigrateConnect: "unset",
	}
	card := types.VirtualEthernetCard{
		VirtualDevice: d, AddressType: string(types.VirtualEthernetCardMacTypeAssigned), MacAddress: v.mac(index),
		WakeOnLanEnabled: new(true), UptCompatibilityEnabled: new(false),
	}
	return ofKind(n.Kind, card)
}

func ofKind(kind string, card types.VirtualEthernetCard) types.BaseVirtualDevice {
	switch kind {
	case fleetdata.NICE1000:
		return &types.VirtualE1000{VirtualEthernetCard: card}
	case fleetdata.NICE1000e:
		return &types.VirtualE1000e{VirtualEthernetCard: card}
	case fleetdata.NICSRIOV:
		return &types.VirtualSriovEthernetCard{
			VirtualEthernetCard: card, AllowGuestOSMtuChange: new(false),
			SriovBacking: &types.VirtualSriovEthernetCardSriovBackingInfo{PhysicalFunctionBacking: &types.VirtualPCIPassthroughDeviceBackingInfo{
				Id: "0000:82:00.0", DeviceId: "1013", SystemId: "BYPASS", VendorId: 0x15b3,
			}},
		}
	}
	return &types.VirtualVmxnet3{VirtualVmxnet: types.VirtualVmxnet{VirtualEthernetCard: card}}
}
