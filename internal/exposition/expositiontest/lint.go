// Package expositiontest checks pages of metrics in tests: with promtool's checks, and with the conventions of this
// project.
package expositiontest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
)

// Lint reports each error in a page in the text format.
func Lint(t testing.TB, page []byte) {
	t.Helper()
	for _, p := range problems(page) {
		t.Error(p)
	}
}

// few is how many series of a family promlint sees, because it compares each pair.
const few = 100

func problems(page []byte) (all []string) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(page))
	if err != nil {
		return []string{err.Error()}
	}
	if len(families) == 0 {
		return []string{"the page is empty"}
	}
	known := catalogue()
	for _, name := range slices.Sorted(maps.Keys(families)) {
		f := families[name]
		for _, err := range ours(f, known) {
			all = append(all, name+": "+err.Error())
		}
		f.Metric = f.Metric[:min(len(f.Metric), few)]
		found, err := promlint.NewWithMetricFamilies([]*dto.MetricFamily{f}).Lint()
		if err != nil {
			return append(all, err.Error())
		}
		for _, p := range found {
			all = append(all, p.Metric+": "+p.Text)
		}
	}
	return all
}

// catalogue returns the families of measurements by name.
func catalogue() map[string]exposition.Family {
	known := map[string]exposition.Family{}
	for _, m := range esxtop.Catalogue() {
		for _, o := range m.Objects {
			f := exposition.Family{Name: m.PrometheusName(o), Help: m.Help()}
			if m.Prometheus.Counter {
				f.Kind = exposition.Counter
			}
			known[f.Name] = f
		}
	}
	return known
}

// ours checks conventions that promlint does not. Metrics without the prefix esxi_ or vperf_ are from other libraries
// and are not checked.
func ours(f *dto.MetricFamily, known map[string]exposition.Family) (all []error) {
	name := f.GetName()
	all = append(all, timeStamps(f)...)
	all = append(all, twice(f)...)
	if !strings.HasPrefix(name, "esxi_") && !strings.HasPrefix(name, "vperf_") {
		return all
	}
	all = append(all, unit(f)...)
	all = append(all, values(f)...)
	all = append(all, labels(f)...)
	if strings.HasPrefix(name, "esxi_") && !strings.HasSuffix(name, "_info") && !source.MatchString(f.GetHelp()) {
		all = append(all, errors.New("its help does not end with where it comes from, in parentheses"))
	}
	if m, ok := known[name]; ok {
		if f.GetHelp() != m.Help {
			all = append(all, errors.New("its help is not that of the catalogue"))
		}
		want := dto.MetricType_GAUGE
		if m.Kind == exposition.Counter {
			want = dto.MetricType_COUNTER
		}
		if f.GetType() != want {
			all = append(all, errors.New("the catalogue has it as another type"))
		}
	}
	return all
}

// source is an esxtop column, a counter or a property.
var source = regexp.MustCompile(`\([^()]*\w[^()]*(\([^()]*\)[^()]*)*\)\.?$`)

// baseUnits are the units that a name may end with, before _total.
var baseUnits = []string{"seconds", "bytes", "ratio", "hertz", "watts", "joules", "celsius", "volts", "amperes", "bytes_per_second"}

// unitless are the last words of names of gauges without a unit: counts, states, and numbers that are not quantities.
var unitless = []string{
	"hosts", "vms", "vcpus", "cores", "threads", "sockets", "worlds", "disks", "paths", "partitions", "snapshots", "datastores", "nodes", "migrations", "moves",
	"rules", "overrides", "groups", "blocks", "commands", "depth", "shares", "threshold", "load1", "load5", "load15", "state",
	"up", "on", "enabled", "member", "storage", "connected", "accessible", "maintenance", "standby", "healthy", "driver", "duplex", "uplink", "success", "successful",
	"info", "expected", "collected", "series", "limit", "dropped", "findings", "finding", "objects", "outcomes", "facts", "reasons",
}

// unit checks that the unit is a base unit: promlint accepts _percent and unknown units.
func unit(f *dto.MetricFamily) []error {
	name := f.GetName()
	for word := range strings.SplitSeq(name, "_") {
		if word == "percent" || word == "pct" || word == "percentage" {
			return []error{errors.New("it is in percent: use a ratio from 0 to 1")}
		}
	}
	if f.GetType() != dto.MetricType_GAUGE {
		return nil // a counter without a unit counts any kind of event
	}
	ends := func(unit string) bool { return strings.HasSuffix(name, "_"+unit) }
	if slices.ContainsFunc(baseUnits, ends) || slices.ContainsFunc(unitless, ends) {
		return nil
	}
	return []error{errors.New("it ends with no unit that is allowed, and with no word that needs none")}
}

// values checks that all values are numbers: an unknown value must not be a series.
func values(f *dto.MetricFamily) (all []error) {
	for _, m := range f.Metric {
		v, counts := m.GetGauge().GetValue(), f.GetType() == dto.MetricType_COUNTER
		if counts {
			v = m.GetCounter().GetValue()
		}
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			all = append(all, fmt.Errorf("%v of %s is not a number", v, labelsOf(m)))
		case counts && v < 0:
			all = append(all, fmt.Errorf("counter %s is below zero: %v", labelsOf(m), v))
		}
	}
	return all
}

// timeStamps refuses time stamps: with them, a removed series would remain for five minutes.
func timeStamps(f *dto.MetricFamily) []error {
	for _, m := range f.Metric {
		if m.TimestampMs != nil {
			return []error{fmt.Errorf("%s has a time stamp", labelsOf(m))}
		}
	}
	return nil
}

// twice finds duplicate series: Prometheus would use only one of them.
func twice(f *dto.MetricFamily) (all []error) {
	seen := map[string]bool{}
	for _, m := range f.Metric {
		l := labelsOf(m)
		if seen[l] {
			all = append(all, fmt.Errorf("%s is there twice", l))
		}
		seen[l] = true
	}
	return all
}

func labelsOf(m *dto.Metric) string {
	var pairs []string
	for _, l := range m.Label {
		pairs = append(pairs, l.GetName(), l.GetValue())
	}
	return string(exposition.NewLabels(pairs...))
}
