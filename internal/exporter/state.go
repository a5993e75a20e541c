package exporter

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
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

// survey is the result of reading the configuration. It is immutable. The facts are not kept: they are many times as
// large as the exported data.
type survey struct {
	at       time.Time // when it was done, by our clock
	judged   time.Time // when it was begun, by the server's
	modules  map[module.Name]*exposition.Tape
	labels   map[string]map[string]string // from tags, by the object's id and the label's name
	findings []FindingCount               // of exported objects; nil: there is no audit
	outcomes map[advice.Outcome]int
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

// until is when the survey is too old to be shown; zero: there is none.
func (s *survey) until(every time.Duration) time.Time {
	if s == nil {
		return time.Time{}
	}
	return s.at.Add(surveysShown * every)
}

// hereUntil returns when the roster is too old to be shown, because connections and power states may have changed.
func (s *state) hereUntil(stale time.Duration) time.Time { return s.read.Add(max(stale, 2*watchEvery)) }

// surveysShown is how many times the time between surveys the last one is shown, where no other succeeded since.
const surveysShown = 3

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
