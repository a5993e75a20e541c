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
	full  bool // samples were dropped since the receiver was last well
}

func newDestination(name string, p protocol, limit int64, log *slog.Logger) *destination {
	d := &destination{name: name, protocol: p, queue: newQueue(limit), log: log.With("destination", name), jitter: rand.N[time.Duration]}
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
		d.log.Error("samples were dropped", "samples", len(list), "err", err)
		d.drop(reasonEncoding, len(list))
		return
	}
	if dropped := d.queue.add(r); dropped > 0 {
		d.drop(reasonFull, dropped)
		d.noteFull()
	}
}

// noteFull logs the first drop since the receiver was last well.
func (d *destination) noteFull() {
	d.mu.Lock()
	first := !d.full
	d.full = true
	d.mu.Unlock()
	if first {
		d.log.Error("the buffer is full: the oldest samples are dropped", "bytes", d.queue.limit)
	}
}

func (d *destination) drop(reason string, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stats.Dropped[reason] += uint64(max(0, n))
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
	if n := d.queue.clear(); n > 0 {
		d.drop(reasonShutdown, n)
		d.log.Warn("samples were not pushed before the end", "samples", n)
	}
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
	if o.verdict != failed {
		d.queue.done()
	}
	d.count(r, o)
	d.note(ctx, o)
	return o
}

func (d *destination) count(r request, o outcome) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stats.Requests[string(o.verdict)]++
	var lost int
	switch o.verdict {
	case failed:
		return
	case accepted:
		d.stats.LastPush = time.Now()
		lost = min(o.refused, r.samples)
	case refused:
		lost = max(0, r.samples-o.written)
	}
	d.stats.Dropped[reasonRefused] += uint64(lost) //nolint:gosec // at least 0
	d.stats.Pushed += uint64(r.samples - lost)     //nolint:gosec // lost is at most all of them
}

// note logs when the receiver becomes sick or well. Texts of receivers are foreign: the logger quotes them.
func (d *destination) note(ctx context.Context, o outcome) {
	d.mu.Lock()
	was := d.sick
	d.sick = o.err != nil
	if !d.sick {
		d.full = false
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
