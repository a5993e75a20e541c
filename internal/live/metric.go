package live

import "github.com/vperf/vperf/pkg/esxtop"

// presence says whether a frame has a metric.
type presence int

const (
	notReported presence = iota // the source does not have it
	notMeasured                 // there was nothing to measure
	figure
)

// kbOfMB converts esxtop's megabytes to the kilobytes of the PerformanceManager, which rules use.
const kbOfMB = 1024

// metric returns a metric of the catalogue. It panics for unknown ids, which any test finds.
func metric(id string) *esxtop.Metric {
	m := esxtop.Lookup(id)
	if m == nil {
		panic("live: the catalogue has no metric " + id)
	}
	return m
}

// sum adds up figures, ignoring missing ones.
type sum struct {
	value   float64
	present bool
}

func (s *sum) add(v float64) { s.value, s.present = s.value+v, true }

// read returns the sum.
func (s *sum) read() (float64, presence) {
	if !s.present {
		return 0, notReported
	}
	return s.value, figure
}
