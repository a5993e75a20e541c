package guard

import (
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// Properties replaces the simulator's property collector, which loses zeros and does not remember sent updates. It hides
// properties that the account may not read.
type Properties struct {
	world.Replacement
	hide func(*simulator.Context, []types.ObjectContent) // nil: hides nothing

	mu     sync.Mutex
	sent   map[types.ManagedObjectReference]*lastUpdates // by collector
	pages  map[string]remaining                          // by token
	tokens int
}

// NewProperties returns a Properties that passes results through hide, which removes properties that the caller's account may not
// read. A nil hide removes nothing.
func NewProperties(hide func(*simulator.Context, []types.ObjectContent)) *Properties {
	return &Properties{
		Replacement: world.NewReplacement("properties"), hide: hide,
		sent: map[types.ManagedObjectReference]*lastUpdates{}, pages: map[string]remaining{},
	}
}

// Answers returns the methods that it implements.
func (*Properties) Answers() []string {
	return []string{
		"PropertyCollector.ContinueRetrievePropertiesEx", "PropertyCollector.DestroyPropertyCollector", "PropertyCollector.RetrieveProperties",
		"PropertyCollector.RetrievePropertiesEx", "PropertyCollector.WaitForUpdatesEx",
	}
}

// RetrieveProperties returns lists of numbers with their zeros, without properties that the account may not read.
func (p *Properties) RetrieveProperties(ctx *simulator.Context, req *types.RetrieveProperties) soap.HasFault {
	pc := collector(ctx, req.This)
	if pc == nil {
		return &methods.RetrievePropertiesBody{Fault_: world.NotFound(req.This)}
	}
	body := p.retrieve(ctx, pc, &types.RetrievePropertiesEx{This: req.This, SpecSet: req.SpecSet})
	if body.Res == nil {
		return &methods.RetrievePropertiesBody{Fault_: body.Fault_}
	}
	return &methods.RetrievePropertiesBody{Res: &types.RetrievePropertiesResponse{Returnval: body.Res.Returnval.Objects}}
}

// RetrievePropertiesEx does the same.
func (p *Properties) RetrievePropertiesEx(ctx *simulator.Context, req *types.RetrievePropertiesEx) soap.HasFault {
	pc := collector(ctx, req.This)
	if pc == nil {
		return &methods.RetrievePropertiesExBody{Fault_: world.NotFound(req.This)}
	}
	return p.retrieve(ctx, pc, req)
}

// ContinueRetrievePropertiesEx does the same for further pages.
func (p *Properties) ContinueRetrievePropertiesEx(ctx *simulator.Context, req *types.ContinueRetrievePropertiesEx) soap.HasFault {
	pc := collector(ctx, req.This)
	if pc == nil {
		return &methods.ContinueRetrievePropertiesExBody{Fault_: world.NotFound(req.This)}
	}
	if body, ok := p.next(req.Token); ok {
		return body
	}
	body := pc.ContinueRetrievePropertiesEx(ctx, req)
	if b := body.(*methods.ContinueRetrievePropertiesExBody); b.Res != nil {
		p.correct(ctx, b.Res.Returnval.Objects)
	}
	return body
}

// correct corrects the simulator's answer to that of a vCenter.
func (p *Properties) correct(ctx *simulator.Context, objects []types.ObjectContent) {
	for i := range objects {
		for k := range objects[i].PropSet {
			withZeros(ctx, objects[i].Obj, &objects[i].PropSet[k])
		}
	}
	if p.hide != nil {
		p.hide(ctx, objects)
	}
}

// collector returns the session's own property collector.
func collector(ctx *simulator.Context, ref types.ManagedObjectReference) *simulator.PropertyCollector {
	pc, _ := ctx.Session.Get(ref).(*simulator.PropertyCollector)
	return pc
}
