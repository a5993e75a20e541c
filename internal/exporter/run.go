package exporter

import (
	"context"
	"sync"
	"time"
)

// run keeps a session open, and samples by it, until ctx ends.
func (t *Target) run(ctx context.Context) {
	t.resume()
	if t.config.Counters != "" {
		sampling := make(chan struct{})
		var saving sync.WaitGroup
		saving.Go(func() { t.saveOften(ctx, sampling) })
		defer saving.Wait()
		defer close(sampling)
	}
	var again retry
	for ctx.Err() == nil {
		t.dropRetry() // the attempt that begins answers it
		l, err := t.connect(ctx)
		if err == nil {
			err = l.run(ctx)
			t.dropRetry() // so did the session
			if l.good {
				again = retry{}
			}
		}
		if ctx.Err() != nil {
			return
		}
		t.disconnected(err)
		pause := again.after(err, t.jitter)
		t.trace.warn("not connected: %v; the next attempt is in %s", err, pause.Round(time.Second))
		t.pause(ctx, pause)
	}
}

// pause waits until it is time to connect again. A reload ends it early: whoever corrected a password or a certificate need not wait
// until the pause is over. A reload during the attempt does so too, because the attempt may have used the old password. Reloads do not
// lock accounts: some time always passes between attempts.
func (t *Target) pause(ctx context.Context, long time.Duration) {
	least := min(long, shortestPause)
	if long >= lockedPause {
		least = lockedLeast
	}
	t.wait(ctx, least)
	select {
	case <-ctx.Done():
	case <-t.retryNow:
	case <-t.config.Clock.After(long - least):
	}
}

// retry has a target that waits try again.
func (t *Target) retry() {
	select {
	case t.retryNow <- struct{}{}:
	default: // it was notified already
	}
}

// dropRetry forgets a reload that was asked for.
func (t *Target) dropRetry() {
	select {
	case <-t.retryNow:
	default:
	}
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
