package wire

import (
	"sync"
	"weak"
)

// readers holds readers for the next answers until the garbage collector runs. A sync.Pool keeps them for two of its cycles, and has a
// list for each processor: during a survey, its buffers of pages and samples were a fifth of the live memory.
type readers struct {
	mu   sync.Mutex
	free []weak.Pointer[reader]
}

// take returns the reader that was used last, or a new one.
func (r *readers) take() *reader {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := len(r.free); n > 0; n = len(r.free) {
		last := r.free[n-1].Value()
		if r.free = r.free[:n-1]; last != nil {
			return last
		}
	}
	return newReader()
}

// put keeps a reader. Those that were freed before are at the front of the list.
func (r *readers) put(last *reader) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.free) > 0 && r.free[0].Value() == nil {
		r.free = r.free[1:]
	}
	r.free = append(r.free, weak.Make(last))
}
