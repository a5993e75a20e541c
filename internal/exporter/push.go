package exporter

import (
	"cmp"
	"context"
	"maps"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/push"
	"github.com/vperf/vperf/pkg/esxtop"
)

// Pusher takes pages to push them to receivers. Its methods do not wait for receivers.
type Pusher interface {
	// Push takes the page that write writes. Series without a time stamp have the time now.
	Push(s push.Source, now time.Time, write func(*exposition.Writer))
	// PushFamilies takes a page of Prometheus's library.
	PushFamilies(s push.Source, now time.Time, families []*dto.MetricFamily)
	// Forget ends all series of a source.
	Forget(s push.Source, now time.Time)
	// Stats returns the statistics of the receivers.
	Stats() []push.Stats
}

// pushing is where pages are pushed to, and how often.
type pushing struct {
	to    Pusher // nil: nowhere
	every time.Duration
}

// Jobs of pushed series: those of the scrapes in deploy/prometheus/prometheus.yml.
const (
	jobTarget   = "vperf"
	jobFindings = "vperf-findings"
	jobOwn      = "vperf-exporter"
)

// pushTarget pushes the pages of a target until ctx ends. If a reload has removed the target, its series end.
func (e *Exporter) pushTarget(ctx context.Context, t *Target) {
	clock := t.config.Clock
	pushed := clock.Now().Add(-e.push.every)
	for {
		select {
		case <-ctx.Done():
			if e.isGone(t.config.Name) {
				t.forget(e.push.to)
			}
			return
		case <-t.rounded:
			if clock.Now().Sub(pushed) <= e.push.every-interval/2 { // rounds are not exactly an interval apart
				continue
			}
		case <-clock.After(max(0, e.push.every+interval/2-clock.Now().Sub(pushed))): // there are no rounds without a session
		}
		pushed = clock.Now()
		e.pushPage(t)
	}
}

// pushPage pushes the page of a target. A fault in it costs the page, as with scrapes, and not the exporter.
func (e *Exporter) pushPage(t *Target) {
	defer func() {
		if broken := recover(); broken != nil {
			e.log.Error("rendering a page to push failed", "target", t.config.Name, "why", broken, "stack", string(debug.Stack()))
		}
	}()
	t.push(e.push.to)
}

// isGone reports whether a reload has removed a target while the exporter runs.
func (e *Exporter) isGone(name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.running != nil && e.running.Err() == nil && e.targets[name] == nil
}

// roundEnded asks for a push.
func (t *Target) roundEnded() {
	select {
	case t.rounded <- struct{}{}:
	default: // the last round was not pushed yet
	}
}

// skewTolerated is how far the clock of a server may be from ours for its times to be pushed as they are.
const skewTolerated = interval

// skew returns what is taken off the times of the server. It is 0 unless the server's clock is wrong, or ours: a Prometheus
// that takes samples from the future refuses those of all others from then on.
func (s *state) skew() time.Duration {
	if s.ahead.Abs() < skewTolerated {
		return 0
	}
	return s.ahead
}

// push pushes the page of all modules. Measured series have the time of their sample, and the others that of the page, by
// the clock of the server unless that is wrong.
func (t *Target) push(to Pusher) {
	modules, _ := t.choose(nil) // it fails only for modules that are asked for
	s := t.snapshot()
	skew, now := s.skew(), t.clock().Add(s.ahead-s.skew())
	to.Push(push.Source{Job: jobTarget, Instance: t.config.Name, Began: s.began}, now, func(w *exposition.Writer) {
		if !t.metrics.all() {
			w.Only(t.metrics.keeps)
		}
		t.writeWith(w, modules, func(w *exposition.Writer, objects esxtop.Objects) { t.writeDated(w, objects, skew) })
	})
	if t.modules[module.Findings] {
		to.Push(push.Source{Job: jobFindings, Instance: t.config.Name}, now, t.writeFindings)
	}
}

func (t *Target) forget(to Pusher) {
	s := t.snapshot()
	for _, job := range []string{jobTarget, jobFindings} {
		to.Forget(push.Source{Job: job, Instance: t.config.Name}, t.clock().Add(s.ahead-s.skew()))
	}
}

// writeDated writes measured series with the times of their samples, less skew. A sample from the future, or one that is old although
// it came just now, is of a host whose clock is wrong: it gets the time of the page.
func (t *Target) writeDated(w *exposition.Writer, objects esxtop.Objects, skew time.Duration) {
	begun, now := "", t.serverNow()
	t.ledger.Walk(objects, func(f exposition.Family, labels exposition.Labels, v float64, at time.Time) {
		if f.Name != begun {
			w.Family(f)
			begun = f.Name
		}
		if at.After(now.Add(interval)) || at.Before(now.Add(-2*t.config.Stale)) {
			w.Sample(labels, v)
			return
		}
		w.SampleAt(labels, v, at.Add(-skew))
	})
}

// writeFindings writes the findings alone, as prometheus.yml keeps them of a scrape.
func (t *Target) writeFindings(w *exposition.Writer) {
	s := t.snapshot().survey
	if s.until(t.config.SurveyEvery).After(t.clock()) {
		s.write(w, []module.Name{module.Findings}, nil)
	}
}

// pushOwn pushes the exporter's own metrics until ctx ends.
func (s *server) pushOwn(ctx context.Context) {
	if s.Push == nil {
		return
	}
	source := push.Source{Job: jobOwn, Instance: instance(s.ServerOptions), Began: s.now()}
	for {
		families, err := s.metrics.registry.Gather()
		if err != nil {
			s.Log.Error("some of the exporter's own metrics are not pushed", "err", err)
		}
		s.Push.PushFamilies(source, s.now(), families)
		select {
		case <-ctx.Done():
			return
		case <-time.After(cmp.Or(s.PushEvery, interval)):
		}
	}
}

// instance returns the name of this exporter: that of the machine, with the port, since a machine can run several.
func instance(o ServerOptions) string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	port := strconv.Itoa(DefaultPort)
	if len(o.Listen) > 0 {
		if _, p, err := net.SplitHostPort(o.Listen[0]); err == nil {
			port = p
		}
	}
	return net.JoinHostPort(host, port)
}

// Metrics of pushing, by receiver.
var (
	pushedSamples = prometheus.NewDesc("vperf_push_samples_total",
		"Samples that the receiver accepted.", []string{"destination"}, nil)
	pushDropped = prometheus.NewDesc("vperf_push_dropped_samples_total",
		"Samples that were not pushed, by reason.", []string{"destination", "reason"}, nil)
	pushRequests = prometheus.NewDesc("vperf_push_requests_total",
		"Attempts to send a request to the receiver, by result. Failed attempts are repeated.", []string{"destination", "result"}, nil)
	pushQueued = prometheus.NewDesc("vperf_push_queued_samples",
		"Samples that wait in memory for the receiver.", []string{"destination"}, nil)
	pushBuffer = prometheus.NewDesc("vperf_push_buffer_bytes",
		"Memory that samples take that wait for the receiver.", []string{"destination"}, nil)
	pushLimit = prometheus.NewDesc("vperf_push_buffer_limit_bytes",
		"Maximum of vperf_push_buffer_bytes.", []string{"destination"}, nil)
	pushLast = prometheus.NewDesc("vperf_push_last_success_timestamp_seconds",
		"Time at which the receiver last accepted a request (Unix time). Absent before the first time.", []string{"destination"}, nil)
)

// pushCollector collects metrics of pushing.
type pushCollector struct{ from Pusher }

// Describe sends the descriptions of the metrics.
func (c *pushCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{pushedSamples, pushDropped, pushRequests, pushQueued, pushBuffer, pushLimit, pushLast} {
		out <- d
	}
}

// Collect sends the metrics.
func (c *pushCollector) Collect(out chan<- prometheus.Metric) {
	for _, st := range c.from.Stats() {
		send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
			out <- prometheus.MustNewConstMetric(d, kind, v, append([]string{st.Name}, labels...)...)
		}
		send(pushedSamples, prometheus.CounterValue, float64(st.Pushed))
		for _, reason := range slices.Sorted(maps.Keys(st.Dropped)) {
			send(pushDropped, prometheus.CounterValue, float64(st.Dropped[reason]), reason)
		}
		for _, result := range slices.Sorted(maps.Keys(st.Requests)) {
			send(pushRequests, prometheus.CounterValue, float64(st.Requests[result]), result)
		}
		send(pushQueued, prometheus.GaugeValue, float64(st.Queued))
		send(pushBuffer, prometheus.GaugeValue, float64(st.QueuedBytes))
		send(pushLimit, prometheus.GaugeValue, float64(st.LimitBytes))
		if !st.LastPush.IsZero() {
			send(pushLast, prometheus.GaugeValue, exposition.Seconds(st.LastPush))
		}
	}
}
