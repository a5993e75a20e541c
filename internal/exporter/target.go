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
	"sync"
	"time"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/ledger"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
)

// Target is a server that is sampled. Scrapes read its stored state; only run and its goroutines talk to the server.
type Target struct {
	config    TargetConfig
	modules   map[module.Name]bool // that are collected
	filter    filter
	metrics   metricFilter
	objects   esxtop.Objects // whose figures are kept
	ledger    *ledger.Ledger
	jitter    func(time.Duration) time.Duration // up to so much
	callLimit time.Duration                     // of queries of counters, in tests with a simulated clock; 0: most of an interval
	trace     trace
	pages     pages
	inventory module.Inventory   // whose labels pages share
	ready     module.PoolReady   // of resource pools
	retryNow  chan struct{}      // to connect again before a pause is over
	rounded   chan struct{}      // has a value if a round ended since the last push
	answers   answers            // of hosts to audits
	modular   answers            // of hosts to modules
	stop      context.CancelFunc // of the exporter, which alone uses it; nil: it does not run
	born      time.Time          // by our clock

	causes            causes // of missed samples, which the goroutine that samples alone uses
	missingAttributes string // as last logged by surveys, which alone use it

	resumed bool // the counters are those of an earlier process

	mu  sync.Mutex
	now state

	progress source.Progress // of sampling, which alone uses it
}

// state is the present state of a target. Changes that affect a page must be counted.
type state struct {
	changes    uint64
	session    *session.Session        // nil: there is none
	spent      map[string]session.Cost // by sessions that are over
	ahead      time.Duration           // the server's clock, of ours
	began      time.Time               // when the counters were 0, by the server's clock; zero: that was never known
	came       bool                    // the last round brought samples
	up         bool                    // as last logged
	since      time.Time               // it is so
	trouble    string                  // why it is not well; empty: it is
	here       present
	read       time.Time // when the roster was read, by the local clock
	collectors map[string]CollectorStatus
	survey     *survey // nil: none, or too old
	due        time.Time
	tags       tagsOf // as they were read last, however long ago: to leave things out
	dropped    uint64
	rounds     int // requested so far, including catching up
}

// Status is how a target is, for the landing page, readiness and metrics.
type Status struct {
	Name, Address string
	Up            bool   // the last round came, from all or some hosts
	Trouble       string // why it is not up, or what is missing; empty: no problem
	Since         time.Time
	Rounds        int // rounds requested so far, including catching up
	Ledger        ledger.Stats
	Collectors    []CollectorStatus // by name
	Costs         map[string]session.Cost
	Logins        int
	Findings      []FindingCount // by severity, then rule; nil: not judged yet
	Judged        time.Time
	Outcomes      map[advice.Outcome]int
}

// CollectorStatus is how a part of the collection goes: performance, esxtop, inventory, and the modules of the survey.
type CollectorStatus struct {
	Name                string
	Ran                 time.Time     // last; zero: it has not yet
	Took                time.Duration // then
	Success             bool          // all that was expected came
	Err                 string
	Expected, Collected int
}

// FindingCount is how many findings of a rule have an outcome.
type FindingCount struct {
	Rule, Title string
	Severity    advice.Severity
	Outcome     advice.Outcome
	Count       int
}

// interval is how far apart samples are.
const interval = source.Interval

const notYet = "it has not been asked yet"

// Names of collectors that are no modules.
const (
	collectorInventory   = "inventory"
	collectorPerformance = "performance"
	collectorEsxtop      = string(module.Esxtop)
	collectorAudit       = string(module.Audit)
	collectorTags        = string(module.Tags)
)

// newTarget checks a target's settings, and fills in defaults.
func newTarget(c TargetConfig, log *slog.Logger) (*Target, error) {
	if c.Name == "" {
		return nil, errors.New("a target has no name: give it the name that scrapes use")
	}
	if c.Dial == nil {
		return nil, fmt.Errorf("target %s: it has no server", c.Name)
	}
	if len(c.Modules) == 0 {
		c.Modules = module.Default
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
	keep, err := newFilter(c.Filter)
	if err != nil {
		return nil, fmt.Errorf("target %s: %w", c.Name, err)
	}
	keep.shard = c.Shard
	if c.Modules, err = module.WithAttributes(c.Modules, c.CustomAttributes); err != nil {
		return nil, fmt.Errorf("target %s: %w", c.Name, err)
	}
	t := &Target{
		config: c, filter: keep, retryNow: make(chan struct{}, 1), rounded: make(chan struct{}, 1), modules: map[module.Name]bool{}, jitter: rand.N[time.Duration],
		born: c.Clock.Now(), trace: trace{log: log.With("target", c.Name), now: c.Clock.Now},
		now: state{since: c.Clock.Now(), trouble: notYet, collectors: map[string]CollectorStatus{}, spent: map[string]session.Cost{}},
	}
	t.pages.kept, t.pages.now = map[form]*rendering{}, c.Clock.Now
	for _, m := range c.Modules {
		if !slices.Contains(module.All, m) {
			return nil, fmt.Errorf("target %s: there is no module %q: the modules are %s", c.Name, m, module.Listed(module.All))
		}
		t.modules[m] = true
		t.objects |= module.Measured[m]
	}
	if t.modules[module.GPU] {
		t.objects |= esxtop.ObjectsOf(esxtop.Host) // hosts without GPUs have samples of themselves
	}
	if t.modules[module.Esxtop] {
		t.objects |= module.EsxtopOnly()
	}
	if t.metrics, err = newMetricFilter(c.IncludeMetrics, c.ExcludeMetrics); err != nil {
		return nil, fmt.Errorf("target %s: %w", c.Name, err)
	}
	t.objects = t.metrics.choose(t.objects, t.modules[module.Pool])
	for _, name := range t.collectors() {
		t.now.collectors[name] = CollectorStatus{Name: name}
	}
	t.ledger = ledger.New(ledger.Options{
		Objects: t.objects, Stale: c.Stale, MaxSeries: c.MaxSeries, Reason: session.Reason, Now: c.Clock.Now, Partial: !t.metrics.all(),
	})
	return t, nil
}

// collectors returns the names of the collectors.
func (t *Target) collectors() []string {
	list := []string{collectorInventory}
	if t.measures() {
		list = append(list, collectorPerformance)
	}
	if t.asksEsxtop() {
		list = append(list, collectorEsxtop)
	}
	for _, m := range t.surveyed() {
		list = append(list, string(m.Name))
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
		if module.Measured[m]&t.objects != 0 {
			return true
		}
	}
	return false
}

func (t *Target) asksEsxtop() bool { return len(t.config.EsxtopHosts) > 0 }

func (t *Target) judges() bool {
	return t.config.Audit != nil && (t.serves(module.Audit) || t.serves(module.Findings))
}

// readsTags reports whether tags are read: for labels, for service discovery, or to know what to keep.
func (t *Target) readsTags() bool { return len(t.config.TagCategories) > 0 || t.filter.asksTags() }

// Config returns the target's configuration, including defaults.
func (t *Target) Config() TargetConfig { return t.config }

// Trace returns the target's recent activity, oldest first. It contains no secrets.
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

// snapshot copies the state.
func (t *Target) snapshot() state {
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

// failed records that a collector failed. The number of expected objects is unchanged.
func (t *Target) failed(name string, began time.Time, err error) {
	t.change(func(s *state) {
		c := s.collectors[name]
		c.Name, c.Ran, c.Took, c.Success, c.Err, c.Collected = name, began, t.clock().Sub(began), false, err.Error(), 0
		s.collectors[name] = c
	})
}

// serverNow returns the server's present time, from its last known offset.
func (t *Target) serverNow() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.clock().Add(t.now.ahead)
}

// hereUntil returns when the roster is too old to be shown, because connections and power states may have changed.
func (s *state) hereUntil(stale time.Duration) time.Time { return s.read.Add(max(stale, 2*watchEvery)) }

// Status is how it is now.
func (t *Target) Status() Status {
	s := t.snapshot()
	now := t.clock().Add(s.ahead)
	out := Status{
		Name: t.config.Name, Address: t.config.Address, Trouble: s.trouble, Since: s.since,
		Ledger: t.ledger.Stats(now), Collectors: sorted(s.collectors), Costs: s.costs(), Rounds: s.rounds,
	}
	out.Up = t.isUp(&s, out.Ledger.Current)
	login := out.Costs["Login"]
	out.Logins = max(0, login.Calls-login.Failures)
	if s.survey != nil && s.survey.findings != nil && s.survey.until(t.config.SurveyEvery).After(t.clock()) {
		out.Findings, out.Judged, out.Outcomes = s.survey.findings, s.survey.judged, s.survey.outcomes
	}
	return out
}

// costs are those of all sessions that there were.
func (s *state) costs() map[string]session.Cost {
	if s.session == nil {
		return s.spent
	}
	return total(s.spent, s.session.Costs())
}

// isUp reports whether the last round brought values, of a host or a VM at least, and some are not stale.
func (t *Target) isUp(s *state, current bool) bool {
	return s.session != nil && s.came && (!t.measures() || current)
}

func sorted(collectors map[string]CollectorStatus) []CollectorStatus {
	list := make([]CollectorStatus, 0, len(collectors))
	for _, name := range slices.Sorted(maps.Keys(collectors)) {
		list = append(list, collectors[name])
	}
	return list
}

// total returns the sum of sessions' costs.
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
