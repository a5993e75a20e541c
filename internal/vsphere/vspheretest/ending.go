package vspheretest

import (
	"context"
	"sync"
	"testing"
)

// Ending returns a context that ends as if by a deadline when end is called, so that tests do not depend on the speed of the
// machine.
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
