package overrides

import (
	"slices"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxtopservice"
)

// readOnly are the privileges of the role Read-only.
var readOnly = []string{"System.Anonymous", "System.Read", "System.View"}

// leastPrivileges are the account's remaining privileges on denied objects.
var leastPrivileges = []string{"System.Anonymous", "System.View"}

// privileges returns the account's privileges on an object: all, unless a scenario removes some.
func (o *Service) privileges(ctx *simulator.Context, ref types.ManagedObjectReference) []string {
	if o.Denied.Covers(ctx, ref, o.Hosts[ref]) {
		return leastPrivileges
	}
	if o.Denied.ReadOnly {
		return readOnly
	}
	var all []string
	m := ctx.Map.Get(*ctx.Map.Get(vim25.ServiceInstance).(*simulator.ServiceInstance).Content.AuthorizationManager)
	manager := m.(*simulator.AuthorizationManager)
	ctx.WithLock(manager, func() { all = object.AuthorizationRoleList(manager.RoleList).ByName("Admin").Privilege })
	lacks := o.Lacks
	if o.NoServices {
		lacks = append(slices.Clip(lacks), esxtopservice.Privilege)
	}
	return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(lacks, id) })
}

// granted returns for each privilege whether the account has it.
func (o *Service) granted(ctx *simulator.Context, ref types.ManagedObjectReference, ids []string) []bool {
	has := o.privileges(ctx, ref)
	yes := make([]bool, len(ids))
	for i, id := range ids {
		yes[i] = slices.Contains(has, id)
	}
	return yes
}

func (o *Service) availability(ctx *simulator.Context, refs []types.ManagedObjectReference, ids []string) []types.EntityPrivilege {
	var list []types.EntityPrivilege
	for _, ref := range refs {
		e := types.EntityPrivilege{Entity: ref}
		for i, yes := range o.granted(ctx, ref, ids) {
			e.PrivAvailability = append(e.PrivAvailability, types.PrivilegeAvailability{PrivId: ids[i], IsGranted: yes})
		}
		list = append(list, e)
	}
	return list
}

// FetchUserPrivilegeOnEntities lists the privileges of the fleet's only account.
func (o *Service) FetchUserPrivilegeOnEntities(ctx *simulator.Context, req *types.FetchUserPrivilegeOnEntities) soap.HasFault {
	res := new(types.FetchUserPrivilegeOnEntitiesResponse)
	for _, ref := range req.Entities {
		res.Returnval = append(res.Returnval, types.UserPrivilegeResult{Entity: ref, Privileges: o.privileges(ctx, ref)})
	}
	return &methods.FetchUserPrivilegeOnEntitiesBody{Res: res}
}

// HasUserPrivilegeOnEntities checks some privileges.
func (o *Service) HasUserPrivilegeOnEntities(ctx *simulator.Context, req *types.HasUserPrivilegeOnEntities) soap.HasFault {
	return &methods.HasUserPrivilegeOnEntitiesBody{Res: &types.HasUserPrivilegeOnEntitiesResponse{
		Returnval: o.availability(ctx, req.Entities, req.PrivId),
	}}
}

// HasPrivilegeOnEntities checks privileges of a session, which all belong to the same account.
func (o *Service) HasPrivilegeOnEntities(ctx *simulator.Context, req *types.HasPrivilegeOnEntities) soap.HasFault {
	return &methods.HasPrivilegeOnEntitiesBody{Res: &types.HasPrivilegeOnEntitiesResponse{
		Returnval: o.availability(ctx, req.Entity, req.PrivId),
	}}
}

// HasPrivilegeOnEntity is the older form of the call.
func (o *Service) HasPrivilegeOnEntity(ctx *simulator.Context, req *types.HasPrivilegeOnEntity) soap.HasFault {
	return &methods.HasPrivilegeOnEntityBody{Res: &types.HasPrivilegeOnEntityResponse{
		Returnval: o.granted(ctx, req.Entity, req.PrivId),
	}}
}
