package exporter

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/ledger"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
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
