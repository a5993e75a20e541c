package simfleet

import (
	"maps"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// dispatcher sees every SOAP call before the simulator does: it counts it, refuses it, or sends it to a method of ours.
type dispatcher struct {
	calls  *callCounter
	ours   *overrides
	divert map[string]bool // by type.method
	containment
}

// overridesType is the type of the object that answers in the place of others; no client may name it.
const overridesType = "DemoFleet"

// newDispatcher puts itself before the simulator's own objects.
func newDispatcher(registry *simulator.Registry, calls *callCounter, now func() time.Time) *dispatcher {
	d := &dispatcher{
		calls:  calls,
		ours:   &overrides{now: now},
		divert: map[string]bool{"ServiceInstance.CurrentTime": true},
	}
	d.ours.Self = types.ManagedObjectReference{Type: overridesType, Value: "overrides"}
	registry.Put(d.ours)
	registry.Handler = d.handle
	registry.Cookie = d.cookie
	return d
}

// handle is called before any lock is taken. To answer with another object it renames the target: the simulator looks
// a target up once more for those who are logged in.
func (d *dispatcher) handle(ctx *simulator.Context, method *simulator.Method) (mo.Reference, types.BaseMethodFault) {
	d.calls.add(method.Name)
	if fault := guard(ctx, method); fault != nil {
		return nil, fault
	}
	if ctx.Session != nil && d.divert[method.This.Type+"."+method.Name] {
		method.This = d.ours.Self
	}
	d.called(ctx, method.This)
	return nil, nil
}

// overrides answers methods in the place of the simulator's objects. It has no state of its own and so needs no lock.
// The mo type does nothing: the simulator goes through its whole registry at times and ends the process over an object
// that has none.
type overrides struct {
	mo.SimpleCommand
	now func() time.Time
}

// Lock and Unlock keep the registry from making one caller wait for another.
func (o *overrides) Lock()   {}
func (o *overrides) Unlock() {}

// CurrentTime is the fleet's clock.
func (o *overrides) CurrentTime(*types.CurrentTime) soap.HasFault {
	return &methods.CurrentTimeBody{Res: &types.CurrentTimeResponse{Returnval: o.now()}}
}

// callCounter counts calls by method name.
type callCounter struct {
	mu sync.Mutex
	n  map[string]int
}

func newCallCounter() *callCounter { return &callCounter{n: map[string]int{}} }

func (c *callCounter) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[name]++
}

func (c *callCounter) all() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.n)
}
