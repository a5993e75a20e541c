package source

import (
	"context"
	"sync"
)

// EarlyStop ends watches that have enough samples to judge, so that the samples are not lost.
type EarlyStop struct {
	mu      sync.Mutex
	watches map[*func() bool]bool
	used    bool
}

type earlyStopKey struct{}

// WithEarlyStop returns a context whose watches can be ended early.
func WithEarlyStop(ctx context.Context) (context.Context, *EarlyStop) {
	e := &EarlyStop{watches: map[*func() bool]bool{}}
	return context.WithValue(ctx, earlyStopKey{}, e), e
}

// StoppedEarly reports whether the answer is of a shorter time than was asked for.
func StoppedEarly(ctx context.Context) bool {
	e := EarlyStopOf(ctx)
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.used
}

// Stop ends the watches that have measured enough. It reports false where there is none, or one has not.
func (e *EarlyStop) Stop() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := len(e.watches) > 0
	for w := range e.watches {
		all = (*w)() && all
	}
	e.used = e.used || all
	return all
}

// Watching calls end when the watch is to stop, until done is called. end reports whether the watch has measured enough.
func (e *EarlyStop) Watching(end func() bool) (done func()) {
	if e == nil {
		return func() {}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.watches[&end] = true
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.watches, &end)
	}
}

// EarlyStopOf returns the EarlyStop of ctx, or nil if it has none.
func EarlyStopOf(ctx context.Context) *EarlyStop {
	e, _ := ctx.Value(earlyStopKey{}).(*EarlyStop)
	return e
}
