package simfleet

import (
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// stay is a time that a VM ran on one host with the same settings. What is written later begins another, so that what was
// measured before stays as it was.
type stay struct {
	vm, host types.ManagedObjectReference
	mhz      int64 // of the host
	settings *vmSettings
	does     *fleetdata.Profile
	stream   stream
	place    int       // which one on the endpoint it was to begin to run; later stays on the same host keep it
	since    time.Time // it began to run there
	from, to time.Time // zero is before the fleet, and not over yet
}

// covers reports whether the VM was there with these settings when the slot began.
func (s *stay) covers(slot int64) bool {
	at := slotStart(slot)
	return !at.Before(s.from) && (s.to.IsZero() || at.Before(s.to))
}

// hostSpan is a time that a host had the same settings, up to the next.
type hostSpan struct {
	from     time.Time
	settings *hostSettings
}

// stays is where VMs ran and run, and with which settings. It listens to the registry, which tells of every VM that starts,
// stops, moves or changes, and of every host that is written to.
type stays struct {
	site    string
	now     func() time.Time
	hosts   map[types.ManagedObjectReference]*esxi
	stores  map[types.ManagedObjectReference]string
	pools   poolLimits
	changed func(host types.ManagedObjectReference, at time.Time) // tells whoever has worked something out

	listing sync.Mutex // held while hosts' lists of VMs change, and while the simulator walks through them

	mu     sync.Mutex
	dirty  []types.ManagedObjectReference // hosts whose last change nobody was told of yet
	places int
	open   map[types.ManagedObjectReference]*stay   // by VM
	all    map[types.ManagedObjectReference][]*stay // by VM, the open one last
	on     map[types.ManagedObjectReference][]*stay // by host, as they came
	spans  map[types.ManagedObjectReference][]hostSpan
	began  map[types.ManagedObjectReference]time.Time
}

func newStays(b *builder) *stays {
	s := &stays{
		site: b.site.name, now: b.cfg.Now, hosts: b.owners(), stores: map[types.ManagedObjectReference]string{}, pools: limitsOf(b),
		changed: func(types.ManagedObjectReference, time.Time) {},
		open:    map[types.ManagedObjectReference]*stay{}, all: map[types.ManagedObjectReference][]*stay{},
		on: map[types.ManagedObjectReference][]*stay{}, spans: map[types.ManagedObjectReference][]hostSpan{},
		began: map[types.ManagedObjectReference]time.Time{},
	}
	s.stores[b.datastore.Self] = datastoreName
	for name, d := range b.datastores {
		s.stores[d.Self] = name
	}
	for _, e := range b.hostOrder {
		s.spans[e.host.Self] = []hostSpan{{settings: s.capture(e)}}
		e.told = func() { s.rewrite(e.host.Self, func(h *hostSettings) { *h = *s.capture(e) }) }
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
	defer s.tell()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(ref, s.now())
}

// UpdateObject hears of changes, from whoever holds the object's lock.
func (s *stays) UpdateObject(ctx *simulator.Context, obj mo.Reference, changes []types.PropertyChange) {
	switch o := obj.(type) {
	case *mo.VirtualMachine:
		for _, c := range changes {
			if c.Name == "runtime.host" {
				s.relist(ctx, o)
			}
		}
		if o.Runtime.PowerState != types.VirtualMachinePowerStatePoweredOn {
			o.Summary.QuickStats = types.VirtualMachineQuickStats{GuestHeartbeatStatus: o.Summary.QuickStats.GuestHeartbeatStatus}
		}
		s.see(o, s.now())
	case *mo.HostSystem:
		s.seeHost(o, changes)
	case *mo.ResourcePool:
		s.seePool(o)
	}
}

// see begins or ends a stay where the VM's state differs from what is known.
func (s *stays) see(vm *mo.VirtualMachine, now time.Time) {
	defer s.tell()
	s.mu.Lock()
	defer s.mu.Unlock()
	on := vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn && vm.Runtime.Host != nil && vm.Config != nil
	old := s.open[vm.Self]
	if !on || s.hosts[*vm.Runtime.Host] == nil {
		if old != nil {
			s.end(vm.Self, now)
		}
		return
	}
	next := &stay{
		vm: vm.Self, host: *vm.Runtime.Host, from: now, since: now, stream: newStream(s.site, vm.Self.Value),
		mhz: s.hosts[*vm.Runtime.Host].row.Hz / 1_000_000, settings: s.settingsOf(vm), does: fleetdata.Demo().ProfileOf(vm.Name),
	}
	if old != nil && old.host == next.host {
		if reflect.DeepEqual(old.settings, next.settings) {
			return
		}
		next.since, next.place = old.since, old.place
	} else {
		next.place = s.places
		s.places++
		if now.IsZero() && vm.Runtime.BootTime != nil {
			next.since = *vm.Runtime.BootTime
		}
	}
	s.end(vm.Self, now)
	s.begin(next)
}

func (s *stays) begin(next *stay) {
	s.open[next.vm] = next
	s.all[next.vm] = append(s.all[next.vm], next)
	s.on[next.host] = append(s.on[next.host], next)
	s.dirty = append(s.dirty, next.host)
}

// end also forgets what is too long ago to be asked for.
func (s *stays) end(vm types.ManagedObjectReference, now time.Time) {
	old := s.open[vm]
	if old != nil {
		old.to = now
		delete(s.open, vm)
		s.on[old.host] = slices.DeleteFunc(s.on[old.host], func(o *stay) bool { return o.over(now) })
		s.dirty = append(s.dirty, old.host)
	}
	s.all[vm] = slices.DeleteFunc(s.all[vm], func(o *stay) bool { return o.over(now) })
	if len(s.all[vm]) == 0 {
		delete(s.all, vm)
	}
}

// tell lets others know of hosts that changed, when nothing is locked: they ask back.
func (s *stays) tell() {
	s.mu.Lock()
	dirty := s.dirty
	s.dirty = nil
	s.mu.Unlock()
	for _, host := range dirty {
		s.changed(host, s.now())
	}
}

// over is a stay that ended before there are samples.
func (s *stay) over(now time.Time) bool {
	return !s.to.IsZero() && s.to.Before(now.Add(-kept-time.Minute))
}

// seeHost takes what was written on a host.
func (s *stays) seeHost(host *mo.HostSystem, changes []types.PropertyChange) {
	e := s.hosts[host.Self]
	if e == nil {
		return
	}
	for _, c := range changes {
		switch c.Name {
		case "runtime.bootTime":
			e.told()
		case "config.powerSystemInfo":
			s.rewrite(host.Self, func(h *hostSettings) { h.policy = host.Config.PowerSystemInfo.CurrentPolicy.Key })
		case "config.storageDevice":
			s.rewrite(host.Self, func(h *hostSettings) { h.devices = e.devicesNow() })
		case "config.option":
			s.rewrite(host.Self, e.captureOptions)
		}
	}
}

// rewrite has a host go on with other settings.
func (s *stays) rewrite(host types.ManagedObjectReference, change func(*hostSettings)) {
	defer s.tell()
	s.mu.Lock()
	defer s.mu.Unlock()
	now, spans := s.now(), s.spans[host]
	if len(spans) == 0 {
		return
	}
	old := spans[len(spans)-1]
	next := *old.settings
	change(&next)
	if reflect.DeepEqual(&next, old.settings) {
		return
	}
	for len(spans) > 1 && spans[1].from.Before(now.Add(-kept-time.Minute)) {
		spans = spans[1:]
	}
	s.spans[host] = append(slices.Clone(spans), hostSpan{now, &next})
	s.dirty = append(s.dirty, host)
}

// at is a host's settings when a slot began, and what ran there, as it came. Without the host it is nil.
func (s *stays) at(host types.ManagedObjectReference, slot int64) (*hostSettings, []*stay) {
	s.mu.Lock()
	defer s.mu.Unlock()
	spans := s.spans[host]
	if len(spans) == 0 {
		return nil, nil
	}
	settings := spans[0].settings
	for _, sp := range spans[1:] {
		if !slotStart(slot).Before(sp.from) {
			settings = sp.settings
		}
	}
	var list []*stay
	for _, one := range s.on[host] {
		if one.covers(slot) {
			list = append(list, one)
		}
	}
	slices.SortStableFunc(list, func(a, b *stay) int { return a.place - b.place })
	return settings, list
}

// running is what runs on a host now, as it came.
func (s *stays) running(host types.ManagedObjectReference) []*stay {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*stay
	for _, one := range s.on[host] {
		if one.to.IsZero() {
			list = append(list, one)
		}
	}
	slices.SortStableFunc(list, func(a, b *stay) int { return a.place - b.place })
	return list
}

// restart begins the series of a host and of its VMs anew.
func (s *stays) restart(host types.ManagedObjectReference) {
	defer s.tell()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.began[host] = now
	s.dirty = append(s.dirty, host)
	for _, old := range slices.Clone(s.on[host]) {
		if old.to.IsZero() {
			next := *old
			next.from, next.since, next.place = now, now, s.places
			s.places++
			s.end(old.vm, now)
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
			s.listing.Lock()
			defer s.listing.Unlock()
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
	var own []*stay
	for _, one := range s.all[vm] {
		c := *one
		own = append(own, &c)
	}
	return own
}

// onHost is a host's settings now, and since when it has samples.
func (s *stays) onHost(host types.ManagedObjectReference) (*hostSettings, time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if spans := s.spans[host]; len(spans) > 0 {
		return spans[len(spans)-1].settings, s.began[host]
	}
	return nil, time.Time{}
}
