package vsphere

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/esxtop"
)

var (
	errNoSamples = errors.New("the server has no new samples of it")
	errNotThere  = errors.New("the server has no such host any more")
)

// poll asks for what is new, and makes rounds of it. It fails only when nobody wants it any more.
func (p *performance) poll(ctx context.Context) error {
	p.pace.more = false
	if err := p.prepare(ctx); err != nil {
		for _, h := range p.hosts {
			h.err = err
		}
		p.pace.asked, p.pace.fresh = p.serverNow(), false
		p.round(nil)
		return context.Cause(ctx)
	}
	frames := p.ask(ctx, p.asks(p.hosts))
	early := 0
	for late := p.late(); len(late) > 0; late = p.late() {
		pause := p.pace.again()
		if pause == 0 {
			break
		}
		early++
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-p.after(pause + p.jitter(perfPause/4)):
		}
		frames = append(frames, p.ask(ctx, p.asks(late))...)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	p.learn(frames, early)
	p.round(frames)
	return nil
}

// prepare reads what the questions are made of, where it changed.
func (p *performance) prepare(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.patience, &slowError{p.patience})
	defer cancel()
	if p.recount.CompareAndSwap(true, false) || p.counters == nil {
		p.plan = nil
		if p.counters, err = p.session.perfCounters(ctx); err != nil {
			return err
		}
	}
	if r, _ := p.asked(); p.plan == nil || p.planned != r.Objects {
		p.plan, p.planned = newPerfPlan(r.Objects, p.counters), r.Objects
	}
	old := p.now().Sub(p.rostered) > rosterAge
	if p.stale.CompareAndSwap(true, false) || old || p.roster.cheap() {
		if p.roster.Refresh(ctx) == nil && (old || !p.roster.cheap()) { // else the old one must do
			p.rostered, p.nfs = p.now(), nil
		}
	}
	if p.nfs == nil && p.plan.objects.Has(esxtop.NFS) {
		p.nfs = p.session.nfsVolumes(ctx)
	}
	p.rechoose()
	for _, h := range p.hosts {
		p.look(h)
	}
	return nil
}

// look takes what the roster says of a host.
func (p *performance) look(h *perfHost) {
	found, ok := p.roster.Host(h.moid)
	h.down, h.vms, h.threads = found.Down, nil, found.Threads
	if !ok {
		h.down = errNotThere.Error()
	}
	for _, vm := range p.roster.VMs(h.moid) {
		if vm.Power == string(types.VirtualMachinePowerStatePoweredOn) {
			h.vms = append(h.vms, vm)
		}
	}
}

// asks are the questions to some hosts: what is newer than the last sample, in pieces where that is much.
func (p *performance) asks(hosts []*perfHost) (list []*perfAsk) {
	now := p.serverNow()
	for _, h := range hosts {
		if h.down != "" || now.Before(h.again) {
			continue
		}
		of := p.plan.entities(h)
		if len(of) == 0 {
			continue
		}
		if first := now.Add(-KeptSamples); !h.last.IsZero() && h.last.Before(first) {
			h.last = first
		}
		list = append(list, &perfAsk{
			host: h, after: h.last, samples: 1, of: of,
			harvest: &perfHarvest{plan: p.plan, nfs: p.nfs, moments: map[int64]*perfMoment{}},
		})
	}
	all := 0
	for _, a := range list {
		all += perfPart{a, 0, len(a.of)}.cost(p.plan)
	}
	piece := max(1, p.atOnce/max(all, 1))
	for _, a := range list {
		if a.after.IsZero() {
			continue
		}
		a.samples = max(1, int(now.Sub(a.after)/perfInterval))
		if a.samples > piece {
			a.samples, a.until = piece, a.after.Add(time.Duration(piece)*perfInterval)
		}
	}
	return list
}

// ask reads the answers. Hosts that made others wait are asked each for itself, and less patiently.
func (p *performance) ask(ctx context.Context, asks []*perfAsk) []*esxtop.Frame {
	most := p.patience + p.brief
	ctx, cancel := context.WithTimeoutCause(ctx, most, &slowError{most})
	defer cancel()
	var together, alone []*perfAsk
	for _, a := range asks {
		if a.host.alone {
			alone = append(alone, a)
		} else {
			together = append(together, a)
		}
	}
	p.pace.asked = p.serverNow()
	var apart []perfBatch
	for _, a := range alone {
		apart = append(apart, cut(perfPart{a, 0, len(a.of)}, p.plan, p.size.get())...)
	}
	var both sync.WaitGroup
	both.Go(func() { p.query(p.patience).run(ctx, batches(together, p.plan, p.size.get())) })
	both.Go(func() { p.query(p.brief).run(ctx, apart) })
	both.Wait()
	var frames []*esxtop.Frame
	well := true
	for _, a := range asks {
		well = well && a.err == nil
		frames = append(frames, p.take(a, len(asks) > 1)...)
	}
	if well {
		p.size.well()
	}
	return frames
}

func (p *performance) query(limit time.Duration) *perfQuery {
	return &perfQuery{
		session: p.session, plan: p.plan, size: &p.size, plain: &p.plain, stale: &p.stale, recount: &p.recount, limit: limit,
	}
}

// take makes frames of an answer, and notes how it went.
func (p *performance) take(a *perfAsk, others bool) []*esxtop.Frame {
	h := a.host
	h.err = a.err
	if a.err != nil {
		p.failed(h, others)
		return nil
	}
	h.alone, h.fails = false, 0
	frames := a.harvest.frames(h)
	h.late = len(frames) == 0 && a.until.IsZero()
	switch {
	case len(frames) > 0:
		h.last, h.seen = frames[len(frames)-1].Time, p.now()
	case !a.until.IsZero():
		h.last = a.until
	default:
		h.err = errNoSamples
	}
	p.pace.more = p.pace.more || !a.until.IsZero()
	return frames
}

// failed decides how a host is asked the next time. One that did not answer, or was refused, goes alone from then on, and less and
// less often; a connection that broke says nothing about the host.
func (p *performance) failed(h *perfHost, others bool) {
	switch {
	case !isSlow(h.err) && !saysNo(h.err), !others:
		return
	case !h.alone:
		h.alone = true
		return
	}
	const most = 3
	h.again = p.serverNow().Add(perfInterval<<min(h.fails, most) - perfInterval/2)
	h.fails++
}

// late are the hosts whose next sample should be there and is not. A host that never had one in time is not waited for.
func (p *performance) late() (list []*perfHost) {
	for _, h := range p.hosts {
		if h.late && !h.wasLate && h.down == "" && !h.last.IsZero() && errors.Is(h.err, errNoSamples) {
			list = append(list, h)
		}
	}
	return list
}

func (p *performance) learn(frames []*esxtop.Frame, early int) {
	p.pace.fresh = len(frames) > 0
	for _, h := range p.hosts {
		h.wasLate = h.late
	}
	if len(frames) == 0 {
		return
	}
	newest := slices.MaxFunc(frames, func(a, b *esxtop.Frame) int { return a.Time.Compare(b.Time) }).Time
	p.pace.learn(p.pace.asked, newest, early)
}

// round makes rounds of frames, one for each place on the grid. The last one tells of the hosts that nothing came of.
func (p *performance) round(frames []*esxtop.Frame) {
	_, interval := p.asked()
	rounds, came := map[int64]*esxtop.Round{}, map[string]bool{}
	for _, f := range frames {
		came[f.MoID] = true
		place := onGrid(f.Time)
		if place%int64(interval/time.Second) != 0 {
			continue
		}
		r := rounds[place]
		if r == nil {
			r = &esxtop.Round{}
			rounds[place] = r
		}
		r.Frames = append(r.Frames, f)
		if f.Time.After(r.Time) {
			r.Time = f.Time
		}
	}
	if len(frames) == 0 && !p.pace.more {
		rounds[0] = &esxtop.Round{Time: p.serverNow().Truncate(perfInterval)}
	}
	places := slices.Sorted(maps.Keys(rounds))
	for _, place := range places {
		r := rounds[place]
		r.Past = len(r.Frames) > 0 && !r.Time.After(p.began)
		p.rounds = append(p.rounds, r)
	}
	if len(places) > 0 {
		rounds[places[len(places)-1]].Troubles = p.troubles(came)
	}
}

func (p *performance) troubles(came map[string]bool) (list []esxtop.Trouble) {
	for _, h := range p.hosts {
		if came[h.moid] {
			continue
		}
		t := esxtop.Trouble{Host: h.name, Since: h.seen, Err: h.err}
		if h.down != "" {
			t.Err = errors.New(h.down)
		}
		list = append(list, t)
	}
	return list
}
