package live

import "github.com/vperf/vperf/pkg/esxtop"

// telling says what a frame tells of a metric.
type telling int

const (
	untold  telling = iota // the source does not have it
	nothing                // there was nothing to measure
	figure
)

// kbOfMB turns esxtop's megabytes into the kilobytes that rules have had from the PerformanceManager.
const kbOfMB = 1024

// metric is one of the catalogue. An id that is not there is a mistake of this package's, which any test finds.
func metric(id string) *esxtop.Metric {
	m := esxtop.Lookup(id)
	if m == nil {
		panic("live: the catalogue has no metric " + id)
	}
	return m
}

// sum is of figures that some have.
type sum struct {
	value float64
	told  bool
}

func (s *sum) add(v float64) { s.value, s.told = s.value+v, true }

// read gives the sum.
func (s *sum) read() (float64, telling) {
	if !s.told {
		return 0, untold
	}
	return s.value, figure
}
