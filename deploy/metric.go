package deploy

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Metric is a metric of the exporter, as queries need it.
type Metric struct {
	Name, About string
	Counter     bool
	id          string            // in the catalogue
	threshold   *esxtop.Threshold // in units of scale
	scale       float64
	needs       string // the metric that has to be at least threshold.AtLeast by second
}

// measured is a metric of the catalogue as the exporter names it on an object. A metric or object that is not there is a
// mistake in this package, which its tests meet first.
func measured(id string, o esxtop.Object) Metric {
	m := esxtop.Lookup(id)
	if m == nil || m.PrometheusName(o) == "" {
		panic(fmt.Sprintf("deploy: the exporter has no metric %s of a %s", id, o))
	}
	about := m.About
	if m.Column != "" {
		about += " esxtop: " + m.Column + "."
	}
	it := Metric{id: id, Name: m.PrometheusName(o), About: about, Counter: m.Prometheus.Counter, threshold: m.Threshold, scale: m.Prometheus.Scale}
	if t := m.Threshold; t != nil && t.Needs != "" {
		it.needs = esxtop.Lookup(t.Needs).PrometheusName(o)
	}
	return it
}

// warn and critical are the limits in the unit that the metric is exported in, or that its rate has.
func (m Metric) warn() float64     { return m.threshold.Warn * m.scale }
func (m Metric) critical() float64 { return m.threshold.Critical * m.scale }

// number writes a limit without the noise of floating point.
func number(v float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// unit is what Grafana calls the unit of a metric, or of its rate.
func (m Metric) unit() string {
	name := m.Name
	if m.Counter {
		switch {
		case strings.HasSuffix(name, "_seconds_total"):
			return "percentunit"
		case strings.HasSuffix(name, "_bytes_total"):
			return "binBps"
		case strings.HasSuffix(name, "_joules_total"):
			return "watt"
		case strings.HasSuffix(name, "_packets_total"):
			return "pps"
		case strings.HasSuffix(name, "_commands_total"), strings.HasSuffix(name, "_reads_total"), strings.HasSuffix(name, "_writes_total"):
			return "iops"
		}
		return "cps"
	}
	for suffix, unit := range map[string]string{
		"_bytes_per_second": "binBps", "_bytes": "bytes", "_ratio": "percentunit", "_timestamp_seconds": "dateTimeAsIso", "_hertz": "hertz",
		"_watts": "watt", "_celsius": "celsius", "_volts": "volt", "_amperes": "amp", "_joules": "joule",
	} {
		if strings.HasSuffix(name, suffix) {
			return unit
		}
	}
	if strings.HasSuffix(name, "_seconds") {
		return "s"
	}
	return "short"
}
