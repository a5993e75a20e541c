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

// built gives a host whose configuration nobody has what counters tell of how it is built.
func (h *machine) built(f *esxtop.Frame) {
	if mb, told := f.Of(physical); told && mb > 0 {
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

// threadsOf is how many logical processors a host has; 0: nobody can tell. A capture may have been cut down to a few of them,
// which do not make up the mean that esxtop writes of all.
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
			v, told := rows[i].Value(m[0])
			sum, all = sum+v, all && told
		}
		if mean, told := f.Of(m[1]); told && all && mean > 0 {
			if math.Abs(sum/float64(len(rows))-mean) > rounded {
				return 0
			}
			return len(rows)
		}
	}
	return 0
}

// coresOf is how many cores a host has whose cores have two threads each; 0: nobody can tell. esxtop has figures of cores there
// alone. Where it has none, cores may have one thread, or the capture may come from elsewhere.
func coresOf(f *esxtop.Frame) int {
	if _, told := f.Rows(esxtop.PCPU)[0].Value(coreUtil); !told {
		return 0
	}
	return len(f.Cores())
}
