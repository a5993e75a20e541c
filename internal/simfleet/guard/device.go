package guard

import (
	"regexp"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// device refuses device changes that would crash the simulator: it assumes that the device, the disk's file and the network
// exist.
func (in *inspector) device(spec types.VirtualDeviceConfigSpec) {
	if spec.Device == nil {
		in.fault = &types.InvalidArgument{InvalidProperty: "deviceChange.device"}
		return
	}
	if spec.Operation == types.VirtualDeviceConfigSpecOperationRemove {
		return
	}
	backing := spec.Device.GetVirtualDevice().Backing
	switch spec.Device.(type) {
	case *types.VirtualDisk:
		if _, ok := backing.(types.BaseVirtualDeviceFileBackingInfo); !ok {
			in.fault = &types.InvalidArgument{InvalidProperty: "deviceChange.device.backing"}
		}
	case types.BaseVirtualEthernetCard:
		if b, ok := backing.(*types.VirtualEthernetCardNetworkBackingInfo); ok && !in.named("Network", b.DeviceName) {
			in.fault = &types.InvalidArgument{InvalidProperty: "deviceChange.device.backing.deviceName"}
		}
	}
}

// datastorePath matches a path on a datastore, which starts with [name].
var datastorePath = regexp.MustCompile(`^\[([^\]]+)\]`)

// pathFields are fields with such a path, which may be empty.
var pathFields = map[string]bool{"DatastorePath": true, "FileName": true, "VmPathName": true}

// path refuses invalid datastore paths, and missing datastores.
func (in *inspector) path(s string) {
	if s == "" {
		return
	}
	m := datastorePath.FindStringSubmatch(s)
	if m == nil || !in.named("Datastore", m[1]) {
		in.fault = &types.InvalidDatastorePath{DatastorePath: s}
	}
}

// named reports whether an object of a kind with this name exists.
func (in *inspector) named(kind, name string) bool {
	for _, e := range in.ctx.Map.All(kind) {
		if NameOf(e) == name {
			return true
		}
	}
	return false
}

// NameOf returns the name of an object; networks and datastores have it in different fields.
func NameOf(e mo.Entity) string {
	switch o := e.(type) {
	case *mo.Network:
		return o.Name
	case *simulator.Datastore:
		return o.Name
	}
	return e.Entity().Name
}
