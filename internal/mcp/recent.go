package mcp

import (
	"context"
	"time"
)

// recent keeps a result for a short time. Calls that come meanwhile wait for the one that reads, and share its result.
type recent[T any] struct {
	lock chan struct{} // a mutex that a call can stop waiting for
	kept *kept[T]
}

type kept[T any] struct {
	value T
	at    time.Time
}

func newRecent[T any]() recent[T] {
	return recent[T]{lock: make(chan struct{}, 1)}
}

// get returns the kept result, or reads a new one. A failure is not kept.
func (r *recent[T]) get(ctx context.Context, read func(context.Context) (T, error)) (none T, err error) {
	select {
	case r.lock <- struct{}{}:
		defer func() { <-r.lock }()
	case <-ctx.Done():
		return none, ctx.Err()
	}
	if r.kept != nil && time.Since(r.kept.at) < cacheFor {
		return r.kept.value, nil
	}
	r.kept = nil // two results at once would be twice the memory
	value, err := read(ctx)
	if err != nil {
		return none, err
	}
	r.kept = &kept[T]{value, time.Now()}
	return value, nil
}
