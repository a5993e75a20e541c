package simfleet

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// asMade sets the values that vCenter shows for any VM.
func asMade(c *types.VirtualMachineConfigInfo) {
	c.Flags = types.VirtualMachineFlagInfo{
		EnableLogging: new(true), MonitorType: string(types.VirtualMachineFlagInfoMonitorTypeRelease), HtSharing: "any",
		DiskUuidEnabled: new(true), VbsEnabled: new(false), VvtdEnabled: new(false), CbrcCacheEnabled: new(false),
	}
	c.NestedHVEnabled, c.VPMCEnabled = new(false), new(false)
	c.MigrateEncryption = string(types.VirtualMachineConfigSpecEncryptedVMotionModesOpportunistic)
}

// apply makes a quirk's changes to a VM's configuration.
func (v *vmBuilder) apply(q *fleetdata.Quirk, c *types.VirtualMachineConfigInfo) {
	world.Patch(q.Config, c)
	if disk := first[*types.VirtualDisk](c); disk != nil {
		world.Patch(q.Disk, disk)
	}
	if nic := first[*types.VirtualVmxnet3](c); nic != nil {
		world.Patch(q.NIC, nic)
		v.plug(nic, q.PortGroup)
	}
	for _, d := range q.Devices {
		c.Hardware.Device = append(c.Hardware.Device, world.Decoded[types.BaseVirtualDevice](d))
	}
}

// first returns the VM's first device of a kind, or nil.
func first[T types.BaseVirtualDevice](c *types.VirtualMachineConfigInfo) (none T) {
	for _, d := range c.Hardware.Device {
		if d, is := d.(T); is {
			return d
		}
	}
	return none
}

// plug connects a NIC to a port group of a distributed switch.
func (v *vmBuilder) plug(n *types.VirtualVmxnet3, group string) {
	if group == "" {
		return
	}
	n.Backing = &types.VirtualEthernetCardDistributedVirtualPortBackingInfo{Port: v.groups[group]}
	n.DeviceInfo = &types.Description{Label: "Network adapter 1", Summary: "DVSwitch: " + v.groups[group].SwitchUuid}
}
