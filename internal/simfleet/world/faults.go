package world

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// NotFound is the fault of a call on an object that there is not.
func NotFound(ref types.ManagedObjectReference) *soap.Fault {
	return simulator.Fault("managed object not found: "+ref.String(), &types.ManagedObjectNotFound{Obj: ref})
}

// InvalidArgument is the fault of a call with a parameter that is wrong.
func InvalidArgument(property string) *soap.Fault {
	return simulator.Fault("A specified parameter was not correct: "+property, &types.InvalidArgument{InvalidProperty: property})
}

// InvalidName is the fault of a call that names what there is not.
func InvalidName(name string) *soap.Fault {
	return simulator.Fault("The name '"+name+"' is not valid.", &types.InvalidName{Name: name})
}

// NoPermission is the fault of a call that takes a privilege on an object, which the account lacks.
func NoPermission(object types.ManagedObjectReference, privilege string) *types.NoPermission {
	return &types.NoPermission{
		Object: &object, PrivilegeId: privilege,
		MissingPrivileges: []types.NoPermissionEntityPrivileges{{Entity: object, PrivilegeIds: []string{privilege}}},
	}
}
