package simfleet

import (
	"slices"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// stay is a time that a VM ran on one host. It has the VM's size when it began: one that grows while it runs is shown
// as it was.
type stay struct {
	vm, host               types.ManagedObjectReference
	vcpus, memoryMB, clock int64     // clock is the host's, in MHz
	from, to               time.Time // zero is before the fleet, and not over yet
}

// covers reports whether the VM was there when the slot ended, which is when the sample is taken.
func (s *stay) covers(slot int64) bool {
	at := slotEnd(slot)
	return at.After(s.from) && (s.to.IsZero() || !at.After(s.to))
}

// stays is where VMs ran and run. It listens to the registry, which tells of every VM that starts, stops or moves.
type stays struct {
	now   func() time.Time
	hosts map[types.ManagedObjectReference]*esxi

	mu    sync.Mutex
	open  map[types.ManagedObjectReference]*stay   // by VM
	all   map[types.ManagedObjectReference][]*stay // by VM, the open one last
	began map[types.ManagedObjectReference]time.Time
}

func newStays(b *builder) *stays {
	s := &stays{
		now: b.cfg.Now, hosts: b.owners(), open: map[types.ManagedObjectReference]*stay{},
		all: map[types.ManagedObjectReference][]*stay{}, began: map[types.ManagedObjectReference]time.Time{},
	}
	for _, e := range b.hostOrder {
		for _, ref := range e.host.Vm {
			s.see(&get[*simulator.VirtualMachine](b, ref).VirtualMachine, time.Time{})
		}
	}
	b.ctx.Map.AddHandler(s)
	return s
}

// Reference is what the registry knows its listeners by.
func (*stays) Reference() types.ManagedObjectReference {
	return types.ManagedObjectReference{Type: overridesType, Value: "stays"}
}

// PutObject is not of interest: a VM that is new does not run.
func (*stays) PutObject(*simulator.Context, mo.Reference) {}

// RemoveObject ends the stay of a VM that is gone.
func (s *stays) RemoveObject(_ *simulator.Context, ref types.ManagedObjectReference) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(ref, s.now())
}

// UpdateObject hears of changes, from whoever holds the VM's lock.
func (s *stays) UpdateObject(ctx *simulator.Context, obj mo.Reference, changes []types.PropertyChange) {
	vm, ok := obj.(*mo.VirtualMachine)
	if !ok {
		return
	}
	for _, c := range changes {
		switch c.Name {
		case "runtime.host":
			s.relist(ctx, vm)
			s.see(vm, s.now())
		case "runtime.powerState":
			s.see(vm, s.now())
		}
	}
}

// see begins or ends a stay where the VM's state differs from what is known.
func (s *stays) see(vm *mo.VirtualMachine, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	on := vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn && vm.Runtime.Host != nil && vm.Config != nil
	old := s.open[vm.Self]
	if old != nil && on && old.host == *vm.Runtime.Host {
		return
	}
	s.end(vm.Self, now)
	if !on || s.hosts[*vm.Runtime.Host] == nil {
		return
	}
	s.begin(&stay{
		vm: vm.Self, host: *vm.Runtime.Host, from: now, clock: s.hosts[*vm.Runtime.Host].row.hz / 1_000_000,
		vcpus: int64(vm.Config.Hardware.NumCPU), memoryMB: int64(vm.Config.Hardware.MemoryMB),
	})
}

func (s *stays) begin(next *stay) {
	s.open[next.vm] = next
	s.all[next.vm] = append(s.all[next.vm], next)
}

// end also forgets what is too long ago to be asked for.
func (s *stays) end(vm types.ManagedObjectReference, now time.Time) {
	if old := s.open[vm]; old != nil {
		old.to = now
		delete(s.open, vm)
	}
	s.all[vm] = slices.DeleteFunc(s.all[vm], func(old *stay) bool { return !old.to.IsZero() && old.to.Before(now.Add(-kept)) })
	if len(s.all[vm]) == 0 {
		delete(s.all, vm)
	}
}

// restart begins the series of a host and of its VMs anew.
func (s *stays) restart(host types.ManagedObjectReference) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.began[host] = now
	for vm, old := range s.open {
		if old.host == host {
			next := *old
			next.from = now
			s.end(vm, now)
			s.begin(&next)
		}
	}
}

// relist moves a VM to the list of the host that it runs on now. The simulator leaves it where it was.
func (s *stays) relist(ctx *simulator.Context, vm *mo.VirtualMachine) {
	for ref, e := range s.hosts {
		if ref != e.host.Self {
			continue // one of its managers
		}
		ctx.WithLock(e.host, func() {
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

// ofVM is copies of the VM's stays, so that none ends while it is read.
func (s *stays) ofVM(vm types.ManagedObjectReference) []*stay {
	s.mu.Lock()
	defer s.mu.Unlock()
	return copies(s.all[vm])
}

// onHost is the host with all that ran on it.
func (s *stays) onHost(host types.ManagedObjectReference) (*hostLoad, time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	load := &hostLoad{esxi: s.hosts[host]}
	for _, list := range s.all {
		for _, one := range list {
			if one.host == host {
				load.stays = append(load.stays, copies([]*stay{one})...)
			}
		}
	}
	return load, s.began[host]
}

func copies(list []*stay) []*stay {
	var own []*stay
	for _, one := range list {
		c := *one
		own = append(own, &c)
	}
	return own
}
