package simfleet

import (
	"cmp"
	"context"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxcli"
	"github.com/vperf/vperf/internal/simfleet/guard"
	"github.com/vperf/vperf/internal/simfleet/overrides"
	"github.com/vperf/vperf/internal/simfleet/perf"
)

// replacement is an object that answers methods in place of the simulator's objects.
type replacement interface {
	mo.Reference
	Answers() []string // as type.method
}

// newDispatcher returns a dispatcher that receives calls before the simulator's objects.
func newDispatcher(b *builder, calls *callCounter, now func() time.Time, gone <-chan struct{}) *dispatcher {
	d := &dispatcher{
		hooks: b.cfg, calls: calls, hosts: b.owners(), scene: b.scene, gone: gone, denied: b.denial(),
		locked: b.scene[sceneLockdown] && b.site.name == lockedHost, slowBy: cmp.Or(b.cfg.SlowBy, DefaultSlowBy),
		quick:      &perf.QuickStats{Loads: b.loads, Hosts: b.nodes(), Pools: b.poolsInOrder(), Now: b.cfg.Now},
		cli:        esxcli.New(b.nodes(), b.loads),
		PanicGuard: guard.PanicGuard{Alive: func(string) bool { return true }, After: b.cfg.After},
	}
	loggedOut := func() {}
	if b.site.standalone() {
		d.alone, loggedOut = b.hostOrder[0], d.EndSessions
	}
	d.ours = overrides.New(overrides.Config{
		Now: now, Hosts: d.hosts, Order: b.hostOrder, Denied: d.denied, NoServices: b.scene[sceneNoEsxtop], Lacks: b.cfg.Lacks, Loads: b.loads,
		RebootTakes: b.cfg.RebootTakes, ShutdownTakes: b.cfg.ShutdownTakes, LoggedOut: loggedOut, Gone: gone, Listing: &b.observer.listing,
	})
	d.timetable = newTimetable(b, d.ours)
	if d.scene[sceneSessionExpires] {
		d.Alive = newSessionLives(callsASession).remaining
	}
	registry := b.ctx.Map
	registry.Put(d.cli)
	d.put(registry, d.ours, guard.NewProperties(d.denied.Hider()))
	registry.AddHandler(overrides.NewStarts(now))
	registry.AddHandler(overrides.NewTaskUsers(now))
	registry.AddHandler(guard.NewMoveUpdates())
	registry.AddHandler(guard.NewTasks())
	registry.Handler = d.handle
	registry.Cookie = d.Cookie
	if e := b.hosts[busyHost]; d.scene[sceneBusyHost] && e != nil {
		d.ours.KeepBusy(&simulator.Context{Context: context.Background(), Map: registry}, e)
	}
	return d
}

// put registers objects that answer in place of the simulator's.
func (d *dispatcher) put(registry *simulator.Registry, stands ...replacement) {
	d.divert = map[string]types.ManagedObjectReference{}
	for _, s := range stands {
		registry.Put(s)
		for _, method := range s.Answers() {
			d.divert[method] = s.Reference()
		}
	}
}

// handle is called before any lock is taken. To let another object answer it changes the target.
//
// govmomi v0.56.0 simulator: for logged-in clients it ignores the object that the hook returns, and looks the target up again.
func (d *dispatcher) handle(ctx *simulator.Context, method *simulator.Method) (mo.Reference, types.BaseMethodFault) {
	d.before(method)
	d.ours.See()
	d.timetable.run()
	d.calls.add(method.Name)
	if fault := guard.Check(method); fault != nil {
		return nil, fault
	}
	d.Note(ctx, method, called(method))
	if d.locked && method.Name == "Login" {
		return nil, lockdown(ctx)
	}
	if ctx.Session == nil {
		return nil, nil
	}
	if perf.Readers[method.Name] {
		d.quick.Freshen(ctx)
	}
	d.delay(ctx, method)
	if fault := d.refuse(ctx, method); fault != nil {
		return nil, fault
	}
	d.redirect(method)
	return nil, nil
}

// delay delays a call to a slow or hung host.
func (d *dispatcher) delay(ctx *simulator.Context, method *simulator.Method) {
	if d.scene[sceneSlowHost] && d.readsSlowHost(method) {
		d.wait(ctx, time.After(d.slowBy))
	}
	if d.scene[sceneHungEsxtop] && d.fetchesFrom(hungHost, method) {
		d.wait(ctx, nil)
	}
}

// redirect changes the target of a call to the fleet's object that answers it, if there is one.
func (d *dispatcher) redirect(method *simulator.Method) {
	if d.hooks.Swallow != nil && d.hooks.Swallow(called(method)) {
		method.This, method.Name = d.ours.Self, overrides.Swallow
	} else if to, is := d.divert[method.This.Type+"."+method.Name]; is {
		method.This = to
	} else if esxcli.Own(method) {
		method.This = d.cli.Self
	}
}

// wait returns after until, when the client disconnects, or when the fleet ends.
func (d *dispatcher) wait(ctx *simulator.Context, until <-chan time.Time) {
	select {
	case <-until:
	case <-d.Disconnected(ctx):
	case <-d.gone:
	}
}
