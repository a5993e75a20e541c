package live

import (
	"math"
	"strconv"

	"github.com/vperf/vperf/pkg/inventory"
)

// steady is a series that says the same all the time. Those that are alike share their samples.
type steady struct {
	plan    *plan
	from, n int32
	value   float32
}

// series sums up samples: the median, what 95 of 100 are no worse than, the worst, and when that was.
func (p *putting) series(s *samples, on *plan, below bool) inventory.Series {
	switch {
	case s.n == 0:
		return inventory.Series{Below: below}
	case s.values == nil:
		v := told(float64(s.same))
		return inventory.Series{
			Median: v, P95: v, Worst: v, Mean: v, Samples: int64(s.n), WorstAt: on.at(int(s.from)), Track: p.same(s, on), Below: below,
		}
	}
	all := p.scratch[:0]
	sum, worst := 0.0, -1
	for i, v := range s.values {
		if v != v { // NaN: no sample
			continue
		}
		all, sum = append(all, v), sum+float64(v)
		if worst < 0 || v > s.values[worst] && !below || v < s.values[worst] && below {
			worst = i
		}
	}
	p.scratch = all
	return inventory.Series{
		Median: told(percentile(all, 50, below)), P95: told(percentile(all, 95, below)), Worst: told(float64(s.values[worst])),
		Mean: told(sum / float64(len(all))), Samples: int64(len(all)),
		WorstAt: on.at(int(s.from) + worst), Track: track(s, on), Below: below,
	}
}

// percentile is what so many of 100 samples are no worse than, by nearest rank: a value that was measured.
func percentile(all []float32, percent int, below bool) float64 {
	rank := int(inventory.Rank(int64(percent), int64(len(all))))
	if below {
		return float64(nth(all, len(all)-rank))
	}
	return float64(nth(all, rank-1))
}

// told is a figure with four digits that count: no counter is truer, and people read it.
func told(v float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64) // which reads what it wrote
	return short
}

// same is the track of a series that says the same all the time.
func (p *putting) same(s *samples, on *plan) *inventory.Track {
	k := steady{on, s.from, s.n, s.same}
	if p.steady[k] == nil {
		spread := *s
		spread.spread(0)
		p.steady[k] = track(&spread, on)
	}
	return p.steady[k]
}

// track puts samples where they belong on the line of their host. Where that is where they are already nothing is copied.
func track(s *samples, on *plan) *inventory.Track {
	t := &inventory.Track{Start: on.start, Every: on.every, Values: s.values[:s.n:s.n]}
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
