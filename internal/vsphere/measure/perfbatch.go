package measure

import (
	"sync"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// perfAsk is the query for one host: itself and its VMs.
type perfAsk struct {
	host    *perfHost
	of      []perfItem
	trusted int       // how many of them may share a call with other hosts; the last query of the others failed
	more    bool      // only a part of the missing samples is queried
	held    error     // why some VMs are not queried or were omitted
	now     time.Time // by the clock of the host

	mu       sync.Mutex
	harvest  *perfHarvest
	answered bool // some of them got an answer
	err      error
}

// fail records why entities got no answer.
func (p perfPart) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
	for i := p.from; i < p.to; i++ {
		p.of[i].err = err
	}
}

// leaveOut omits an entity that the server no longer has or does not show. A VM that is gone is not an error of its host.
func (a *perfAsk) leaveOut(it *perfItem, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	it.without, it.err = true, err
	switch {
	case it.isHost() && a.err == nil:
		a.err = err
	case !it.isHost() && !session.IsFault[*types.ManagedObjectNotFound](session.FaultOf(err)):
		a.held = err
	}
}

// perfPart is a part of a host's query: items of perfAsk.of.
type perfPart struct {
	*perfAsk
	from, to int
}

// perfBatch is the query of one call. It has whole hosts, or a part of a single host that is too large for a call.
type perfBatch []perfPart

// Sizes of a call, in series; a series of many samples counts for more. Hosts are combined up to mostEntities: this keeps the
// number of calls low, and a failing call affects a limited number of hosts.
const (
	mostSeries   = 20_000
	leastSeries  = 500
	mostEntities = 256
)

// cost returns the approximate number of series of a part, weighted by their number of samples.
func (p perfPart) cost(plan *perfPlan) (n int) {
	for i := p.from; i < p.to; i++ {
		it := &p.of[i]
		series := plan.sideOf(it.perfEntity).series
		n += series + series*(it.samples-1)/8
	}
	return n
}

func (b perfBatch) cost(plan *perfPlan) (n int) {
	for _, p := range b {
		n += p.cost(plan)
	}
	return n
}

func (b perfBatch) entities() (n int) {
	for _, p := range b {
		n += p.to - p.from
	}
	return n
}

// halves splits between hosts; a single host is split between its VMs.
func (b perfBatch) halves() []perfBatch {
	if n := len(b) / 2; n > 0 {
		return []perfBatch{b[:n], b[n:]}
	}
	p := b[0]
	middle := (p.from + p.to) / 2
	return []perfBatch{{{p.perfAsk, p.from, middle}}, {{p.perfAsk, middle, p.to}}}
}

// batches combines hosts up to a size. A larger host gets calls of its own.
func batches(asks []*perfAsk, plan *perfPlan, size int) []perfBatch {
	var list []perfBatch
	var open perfBatch
	room := size
	for _, a := range asks {
		whole := perfPart{a, 0, a.trusted}
		cost := whole.cost(plan)
		switch {
		case cost > size:
			list = append(list, cut(whole, plan, size)...)
			continue
		case cost == 0:
			continue
		case cost > room || open.entities() >= mostEntities:
			list = append(list, open)
			open, room = nil, size
		}
		open, room = append(open, whole), room-cost
	}
	if len(open) > 0 {
		list = append(list, open)
	}
	return list
}

// cut splits a part until each piece fits or is a single VM.
func cut(p perfPart, plan *perfPlan, size int) (list []perfBatch) {
	switch {
	case p.from == p.to:
		return nil
	case p.to-p.from == 1 || p.cost(plan) <= size:
		return []perfBatch{{p}}
	}
	for _, half := range (perfBatch{p}).halves() {
		list = append(list, cut(half[0], plan, size)...)
	}
	return list
}

func (b perfBatch) fail(err error) {
	for _, p := range b {
		p.fail(err)
	}
}
