package simfleet

import (
	"github.com/vmware/govmomi/vim25/types"
)

// touch is something that somebody did to a VM's configuration once it was made.
type touch func(*vmBuilder, *types.VirtualMachineConfigInfo)

// asMade gives a VM what vCenter shows of any.
func asMade(c *types.VirtualMachineConfigInfo) {
	c.Flags = types.VirtualMachineFlagInfo{
		EnableLogging: new(true), MonitorType: string(types.VirtualMachineFlagInfoMonitorTypeRelease), HtSharing: "any",
		DiskUuidEnabled: new(true), VbsEnabled: new(false), VvtdEnabled: new(false), CbrcCacheEnabled: new(false),
	}
	c.NestedHVEnabled, c.VPMCEnabled = new(false), new(false)
	c.MigrateEncryption = string(types.VirtualMachineConfigSpecEncryptedVMotionModesOpportunistic)
}

func debugMonitor(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
	c.Flags.MonitorType = string(types.VirtualMachineFlagInfoMonitorTypeDebug)
}

func softwareMMU(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
	c.Flags.VirtualMmuUsage = string(types.VirtualMachineFlagInfoVirtualMmuUsageOff)
	c.Flags.VirtualExecUsage = string(types.VirtualMachineFlagInfoVirtualExecUsageHvOn)
}

func ownThreads(_ *vmBuilder, c *types.VirtualMachineConfigInfo) { c.Flags.HtSharing = "none" }

func quiet(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
	c.Flags.EnableLogging, c.VmxStatsCollectionEnabled = new(false), new(false)
}

// nestable lets the guest be a hypervisor that counts for itself.
func nestable(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
	c.NestedHVEnabled, c.VPMCEnabled = new(true), new(true)
}

// virtualizedSecurity is Windows guarding itself with a hypervisor, which needs to nest.
func virtualizedSecurity(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
	c.NestedHVEnabled, c.Flags.VbsEnabled = new(true), new(true)
}

func memoryOnNode(node int32) touch {
	return func(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
		c.MemoryAffinity = &types.VirtualMachineAffinityInfo{AffinitySet: []int32{node}}
	}
}

func memoryHotAdd(_ *vmBuilder, c *types.VirtualMachineConfigInfo) { c.MemoryHotAddEnabled = new(true) }

func swapsOnHost(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
	c.SwapPlacement = string(types.VirtualMachineConfigInfoSwapPlacementTypeHostLocal)
}

// latencyOf gives the first vCPUs a level of their own.
func latencyOf(vcpus int) touch {
	return func(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
		for i := range int(c.Hardware.NumCPU) {
			level := normal
			if i < vcpus {
				level = high
			}
			c.VcpuConfig = append(c.VcpuConfig, types.VirtualMachineVcpuConfig{LatencySensitivity: &types.LatencySensitivity{Level: level}})
		}
	}
}

func encryptedMoves(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
	c.MigrateEncryption = string(types.VirtualMachineConfigSpecEncryptedVMotionModesRequired)
}

func encrypted(v *vmBuilder, c *types.VirtualMachineConfigInfo) {
	c.KeyId = &types.CryptoKeyId{KeyId: uuid(v.row.name + " key"), ProviderId: &types.KeyProviderId{Id: "demo-kms"}}
}

func managedByAgents(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
	c.ManagedBy = &types.ManagedByInfo{ExtensionKey: "com.vmware.vim.eam", Type: "cluster-agent"}
}

// edgeProduct is what the OVF of an NSX Edge says of itself.
func edgeProduct(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
	c.VAppConfig = &types.VmConfigInfo{Product: []types.VAppProductInfo{{Name: "nsx-edge", Vendor: "VMware, Inc", Version: "4.1.0.5"}}}
}

// flashCache is the read cache on flash that vSphere gave up after 6.7.
func flashCache(mb int64) touch {
	return func(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
		c.VFlashCacheReservation = mb
		for _, d := range c.Hardware.Device {
			if disk, ok := d.(*types.VirtualDisk); ok {
				disk.VFlashCacheConfigInfo = &types.VirtualDiskVFlashCacheConfigInfo{VFlashModule: "vfc", ReservationInMB: mb, BlockSizeInKB: 8}
				return
			}
		}
	}
}

// configuredAs is another guest system than the one that runs.
func configuredAs(id, name string) touch {
	return func(_ *vmBuilder, c *types.VirtualMachineConfigInfo) { c.GuestId, c.GuestFullName = id, name }
}

// cdrom is a drive in which a disc was left, or none.
func cdrom(inserted bool) touch {
	return func(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
		d := on(device(cdromKey, "CD/DVD drive 1", "ISO [san01] iso/tools.iso"), ideKey, 0)
		d.Connectable = &types.VirtualDeviceConnectInfo{StartConnected: inserted, AllowGuestControl: true, Connected: inserted, Status: "ok"}
		d.Backing = &types.VirtualCdromAtapiBackingInfo{VirtualDeviceDeviceBackingInfo: types.VirtualDeviceDeviceBackingInfo{DeviceName: "CDROM0"}}
		c.Hardware.Device = append(c.Hardware.Device, &types.VirtualCdrom{VirtualDevice: d})
	}
}

func floppy(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
	d := on(device(floppyKey, "Floppy drive 1", "Remote device"), sioKey, 0)
	d.Connectable = &types.VirtualDeviceConnectInfo{StartConnected: true, AllowGuestControl: true, Connected: true, Status: "ok"}
	d.Backing = &types.VirtualFloppyDeviceBackingInfo{VirtualDeviceDeviceBackingInfo: types.VirtualDeviceDeviceBackingInfo{DeviceName: "fd0"}}
	c.Hardware.Device = append(c.Hardware.Device, &types.VirtualFloppy{VirtualDevice: d})
}

// hostDevice is a device of the host that the VM has for itself, on a node of the guest's.
func hostDevice(node int32) touch {
	return func(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
		d := on(device(passthroughKey, "PCI device 0", "NVIDIA L40S"), pciKey, passthroughUnit)
		d.NumaNode = new(node)
		d.Backing = &types.VirtualPCIPassthroughDeviceBackingInfo{
			VirtualDeviceDeviceBackingInfo: types.VirtualDeviceDeviceBackingInfo{DeviceName: "NVIDIA L40S"},
			Id:                             "0000:af:00.0", DeviceId: "26b9", SystemId: "BYPASS", VendorId: 0x10de,
		}
		c.Hardware.Device = append(c.Hardware.Device, &types.VirtualPCIPassthrough{VirtualDevice: d})
	}
}

// firstNIC changes the VM's first virtual NIC, which is a vmxnet3.
func firstNIC(do func(*types.VirtualVmxnet3)) touch {
	return func(_ *vmBuilder, c *types.VirtualMachineConfigInfo) {
		for _, d := range c.Hardware.Device {
			if card, ok := d.(*types.VirtualVmxnet3); ok {
				do(card)
				return
			}
		}
	}
}

var (
	uniformPassthrough = firstNIC(func(n *types.VirtualVmxnet3) { n.Uptv2Enabled = new(true) })
	strictLatency      = realTime(true)
	slackLatency       = realTime(false)
)

// realTime configures the first NIC for real-time networking, and allows it or does not.
func realTime(allowed bool) touch {
	return firstNIC(func(n *types.VirtualVmxnet3) {
		n.StrictLatencyConfig = &types.VirtualVmxnet3StrictLatencyConfig{
			Allowed: new(allowed), MeasureLatency: new(true), MaxTxQueues: 1, MaxRxQueues: 1, TxDataRingDescSize: 256,
			RxDataRingDescSize: 256, DisableOffload: "TSO_LRO",
		}
	})
}

// plugged puts the first NIC on a group of a distributed switch.
func plugged(group string) touch {
	return func(v *vmBuilder, c *types.VirtualMachineConfigInfo) {
		firstNIC(func(n *types.VirtualVmxnet3) {
			n.Backing = &types.VirtualEthernetCardDistributedVirtualPortBackingInfo{Port: v.groups[group]}
			n.DeviceInfo = &types.Description{Label: "Network adapter 1", Summary: "DVSwitch: " + v.groups[group].SwitchUuid}
		})(v, c)
	}
}
