package live

import (
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// room is the memory for the series of one object: a fleet has hundreds of thousands, which the garbage collector would visit one
// by one.
type room struct {
	series []inventory.Series
	tracks []inventory.Track
	values []float32
}

// mostPacked is the maximum number of slots of a track whose values are moved to the room. A capture has many more, and its values
// stay where they are.
const mostPacked = 64

// newRoom returns room for this number of series that are not constant.
func newRoom(series int, on *plan) *room {
	r := &room{make([]inventory.Series, 0, series), make([]inventory.Track, 0, series), nil}
	if on.n <= mostPacked {
		r.values = make([]float32, 0, series*on.n)
	}
	return r
}

// add moves a series and its track to the room.
func (r *room) add(s inventory.Series, t inventory.Track) *inventory.Series {
	if n := len(t.Values); n <= cap(r.values)-len(r.values) {
		r.values = append(r.values, t.Values...)
		t.Values = slices.Clip(r.values[len(r.values)-n:])
	}
	r.tracks = append(r.tracks, t)
	s.Track = &r.tracks[len(r.tracks)-1]
	r.series = append(r.series, s)
	return &r.series[len(r.series)-1]
}

// steady is a constant series. Equal ones share their facts.
type steady struct {
	plan    *plan
	from, n int32
	value   float32
	below   bool
}

// series summarizes samples: the median, the 95th percentile, the worst value, and its time.
func (p *putState) series(s *samples, on *plan, below bool, in *room) *inventory.Series {
	if s.values == nil {
		return p.same(s, on, below)
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
	return in.add(inventory.Series{
		Median: rounded(percentile(all, 50, below)), P95: rounded(percentile(all, 95, below)), Worst: rounded(float64(s.values[worst])),
		Mean: rounded(sum / float64(len(all))), Samples: int64(len(all)),
		WorstAt: on.at(int(s.from) + worst), Below: below,
	}, track(s, on))
}

// same returns a series that is constant or has no samples.
func (p *putState) same(s *samples, on *plan, below bool) *inventory.Series {
	k := steady{on, s.from, s.n, s.same, below}
	if all := p.steady[k]; all != nil {
		return all
	}
	all := &inventory.Series{Below: below}
	if s.n > 0 {
		v, spread := rounded(float64(s.same)), *s
		spread.spread(0)
		t := track(&spread, on)
		*all = inventory.Series{
			Median: v, P95: v, Worst: v, Mean: v, Samples: int64(s.n), WorstAt: on.at(int(s.from)), Track: &t, Below: below,
		}
	}
	p.steady[k] = all
	return all
}
