package push

import (
	"context"
	"sync"
)

// request is an encoded request.
type request struct {
	body    []byte
	samples int
}

// requestCost is what a request takes in the queue in addition to its body.
const requestCost = 64

func (r request) size() int64 { return int64(cap(r.body)) + requestCost }

// queue holds requests up to a number of bytes, in the order in which they came. If it is full, it drops the oldest ones
// except the one that is being sent, because newer samples are worth more.
type queue struct {
	limit int64

	mu      sync.Mutex
	list    []request
	busy    bool // the first one is being sent
	bytes   int64
	samples int
	arrived chan struct{} // has a value if there may be requests
}

func newQueue(limit int64) *queue { return &queue{limit: limit, arrived: make(chan struct{}, 1)} }

// add appends a request. It returns the number of samples that were dropped for it.
func (q *queue) add(r request) (dropped int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	first := 0
	if q.busy {
		first = 1
	}
	for q.bytes+r.size() > q.limit && len(q.list) > first {
		dropped += q.remove(first)
	}
	if q.bytes+r.size() > q.limit {
		return dropped + r.samples
	}
	q.list = append(q.list, r)
	q.bytes += r.size()
	q.samples += r.samples
	select {
	case q.arrived <- struct{}{}:
	default:
	}
	return dropped
}

// remove removes a request. The caller holds the lock.
func (q *queue) remove(i int) (samples int) {
	r := q.list[i]
	copy(q.list[i:], q.list[i+1:])
	q.list[len(q.list)-1] = request{}
	q.list = q.list[:len(q.list)-1]
	q.bytes -= r.size()
	q.samples -= r.samples
	return r.samples
}

// first waits for the oldest request. It stays in the queue until done is called. It returns false if ctx ends.
func (q *queue) first(ctx context.Context) (request, bool) {
	for {
		if r, found := q.head(); found {
			return r, true
		}
		select {
		case <-ctx.Done():
			return request{}, false
		case <-q.arrived:
		}
	}
}

// head returns the oldest request, which is being sent from now on.
func (q *queue) head() (request, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return request{}, false
	}
	q.busy = true
	return q.list[0], true
}

// done removes the request that was being sent.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy = false
	q.remove(0)
}

// clear removes all requests, and returns the number of their samples.
func (q *queue) clear() (samples int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	samples = q.samples
	q.list, q.bytes, q.samples, q.busy = nil, 0, 0, false
	return samples
}

// size returns the number of samples and bytes in the queue.
func (q *queue) size() (samples int, bytes int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.samples, q.bytes
}
