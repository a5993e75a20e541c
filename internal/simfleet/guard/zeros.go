package guard

import (
	"slices"
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// Properties answers for the simulator's property collector, which loses zeros, and forgets what it told. It hides what the account
// may not read.
type Properties struct {
	world.Stand
	hide func(*simulator.Context, []types.ObjectContent) // nil is nothing

	mu   sync.Mutex
	told map[types.ManagedObjectReference]*telling // by collector
}

// NewProperties returns a Properties that passes what it read through hide, which removes what the caller's account may not read. A
// nil hide removes nothing.
func NewProperties(hide func(*simulator.Context, []types.ObjectContent)) *Properties {
	return &Properties{Stand: world.NewStand("properties"), hide: hide, told: map[types.ManagedObjectReference]*telling{}}
}

// Answers names the methods that it answers.
func (*Properties) Answers() []string {
	return []string{
		"PropertyCollector.ContinueRetrievePropertiesEx", "PropertyCollector.DestroyPropertyCollector", "PropertyCollector.RetrieveProperties",
		"PropertyCollector.RetrievePropertiesEx", "PropertyCollector.WaitForUpdatesEx",
	}
}

// RetrieveProperties answers with the zeros of lists of numbers, and without what the account may not read.
func (p *Properties) RetrieveProperties(ctx *simulator.Context, req *types.RetrieveProperties) soap.HasFault {
	pc := collector(ctx, req.This)
	if pc == nil {
		return &methods.RetrievePropertiesBody{Fault_: world.NotFound(req.This)}
	}
	body := pc.RetrieveProperties(ctx, req)
	if b := body.(*methods.RetrievePropertiesBody); b.Res != nil {
		p.dress(ctx, b.Res.Returnval)
	}
	return body
}

// RetrievePropertiesEx does so too.
func (p *Properties) RetrievePropertiesEx(ctx *simulator.Context, req *types.RetrievePropertiesEx) soap.HasFault {
	pc := collector(ctx, req.This)
	if pc == nil {
		return &methods.RetrievePropertiesExBody{Fault_: world.NotFound(req.This)}
	}
	body := pc.RetrievePropertiesEx(ctx, req)
	if b := body.(*methods.RetrievePropertiesExBody); b.Res != nil && b.Res.Returnval != nil {
		p.dress(ctx, b.Res.Returnval.Objects)
	}
	return body
}

// ContinueRetrievePropertiesEx does it for the pages that follow.
func (p *Properties) ContinueRetrievePropertiesEx(ctx *simulator.Context, req *types.ContinueRetrievePropertiesEx) soap.HasFault {
	pc := collector(ctx, req.This)
	if pc == nil {
		return &methods.ContinueRetrievePropertiesExBody{Fault_: world.NotFound(req.This)}
	}
	body := pc.ContinueRetrievePropertiesEx(ctx, req)
	if b := body.(*methods.ContinueRetrievePropertiesExBody); b.Res != nil {
		p.dress(ctx, b.Res.Returnval.Objects)
	}
	return body
}

// ArrayOfInt is a list of numbers. govmomi's own leaves zeros out when it is written, and a VM bound to CPU 0 would seem to
// be bound to none. It has the name that goes over the wire.
type ArrayOfInt struct {
	Int []int32 `xml:"int" json:"_value"`
}

// affinities are the lists that have zeros in them.
var affinities = map[string]func(*types.VirtualMachineConfigInfo) *types.VirtualMachineAffinityInfo{
	"config.cpuAffinity.affinitySet":    func(c *types.VirtualMachineConfigInfo) *types.VirtualMachineAffinityInfo { return c.CpuAffinity },
	"config.memoryAffinity.affinitySet": func(c *types.VirtualMachineConfigInfo) *types.VirtualMachineAffinityInfo { return c.MemoryAffinity },
}

// dress makes of what the simulator answers what a vCenter would.
func (p *Properties) dress(ctx *simulator.Context, objects []types.ObjectContent) {
	for i := range objects {
		for k := range objects[i].PropSet {
			withZeros(ctx, objects[i].Obj, &objects[i].PropSet[k])
		}
	}
	if p.hide != nil {
		p.hide(ctx, objects)
	}
}

// withZeros looks once more at a list that the simulator has copied, and lost its zeros.
func withZeros(ctx *simulator.Context, object types.ManagedObjectReference, p *types.DynamicProperty) {
	of, ok := affinities[p.Name]
	if !ok {
		return
	}
	vm, ok := ctx.Map.Get(object).(*simulator.VirtualMachine)
	if !ok {
		return
	}
	ctx.WithLock(vm, func() {
		if list := of(vm.Config); list != nil {
			p.Val = ArrayOfInt{slices.Clone(list.AffinitySet)}
		}
	})
}

// collector is the session's own property collector.
func collector(ctx *simulator.Context, ref types.ManagedObjectReference) *simulator.PropertyCollector {
	pc, _ := ctx.Session.Get(ref).(*simulator.PropertyCollector)
	return pc
}
