package vspheretest

import (
	"context"
	"sync"
	"testing"
)

// Ending is a context that ends as by a deadline, at the moment that end is called: no test has to guess how long a busy machine
// takes to get there.
func Ending(t testing.TB) (ctx context.Context, end func()) {
	over := make(chan struct{})
	end = sync.OnceFunc(func() { close(over) })
	t.Cleanup(end)
	return ending{t.Context(), over}, end
}

type ending struct {
	context.Context
	over chan struct{}
}

// Done implements context.Context.
func (e ending) Done() <-chan struct{} { return e.over }

// Err implements context.Context.
func (e ending) Err() error {
	select {
	case <-e.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
