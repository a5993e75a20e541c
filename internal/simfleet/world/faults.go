package world

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// NotFound returns the fault of a call on a missing object.
func NotFound(ref types.ManagedObjectReference) *soap.Fault {
	return simulator.Fault("managed object not found: "+ref.String(), &types.ManagedObjectNotFound{Obj: ref})
}

// InvalidArgument returns the fault of a call with an invalid parameter.
func InvalidArgument(property string) *soap.Fault {
	return simulator.Fault("A specified parameter was not correct: "+property, &types.InvalidArgument{InvalidProperty: property})
}

// InvalidName returns the fault of a call with an unknown name.
func InvalidName(name string) *soap.Fault {
	return simulator.Fault("The name '"+name+"' is not valid.", &types.InvalidName{Name: name})
}

// NoPermission returns the fault of a call without the required privilege on an object.
func NoPermission(object types.ManagedObjectReference, privilege string) *types.NoPermission {
	return &types.NoPermission{
		Object: &object, PrivilegeId: privilege,
		MissingPrivileges: []types.NoPermissionEntityPrivileges{{Entity: object, PrivilegeIds: []string{privilege}}},
	}
}
