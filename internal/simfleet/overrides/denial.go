package overrides

import (
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// Denial defines what the account may not see or change: the zero value denies nothing.
type Denial struct {
	ReadOnly     bool // it may change nothing anywhere
	Host, Folder types.ManagedObjectReference
}

// writePrivileges are the privileges for writes to each kind of object.
var writePrivileges = map[string]string{
	"ClusterComputeResource": "Host.Inventory.EditCluster",
	"Folder":                 "Folder.Rename",
	"HostCpuSchedulerSystem": "Host.Config.HyperThreading",
	"HostFirmwareSystem":     "Host.Config.Firmware",
	"HostKernelModuleSystem": "Host.Config.Settings",
	"HostNetworkSystem":      "Host.Config.Network",
	"HostPowerSystem":        "Host.Config.Power",
	"HostStorageSystem":      "Host.Config.Storage",
	"HostSystem":             "Host.Config.Maintenance",
	"ManagedMethodExecuter":  "Host.Config.Settings",
	"OptionManager":          "Host.Config.AdvancedConfig",
	"ResourcePool":           "Resource.EditPool",
	"VirtualMachine":         "VirtualMachine.Config.Settings",

	"VmwareDistributedVirtualSwitch": "DVSwitch.ResourceManagement",
}

// Privilege returns the privilege that is missing for a write to a denied object, or "". e is the host behind the object.
func (n Denial) Privilege(ctx *simulator.Context, ref types.ManagedObjectReference, e *esxi.Host) string {
	if n.Covers(ctx, ref, e) {
		if p := writePrivileges[ref.Type]; p != "" {
			return p
		}
		return "Host.Config.Settings"
	}
	if n.ReadOnly {
		return writePrivileges[ref.Type]
	}
	return ""
}

// Covers reports whether the account is denied an object; e is the host behind it. VMs on the denied host are not denied.
func (n Denial) Covers(ctx *simulator.Context, ref types.ManagedObjectReference, e *esxi.Host) bool {
	if n.Folder.Value == "" {
		return false
	}
	return e != nil && e.System.Self == n.Host && ref.Type != "VirtualMachine" || n.inFolder(ctx, ref)
}

// inFolder reports whether an object is the denied folder or a VM in it.
func (n Denial) inFolder(ctx *simulator.Context, ref types.ManagedObjectReference) bool {
	if ref == n.Folder {
		return true
	}
	vm, ok := ctx.Map.Get(ref).(*simulator.VirtualMachine)
	if !ok {
		return false
	}
	var parent *types.ManagedObjectReference
	ctx.WithLock(vm, func() { parent = vm.Parent })
	return parent != nil && *parent == n.Folder
}

// Hider returns a function that hides properties that the account may not read, or nil for none.
func (n Denial) Hider() func(*simulator.Context, []types.ObjectContent) {
	if n.Folder.Value == "" {
		return nil
	}
	return n.hide
}

// hide moves properties that the account may not read from the found to the missing ones.
func (n Denial) hide(ctx *simulator.Context, objects []types.ObjectContent) {
	for i := range objects {
		o := &objects[i]
		all := n.inFolder(ctx, o.Obj)
		if !all && o.Obj != n.Host {
			continue
		}
		kept := o.PropSet[:0:0]
		for _, p := range o.PropSet {
			if !all && p.Name != "config" && !strings.HasPrefix(p.Name, "config.") {
				kept = append(kept, p)
				continue
			}
			o.MissingSet = append(o.MissingSet, types.MissingProperty{Path: p.Name, Fault: types.LocalizedMethodFault{
				Fault: world.NoPermission(o.Obj, "System.Read"), LocalizedMessage: "Permission to perform this operation was denied.",
			}})
		}
		o.PropSet = kept
	}
}
