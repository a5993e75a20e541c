package exporter

import (
	"log/slog"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/vperf/vperf/internal/exposition"
)

// selfMetrics are the exporter's own metrics on /metrics. Measurements of targets are only on /probe.
type selfMetrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration prometheus.Histogram
}

func newSelfMetrics(o ServerOptions, f fleet, r *reloader) *selfMetrics {
	m := &selfMetrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "vperf_probe_requests_total",
			Help: "Answered probes, by HTTP status code.",
		}, []string{"code"}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:                            "vperf_probe_duration_seconds",
			Help:                            "Duration of a probe, until the last byte was sent.",
			Buckets:                         []float64{.001, .005, .01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
			NativeHistogramBucketFactor:     1.1,
			NativeHistogramMaxBucketNumber:  100,
			NativeHistogramMinResetDuration: time.Hour,
		}),
	}
	m.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		buildInfo(o.Version, o.Revision),
		m.requests, m.duration,
		&targetCollector{f}, &reloadCollector{r},
	)
	if o.Push != nil {
		m.registry.MustRegister(&pushCollector{o.Push})
	}
	return m
}

func (m *selfMetrics) probed(code int, took time.Duration) {
	m.requests.WithLabelValues(strconv.Itoa(code)).Inc()
	m.duration.Observe(took.Seconds())
}

// handler serves the registry. Scrapes at once share one collection, and none of them waits for ever.
func (m *selfMetrics) handler(log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelError),
		ErrorHandling:     promhttp.ContinueOnError,
		Registry:          m.registry,
		EnableOpenMetrics: true,
		CoalesceGather:    true,
		Timeout:           noTimeout,
	})
}

// buildInfo says which vperf this is, as `vperf version` does.
func buildInfo(version, revision string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "vperf_build_info",
		Help: "Always 1; the labels contain the version of vperf and of Go.",
		ConstLabels: prometheus.Labels{
			"version": version, "revision": revision,
			"goversion": runtime.Version(), "goos": runtime.GOOS, "goarch": runtime.GOARCH,
		},
	}, func() float64 { return 1 })
}

// Metrics of each target. They are collected on request, so that removed targets leave no series.
var (
	targetUp = prometheus.NewDesc("vperf_target_up",
		"1 if the last sampling round returned samples from all or some hosts, otherwise 0. Absent before the first round.", []string{"target"}, nil)
	targetNewest = prometheus.NewDesc("vperf_target_sample_timestamp_seconds",
		"Time of the newest sample, by the clock of the target's server (Unix time). Absent without samples.", []string{"target"}, nil)
	targetLogins = prometheus.NewDesc("vperf_logins_total",
		"Logins to the server of the target.", []string{"target"}, nil)
	apiCalls = prometheus.NewDesc("vperf_api_calls_total",
		"API calls to the server of the target, by method.", []string{"target", "method"}, nil)
	apiFailures = prometheus.NewDesc("vperf_api_failures_total",
		"Failed API calls to the server of the target, by method.", []string{"target", "method"}, nil)
	apiSent = prometheus.NewDesc("vperf_api_sent_bytes_total",
		"Bytes of API request bodies sent to the server of the target, by method.", []string{"target", "method"}, nil)
	apiReceived = prometheus.NewDesc("vperf_api_received_bytes_total",
		"Bytes of API response bodies received from the server of the target, before decompression, by method.", []string{"target", "method"}, nil)
	apiDuration = prometheus.NewDesc("vperf_api_duration_seconds_total",
		"Time spent in API calls to the server of the target, by method.", []string{"target", "method"}, nil)
)

// targetCollector collects metrics of the targets.
type targetCollector struct{ fleet fleet }

// Describe sends the descriptions of the metrics.
func (c *targetCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{targetUp, targetNewest, targetLogins, apiCalls, apiFailures, apiSent, apiReceived, apiDuration} {
		out <- d
	}
}

// Collect sends the metrics.
func (c *targetCollector) Collect(out chan<- prometheus.Metric) {
	for _, t := range c.fleet.targets() {
		st := t.Status()
		name := strings.ToValidUTF8(st.Name, "�")
		send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
			out <- prometheus.MustNewConstMetric(d, kind, v, append([]string{name}, labels...)...)
		}
		if asked(st) {
			send(targetUp, prometheus.GaugeValue, exposition.Bool(st.Up))
		}
		if newest := st.Ledger.Newest; !newest.IsZero() {
			send(targetNewest, prometheus.GaugeValue, exposition.Seconds(newest))
		}
		send(targetLogins, prometheus.CounterValue, float64(st.Logins))
		for _, method := range slices.Sorted(maps.Keys(st.Costs)) {
			cost := st.Costs[method]
			send(apiCalls, prometheus.CounterValue, float64(cost.Calls), method)
			send(apiFailures, prometheus.CounterValue, float64(cost.Failures), method)
			send(apiSent, prometheus.CounterValue, float64(cost.Sent), method)
			send(apiReceived, prometheus.CounterValue, float64(cost.Received), method)
			send(apiDuration, prometheus.CounterValue, cost.Took.Seconds(), method)
		}
	}
}

// How the configuration is.
var (
	reloadOK = prometheus.NewDesc("vperf_config_last_reload_successful",
		"1 if the last configuration reload succeeded; 0 if the previous configuration is still in use.", nil, nil)
	reloadAt = prometheus.NewDesc("vperf_config_last_reload_success_timestamp_seconds",
		"Time at which the current configuration was loaded (Unix time).", nil, nil)
)

// reloadCollector collects metrics of reloads.
type reloadCollector struct{ reloads *reloader }

// Describe sends the descriptions of the metrics.
func (c *reloadCollector) Describe(out chan<- *prometheus.Desc) { out <- reloadOK; out <- reloadAt }

// Collect sends the metrics.
func (c *reloadCollector) Collect(out chan<- prometheus.Metric) {
	last := c.reloads.state()
	out <- prometheus.MustNewConstMetric(reloadOK, prometheus.GaugeValue, exposition.Bool(last.err == nil))
	out <- prometheus.MustNewConstMetric(reloadAt, prometheus.GaugeValue, exposition.Seconds(last.success))
}
