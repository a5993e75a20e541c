package tui

import (
	"math"
	"time"
)

// span is the time from the first sample to the last.
func (h *history) span() time.Duration {
	if h.count < 2 {
		return 0
	}
	return h.times[h.place(h.count-1)].Sub(h.times[h.place(0)])
}

// timeline is the series of a cell in places of equal time, oldest first: the highest value of each. Samples of history are further
// apart than live ones, so that places without a sample get the value before them; NaN is a gap.
func (h *history) timeline(key lineKey, c *column, places int) []float32 {
	list, span := h.of(key, c)
	if len(list) == 0 || places <= 0 {
		return nil
	}
	if len(list) == 1 || span <= 0 {
		return list[len(list)-1:]
	}
	most := h.longestStep()
	places = min(places, int(span/h.shortestStep())+1)
	out := make([]float32, places)
	for i := range out {
		out[i] = absentFigure
	}
	from, last := h.times[h.place(0)], -1
	for i, v := range list {
		at := int(int64(h.times[h.place(i)].Sub(from)) * int64(places-1) / int64(span))
		if last >= 0 && at-last <= int(int64(most)*int64(places-1)/int64(span))+1 {
			for j := last + 1; j < at; j++ {
				out[j] = out[last]
			}
		}
		if v == v && (out[at] != out[at] || v > out[at]) {
			out[at] = v
		}
		last = at
	}
	return out
}

// longestGap is the longest regular time between two samples: that of the PerformanceManager.
const longestGap = 20 * time.Second

// longestStep is the longest time between two samples that is no gap.
func (h *history) longestStep() time.Duration { return max(longestGap, 2*h.shortestStep()) }

// shortestStep is the least time between two samples.
func (h *history) shortestStep() time.Duration {
	least := time.Duration(math.MaxInt64)
	for i := 1; i < h.count; i++ {
		if d := h.times[h.place(i)].Sub(h.times[h.place(i-1)]); d > 0 {
			least = min(least, d)
		}
	}
	return least
}

// peak returns the highest value, or 0 without values.
func peak(list []float32) (highest float32) {
	for _, v := range list {
		if v > highest {
			highest = v
		}
	}
	return highest
}
