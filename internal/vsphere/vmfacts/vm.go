package vmfacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

type vm = inventory.VM

// Properties of a VM.
const (
	PathDevices   = "config.hardware.device"
	PathFrozen    = "runtime.instantCloneFrozen"
	pathAutoCores = "config.hardware.autoCoresPerSocket"
	pathThreads   = "config.hardware.simultaneousThreads"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

const noVNUMA = "the server does not report whether virtual NUMA is exposed"

const noTools = "the server has no information on VMware Tools, for example because the virtual machine has never run"

// label returns the device's label in clients, or "".
func label(d types.VirtualDevice) string {
	if d.DeviceInfo == nil {
		return ""
	}
	return d.DeviceInfo.GetDescription().Label
}

// deviceNode returns the virtual NUMA node of a device. Servers before 8.0 do not have it, and later ones omit it for VMs with
// old hardware versions.
func deviceNode(d types.VirtualDevice) inventory.Fact[int64] {
	if d.NumaNode == nil {
		return inventory.Absent[int64]()
	}
	return inventory.Known(int64(*d.NumaNode))
}
