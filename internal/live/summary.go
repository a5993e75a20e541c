package live

import (
	"math"
	"strconv"

	"github.com/vperf/vperf/pkg/inventory"
)

// percentile returns the percentile of samples by nearest rank, which is a measured value.
func percentile(all []float32, percent int, below bool) float64 {
	rank := int(inventory.Rank(int64(percent), int64(len(all))))
	if below {
		return float64(nth(all, len(all)-rank))
	}
	return float64(nth(all, rank-1))
}

// rounded rounds a figure to four significant digits: no counter is more precise, and the figure is displayed.
func rounded(v float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64) // it parses its own format
	return short
}

// track moves samples to their slots on the line of their host. If they are there already, it does not copy them.
func track(s *samples, on *plan) inventory.Track {
	t := inventory.Track{Start: on.start, Every: on.every, Values: s.values[:s.n:s.n]}
	if on.of == nil && s.from == 0 && int(s.n) == on.n {
		return t
	}
	last := on.slot(int(s.from + s.n - 1))
	t.Values = make([]float32, max(on.n, last+1))
	for i := range t.Values {
		t.Values[i] = float32(math.NaN())
	}
	for i, v := range s.values {
		t.Values[on.slot(int(s.from)+i)] = v
	}
	return t
}
