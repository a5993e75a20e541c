package simfleet

import (
	"cmp"
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// dispatcher sees every SOAP call before the simulator does: it counts it, refuses it, or sends it to a method of ours.
type dispatcher struct {
	calls  *callCounter
	ours   *overrides
	divert map[string]bool // by type.method
	hosts  map[types.ManagedObjectReference]*esxi
	scene  scene
	denied denial
	locked bool // lets nobody log in
	slowBy time.Duration
	hooks  Config
	alone  *esxi // the host that is the server; nil on a vCenter
	containment
}

// newDispatcher puts itself before the simulator's own objects.
func newDispatcher(b *builder, calls *callCounter, now func() time.Time, gone <-chan struct{}) *dispatcher {
	d := &dispatcher{
		hooks: b.cfg, calls: calls, hosts: b.owners(), scene: b.scene, denied: b.denial(),
		locked: b.scene[sceneLockdown] && b.site.name == lockedHost, slowBy: cmp.Or(b.cfg.slowBy, slowBy),
		divert: map[string]bool{
			"AuthorizationManager.FetchUserPrivilegeOnEntities": true,
			"AuthorizationManager.HasPrivilegeOnEntities":       true,
			"AuthorizationManager.HasPrivilegeOnEntity":         true,
			"AuthorizationManager.HasUserPrivilegeOnEntities":   true,

			"EventManager.LogUserEvent": true,

			"ClusterComputeResource.ReconfigureComputeResource_Task": true,

			"HostSystem.EnterMaintenanceMode_Task": true,
			"HostSystem.ExitMaintenanceMode_Task":  true,
			"HostSystem.RebootHost_Task":           true,

			"PropertyCollector.ContinueRetrievePropertiesEx": true,
			"PropertyCollector.DestroyPropertyCollector":     true,
			"PropertyCollector.RetrieveProperties":           true,
			"PropertyCollector.RetrievePropertiesEx":         true,
			"PropertyCollector.WaitForUpdatesEx":             true,

			"ResourcePool.UpdateConfig":           true,
			"ServiceInstance.CurrentTime":         true,
			"ViewManager.CreateContainerView":     true,
			"VirtualMachine.MarkAsTemplate":       true,
			"VirtualMachine.MarkAsVirtualMachine": true,
			"VirtualMachine.MigrateVM_Task":       true,
			"VirtualMachine.PowerOnVM_Task":       true,
			"VirtualMachine.ReconfigVM_Task":      true,
			"VirtualMachine.ShutdownGuest":        true,

			"VmwareDistributedVirtualSwitch.EnableNetworkResourceManagement": true,
		},
	}
	d.ours = &overrides{
		now: now, hosts: d.hosts, denied: d.denied, noServices: b.scene[sceneNoEsxtop], gone: gone, order: b.hostOrder, loads: b.loads,
		quick: &quickStats{loads: b.loads, hosts: b.hostOrder, now: b.cfg.Now}, listing: &b.observer.listing,
		rebootTakes: b.cfg.RebootTakes, shutdownTakes: b.cfg.ShutdownTakes, loggedOut: func() {},
	}
	if b.site.standalone() {
		d.alone, d.ours.loggedOut = b.hostOrder[0], d.endSessions
	}
	d.ours.Self = types.ManagedObjectReference{Type: world.OwnType, Value: "overrides"}
	if d.scene[sceneSessionExpires] {
		d.lives = newLives(callsASession)
	}
	d.after = b.cfg.After
	teach()
	registry := b.ctx.Map
	registry.AddHandler(&starts{now})
	registry.AddHandler(new(taskUsers))
	registry.AddHandler(new(moves))
	registry.Put(d.ours)
	registry.Handler = d.handle
	registry.Cookie = d.cookie
	if e := b.hosts[busyHost]; d.scene[sceneBusyHost] && e != nil {
		d.ours.keepBusy(&simulator.Context{Context: context.Background(), Map: registry}, e)
	}
	return d
}

// handle is called before any lock is taken. To answer with another object it renames the target: the simulator looks
// a target up once more for those who are logged in.
func (d *dispatcher) handle(ctx *simulator.Context, method *simulator.Method) (mo.Reference, types.BaseMethodFault) {
	d.before(method)
	d.calls.add(method.Name)
	if fault := guard(ctx, method); fault != nil {
		return nil, fault
	}
	d.called(ctx, method)
	if d.locked && method.Name == "Login" {
		return nil, lockdown(ctx)
	}
	if ctx.Session == nil {
		return nil, nil
	}
	if readers[method.Name] {
		d.ours.quick.freshen(ctx)
	}
	if d.scene[sceneSlowHost] && d.readsSlowHost(method) {
		d.wait(ctx, time.After(d.slowBy))
	}
	if d.scene[sceneHungEsxtop] && d.fetchesFrom(hungHost, method) {
		d.wait(ctx, nil)
	}
	if fault := d.refuse(ctx, method); fault != nil {
		return nil, fault
	}
	if d.hooks.Swallow != nil && d.hooks.Swallow(called(method)) {
		method.This, method.Name = d.ours.Self, swallow
	} else if d.divert[method.This.Type+"."+method.Name] || isOwnCommand(method) {
		method.This = d.ours.Self
	}
	return nil, nil
}

// wait ends when it is time, when the client is gone, or with the fleet.
func (d *dispatcher) wait(ctx *simulator.Context, until <-chan time.Time) {
	select {
	case <-until:
	case <-d.left(ctx):
	case <-d.ours.gone:
	}
}

// overrides answers methods in the place of the simulator's objects. It changes none of its own state and so needs no lock.
// The mo type does nothing: the simulator goes through its whole registry at times and ends the process over an object
// that has none.
type overrides struct {
	mo.SimpleCommand
	now     func() time.Time
	hosts   map[types.ManagedObjectReference]*esxi
	denied  denial
	order   []*esxi // as the tables have them
	loads   *load.Model
	quick   *quickStats
	tasks   atomic.Int64
	listing *sync.Mutex // of hosts' VMs

	watchers   watchers
	noServices bool // the account may not use those of hosts

	rebootTakes, shutdownTakes time.Duration
	loggedOut                  func()          // ends all sessions of a host that was started again
	gone                       <-chan struct{} // closed with the fleet
}

// Lock and Unlock keep the registry from making one caller wait for another.
func (o *overrides) Lock()   {}
func (o *overrides) Unlock() {}

// CreateContainerView keeps VMs where they are while the simulator walks through the hosts' lists of them, without a lock.
func (o *overrides) CreateContainerView(ctx *simulator.Context, req *types.CreateContainerView) soap.HasFault {
	manager, ok := ctx.Map.Get(req.This).(*simulator.ViewManager)
	if !ok {
		return &methods.CreateContainerViewBody{Fault_: world.NotFound(req.This)}
	}
	o.listing.Lock()
	defer o.listing.Unlock()
	return manager.CreateContainerView(ctx, req)
}

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
