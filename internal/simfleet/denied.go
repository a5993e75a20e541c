package simfleet

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// RetrieveProperties answers without what the account may not read.
func (o *overrides) RetrieveProperties(ctx *simulator.Context, req *types.RetrieveProperties) soap.HasFault {
	pc := collector(ctx, req.This)
	if pc == nil {
		return &methods.RetrievePropertiesBody{Fault_: notFound(req.This)}
	}
	body := pc.RetrieveProperties(ctx, req)
	if b := body.(*methods.RetrievePropertiesBody); b.Res != nil {
		o.denied.hide(ctx, b.Res.Returnval)
	}
	return body
}

// RetrievePropertiesEx answers without what the account may not read.
func (o *overrides) RetrievePropertiesEx(ctx *simulator.Context, req *types.RetrievePropertiesEx) soap.HasFault {
	pc := collector(ctx, req.This)
	if pc == nil {
		return &methods.RetrievePropertiesExBody{Fault_: notFound(req.This)}
	}
	body := pc.RetrievePropertiesEx(ctx, req)
	if b := body.(*methods.RetrievePropertiesExBody); b.Res != nil && b.Res.Returnval != nil {
		o.denied.hide(ctx, b.Res.Returnval.Objects)
	}
	return body
}

// ContinueRetrievePropertiesEx does so for the pages that follow.
func (o *overrides) ContinueRetrievePropertiesEx(ctx *simulator.Context, req *types.ContinueRetrievePropertiesEx) soap.HasFault {
	pc := collector(ctx, req.This)
	if pc == nil {
		return &methods.ContinueRetrievePropertiesExBody{Fault_: notFound(req.This)}
	}
	body := pc.ContinueRetrievePropertiesEx(ctx, req)
	if b := body.(*methods.ContinueRetrievePropertiesExBody); b.Res != nil {
		o.denied.hide(ctx, b.Res.Returnval.Objects)
	}
	return body
}

func notFound(ref types.ManagedObjectReference) *soap.Fault {
	return simulator.Fault("managed object not found: "+ref.String(), &types.ManagedObjectNotFound{Obj: ref})
}
