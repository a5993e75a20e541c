package measure

import (
	"maps"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
)

// startRound updates a host from the roster.
func (p *performance) startRound(h *perfHost) {
	found, ok := p.roster.host(h.moid)
	h.down, h.threads = found.Down, found.Threads
	if !ok {
		h.down = errNotThere.Error()
	}
	if h.self == nil {
		h.self = &perfEntity{ref: ref{Type: property.TypeHost, Value: h.moid}, seen: p.serverNow(), last: h.last}
	}
	h.vms = h.vms[:0]
	list := p.roster.VMs(h.moid)
	for i := range list {
		if list[i].Power == string(types.VirtualMachinePowerStatePoweredOn) {
			h.vms = append(h.vms, p.addHosts(&list[i], h))
		}
	}
}

// addHosts finds or creates the entity of a VM. A new VM may have samples from the time since the previous roster read.
func (p *performance) addHosts(vm *RosterVM, h *perfHost) *perfEntity {
	e := p.vms[vm.MoID]
	if e == nil {
		now := p.serverNow()
		e = &perfEntity{ref: ref{Type: property.TypeVM, Value: vm.MoID}, seen: now, last: h.last}
		if first := now.Add(-p.age); p.turn > 1 && !h.last.IsZero() && h.last.Before(first) {
			e.last = first
		}
		p.vms[vm.MoID] = e
	}
	e.vm, e.turn = *vm, p.turn
	return e
}

// forget removes VMs that have been gone for longer than hosts keep samples.
func (p *performance) forget() {
	first := p.serverNow().Add(-KeptSamples)
	maps.DeleteFunc(p.vms, func(_ string, e *perfEntity) bool {
		return e.turn != p.turn && (!p.every || e.last.Before(first))
	})
}

// took records the result for an entity if every sample is needed, and reports whether newer samples remain.
func (p *performance) took(it *perfItem, partly bool) (behind bool) {
	e := it.perfEntity
	if it.err != nil {
		if e.last.IsZero() {
			e.last = e.seen.Add(-perfInterval) // so that the newest sample of that time is not lost
		}
		if partly {
			e.suspect(it.err, p.serverNow())
		}
		return false
	}
	e.err, e.fails, e.again = nil, 0, time.Time{}
	switch {
	case !it.newest.IsZero():
		e.last = it.newest
	case !it.until.IsZero():
		e.last = it.until
	}
	return !it.until.IsZero()
}

// rechoose adds new hosts and removes hosts that are no longer chosen. The others continue where they were.
func (p *performance) rechoose() {
	if p.choose == nil {
		return
	}
	known := map[string]*perfHost{}
	for _, h := range p.hosts {
		known[h.moid] = h
	}
	var next []*perfHost
	for _, h := range p.choose() {
		host := known[h.MoID]
		if host == nil {
			host = &perfHost{moid: h.MoID}
		}
		host.name = h.Name
		next = append(next, host)
	}
	sortPerfHosts(next)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hosts = next
}
