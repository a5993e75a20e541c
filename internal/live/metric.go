package live

import "github.com/vperf/vperf/pkg/esxtop"

// telling says whether a frame has a metric.
type telling int

const (
	untold  telling = iota // the source does not have it
	nothing                // there was nothing to measure
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
	value float64
	told  bool
}

func (s *sum) add(v float64) { s.value, s.told = s.value+v, true }

// read returns the sum.
func (s *sum) read() (float64, telling) {
	if !s.told {
		return 0, untold
	}
	return s.value, figure
}
