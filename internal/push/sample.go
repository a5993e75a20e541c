package push

import (
	dto "github.com/prometheus/client_model/go"

	"github.com/vperf/vperf/internal/exposition"
)

// sample is a value of a series, or the end of one.
type sample struct {
	family *exposition.Family
	labels exposition.Labels
	value  float64
	at     int64 // ms of Unix
	start  int64 // of a counter, ms of Unix; 0: unknown
	ended  bool  // the series ends: it has no value
	// metric has the value of a histogram or a summary; nil: it is a gauge or a counter.
	metric *dto.Metric
}

// batchSize is the number of samples in a request. A request of some hundred kilobytes is accepted by all receivers, and
// many of them are sent in an interval.
const batchSize = 5000

// batches collects samples, and passes them on in batches.
type batches struct {
	list []sample
	to   func([]sample)
}

func (b *batches) add(s sample) {
	if b.list = append(b.list, s); len(b.list) == batchSize {
		b.flush()
	}
}

func (b *batches) flush() {
	if len(b.list) > 0 {
		b.to(b.list)
		b.list = b.list[:0]
	}
}
