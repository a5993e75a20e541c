package live

import "math"

// samples are those of one metric of one object. Most counters are 0 all the time, or say the same: those take no memory.
type samples struct {
	looked bool    // somebody looked; there may have been nothing to measure
	from   int32   // the first slot that has a sample
	n      int32   // how many slots there are from there on, some without one
	same   float32 // all of them, as long as values is nil
	values []float32
}

// chunk is by how many slots memory grows at least where nobody knows how many are to come: doubling it would leave half of it
// empty.
const chunk = 64

// put adds a sample, of about so many more to come. A slot that has one keeps it.
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

// spread gives every slot its own memory, from the first one of its host on: a track has those, too, and need not be made then.
func (s *samples) spread(more int) {
	n := s.from + s.n
	s.values = make([]float32, n, int(n)+room(int(n), more))
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
		grown := make([]float32, len(s.values), len(s.values)+room(len(s.values), more))
		copy(grown, s.values)
		s.values = grown
	}
	s.values = append(s.values, v)
	s.n++
}

// room is by how many slots memory grows. What is to come is an estimate, which a file may lead astray: nobody takes more than
// four times what there is for it.
func room(n, more int) int {
	if more > 0 {
		return max(1, min(more, 3*n))
	}
	return max(chunk, n/4)
}
