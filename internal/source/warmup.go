package source

import (
	"context"
	"sync"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Recent is the length of the history that a screen begins with if its source keeps none.
const Recent = 15 * time.Minute

// warmUpPatience is how long the last samples from history may take. A server that needs longer shows live samples first.
const warmUpPatience = 10 * time.Second

// warmed is a live source that gives the last samples from history until its own first figures are there. The Esxtop service needs two
// looks at a host before it has any.
type warmed struct {
	esxtop.Source
	open func(context.Context, esxtop.Request) (esxtop.Source, error) // of history

	mu      sync.Mutex
	request esxtop.Request

	base   context.Context // of tasks between rounds; Close ends it
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	past    context.Context // of reading history
	endPast context.CancelFunc

	// Of Next alone.
	begun bool
	over  bool // live figures are there
	kept  chan *esxtop.Round
	live  chan liveRound // holds the answer of a Next that is under way; nil: none is
}

type liveRound struct {
	round *esxtop.Round
	err   error
}

// warmUp makes a source begin with the last samples from history.
func warmUp(live esxtop.Source, request esxtop.Request, open func(context.Context, esxtop.Request) (esxtop.Source, error)) esxtop.Source {
	w := &warmed{Source: live, request: request, open: open, kept: make(chan *esxtop.Round)}
	w.base, w.cancel = context.WithCancel(context.Background())
	w.past, w.endPast = context.WithCancel(w.base)
	return w
}

// start begins a task, unless the source is closed.
func (w *warmed) start(task func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.base.Err() == nil {
		w.tasks.Go(task)
	}
}

// Configure implements esxtop.Source.
func (w *warmed) Configure(r esxtop.Request) {
	w.mu.Lock()
	w.request = r
	w.mu.Unlock()
	w.Source.Configure(r)
}

// Next implements esxtop.Source.
func (w *warmed) Next(ctx context.Context) (*esxtop.Round, error) {
	if !w.begun {
		w.begun = true
		w.start(w.readKept)
	}
	if w.over && w.live == nil {
		return w.Source.Next(ctx)
	}
	w.askLive()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-w.base.Done():
		return nil, context.Cause(w.base)
	case r, ok := <-w.kept:
		if ok {
			return r, nil
		}
		w.kept = nil // never ready again
		return w.Next(ctx)
	case l := <-w.live:
		w.live = nil
		if l.err != nil || hasRates(l.round) {
			w.over = true
			w.endPast()
		}
		return l.round, l.err
	}
}

// askLive asks the live source for its next round, unless it is asked already. The request survives the caller's context: its answer is
// kept for the next call.
func (w *warmed) askLive() {
	if w.live != nil {
		return
	}
	answer := make(chan liveRound, 1)
	w.live = answer
	w.start(func() {
		round, err := w.Source.Next(w.base)
		answer <- liveRound{round, err}
	})
}

// readKept hands out kept samples, the oldest first. Its errors do not affect the live source.
func (w *warmed) readKept() {
	defer close(w.kept)
	ctx, cancel := context.WithTimeout(w.past, warmUpPatience)
	defer cancel()
	w.mu.Lock()
	request := w.request
	w.mu.Unlock()
	past, err := w.open(ctx, request)
	if err != nil {
		return
	}
	defer func() { _ = past.Close(ctx) }()
	for {
		round, err := past.Next(ctx)
		if err != nil || !round.Past {
			return
		}
		round.Troubles = nil // the live source reports late hosts
		select {
		case w.kept <- round:
		case <-ctx.Done():
			return
		}
	}
}

// hasRates reports whether a round is more than a first look.
func hasRates(r *esxtop.Round) bool {
	for _, f := range r.Frames {
		if f.Interval > 0 {
			return true
		}
	}
	return false
}

// Close implements esxtop.Source.
func (w *warmed) Close(ctx context.Context) error {
	w.mu.Lock()
	w.cancel() // with the lock held: no task starts afterwards
	w.mu.Unlock()
	w.tasks.Wait()
	return w.Source.Close(ctx)
}
