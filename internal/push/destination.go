package push

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/url"
	"sync"
	"time"
)

// Limits of sending.
const (
	requestLimit  = 30 * time.Second
	shortestPause = time.Second
	longestPause  = time.Minute
	longestAfter  = 10 * time.Minute // that a receiver may ask for
	drainLimit    = 5 * time.Second  // for the rest, after the end
	doubtLimit    = 5 * time.Minute  // then doubtful answers are refusals
)

// When a loss is over: so long after its last samples, the shorter time if the receiver accepts requests.
const (
	lossEnds     = 2 * LongestInterval
	lossEndsWell = time.Minute
)

// Reasons for dropped samples.
const (
	reasonFull       = "buffer_full"  // the oldest ones were dropped for newer ones
	reasonRefused    = "refused"      // the receiver does not want them
	reasonOutOfOrder = "out_of_order" // older than what was pushed of the series
	reasonEncoding   = "encoding"
	reasonShutdown   = "shutdown" // the exporter ended first
)

var reasons = []string{reasonFull, reasonRefused, reasonOutOfOrder, reasonEncoding, reasonShutdown}

// Stats are the statistics of a receiver.
type Stats struct {
	Name     string            // remote_write or otlp
	Pushed   uint64            // samples that the receiver accepted
	Dropped  map[string]uint64 // samples, by reason
	Requests map[string]uint64 // attempts, by result: accepted, refused, failed
	// Queued is what waits in memory, and LimitBytes is the limit of it.
	Queued      int // samples
	QueuedBytes int64
	LimitBytes  int64
	LastPush    time.Time // when the receiver last accepted a request; zero: never
}

// destination is a receiver with its queue.
type destination struct {
	name     string
	protocol protocol
	queue    *queue
	log      *slog.Logger
	jitter   func(time.Duration) time.Duration // up to that much

	mu    sync.Mutex
	stats Stats
	sick  bool // the last attempt was not accepted
	// doubted is when the receiver began to give doubtful answers; zero: its last answer was another one.
	doubted time.Time
	losses  map[string]*loss // that are not over, by reason
}

// loss is samples that are dropped for one reason.
type loss struct {
	samples     int
	began, last time.Time
}

func newDestination(name string, p protocol, limit int64, log *slog.Logger) *destination {
	d := &destination{name: name, protocol: p, queue: newQueue(limit), log: log.With("destination", name), jitter: rand.N[time.Duration], losses: map[string]*loss{}}
	d.stats = Stats{Name: name, Dropped: map[string]uint64{}, Requests: map[string]uint64{}, LimitBytes: limit}
	for _, reason := range reasons {
		d.stats.Dropped[reason] = 0
	}
	for _, v := range []verdict{accepted, refused, failed} {
		d.stats.Requests[string(v)] = 0
	}
	return d
}

// queueSamples encodes samples, and queues them.
func (d *destination) queueSamples(s Source, list []sample) {
	r, err := d.protocol.encode(s, list)
	if err != nil {
		d.drop(reasonEncoding, len(list), err)
		return
	}
	d.drop(reasonFull, d.queue.add(r), errFull)
}

var (
	errFull       = errors.New("the buffer is full: the oldest samples are dropped")
	errOutOfOrder = errors.New("they are older than what was pushed of their series")
	errEnded      = errors.New("the exporter ended first")
)

// drop counts samples that are dropped, and logs the first ones for each reason. It ends losses that are long over.
func (d *destination) drop(reason string, n int, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	d.endLosses(func(_ string, l *loss) bool { return now.Sub(l.last) > lossEnds })
	if n <= 0 {
		return
	}
	d.stats.Dropped[reason] += uint64(n)
	l := d.losses[reason]
	if l == nil {
		l = &loss{began: now}
		d.losses[reason] = l
		d.log.Error("samples are dropped", "reason", reason, "samples", n, "err", plain(why))
	}
	l.samples, l.last = l.samples+n, now
}

// endLosses logs the totals of losses that are over. The caller holds the lock.
func (d *destination) endLosses(over func(reason string, l *loss) bool) {
	for _, reason := range reasons {
		if l := d.losses[reason]; l != nil && over(reason, l) {
			delete(d.losses, reason)
			d.log.Warn("samples were dropped, in total", "reason", reason, "samples", l.samples, "during", l.last.Sub(l.began).Round(time.Second))
		}
	}
}

// run sends requests in their order until ctx ends, and then the rest for a short time.
func (d *destination) run(ctx context.Context) {
	for {
		r, ok := d.queue.first(ctx)
		if !ok {
			break
		}
		if !d.deliver(ctx, r) {
			break
		}
	}
	d.drain(context.WithoutCancel(ctx))
}

// drain sends what is left, without repeating anything.
func (d *destination) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	for ctx.Err() == nil {
		r, found := d.queue.head()
		if !found {
			return
		}
		if d.attempt(ctx, r).verdict == failed {
			break
		}
	}
	d.drop(reasonShutdown, d.queue.clear(), errEnded)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.endLosses(func(string, *loss) bool { return true })
}

// deliver sends a request until it is accepted or refused. It returns false if ctx ends first.
func (d *destination) deliver(ctx context.Context, r request) bool {
	pause := shortestPause
	for {
		o := d.attempt(ctx, r)
		if o.verdict != failed {
			return true
		}
		wait := max(pause+d.jitter(pause/4), min(o.after, longestAfter))
		pause = min(2*pause, longestPause)
		select {
		case <-ctx.Done():
			return false
		case <-time.After(wait):
		}
	}
}

// attempt sends a request once, and removes it unless it is to be repeated.
func (d *destination) attempt(ctx context.Context, r request) outcome {
	limited, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	o := d.protocol.send(limited, r.body)
	o.verdict = d.settle(o.verdict)
	if o.verdict != failed {
		d.queue.done()
	}
	d.drop(reasonRefused, d.count(r, o), o.err)
	d.note(ctx, o)
	return o
}

// settle decides doubtful answers: they are failures for some minutes, and refusals then, until there is another answer.
func (d *destination) settle(v verdict) verdict {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case v != doubtful:
		d.doubted = time.Time{}
		return v
	case d.doubted.IsZero():
		d.doubted = time.Now()
	case time.Since(d.doubted) >= doubtLimit:
		return refused
	}
	return failed
}

// count counts an attempt, and returns the number of samples that the receiver refused for good.
func (d *destination) count(r request, o outcome) (lost int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stats.Requests[string(o.verdict)]++
	switch o.verdict {
	case failed:
		return 0
	case accepted:
		d.stats.LastPush = time.Now()
		lost = min(o.refused, r.samples)
	case refused:
		lost = max(0, r.samples-o.written)
	}
	d.stats.Pushed += uint64(r.samples - lost) //nolint:gosec // lost is at most all of them
	return lost
}

// note logs when the receiver becomes sick or well. Texts of receivers are foreign: the logger quotes them.
func (d *destination) note(ctx context.Context, o outcome) {
	d.mu.Lock()
	was := d.sick
	d.sick = o.err != nil
	if !d.sick {
		d.endLosses(func(reason string, l *loss) bool {
			return (reason == reasonFull || reason == reasonRefused) && time.Since(l.last) > lossEndsWell
		})
	}
	d.mu.Unlock()
	switch {
	case o.err != nil && ctx.Err() != nil: // we ended it
	case o.err != nil && !was:
		d.log.Warn("pushing fails", "verdict", string(o.verdict), "err", plain(o.err))
	case o.err != nil:
		d.log.Debug("pushing fails", "verdict", string(o.verdict), "err", plain(o.err))
	case was:
		d.log.Info("pushing works again")
	}
}

// plain returns an error without the URL, whose query may be secret, and without long texts.
func plain(err error) string {
	for e, is := errors.AsType[*url.Error](err); is; e, is = errors.AsType[*url.Error](err) {
		err = e.Err
	}
	const most = 300
	text := []rune(err.Error())
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

func (d *destination) statistics() Stats {
	d.mu.Lock()
	s := d.stats
	s.Dropped, s.Requests = maps.Clone(s.Dropped), maps.Clone(s.Requests)
	d.mu.Unlock()
	s.Queued, s.QueuedBytes = d.queue.size()
	return s
}
