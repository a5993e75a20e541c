package measure

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
)

// perfQuery reads samples for one round. It is safe for concurrent use.
type perfQuery struct {
	session *session.Session
	plan    *perfPlan
	size    *perfSize
	rooms   *perfRooms
	plain   *atomic.Bool // the server refuses CSV
	stale   *atomic.Bool // the roster differs from the server's
	recount *atomic.Bool // the ids of the counters have changed
	limit   time.Duration
	// interval is the seconds between the samples that are asked for; 0: those of the hosts.
	interval int
	within   func(context.Context, time.Duration) (context.Context, context.CancelFunc)
	useless  atomic.Pointer[error] // the error of the smallest query: larger ones would fail, too
}

// Limits on how often a batch is retried in other ways before it fails until the next round.
const (
	maxLeftOut = 4 // entities that are gone
	maxHalved  = 3 // if the error does not name the size as the cause
)

// run makes the queries of all batches, a few at a time.
func (q *perfQuery) run(ctx context.Context, list []perfBatch) {
	const atOnce = 4
	var wait sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for _, b := range list {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			q.read(ctx, b, 0)
		})
	}
	wait.Wait()
}

// read queries a batch. If the server refuses it as a whole, its halves are queried.
func (q *perfQuery) read(ctx context.Context, b perfBatch, halved int) {
	if err := q.useless.Load(); err != nil {
		b.fail(*err)
		return
	}
	if ctx.Err() != nil {
		b.fail(errNoTurn)
		return
	}
	if cost := b.cost(q.plan); cost > q.size.get() && b.entities() > 1 && halved == 0 {
		q.readHalves(ctx, b, 0) // another batch was refused after this one was made
		return
	}
	err := q.try(ctx, b)
	for n := 0; err != nil && n < maxLeftOut && q.adapt(b, err); n++ {
		err = q.try(ctx, b)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil: // the time of the round is over, which says nothing about these hosts
		b.fail(errNoTurn)
	default:
		q.yield(ctx, b, halved, err)
	}
}

// yield splits a refused batch, or marks it as failed.
func (q *perfQuery) yield(ctx context.Context, b perfBatch, halved int, err error) {
	several := b.entities() > 1
	switch {
	case several && tooLarge(err):
		q.size.refused(b.cost(q.plan))
		q.readHalves(ctx, b, 0)
	case several && halved < maxHalved && refused(err):
		q.readHalves(ctx, b, halved+1)
	case tooLarge(err):
		q.useless.Store(&err)
		b.fail(err)
	default:
		if isSlow(err) {
			q.size.slow()
		}
		b.fail(err)
	}
}

func (q *perfQuery) readHalves(ctx context.Context, b perfBatch, halved int) {
	for _, half := range b.halves() {
		q.read(ctx, half, halved)
	}
}

// adapt reports whether a retry makes sense, after changing how it is made.
func (q *perfQuery) adapt(b perfBatch, err error) bool {
	if argument(err, "format") && q.plain.CompareAndSwap(false, true) {
		return true
	}
	if argument(err, "metricId") || argument(err, "counterId") {
		q.recount.Store(true)
		return false
	}
	for _, p := range b {
		for i := p.from; i < p.to; i++ {
			if it := &p.of[i]; !it.without && hidden(err, it.ref) {
				q.stale.Store(true)
				p.leaveOut(it, err)
				return true
			}
		}
	}
	return false
}

// try makes one call for the batch.
func (q *perfQuery) try(ctx context.Context, b perfBatch) error {
	text, asked := q.write(b)
	if len(asked.list) == 0 {
		return nil
	}
	ctx, cancel := q.within(ctx, q.limit)
	defer cancel()
	room := q.rooms.take()
	defer q.rooms.put(room)
	res := new(soapwire.QueryPerfBody)
	if err := q.session.RoundTrip(ctx, &soapwire.QueryPerfBody{Req: &soapwire.QueryPerf{Text: text}, Room: room}, res); err != nil {
		return err
	}
	if res.Res == nil {
		return &session.ConnectError{Host: q.session.Host(), Operation: session.Describe("QueryPerf"), Why: "it did not answer the query"}
	}
	if !q.enter(b, asked, res.Res.Returnval) {
		return fmt.Errorf("reading counters of %s: samples in a form that vperf does not understand", q.session.Host())
	}
	return nil
}

// enter takes in the answers, and reports whether all of them were understood. If one was not, none is used, because samples that
// are taken in are not queried again.
func (q *perfQuery) enter(b perfBatch, asked *perfAsked, answers []types.BasePerfEntityMetricBase) bool {
	var r perfReading
	for _, m := range answers {
		if !r.understands(m) {
			return false
		}
	}
	for _, m := range answers {
		a, _ := r.read(m)
		if to := asked.find(a.entity); to.ask != nil {
			to.ask.mu.Lock()
			to.ask.harvest.add(a, to.item)
			to.ask.mu.Unlock()
		}
	}
	for _, p := range b {
		p.mu.Lock()
		p.answered = true
		p.mu.Unlock()
	}
	return true
}
