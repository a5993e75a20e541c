package vsphere

import "time"

// Cost is what calls of one kind have cost so far, the server and the line.
type Cost struct {
	Calls, Failures int
	Sent, Received  int64 // bytes of bodies, as they went over the line
	Took            time.Duration
}

// Costs are what this session has cost by method. Calls counts the same.
func (s *Session) Costs() map[string]Cost {
	costs := map[string]Cost{}
	for method, n := range s.Calls() {
		costs[method] = Cost{Calls: n}
	}
	return costs
}
