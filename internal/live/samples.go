package live

import "math"

// samples are those of one metric of one object. Most counters are 0 all the time, or say the same: those take no memory.
type samples struct {
	observed bool    // there may have been nothing to measure
	from     int32   // the first slot with a sample
	n        int32   // number of slots from there on, including empty ones
	same     float32 // the value of all samples, as long as values is nil
	values   []float32
}

// chunk is the minimum growth in slots if the expected number is unknown: doubling would leave half of the memory
// empty.
const chunk = 64

// put adds a sample; about more samples follow. At most one is kept for each slot.
func (s *samples) put(slot int, v float32, more int) {
	at := int32(slot)
	if s.n == 0 {
		s.from, s.n, s.same = at, 1, v
		return
	}
	end := s.from + s.n
	switch {
	case at < end:
		return
	case s.values == nil && at == end && v == s.same:
		s.n++
		return
	case s.values == nil:
		s.spread(more)
	}
	for ; end < at; end++ {
		s.add(float32(math.NaN()), more)
	}
	s.add(v, more)
}

// spread allocates values for every slot, from the first one of its host on: a track has the same layout and can share
// them.
func (s *samples) spread(more int) {
	n := s.from + s.n
	s.values = make([]float32, n, int(n)+growth(int(n), more))
	for i := range s.values {
		s.values[i] = s.same
		if i < int(s.from) {
			s.values[i] = float32(math.NaN())
		}
	}
	s.from, s.n = 0, n
}

func (s *samples) add(v float32, more int) {
	if len(s.values) == cap(s.values) {
		grown := make([]float32, len(s.values), len(s.values)+growth(len(s.values), more))
		copy(grown, s.values)
		s.values = grown
	}
	s.values = append(s.values, v)
	s.n++
}

// growth returns the growth in slots. The expected number is an estimate, which a file may make wrong, so it limits the
// growth to four times the present size.
func growth(n, more int) int {
	if more > 0 {
		return max(1, min(more, 3*n))
	}
	return max(chunk, n/4)
}

// there reports whether the metric was measured, or could have been.
func (s *samples) there() bool { return s.n > 0 || s.observed }
