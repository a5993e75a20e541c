package exporter

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// link is a session with what is known through it. Sampling, surveys and the Esxtop service share one, and all of them have ended
// before it logs out: a call after that would log in again, and nobody would log out any more.
type link struct {
	*Target
	session   *session.Session
	roster    *measure.Roster
	refreshed time.Time
	silent    int  // rounds in a row in which neither counters nor the roster could be had
	good      bool // it was of use
}

// Limits of connecting.
const (
	connectPatience = 2 * time.Minute // for all calls of it together; each has its own limit
	refreshPatience = 10 * time.Second
	rosterOld       = 15 * time.Second // it is read once in an interval
	watchEvery      = time.Minute      // the roster is read where no counters are
	silentRounds    = 3                // until a session is given up
)

var errSilent = errors.New("nothing more comes of the session")

// run keeps a session open, and samples by it, until ctx ends.
func (t *Target) run(ctx context.Context) {
	var again retry
	for ctx.Err() == nil {
		l, err := t.connect(ctx)
		if err == nil {
			err = l.run(ctx)
			if l.good {
				again = retry{}
			}
		}
		if ctx.Err() != nil {
			return
		}
		t.disconnected(err)
		pause := again.after(err, t.jitter)
		t.trace.warn("not connected: %v; connecting again in %s", err, pause.Round(time.Second))
		t.pause(ctx, pause)
	}
}

// pause waits until it is time to connect again. A reload ends it early: whoever corrected a password or a certificate need not wait
// until the pause is over. Reloads do not lock accounts either: whoever asks for them, some time passes between attempts.
func (t *Target) pause(ctx context.Context, long time.Duration) {
	select {
	case <-t.again: // a reload from before
	default:
	}
	least := min(long, shortestPause)
	if long >= lockedPause {
		least = lockedLeast
	}
	t.wait(ctx, least)
	select {
	case <-ctx.Done():
	case <-t.again:
	case <-t.config.Clock.After(long - least):
	}
}

// hurry has a target that waits try again.
func (t *Target) hurry() {
	select {
	case t.again <- struct{}{}:
	default: // it was told already
	}
}

// connect opens a session and reads who is there.
func (t *Target) connect(ctx context.Context) (_ *link, err error) {
	began := t.clock()
	ctx, cancel := context.WithTimeout(ctx, connectPatience)
	defer cancel()
	session, err := t.config.Dial(ctx)
	if err != nil {
		t.failed(collectorInventory, began, err)
		return nil, err
	}
	l := &link{Target: t, session: session}
	t.change(func(s *state) { s.session = session })
	defer func() {
		if err != nil {
			t.failed(collectorInventory, began, err)
			l.close(ctx)
		}
	}()
	now, err := session.Now(ctx)
	if err != nil {
		return nil, err
	}
	t.change(func(s *state) { s.ahead = now.Sub(t.clock()) })
	if l.roster, err = measure.WatchRoster(ctx, session); err != nil {
		return nil, err
	}
	l.here(began)
	t.trace.note(slog.LevelInfo, "connected: %d hosts, in %s", t.look().here.whole, t.clock().Sub(began).Round(time.Millisecond))
	return l, nil
}

// run uses the session until ctx ends or nothing more comes of it.
func (l *link) run(parent context.Context) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	var all sync.WaitGroup
	all.Go(func() { cancel(l.sample(ctx)) })
	if l.surveys() {
		all.Go(func() { l.surveyOften(ctx) })
	}
	if l.asksEsxtop() {
		all.Go(func() { l.askEsxtop(ctx) })
	}
	all.Wait()
	l.close(parent)
	return context.Cause(ctx)
}

// close logs out, and keeps what the session cost.
func (l *link) close(ctx context.Context) {
	if l.roster != nil {
		_ = l.roster.Close(ctx) // what is left of it goes with the session
	}
	if err := l.session.Close(ctx); err != nil {
		l.trace.tell("%v", err)
	}
	l.change(func(s *state) {
		s.spent, s.session = total(s.spent, l.session.Costs()), nil
	})
}

// total is what sessions cost together.
func total(a, b map[string]session.Cost) map[string]session.Cost {
	sum := map[string]session.Cost{}
	for _, costs := range []map[string]session.Cost{a, b} {
		for method, c := range costs {
			s := sum[method]
			s.Calls, s.Failures = s.Calls+c.Calls, s.Failures+c.Failures
			s.Sent, s.Received, s.Took = s.Sent+c.Sent, s.Received+c.Received, s.Took+c.Took
			sum[method] = s
		}
	}
	return sum
}

// refresh reads who is there, once in an interval. When it fails the roster is as it was.
func (l *link) refresh(ctx context.Context) error {
	began := l.clock()
	if began.Sub(l.refreshed) < rosterOld {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, refreshPatience)
	defer cancel()
	if err := l.roster.Refresh(ctx); err != nil {
		l.failed(collectorInventory, began, err)
		return err
	}
	l.here(began)
	return nil
}

// here notes who is there.
func (l *link) here(began time.Time) {
	l.refreshed = began
	p := newPresent(l.roster, l.keep, l.look().tags)
	p.expect(l.books)
	l.change(func(s *state) {
		s.here, s.read = p, l.clock()
		s.collectors[collectorInventory] = CollectorStatus{
			Name: collectorInventory, Ran: began, Took: l.clock().Sub(began), Success: true, Expected: p.whole, Collected: p.whole,
		}
	})
}

// lost decides whether a session is given up: nothing came of it for some rounds, or its password is refused.
func (l *link) lost(came bool, refreshed error) error {
	if _, refused := errors.AsType[*session.LoginError](refreshed); refused {
		return refreshed
	}
	if came || refreshed == nil {
		l.silent, l.good = 0, true
		return nil
	}
	if l.silent++; l.silent < silentRounds {
		return nil
	}
	return errors.Join(errSilent, refreshed)
}

// retry says when to connect again.
type retry struct{ times int }

// Pauses between attempts to connect. A refused password is another matter: accounts are locked by those who try again and again.
const (
	shortestPause = 20 * time.Second
	longestPause  = time.Minute
	lockedPause   = 10 * time.Minute
	lockedLeast   = time.Minute // however often the config is read again: accounts are locked after five failures in three minutes
)

// after is how long to wait after a failure: longer each time, and not the same for all targets.
func (r *retry) after(err error, jitter func(time.Duration) time.Duration) time.Duration {
	if login, refused := errors.AsType[*session.LoginError](err); refused && login.User != "" {
		return lockedPause + jitter(lockedPause/10)
	}
	pause := min(shortestPause<<min(r.times, 8), longestPause)
	r.times++
	return min(pause+jitter(pause/4), longestPause)
}
