package exporter

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// link is a session with its roster and state. Sampling, surveys and the Esxtop service share one, and all of them end
// before it logs out, because a later call would log in again without a logout.
type link struct {
	*Target
	session      *session.Session
	roster       *source.Roster
	refreshed    time.Time
	failedRounds int  // rounds in a row in which neither counters nor the roster could be had
	good         bool // it was of use
}

// Limits of connecting.
const (
	connectPatience = 2 * time.Minute // for all calls of it together; each has its own limit
	refreshPatience = 10 * time.Second
	rosterOld       = 15 * time.Second // it is read once in an interval
	watchEvery      = time.Minute      // the roster is read where no counters are
	maxFailedRounds = 3                // before a session is replaced
)

var errNoAnswer = errors.New("the session returns no more data")

// lateError is the end of a time limit, in the words that the log and the landing page show.
type lateError struct{ limit time.Duration }

func (e *lateError) Error() string { return session.TimeoutWords(e.limit) }
func (e *lateError) Unwrap() error { return context.DeadlineExceeded }

func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, &lateError{limit})
}

// connect opens a session and reads the roster.
func (t *Target) connect(ctx context.Context) (_ *link, err error) {
	began := t.clock()
	ctx, cancel := within(ctx, connectPatience)
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
	now, err := session.NowOr(ctx, t.clock())
	if err != nil {
		return nil, err
	}
	t.change(func(s *state) {
		s.ahead = now.Sub(t.clock())
		if s.began.IsZero() { // it stays, whatever clocks do
			s.began = t.born.Add(s.ahead - s.skew() - max(t.config.History, interval))
		}
	})
	if skew := now.Sub(t.clock()); skew.Abs() >= skewTolerated {
		t.trace.warn("the clock of the server differs from this machine's by %s: pushed samples get times of this machine", skew.Round(time.Second))
	}
	if l.roster, err = source.WatchRoster(ctx, session); err != nil {
		return nil, err
	}
	l.publish(began)
	t.trace.note(slog.LevelInfo, "connected: %d hosts, in %s", t.snapshot().here.whole, t.clock().Sub(began).Round(time.Millisecond))
	return l, nil
}

// close logs out, and records the session's costs.
func (l *link) close(ctx context.Context) {
	if l.roster != nil {
		_ = l.roster.Close(ctx) // the session's end frees the rest
	}
	if err := l.session.Close(ctx); err != nil {
		l.trace.debug("%v", err)
	}
	l.change(func(s *state) {
		s.spent, s.session = total(s.spent, l.session.Costs()), nil
	})
}

// refresh reads the roster, once per interval. If that fails, the roster is unchanged.
func (l *link) refresh(ctx context.Context) error {
	began := l.clock()
	if began.Sub(l.refreshed) < rosterOld {
		return nil
	}
	ctx, cancel := within(ctx, refreshPatience)
	defer cancel()
	if err := l.roster.Refresh(ctx); err != nil {
		l.failed(collectorInventory, began, err)
		return err
	}
	l.publish(began)
	return nil
}

// publish publishes the roster.
func (l *link) publish(began time.Time) {
	l.refreshed = began
	p := newPresent(l.roster, l.filter, l.snapshot().tags)
	hosts, vms := l.members(&p)
	l.begin(hosts, vms)
	l.ledger.Expect(hosts, vms)
	l.change(func(s *state) {
		s.here, s.read = p, l.clock()
		s.collectors[collectorInventory] = CollectorStatus{
			Name: collectorInventory, Ran: began, Took: l.clock().Sub(began), Success: true, Expected: p.whole, Collected: p.whole,
		}
	})
}

// lost decides whether to give up a session: because some rounds in a row failed, or its password is refused.
func (l *link) lost(came bool, refreshed error) error {
	if _, refused := errors.AsType[*session.LoginError](refreshed); refused {
		return refreshed
	}
	if came || refreshed == nil {
		l.failedRounds, l.good = 0, true
		return nil
	}
	if l.failedRounds++; l.failedRounds < maxFailedRounds {
		return nil
	}
	return errors.Join(errNoAnswer, refreshed)
}

// retry computes when to connect again.
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
