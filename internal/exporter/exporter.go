// Package exporter exports metrics to Prometheus. Each target, a vCenter or an ESXi host, is sampled once, whatever the
// number of scrapers; a scrape returns the latest samples.
package exporter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options are the exporter's own.
type Options struct {
	Log *slog.Logger
	// Push pushes the pages of targets; nil: they are only scraped.
	Push Pusher
	// PushEvery is the time between two pushes of a target; 0: each sampling round.
	PushEvery time.Duration
}

// Exporter samples targets.
type Exporter struct {
	log  *slog.Logger
	push pushing

	mu      sync.Mutex
	running context.Context // nil: Run was not called yet, or is over
	targets map[string]*Target
	all     sync.WaitGroup // of targets that run
}

// New is an exporter without targets.
func New(o Options) *Exporter {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Exporter{log: o.Log, push: pushing{o.Push, cmp.Or(o.PushEvery, interval)}, targets: map[string]*Target{}}
}

// Run samples until ctx ends, and then logs out everywhere.
func (e *Exporter) Run(ctx context.Context) error {
	e.mu.Lock()
	if e.running != nil {
		e.mu.Unlock()
		return errors.New("running the exporter: it is already running")
	}
	e.running = ctx
	for _, t := range e.targets {
		e.begin(t)
	}
	e.mu.Unlock()
	<-ctx.Done()
	e.mu.Lock()
	e.running = nil
	e.mu.Unlock()
	e.all.Wait()
	return nil
}

// begin samples a target from now on. The caller holds the lock.
func (e *Exporter) begin(t *Target) {
	if e.running == nil || e.running.Err() != nil {
		return
	}
	ctx, stop := context.WithCancel(e.running)
	t.stop = stop
	e.all.Go(func() {
		defer stop()
		t.run(ctx)
	})
	if e.push.to != nil {
		e.all.Go(func() { e.pushTarget(ctx, t) })
	}
}

// Configure makes these the targets, before Run or while it goes on: those whose fingerprints are as they were go on, others end or
// begin. Where one of them is no good all stays as it was.
func (e *Exporter) Configure(targets []TargetConfig) error {
	next := map[string]*Target{}
	var wrong []error
	for _, c := range targets {
		t, err := newTarget(c, e.log)
		switch {
		case err != nil:
			wrong = append(wrong, err)
		case next[c.Name] != nil:
			wrong = append(wrong, fmt.Errorf("there are two targets %s: give each target its own name", c.Name))
		default:
			next[c.Name] = t
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for name, old := range e.targets {
		if t := next[name]; t != nil && t.config.Fingerprint == old.config.Fingerprint {
			next[name] = old
			old.retry()
		} else if old.stop != nil {
			old.stop()
		}
	}
	for name, t := range next {
		if e.targets[name] != t {
			e.begin(t)
		}
	}
	e.targets = next
	return nil
}

// Check reports mistakes in targets, as Configure does, without making them.
func Check(targets []TargetConfig) error { return New(Options{}).Configure(targets) }

// Targets are the targets by name.
func (e *Exporter) Targets() []*Target {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.SortedFunc(maps.Values(e.targets), func(a, b *Target) int { return strings.Compare(a.config.Name, b.config.Name) })
}

// Target finds a target; nil where none has that name.
func (e *Exporter) Target(name string) *Target {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.targets[name]
}

// Page is the response to a scrape.
type Page struct {
	ContentType string
	Gzip        bool
	Length      int64 // of the body; -1: not known
	Body        io.Reader
}

// Group is an entry of Prometheus's HTTP service discovery.
type Group struct {
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
}
