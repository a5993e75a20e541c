package measure

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// poll queries new samples and makes rounds from them. It fails only if the source or ctx has ended.
func (p *performance) poll(ctx context.Context) error {
	_, interval := p.asked()
	p.behindOnly = !p.byHost && p.pace.behindOnly(p.serverNow(), interval)
	p.pace.more = false
	if err := p.prepare(ctx); err != nil {
		for _, h := range p.hosts {
			h.err = err
		}
		p.pace.asked, p.pace.fresh = p.serverNow(), false
		p.round(nil, nil)
		return context.Cause(ctx)
	}
	p.lookBack(ctx)
	asks := p.asks(p.nextHosts())
	frames := p.ask(ctx, asks)
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
		case <-p.clock.After(pause + p.jitter(perfPause/4)):
		}
		frames = append(frames, p.ask(ctx, p.asks(late))...)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if p.byHost {
		p.turns.close(asks)
		p.pace.more = p.pace.more || p.turns.more()
	}
	places := p.places(frames)
	p.learn(frames, early)
	p.round(frames, places)
	return nil
}

// prepare reads the data that queries depend on, if it has changed.
func (p *performance) prepare(ctx context.Context) error {
	ctx, cancel := p.within(ctx, p.patience)
	defer cancel()
	if err := p.planAnew(ctx); err != nil {
		return err
	}
	p.refreshRoster(ctx)
	if p.nfs == nil && p.plan.objects.Has(esxtop.NFS) {
		p.nfs = nfsVolumes(ctx, p.session, p.hosts)
	}
	p.rechoose()
	p.turn++
	on := 0
	for _, h := range p.hosts {
		p.startRound(h)
		on += len(h.vms)
	}
	if len(p.vms) > on {
		p.forget()
	}
	return nil
}

// planAnew makes a new plan if the counters or the request have changed.
func (p *performance) planAnew(ctx context.Context) (err error) {
	if p.recount.CompareAndSwap(true, false) || p.counters == nil {
		p.plan = nil
		if p.counters, err = readPerfCounters(ctx, p.session); err != nil {
			return err
		}
	}
	if r, _ := p.asked(); p.plan == nil || p.planned != (plannedFor{r.Objects, r.Figures}) {
		p.plan, p.planned = newPerfPlan(r.Objects, r.Figures, p.counters), plannedFor{r.Objects, r.Figures}
	}
	return nil
}

// refreshRoster refreshes the roster if that is due. After an error the old roster stays.
func (p *performance) refreshRoster(ctx context.Context) {
	old := p.clock.Now().Sub(p.rostered) > p.age
	due := p.stale.CompareAndSwap(true, false) || old || p.roster.cheap() && p.turn > 0 // it was read when the source started
	if due && p.roster.Refresh(ctx) == nil && (old || !p.roster.cheap()) {
		p.rostered, p.nfs = p.clock.Now(), nil
	}
}

// asks returns the queries for some hosts: samples newer than the last one, in pieces if there are many.
func (p *performance) asks(hosts []*perfHost) (list []*perfAsk) {
	now := p.serverNow()
	for _, h := range hosts {
		if h.down != "" || now.Before(h.again) {
			continue
		}
		if a := p.askOf(h, now); len(a.of) > 0 {
			list = append(list, a)
		}
	}
	p.cutTime(list)
	return list
}

// lookBack asks silent hosts for their newest sample. One that is older than samples before shows that the host's clock was set back:
// reading goes on from there.
func (p *performance) lookBack(ctx context.Context) {
	var asks []*perfAsk
	for _, h := range p.hosts {
		if !h.wasLate || h.down != "" || p.clock.Now().Sub(h.seen) < perfInterval*3/2 {
			continue
		}
		for _, e := range p.plan.entities(h) {
			one := []perfItem{{perfEntity: e, samples: 1}}
			asks = append(asks, &perfAsk{host: h, of: one, trusted: 1, harvest: newPerfHarvest(p.plan, p.nfs, 1)})
			break
		}
	}
	if len(asks) == 0 {
		return
	}
	ctx, cancel := p.within(ctx, p.brief)
	defer cancel()
	p.query(p.brief).run(ctx, batches(asks, p.plan, p.size.get()))
	for _, a := range asks {
		h, newest := a.host, a.of[0].newest
		if newest.IsZero() || !newest.Before(h.last.Add(-perfInterval/2)) {
			continue
		}
		h.last = newest.Add(-perfInterval)
		p.compareClock(h, newest)
		for _, e := range p.plan.entities(h) {
			e.last = h.last
		}
	}
}

// askOf returns the query for a host. Entities whose last query failed come last, because they are queried in separate calls.
func (p *performance) askOf(h *perfHost, now time.Time) *perfAsk {
	now = now.Add(h.ahead)
	first := now.Add(-KeptSamples)
	if !h.last.IsZero() && h.last.Before(first) {
		h.last = first
	}
	most := 1 + len(h.vms)
	a := &perfAsk{host: h, now: now, of: make([]perfItem, 0, most), harvest: newPerfHarvest(p.plan, p.nfs, most)}
	a.harvest.first = h.last.IsZero() && !p.every
	var suspects []perfItem
	for place, e := range p.plan.entities(h) {
		it := perfItem{perfEntity: e, place: place, after: h.last, samples: 1}
		if p.every {
			if it.after = e.last; !it.after.IsZero() && it.after.Before(first) {
				it.after = first
			}
			if it.after.After(now.Add(perfInterval)) && it.after.After(h.last) { // the clock of its last host is ahead of this one's
				it.after = h.last
			}
		}
		switch {
		case now.Before(e.again.Add(h.ahead)):
			a.held = e.err
		case e.fails > 0:
			suspects = append(suspects, it)
		default:
			a.of = append(a.of, it)
		}
	}
	a.trusted = len(a.of)
	a.of = append(a.of, suspects...)
	return a
}

// cutTime limits the total size of the answers: entities that miss more samples get the rest later.
func (p *performance) cutTime(list []*perfAsk) {
	var series [mostSamples + 1]int // by number of missing samples
	for _, a := range list {
		for i := range a.of {
			it := &a.of[i]
			it.samples = missingSamples(it.after, a.now)
			series[it.samples] += p.plan.sideOf(it.perfEntity).series
		}
	}
	once := 0
	for _, n := range series {
		once += n
	}
	piece := largestPiece(series[:], max(p.atOnce, p.atLeast*once))
	for _, a := range list {
		for i := range a.of {
			if it := &a.of[i]; it.samples > piece {
				it.samples, it.until = piece, it.after.Add(time.Duration(piece)*perfInterval)
				a.more = true
			}
		}
	}
}

// largestPiece returns how many samples each entity may get at once within a total number of values: at least one.
func largestPiece(series []int, values int) int {
	lacking := 0 // series that need one more
	for _, n := range series {
		lacking += n
	}
	piece := 0
	for ; piece+1 < len(series) && lacking > 0; piece++ {
		lacking -= series[piece]
		if values -= lacking; values < 0 {
			break
		}
	}
	return max(1, piece)
}

// ask makes the queries. Hosts that delayed others are queried in separate calls with a shorter limit, and so are VMs that made
// others fail.
func (p *performance) ask(ctx context.Context, asks []*perfAsk) []*esxtop.Frame {
	ctx, cancel := p.within(ctx, p.patience+p.brief)
	defer cancel()
	p.pace.asked = p.serverNow()
	var together []*perfAsk
	var apart []perfBatch
	for _, a := range asks {
		if a.host.alone {
			apart = append(apart, cut(perfPart{a, 0, a.trusted}, p.plan, p.size.get())...)
		} else {
			together = append(together, a)
		}
		apart = append(apart, cut(perfPart{a, a.trusted, len(a.of)}, p.plan, p.size.get())...)
	}
	p.longestFirst(together)
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

// longestFirst sorts queries by the number of samples that their hosts miss. If a server is too slow for all of them, the time is over
// before the last ones: these must not be the same hosts in each round.
func (p *performance) longestFirst(asks []*perfAsk) {
	now := p.serverNow()
	missing := func(a *perfAsk) int {
		if a.host.last.IsZero() {
			return mostSamples + 1
		}
		return missingSamples(a.host.last, now)
	}
	slices.SortStableFunc(asks, func(a, b *perfAsk) int { return missing(b) - missing(a) })
}

func (p *performance) query(limit time.Duration) *perfQuery {
	return &perfQuery{
		session: p.session, plan: p.plan, size: &p.size, rooms: &p.rooms, plain: &p.plain, stale: &p.stale, recount: &p.recount, limit: limit, within: p.within,
	}
}

// take makes frames from an answer and records the outcome.
func (p *performance) take(a *perfAsk, others bool) []*esxtop.Frame {
	h := a.host
	h.behind = false
	partly := p.every && a.answered
	if p.every {
		for i := range a.of {
			h.behind = p.took(&a.of[i], partly) || h.behind
		}
	}
	p.pace.more = p.pace.more || h.behind
	if h.err = a.err; a.err != nil && !partly {
		p.failed(h, others)
		return nil
	}
	h.alone, h.fails = false, 0
	if a.harvest.mute() && a.held == nil {
		a.held = errNoValues
	}
	frames := a.frames(p.every)
	p.advance(a, len(frames))
	if !p.every {
		h.behind = a.more
		p.pace.more = p.pace.more || a.more
	}
	return frames
}

// advance records the newest sample read of a host.
func (p *performance) advance(a *perfAsk, frames int) {
	h, newest := a.host, a.harvest.newest()
	h.late = !newest.After(h.last) && !a.more
	switch {
	case newest.After(h.last):
		h.last, h.seen = newest, p.clock.Now()
		if !a.more {
			p.compareClock(h, newest)
		}
	case a.more && !p.every:
		h.last = a.of[0].until
	case h.err == nil && frames == 0 && !a.more:
		h.err = errNoSamples
	}
	if h.err == nil {
		h.err = a.held
	}
}

// compareClock notes how far the clock of a host whose newest sample was read is off.
func (p *performance) compareClock(h *perfHost, newest time.Time) {
	if h.ahead = newest.Sub(p.serverNow()); h.ahead.Abs() < time.Minute {
		h.ahead = 0
	}
}

// failed decides how a host is queried next time. After a timeout or a refusal it is queried in separate calls, with increasing
// delays; a broken connection says nothing about the host.
func (p *performance) failed(h *perfHost, others bool) {
	switch {
	case !isSlow(h.err) && !refused(h.err), !others:
		return
	case !h.alone:
		h.alone = true
		return
	}
	h.again = p.serverNow().Add(perfBackoff(h.fails))
	h.fails++
}

// late returns the hosts whose next sample is overdue. A host that never delivered in time is not waited for.
func (p *performance) late() (list []*perfHost) {
	for _, h := range p.hosts {
		if h.late && !h.wasLate && h.down == "" && !h.last.IsZero() && errors.Is(h.err, errNoSamples) {
			list = append(list, h)
		}
	}
	return list
}

func (p *performance) learn(frames []*esxtop.Frame, early int) {
	p.pace.fresh = p.pace.fresh && (p.turns.begun || p.behindOnly)
	for _, h := range p.hosts {
		h.wasLate = h.late
	}
	if len(frames) == 0 {
		return
	}
	newest := slices.MaxFunc(frames, func(a, b *esxtop.Frame) int { return a.Time.Compare(b.Time) }).Time
	ahead := p.pace.newest.After(p.pace.asked.Add(perfInterval)) // of a host whose clock was
	if newest.After(p.pace.newest) || ahead {                    // otherwise there were only missed samples
		p.pace.fresh = true
		p.pace.learn(p.pace.asked, newest, early)
	}
}

// places returns the place of each frame on the time grid. The first look at all hosts is one round, since its readers may want no
// other: the next sample may have come while hosts were asked, and then some of them have answered with the one before it.
func (p *performance) places(frames []*esxtop.Frame) []int64 {
	places, hosts := make([]int64, len(frames)), map[string]bool{}
	for i, f := range frames {
		places[i], hosts[f.MoID] = onGrid(f.Time), true
	}
	firstLook := p.pace.newest.IsZero() && p.began.IsZero() && !p.every && !p.byHost
	if !firstLook || len(hosts) < len(frames) || len(frames) == 0 {
		return places
	}
	return slices.Repeat([]int64{slices.Max(places)}, len(places))
}

// round makes rounds of frames, one for each place. The last round lists the hosts without samples.
func (p *performance) round(frames []*esxtop.Frame, places []int64) {
	_, interval := p.asked()
	rounds := map[int64]*esxtop.Round{}
	if !p.behindOnly && !p.turns.begun {
		p.came = map[string]bool{}
	}
	for i, f := range frames {
		p.came[f.MoID] = true
		place := places[i]
		if place%int64(interval/time.Second) != 0 && !p.every {
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
	if len(frames) == 0 && (!p.pace.more || p.turns.more()) {
		rounds[0] = &esxtop.Round{Time: p.serverNow().Truncate(perfInterval)}
	}
	times := slices.Sorted(maps.Keys(rounds))
	for i, place := range times {
		r := rounds[place]
		r.Past = len(r.Frames) > 0 && !r.Time.After(p.began)
		r.More = p.byHost && (i < len(times)-1 || p.turns.more())
		p.rounds = append(p.rounds, r)
	}
	if len(times) > 0 && !p.turns.more() {
		rounds[times[len(times)-1]].Troubles = p.troubles()
	}
}

// troubles lists the hosts without their newest samples. Those whose older samples are read first have no error.
func (p *performance) troubles() (list []esxtop.Trouble) {
	for _, h := range p.hosts {
		if p.came[h.moid] && (!p.every || h.err == nil && !h.behind) {
			continue
		}
		t := esxtop.Trouble{Host: h.name, MoID: h.moid, Since: h.seen, Err: h.err}
		if h.down != "" {
			t.Err = hostIsDown(h.down)
		}
		list = append(list, t)
	}
	return list
}
