package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
)

// enough hears the first Ctrl-C for whoever watches counters and has seen enough to judge by: what was seen so far is not lost.
// Any other, and any that nobody can use, ends the command.
type enough struct {
	mu      sync.Mutex
	watches map[*func() bool]bool
	said    bool // somebody was content with what was seen
}

type enoughKey struct{}

// endsGently is a context that the signals of endings end, but for what its enough takes. Until stop is called.
func endsGently(from context.Context) (ctx context.Context, stop func()) {
	e := &enough{watches: map[*func() bool]bool{}}
	ctx, cancel := context.WithCancel(context.WithValue(from, enoughKey{}, e))
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endings()...)
	go func() {
		for {
			select {
			case s := <-signals:
				if s == os.Interrupt && e.say() {
					continue
				}
				signal.Stop(signals) // a second one ends the process at once
				cancel()
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}

// say ends the watches that have seen enough, and reports whether all could.
func (e *enough) say() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	content := len(e.watches) > 0
	for w := range e.watches {
		content = (*w)() && content
	}
	e.said = e.said || content
	return content
}

// watching has end called when somebody has seen enough; it reports whether that is so. Until done is called.
func (e *enough) watching(end func() bool) (done func()) {
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

// wasSaid reports that an answer is of less than was asked for.
func (e *enough) wasSaid() bool {
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.said
}

// enoughOf is what a context hears Ctrl-C by; nil: nobody does.
func enoughOf(ctx context.Context) *enough {
	e, _ := ctx.Value(enoughKey{}).(*enough)
	return e
}
