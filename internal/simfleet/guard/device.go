package guard

import (
	"regexp"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// device refuses device changes that the simulator would carry out to the end of the process: it takes for granted
// that there is a device, that a disk has a file and that a network is there.
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

// datastorePath is a path on a datastore: [name] and more.
var datastorePath = regexp.MustCompile(`^\[([^\]]+)\]`)

// pathFields are fields that hold such a path, or nothing.
var pathFields = map[string]bool{"DatastorePath": true, "FileName": true, "VmPathName": true}

// path refuses what is no path of a datastore, and datastores that are not there.
func (in *inspector) path(s string) {
	if s == "" {
		return
	}
	m := datastorePath.FindStringSubmatch(s)
	if m == nil || !in.named("Datastore", m[1]) {
		in.fault = &types.InvalidDatastorePath{DatastorePath: s}
	}
}

// named reports whether there is an object of a kind with a name.
func (in *inspector) named(kind, name string) bool {
	for _, e := range in.ctx.Map.All(kind) {
		if NameOf(e) == name {
			return true
		}
	}
	return false
}

// NameOf is the name of an object; networks and datastores keep theirs in different places.
func NameOf(e mo.Entity) string {
	switch o := e.(type) {
	case *mo.Network:
		return o.Name
	case *simulator.Datastore:
		return o.Name
	}
	return e.Entity().Name
}
