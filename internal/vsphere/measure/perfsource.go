package measure

import (
	"cmp"
	"context"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Performance returns a source of the hosts' counters in the PerformanceManager, every 20 seconds, in a few calls for all hosts
// together. It refreshes the roster regularly.
func Performance(ctx context.Context, roster *Roster, hosts []RosterHost, o PerformanceOptions) (esxtop.Source, error) {
	p := newPerformance(roster, hosts, o)
	if err := p.start(ctx, o.History); err != nil {
		return nil, err
	}
	return p, nil
}

func newPerformance(roster *Roster, hosts []RosterHost, o PerformanceOptions) *performance {
	p := &performance{
		session: roster.session, roster: roster, note: o.Note, request: o.Request, choose: o.Hosts,
		clock: o.Clock.orMachine(), every: o.EverySample, byHost: o.ByHost, age: cmp.Or(o.RosterAge, rosterAge), jitter: rand.N[time.Duration], vms: map[string]*perfEntity{},
		changed: make(chan struct{}, 1), closed: make(chan struct{}),
		size: perfSize{now: mostSeries, most: mostSeries}, patience: cmp.Or(o.CallLimit, perfPatience), brief: perfBrief, within: patiently, atOnce: valuesAtOnce, atLeast: leastAtOnce,
	}
	for _, h := range hosts {
		p.hosts = append(p.hosts, &perfHost{moid: h.MoID, name: h.Name})
	}
	sortPerfHosts(p.hosts)
	return p
}

// start reads the server's clock and counters concurrently.
func (p *performance) start(ctx context.Context, history time.Duration) error {
	sent := p.clock.Now()
	var clock time.Time
	var err, listErr error
	var all sync.WaitGroup
	all.Go(func() { p.counters, listErr = readPerfCounters(ctx, p.session) })
	if p.request.Objects.Has(esxtop.NFS) {
		all.Go(func() { p.nfs = nfsVolumes(ctx, p.session, p.hosts) })
	}
	if clock, err = p.session.NowOr(ctx, sent); err == nil {
		p.ahead = clock.Sub(sent)
	}
	all.Wait()
	if err := cmp.Or(err, listErr); err != nil {
		return err
	}
	if history > 0 {
		p.began = clock.UTC()
		for _, h := range p.hosts {
			h.last = p.began.Add(-min(history, KeptSamples))
		}
	}
	p.pace.more = true
	p.rostered = p.clock.Now()
	return nil
}

// Next implements esxtop.Source.
func (p *performance) Next(ctx context.Context) (*esxtop.Round, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-p.closed:
			cancel(io.EOF)
		case <-ctx.Done():
		}
	}()
	for len(p.rounds) == 0 {
		if err := p.wait(ctx); err != nil {
			return nil, err
		}
		if err := p.poll(ctx); err != nil {
			return nil, err
		}
	}
	r := p.rounds[0]
	p.rounds[0] = nil // a round of a large fleet has many megabytes, and nobody needs it twice
	p.rounds = p.rounds[1:]
	return r, nil
}

// RosterChanged makes the next Next read the roster again, because the caller heard that VMs have moved.
func (p *performance) RosterChanged() { p.stale.Store(true) }

// Configure implements esxtop.Source.
func (p *performance) Configure(r esxtop.Request) {
	p.mu.Lock()
	p.request = r
	p.mu.Unlock()
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// About implements esxtop.Source.
func (p *performance) About() esxtop.About {
	about := esxtop.About{Origin: esxtop.Performance, Note: p.note}
	p.mu.Lock()
	for _, h := range p.hosts {
		about.Hosts = append(about.Hosts, h.name)
	}
	p.mu.Unlock()
	_, about.Interval = p.asked()
	return about
}

// Close implements esxtop.Source. The server keeps no data for this source.
func (p *performance) Close(context.Context) error {
	p.close.Do(func() { close(p.closed) })
	return nil
}

// wait waits until new samples should be available. A changed request may change the time.
func (p *performance) wait(ctx context.Context) error {
	jitter := p.jitter(time.Second)
	for {
		_, interval := p.asked()
		d := p.pace.due(interval).Add(jitter).Sub(p.serverNow())
		if d <= 0 || ctx.Err() != nil {
			return context.Cause(ctx)
		}
		select {
		case <-ctx.Done():
		case <-p.changed:
		case <-p.clock.After(d):
			return context.Cause(ctx)
		}
	}
}
