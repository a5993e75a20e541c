package perf

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// NoSample is the value of a missing sample.
const NoSample = int64(-1)

// reading is a value of a host or a VM as a function of time.
type reading struct {
	id      types.PerfMetricId
	counter *perfCounter
	at      func(slot int64) int64
	of      load.Stream
	loads   *load.Model
}

// over returns the value for a number of slots up to one: the sum for a summation counter, else the average or the last. Missing
// samples are skipped.
func (r *reading) over(last, slots int64) int64 {
	if r.counter.rollup == "latest" {
		return r.sampled(last)
	}
	var sum, n int64
	for slot := last - slots + 1; slot <= last; slot++ {
		if v := r.sampled(slot); v != NoSample {
			sum, n = sum+v, n+1
		}
	}
	switch {
	case n == 0:
		return NoSample
	case r.counter.rollup == "summation":
		return sum
	}
	return sum / n
}

func (r *reading) sampled(slot int64) int64 {
	if r.loads.Missing(r.of, slot) {
		return NoSample
	}
	return r.at(slot)
}
