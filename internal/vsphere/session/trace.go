package session

import (
	"context"
	"sync/atomic"
	"time"
)

// Call is one attempt at a request, after it has ended. It holds nothing that was sent or received.
type Call struct {
	Host           string // of the server
	Method         string // of SOAP, or what a request over REST is for: REST tags
	Took           time.Duration
	Sent, Received int64 // bytes of bodies, as they went over the line
	Err            error // as the caller gets it; nil: it was answered
}

type traceKey struct{}

// WithTrace has every session that is dialled with the context, or one made of it, report its calls until it is closed. tell is called
// by several goroutines at once.
func WithTrace(ctx context.Context, trace func(Call)) context.Context {
	return context.WithValue(ctx, traceKey{}, trace)
}

// traceOf is what hears of calls; it does nothing where nobody listens.
func traceOf(ctx context.Context) func(Call) {
	if trace, ok := ctx.Value(traceKey{}).(func(Call)); ok {
		return trace
	}
	return func(Call) {}
}

// spending counts the bytes of one call. What it counts is in the meter of its method at once.
type spending struct {
	meter          *meter
	sent, received atomic.Int64
}

func (s *spending) addSent(n int64) {
	s.sent.Add(n)
	s.meter.sent.Add(n)
}

func (s *spending) addReceived(n int64) {
	s.received.Add(n)
	s.meter.received.Add(n)
}
