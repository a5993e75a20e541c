package perf

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// NoSample stands where a sample was not taken.
const NoSample = int64(-1)

// noSampleOneIn is how rare that is, by object.
const noSampleOneIn = 1500

// reading is one figure of a host or a VM as a function of time.
type reading struct {
	id      types.PerfMetricId
	counter *perfCounter
	at      func(slot int64) int64
	of      load.Stream
}

// over is the figure for a number of slots up to one: a sum where the counter is one, else the average, or the last. What was not
// sampled is left out.
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
	if r.of.Unit(load.NoiseMissing, slot) < 1.0/noSampleOneIn {
		return NoSample
	}
	return r.at(slot)
}
