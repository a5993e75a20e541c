package exporter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
)

// sample follows the server's samples. It ends with why the session is of no use any more, or with ctx.
func (l *link) sample(ctx context.Context) error {
	for ctx.Err() == nil {
		err := l.follow(ctx)
		if gone, is := errors.AsType[*goneError](err); is {
			return gone.cause
		}
		if ctx.Err() != nil {
			break
		}
		if err != nil { // the server has no counters, or the account may not read them; everything else continues
			l.failed(collectorPerformance, l.clock(), err)
			l.change(func(s *state) { s.came, s.trouble = false, err.Error() })
			l.trace.warn("no counters: %v", err)
		}
		l.wait(ctx, watchEvery+l.jitter(watchEvery/10))
		if err := l.watch(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// goneError is that a session is of no use any more.
type goneError struct{ cause error }

func (e *goneError) Error() string { return e.cause.Error() }
func (e *goneError) Unwrap() error { return e.cause }

// watch reads the roster if no counters are read.
func (l *link) watch(ctx context.Context) error {
	err := l.refresh(ctx)
	if !l.measures() {
		l.change(func(s *state) {
			s.came, s.trouble = err == nil, ""
			if err != nil {
				s.trouble = err.Error()
			}
		})
	}
	return l.lost(false, err)
}

// follow stores round after round. If nothing is measured, the roster is enough.
func (l *link) follow(ctx context.Context) error {
	if !l.measures() {
		return l.watch(ctx)
	}
	samples, err := l.open(ctx)
	if err != nil {
		return l.opening(err)
	}
	defer func() { _ = source.CloseSource(ctx, samples) }() // the server keeps nothing for it
	for {
		if err := l.round(ctx, samples); err != nil {
			return err
		}
	}
}

// round waits for the next round, and stores it.
func (l *link) round(ctx context.Context, samples *source.Samples) error {
	r, err := samples.Next(ctx)
	if err != nil {
		return err
	}
	refreshed := l.refresh(ctx)
	took, queries := samples.Cost()
	l.addRound(r, took, queries)
	if err := l.lost(len(r.Frames) > 0, refreshed); err != nil {
		return &goneError{err}
	}
	return nil
}

// opening distinguishes a server without counters from one that is unreachable.
func (l *link) opening(err error) error {
	switch session.Reason(err) {
	case session.ReasonTimeout, session.ReasonSession:
		return &goneError{err}
	}
	return err
}

// open requests samples of all exported objects, from the last stored ones on. Duplicates are skipped.
func (l *link) open(ctx context.Context) (*source.Samples, error) {
	return l.roster.Sample(ctx, source.Sampling{
		Objects: l.objects, Figures: l.metrics.figures, Hosts: func() []source.Host { return l.snapshot().here.asked },
		History: l.config.History, Progress: &l.progress, Now: l.serverNow(), Clock: l.config.Clock, CallLimit: l.callLimit,
	})
}

// addRound enters a round.
func (l *link) addRound(r *esxtop.Round, took time.Duration, queries int) {
	l.metrics.strip(r)
	taken := l.ledger.Take(r)
	stats := l.ledger.Stats(l.serverNow())
	l.mu.Lock()
	here := l.now.here
	l.mu.Unlock()
	l.addPoolReady(here)
	c := CollectorStatus{
		Name: collectorPerformance, Ran: l.clock(), Took: took, Err: cmp.Or(missing(r, here), here.lost()),
		Expected: stats.Hosts.Expected + stats.VMs.Expected, Collected: stats.Hosts.Collected + stats.VMs.Collected,
	}
	c.Success = c.Err == "" && (len(r.Frames) > 0 || len(here.asked) == 0)
	switch {
	case len(here.asked) == 0 && here.whole > 0:
		c.Success, c.Err = false, l.nothingHere()
	case !c.Success && c.Err == "":
		c.Err = "no samples were returned"
	}
	came := taken.Valued > 0 || r.Past && len(r.Frames) > 0
	l.noteCauses(r, here, stats.Missed, taken.Moved)
	l.change(func(s *state) {
		came = came || queries == 0 && s.came // it was read together with the last one
		if queries == 0 {
			c.Took = s.collectors[collectorPerformance].Took
		}
		if queries > 0 {
			s.rounds++
		}
		s.collectors[collectorPerformance] = c
		s.came, s.trouble = came, c.Err
		s.dropped += uint64(max(0, stats.Over))
		if s.up != came {
			s.up, s.since = came, l.clock()
		}
	})
	l.roundEnded()
	hosts, vms := extent(r)
	l.trace.debug("round of %s: %d hosts, %d VMs, %d queries, %s; %s", r.Time.UTC().Format(time.TimeOnly), hosts, vms, queries,
		took.Round(time.Millisecond), orOK(c.Err))
}

// noneKept is why a target that works shows nothing.
const noneKept = "include and exclude match no host and no VM: check their names, paths and tags"

func orOK(trouble string) string {
	if trouble == "" {
		return "nothing is missing"
	}
	return "missing: " + trouble
}

// extent is of how many hosts and VMs a round has samples.
func extent(r *esxtop.Round) (hosts, vms int) {
	for _, f := range r.Frames {
		rows := f.Rows(esxtop.Group)
		for i := range rows {
			if rows[i].VM {
				vms++
			}
		}
	}
	return len(r.Frames), vms
}

// missing says which hosts did not answer that should have, and why; empty: all did.
func missing(r *esxtop.Round, here present) string {
	first, more := "", 0
	for _, t := range r.Troubles {
		switch {
		case t.MoID != "" && here.down(t.MoID):
		case first != "":
			more++
		case t.Err == nil:
			first = t.Host + ": its newest samples have not been read yet"
		default:
			first = t.Host + ": " + t.Err.Error()
		}
	}
	if more > 0 {
		first += fmt.Sprintf("; and %d more", more)
	}
	return first
}

// disconnected records that there is no session, and passes the reason to the ledger.
func (t *Target) disconnected(err error) {
	now := t.serverNow()
	r := &esxtop.Round{Time: now.Truncate(interval)}
	here := t.snapshot().here
	for i := range here.asked {
		if h := &here.asked[i]; h.Up() {
			r.Troubles = append(r.Troubles, esxtop.Trouble{Host: h.Name, MoID: h.MoID, Err: err})
		}
	}
	t.ledger.Take(r)
	t.change(func(s *state) {
		s.came, s.trouble = false, err.Error()
		if s.up {
			s.up, s.since = false, t.clock()
		}
		lost := []string{collectorInventory, collectorPerformance, collectorEsxtop}
		if !s.due.After(t.clock()) {
			lost = append(lost, t.surveyCollectors()...)
		}
		for _, name := range lost {
			if c, collected := s.collectors[name]; collected {
				c.Success, c.Err, c.Collected = false, err.Error(), 0
				s.collectors[name] = c
			}
		}
	})
}
