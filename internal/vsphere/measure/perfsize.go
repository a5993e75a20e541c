package measure

import (
	"sync"
)

// perfSize is the allowed size of a call. It shrinks when the server refuses or takes too long, and grows again while calls
// succeed, but never to a size that was refused.
type perfSize struct {
	mu        sync.Mutex
	now, most int
}

func (s *perfSize) get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// refused records that a call of that size was too large.
func (s *perfSize) refused(cost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most = max(1, min(s.most, cost/2))
	s.now = min(s.now, s.most)
}

func (s *perfSize) slow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = min(s.most, max(s.now/2, leastSeries))
}

func (s *perfSize) well() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = min(s.most, s.now+s.now/4+1)
}
