package exporter

import (
	"slices"
	"sync"
	"time"
)

// maxVisits is how many probes are remembered for the landing page.
const maxVisits = 100

// visit is a probe that was answered or refused.
type visit struct {
	When    time.Time
	Took    time.Duration
	Target  string // as it was asked for: maybe there is none
	Modules []string
	Code    int
	Bytes   int64 // as they went out, compressed or not
	Who     string
}

// history are the last probes.
type history struct {
	mu   sync.Mutex
	ring [maxVisits]visit
	n    int // so far
}

func (h *history) add(v visit) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ring[h.n%maxVisits] = v
	h.n++
}

// last are the probes that are remembered, newest first.
func (h *history) last() []visit {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]visit, 0, min(h.n, maxVisits))
	for i := max(0, h.n-maxVisits); i < h.n; i++ {
		all = append(all, h.ring[i%maxVisits])
	}
	slices.Reverse(all)
	return all
}
