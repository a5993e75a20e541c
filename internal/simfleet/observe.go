package simfleet

import (
	"slices"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/guard"
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// observer has the load model know what the simulator holds. It listens to the registry, which tells of every VM that starts,
// stops, moves or changes, and of every host that is written to.
type observer struct {
	world.Listener
	site    string
	hosts   map[types.ManagedObjectReference]*esxi
	stores  map[types.ManagedObjectReference]string
	history *load.History

	listing guard.Listing

	mu    sync.Mutex // guards the pools, and keeps VMs as they are while their pool changes
	pools poolLimits
}

func newObserver(b *builder) *observer {
	o := &observer{
		Listener: world.Listener{Name: "observer"},
		site:     b.site.name, hosts: b.owners(), stores: map[types.ManagedObjectReference]string{}, pools: limitsOf(b), history: load.NewHistory(b.cfg.Now),
	}
	o.stores[b.datastore.Self] = datastoreName
	for name, d := range b.datastores {
		o.stores[d.Self] = name
	}
	for _, e := range b.hostOrder {
		id := e.host.Self.Value
		o.history.AddHost(id, o.capture(e.node))
		e.told = func() { o.history.Rewrite(id, func(h *load.Host) { *h = *o.capture(e.node) }) }
		for _, ref := range e.host.Vm {
			o.see(&get[*simulator.VirtualMachine](b, ref).VirtualMachine, time.Time{})
		}
	}
	b.ctx.Map.AddHandler(o)
	return o
}

// RemoveObject ends the stay of a VM that is gone.
func (o *observer) RemoveObject(_ *simulator.Context, ref types.ManagedObjectReference) {
	if ref.Type == "VirtualMachine" {
		o.history.Stops(ref.Value)
	}
}

// UpdateObject hears of changes, from whoever holds the object's lock.
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

// see begins or ends a stay where the VM's state differs from what is known. The zero time is the start of the fleet.
func (o *observer) see(vm *mo.VirtualMachine, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	on := vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn && vm.Runtime.Host != nil && vm.Config != nil
	if !on || o.hosts[*vm.Runtime.Host] == nil {
		o.history.Stops(vm.Self.Value)
		return
	}
	host := *vm.Runtime.Host
	next := load.NewStay(o.site, vm.Self.Value, host.Value, o.hosts[host].row.Hz/1_000_000, o.settingsOf(vm), now)
	if now.IsZero() && vm.Runtime.BootTime != nil {
		next.Since = *vm.Runtime.BootTime
	}
	o.history.Runs(next)
}

// seeHost takes what was written on a host.
func (o *observer) seeHost(host *mo.HostSystem, changes []types.PropertyChange) {
	e := o.hosts[host.Self]
	if e == nil {
		return
	}
	id := host.Self.Value
	for _, c := range changes {
		switch c.Name {
		case "runtime.bootTime":
			e.told()
		case "config.powerSystemInfo":
			o.history.Rewrite(id, func(h *load.Host) { h.Policy = load.PowerPolicy(host.Config.PowerSystemInfo.CurrentPolicy.Key) })
		case "config.storageDevice":
			o.history.Rewrite(id, e.captureDevices)
		case "config.option":
			o.history.Rewrite(id, e.captureOptions)
		}
	}
}

// seePool has the VMs of a pool go on with what it allows them now.
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

// relist moves a VM to the list of the host that it runs on now. The simulator leaves it where it was.
func (o *observer) relist(ctx *simulator.Context, vm *mo.VirtualMachine) {
	for ref, e := range o.hosts {
		if ref != e.host.Self {
			continue // one of its managers
		}
		ctx.WithLock(e.host, func() {
			o.listing.Lock()
			defer o.listing.Unlock()
			here, listed := *vm.Runtime.Host == ref, slices.Contains(e.host.Vm, vm.Self)
			if here == listed {
				return
			}
			list := slices.DeleteFunc(slices.Clone(e.host.Vm), func(r types.ManagedObjectReference) bool { return r == vm.Self })
			if here {
				list = append(list, vm.Self)
			}
			ctx.Update(e.host, []types.PropertyChange{{Name: "vm", Val: list}})
		})
	}
}
