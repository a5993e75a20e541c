package simfleet

import (
	"slices"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// observer updates the load model from the simulator. It listens to the registry, which reports every VM that starts, stops,
// moves or changes, and every change of a host.
type observer struct {
	world.Listener
	site    string
	hosts   map[types.ManagedObjectReference]*world.Host
	stores  map[types.ManagedObjectReference]string
	history *load.History

	listing sync.Mutex // held while hosts' lists of VMs change, and while the simulator reads them

	mu    sync.Mutex // guards the pools, and prevents changes of VMs while their pool changes
	pools poolLimits
}

// newObserver observes the fleet's hosts with their VMs. VMs of limited pools share the limit.
func (b *builder) newObserver() *observer {
	registry, hosts := b.ctx.Map, b.nodes()
	vm := func(ref types.ManagedObjectReference) *mo.VirtualMachine {
		return &registry.Get(ref).(*simulator.VirtualMachine).VirtualMachine
	}
	o := &observer{
		Listener: world.Listener{Name: "observer"}, site: b.site.name, hosts: map[types.ManagedObjectReference]*world.Host{},
		stores: map[types.ManagedObjectReference]string{b.datastore.Self: datastoreName}, pools: poolLimits{}, history: load.NewHistory(b.cfg.Now),
	}
	for ref, e := range b.owners() {
		o.hosts[ref] = e.Host
	}
	for name, d := range b.datastores {
		o.stores[d.Self] = name
	}
	for _, pool := range b.poolsInOrder() {
		o.pools.add(&pool.ResourcePool)
	}
	for _, e := range hosts {
		for _, ref := range e.System.Vm {
			o.pools.count(vm(ref))
		}
	}
	for _, e := range hosts {
		id := e.System.Self.Value
		o.history.AddHost(id, o.capture(e))
		e.OnHiddenChange = func() { o.history.Rewrite(id, func(h *load.Host) { *h = *o.capture(e) }) }
		for _, ref := range e.System.Vm {
			o.see(vm(ref), time.Time{})
		}
	}
	registry.AddHandler(o)
	return o
}

// RemoveObject ends the residency of a removed VM.
func (o *observer) RemoveObject(_ *simulator.Context, ref types.ManagedObjectReference) {
	if ref.Type == "VirtualMachine" {
		o.history.Stops(ref.Value)
	}
}

// UpdateObject handles a change. The caller holds the object's lock.
func (o *observer) UpdateObject(ctx *simulator.Context, obj mo.Reference, changes []types.PropertyChange) {
	switch object := obj.(type) {
	case *mo.VirtualMachine:
		for _, c := range changes {
			if c.Name == "runtime.host" {
				o.relist(ctx, object)
			}
		}
		if object.Runtime.PowerState != types.VirtualMachinePowerStatePoweredOn {
			object.Summary.QuickStats = types.VirtualMachineQuickStats{GuestHeartbeatStatus: object.Summary.QuickStats.GuestHeartbeatStatus}
		}
		o.see(object, o.history.Now())
	case *mo.HostSystem:
		o.seeHost(object, changes)
	case *mo.ResourcePool:
		o.seePool(object)
	}
}

// see starts or ends a residency if the VM's state has changed. The zero time is the start of the fleet.
func (o *observer) see(vm *mo.VirtualMachine, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	on := vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn && vm.Runtime.Host != nil && vm.Config != nil
	if !on || o.hosts[*vm.Runtime.Host] == nil {
		o.history.Stops(vm.Self.Value)
		return
	}
	host := *vm.Runtime.Host
	next := load.NewResidency(o.site, vm.Self.Value, host.Value, o.hosts[host].Row.Hz/1_000_000, o.settingsOf(vm), now)
	if now.IsZero() && vm.Runtime.BootTime != nil {
		next.Since = *vm.Runtime.BootTime
	}
	o.history.Runs(next)
}

// seeHost handles changes of a host.
func (o *observer) seeHost(host *mo.HostSystem, changes []types.PropertyChange) {
	e := o.hosts[host.Self]
	if e == nil {
		return
	}
	id := host.Self.Value
	for _, c := range changes {
		switch c.Name {
		case "runtime.bootTime":
			e.OnHiddenChange()
		case "config.powerSystemInfo":
			o.history.Rewrite(id, func(h *load.Host) { h.Policy = load.PowerPolicy(host.Config.PowerSystemInfo.CurrentPolicy.Key) })
		case "config.storageDevice":
			o.history.Rewrite(id, func(h *load.Host) { captureDevices(e, h) })
		case "config.option":
			o.history.Rewrite(id, func(h *load.Host) { captureOptions(e, h) })
		}
	}
}

// seePool updates the VMs of a pool with its new limit.
func (o *observer) seePool(pool *mo.ResourcePool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p, limit := o.pools[pool.Self], granted(&pool.Config.CpuAllocation).Limit
	if p == nil || p.mhz == limit {
		return
	}
	p.mhz = limit
	inPool := map[string]bool{}
	for _, ref := range pool.Vm {
		inPool[ref.Value] = true
	}
	o.history.Revise(func(vm string, settings load.VM) *load.VM {
		if !inPool[vm] {
			return nil
		}
		settings.PoolMHz = p.share(settings.VCPUs)
		return &settings
	})
}

// relist moves a VM to its current host's list.
//
// govmomi v0.56.0 simulator: it leaves the VM in the old list.
func (o *observer) relist(ctx *simulator.Context, vm *mo.VirtualMachine) {
	for ref, e := range o.hosts {
		if ref != e.System.Self {
			continue // one of its managers
		}
		ctx.WithLock(e.System, func() {
			o.listing.Lock()
			defer o.listing.Unlock()
			here, listed := *vm.Runtime.Host == ref, slices.Contains(e.System.Vm, vm.Self)
			if here == listed {
				return
			}
			list := slices.DeleteFunc(slices.Clone(e.System.Vm), func(r types.ManagedObjectReference) bool { return r == vm.Self })
			if here {
				list = append(list, vm.Self)
			}
			ctx.Update(e.System, []types.PropertyChange{{Name: "vm", Val: list}})
		})
	}
}
