package simfleet

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// asMade gives a VM what vCenter shows of any.
func asMade(c *types.VirtualMachineConfigInfo) {
	c.Flags = types.VirtualMachineFlagInfo{
		EnableLogging: new(true), MonitorType: string(types.VirtualMachineFlagInfoMonitorTypeRelease), HtSharing: "any",
		DiskUuidEnabled: new(true), VbsEnabled: new(false), VvtdEnabled: new(false), CbrcCacheEnabled: new(false),
	}
	c.NestedHVEnabled, c.VPMCEnabled = new(false), new(false)
	c.MigrateEncryption = string(types.VirtualMachineConfigSpecEncryptedVMotionModesOpportunistic)
}

// apply does to a VM's configuration what people did once it was made.
func (v *vmBuilder) apply(q *fleetdata.Quirk, c *types.VirtualMachineConfigInfo) {
	patch(q.Config, c)
	if disk := first[*types.VirtualDisk](c); disk != nil {
		patch(q.Disk, disk)
	}
	if nic := first[*types.VirtualVmxnet3](c); nic != nil {
		patch(q.NIC, nic)
		v.plug(nic, q.PortGroup)
	}
	for _, d := range q.Devices {
		c.Hardware.Device = append(c.Hardware.Device, decoded[types.BaseVirtualDevice](d))
	}
}

// first is the VM's first device of a kind, or nil.
func first[T types.BaseVirtualDevice](c *types.VirtualMachineConfigInfo) (none T) {
	for _, d := range c.Hardware.Device {
		if d, is := d.(T); is {
			return d
		}
	}
	return none
}

// plug puts a NIC on a port group of a distributed switch.
func (v *vmBuilder) plug(n *types.VirtualVmxnet3, group string) {
	if group == "" {
		return
	}
	n.Backing = &types.VirtualEthernetCardDistributedVirtualPortBackingInfo{Port: v.groups[group]}
	n.DeviceInfo = &types.Description{Label: "Network adapter 1", Summary: "DVSwitch: " + v.groups[group].SwitchUuid}
}

// decoded makes a vSphere object of data with vSphere's own field names, where _typeName names the type.
func decoded[T any](data map[string]any) (object T) {
	patch(data, &object)
	return object
}

// patch lays data with vSphere's own field names over an object. The data are the fleet's own: a test applies all
// of them, and finds names that vSphere does not have.
func patch(data map[string]any, onto any) {
	if data == nil {
		return
	}
	text, err := json.Marshal(data)
	if err == nil {
		err = types.NewJSONDecoder(bytes.NewReader(text)).Decode(onto)
	}
	if err != nil {
		panic(fmt.Sprintf("data of the demo fleet: %s: %v", text, err))
	}
}
