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
	return interruption{t.Context(), over}, end
}

type interruption struct {
	context.Context
	over chan struct{}
}

// Done implements context.Context.
func (e interruption) Done() <-chan struct{} { return e.over }

// Err implements context.Context.
func (e interruption) Err() error {
	select {
	case <-e.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
