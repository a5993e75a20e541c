package exposition

import "strings"

// Format is a format that Prometheus reads.
type Format int

// Formats.
const (
	Text        Format = iota // text/plain; version=0.0.4
	OpenMetrics               // application/openmetrics-text; version=1.0.0
)

// ContentType returns the HTTP content type of a format.
func ContentType(f Format) string {
	if f == OpenMetrics {
		return "application/openmetrics-text; version=1.0.0; charset=utf-8"
	}
	return "text/plain; version=0.0.4; charset=utf-8"
}

// Kind is the type of a family.
type Kind int

// Kinds.
const (
	Gauge Kind = iota
	Counter
)

// Family is a metric. Its name is that of its series: a counter's ends in _total.
type Family struct {
	Name, Help string
	Kind       Kind
}

// plainName returns the name without a counter's _total, which is the family's name in OpenMetrics.
func (f Family) plainName() (name string, isCounter bool) {
	if f.Kind == Counter {
		return strings.CutSuffix(f.Name, "_total")
	}
	return f.Name, false
}
