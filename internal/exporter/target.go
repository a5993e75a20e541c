package exporter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/ledger"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
)

// Target is a server that is sampled. Scrapes read what lies here; only run and what it starts talk to the server.
type Target struct {
	config  TargetConfig
	modules map[Module]bool // that are collected
	keep    filter
	objects esxtop.Objects // whose figures are kept
	books   *ledger.Ledger
	jitter  func(time.Duration) time.Duration // up to so much
	trace   trace
	pages   pages
	again   chan struct{}      // to connect again before a pause is over
	answers answers            // of hosts to surveys
	stop    context.CancelFunc // of the exporter, which alone uses it; nil: it does not run

	mu   sync.Mutex
	now  state
	last map[string]time.Time // newest sample of each host, by its id
}

// state is how a target is now. Whoever changes what a page shows of it counts the change.
type state struct {
	changes    uint64
	session    *session.Session        // nil: there is none
	spent      map[string]session.Cost // by sessions that are over
	ahead      time.Duration           // the server's clock, of ours
	came       bool                    // the last round brought samples
	newest     time.Time               // sample, by the server's clock
	up         bool                    // as the log was told last
	since      time.Time               // it is so
	trouble    string                  // why it is not well; empty: it is
	here       present
	read       time.Time // who is there, by our clock
	collectors map[string]CollectorStatus
	survey     *survey // nil: none, or too old
	due        time.Time
	tags       tagsOf // as they were read last, however long ago: to leave things out
	dropped    uint64
	rounds     int // that were asked for, each with what was caught up on
}

// newTarget checks a target's settings, and gives it what they leave open.
func newTarget(c TargetConfig, log *slog.Logger) (*Target, error) {
	if c.Name == "" {
		return nil, errors.New("a target has no name: give it one, by which scrapes ask for it")
	}
	if c.Dial == nil {
		return nil, fmt.Errorf("target %s: it has no server", c.Name)
	}
	if len(c.Modules) == 0 {
		c.Modules = DefaultModules
	}
	c.MaxSeries = cmp.Or(c.MaxSeries, DefaultMaxSeries)
	c.Stale = cmp.Or(c.Stale, 3*interval)
	c.SurveyEvery = cmp.Or(c.SurveyEvery, DefaultSurveyEvery)
	if c.Clock.Now == nil {
		c.Clock.Now = time.Now
	}
	if c.Clock.After == nil {
		c.Clock.After = time.After
	}
	keep, err := newFilter(c.Keep)
	if err != nil {
		return nil, fmt.Errorf("target %s: %w", c.Name, err)
	}
	t := &Target{
		config: c, keep: keep, again: make(chan struct{}, 1), modules: map[Module]bool{}, last: map[string]time.Time{}, jitter: rand.N[time.Duration],
		trace: trace{log: log.With("target", c.Name), now: c.Clock.Now},
		now:   state{since: c.Clock.Now(), trouble: notYet, collectors: map[string]CollectorStatus{}, spent: map[string]session.Cost{}},
	}
	t.pages.kept, t.pages.now = map[form]*rendering{}, c.Clock.Now
	for _, m := range c.Modules {
		if !slices.Contains(Modules, m) {
			return nil, fmt.Errorf("target %s: there is no module %q: the modules are %s", c.Name, m, listed(Modules))
		}
		t.modules[m] = true
		t.objects |= measured[m]
	}
	if t.modules[Esxtop] {
		t.objects |= esxtopAlone()
	}
	for _, name := range t.collectors() {
		t.now.collectors[name] = CollectorStatus{Name: name}
	}
	t.books = ledger.New(ledger.Options{Objects: t.objects, Stale: c.Stale, MaxSeries: c.MaxSeries, Reason: session.Reason})
	return t, nil
}

// interval is how far apart samples are.
const interval = 20 * time.Second

const notYet = "it has not been asked yet"

func listed(modules []Module) string {
	words := make([]string, len(modules))
	for i, m := range modules {
		words[i] = string(m)
	}
	return strings.Join(words, ", ")
}

// esxtopAlone are the objects that no other module measures.
func esxtopAlone() esxtop.Objects {
	objects := esxtop.AllObjects
	for _, of := range measured {
		objects &^= of
	}
	return objects
}

// Names of collectors that are no modules.
const (
	collectorInventory   = "inventory"
	collectorPerformance = "performance"
	collectorEsxtop      = string(Esxtop)
	collectorAudit       = string(Audit)
	collectorTags        = string(Tags)
)

// collectors are the names of what is collected.
func (t *Target) collectors() []string {
	list := []string{collectorInventory}
	if t.measures() {
		list = append(list, collectorPerformance)
	}
	if t.asksEsxtop() {
		list = append(list, collectorEsxtop)
	}
	for _, m := range t.surveyed() {
		list = append(list, string(m))
	}
	if t.judges() {
		list = append(list, collectorAudit)
	}
	if t.readsTags() {
		list = append(list, collectorTags)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// measures reports whether the PerformanceManager is asked.
func (t *Target) measures() bool {
	for m := range t.modules {
		if measured[m] != 0 {
			return true
		}
	}
	return false
}

func (t *Target) asksEsxtop() bool { return len(t.config.EsxtopHosts) > 0 }

func (t *Target) judges() bool {
	return t.config.Audit != nil && (t.modules[Audit] || t.modules[Findings])
}

// readsTags reports whether tags are read: for labels, for service discovery, or to know what to keep.
func (t *Target) readsTags() bool { return len(t.config.TagCategories) > 0 || t.keep.asksTags() }

// Config is what the target was configured with, and the defaults of what it was not.
func (t *Target) Config() TargetConfig { return t.config }

// Trace is what the target did last, oldest first. It holds no secrets.
func (t *Target) Trace(last time.Duration) []string { return t.trace.last(last) }

// clock is our time.
func (t *Target) clock() time.Time { return t.config.Clock.Now() }

// wait waits, unless ctx ends first.
func (t *Target) wait(ctx context.Context, d time.Duration) {
	if d <= 0 || ctx.Err() != nil {
		return
	}
	select {
	case <-ctx.Done():
	case <-t.config.Clock.After(d):
	}
}

// change changes the state, and makes pages of before old.
func (t *Target) change(do func(*state)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	do(&t.now)
	t.now.changes++
}

// look copies the state.
func (t *Target) look() state {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.now
	s.collectors = maps.Clone(s.collectors)
	return s
}

// collected notes how a collector went.
func (t *Target) collected(c CollectorStatus) {
	t.change(func(s *state) { s.collectors[c.Name] = c })
}

// failed notes that a collector brought nothing. What was expected stays expected.
func (t *Target) failed(name string, began time.Time, err error) {
	t.change(func(s *state) {
		c := s.collectors[name]
		c.Name, c.Ran, c.Took, c.Success, c.Err, c.Collected = name, began, t.clock().Sub(began), false, err.Error(), 0
		s.collectors[name] = c
	})
}
