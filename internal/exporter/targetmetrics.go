package exporter

import (
	"maps"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// reasons are those that samples are missed for, in any ledger: each has a series from the start, so that the first miss is seen.
var reasons = []string{
	"clock", session.ReasonConnection, session.ReasonDenied, session.ReasonHostDown, "moved", session.ReasonNoValue, session.ReasonNotKept, session.ReasonOther,
	session.ReasonRefused, session.ReasonSession, session.ReasonTimeout, "too_old",
}

// writeTarget writes what there is to know of the target itself, which is never nothing.
func (t *Target) writeTarget(w *exposition.Writer, s *state, now time.Time) {
	stats := t.ledger.Stats(now)
	gauge := func(name, help string) { w.Family(exposition.Family{Name: name, Help: help}) }
	counter := func(name, help string) {
		w.Family(exposition.Family{Name: name, Help: help, Kind: exposition.Counter})
	}
	gauge("vperf_up", "Whether the last sampling round returned current samples from at least one host.")
	w.Sample("", exposition.Bool(t.isUp(s, stats.Current)))
	if !stats.Newest.IsZero() {
		gauge("vperf_sample_timestamp_seconds", "Time of the newest sample, by the server's clock.")
		w.Sample("", exposition.Seconds(stats.Newest))
	}
	if stats.Age >= 0 {
		gauge("vperf_sample_arrival_timestamp_seconds", "Time at which the newest sample with values arrived, by the exporter's clock.")
		w.Sample("", exposition.Seconds(t.clock().Add(-stats.Age)))
	}
	t.writeCollectors(w, s)
	counter("vperf_samples_collected_total", "Collected samples: one per host or VM and sampling interval.")
	w.Sample("", float64(stats.Samples))
	counter("vperf_samples_missed_total", "Missed samples, by reason.")
	for _, reason := range slices.Sorted(maps.Keys(withReasons(stats.Missed))) {
		w.Sample(exposition.NewLabels("reason", reason), float64(stats.Missed[reason]))
	}
	gauge("vperf_series", "Number of measured series of the target.")
	w.Sample("", float64(stats.Series))
	gauge("vperf_series_limit", "Maximum number of measured series of the target.")
	w.Sample("", float64(t.config.MaxSeries))
	gauge("vperf_series_over_limit", "Measured series that are currently not exported because of the series limit.")
	w.Sample("", float64(stats.Over))
	counter("vperf_series_dropped_total", "Measured series dropped because of the series limit, total of all sampling rounds.")
	w.Sample("", float64(s.dropped))
}

func withReasons(missed map[string]uint64) map[string]bool {
	all := map[string]bool{}
	for _, reason := range reasons {
		all[reason] = true
	}
	for reason := range missed {
		all[reason] = true
	}
	return all
}

// writeCollectors writes the state of each collector. One that has not run yet is not successful, and has no figures.
func (t *Target) writeCollectors(w *exposition.Writer, s *state) {
	list := sorted(s.collectors)
	for _, f := range []struct {
		name, help string
		value      func(*CollectorStatus) (v float64, ran bool)
	}{
		{"vperf_collector_success", "Whether the last run of the collector was complete.", func(c *CollectorStatus) (float64, bool) {
			return exposition.Bool(c.Success), true
		}},
		{"vperf_collector_duration_seconds", "Duration of the last run of the collector.", func(c *CollectorStatus) (float64, bool) {
			return c.Took.Seconds(), !c.Ran.IsZero()
		}},
		{"vperf_collector_last_run_timestamp_seconds", "Time of the last run of the collector.", func(c *CollectorStatus) (float64, bool) {
			return exposition.Seconds(c.Ran), !c.Ran.IsZero()
		}},
		{"vperf_collector_entities_expected", "Number of objects for which the collector is expected to have data.", func(c *CollectorStatus) (float64, bool) {
			return float64(c.Expected), !c.Ran.IsZero()
		}},
		{"vperf_collector_entities_collected", "Number of objects for which the collector has data.", func(c *CollectorStatus) (float64, bool) {
			return float64(c.Collected), !c.Ran.IsZero()
		}},
	} {
		w.Family(exposition.Family{Name: f.name, Help: f.help})
		for i := range list {
			if v, ran := f.value(&list[i]); ran {
				w.Sample(exposition.NewLabels("collector", list[i].Name), v)
			}
		}
	}
}
