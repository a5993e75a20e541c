package capture

import (
	"math"
	"strconv"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

var (
	physical    = esxtop.Lookup("mem.physical")
	coreUtil    = esxtop.Lookup("pcpu.coreUtil")
	threadMeans = [...][2]*esxtop.Metric{
		{esxtop.Lookup("pcpu.util"), esxtop.Lookup("pcpu.utilAvg")}, {esxtop.Lookup("pcpu.used"), esxtop.Lookup("pcpu.usedAvg")},
	}
)

// setHardware sets the hardware facts that follow from counters, for a host without a known configuration.
func (h *captureHost) setHardware(f *esxtop.Frame) {
	if mb, known := f.Of(physical); known && mb > 0 {
		h.host.MemoryMB = inventory.Known(int64(mb))
	}
	threads := threadsOf(f)
	if threads == 0 {
		return
	}
	h.host.CPUThreads = inventory.Known(int64(threads))
	if cores := coresOf(f); cores > 0 {
		h.host.Cores = inventory.Known(int64(cores))
	}
}

// threadsOf returns a host's number of logical processors; 0: unknown. A capture may have been reduced to a few of
// them, which then do not give the mean that esxtop writes of all.
func threadsOf(f *esxtop.Frame) int {
	rows := f.Rows(esxtop.PCPU)
	for i := range rows {
		if rows[i].ID != strconv.Itoa(i) {
			return 0
		}
	}
	const rounded = 0.011 // both have two decimals
	for _, m := range threadMeans {
		sum, all := 0.0, true
		for i := range rows {
			v, known := rows[i].Value(m[0])
			sum, all = sum+v, all && known
		}
		if mean, known := f.Of(m[1]); known && all && mean > 0 {
			if math.Abs(sum/float64(len(rows))-mean) > rounded {
				return 0
			}
			return len(rows)
		}
	}
	return 0
}

// coresOf returns the number of cores of a host whose cores have two threads each; 0: unknown. esxtop has figures of
// cores only for such hosts. Without them, cores may have one thread, or the capture may be from another program.
func coresOf(f *esxtop.Frame) int {
	if _, known := f.Rows(esxtop.PCPU)[0].Value(coreUtil); !known {
		return 0
	}
	return len(f.Cores())
}
