package vsphere

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
)

// perfAsk is what one host is asked: itself and its VMs.
type perfAsk struct {
	host    *perfHost
	after   time.Time   // samples after that time; zero: the newest one
	until   time.Time   // and up to this; zero: all
	samples int         // about how many that is
	of      []*RosterVM // nil is the host itself

	mu      sync.Mutex
	harvest *perfHarvest
	without map[ref]bool // what the server does not have any more, or does not show
	err     error
}

func (a *perfAsk) ref(i int) ref {
	if a.of[i] == nil {
		return ref{Type: typeHost, Value: a.host.moid}
	}
	return ref{Type: typeVM, Value: a.of[i].MoID}
}

func (a *perfAsk) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
	}
}

func (a *perfAsk) leaveOut(o ref) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.without == nil {
		a.without = map[ref]bool{}
	}
	a.without[o] = true
}

func (a *perfAsk) leftOut(o ref) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.without[o]
}

// perfPart is some of what a host is asked: places in perfAsk.of.
type perfPart struct {
	*perfAsk
	from, to int
}

// perfBatch is what one call asks. It has whole hosts, or a part of a single one that is too large for a call.
type perfBatch []perfPart

// Sizes of a call, in series; a series of many samples counts for more.
const (
	mostSeries  = 20_000
	leastSeries = 500
)

// perfSize is how much a call may ask for. It goes down when the server refuses or takes too long, and up again while all goes
// well, but never to what was refused.
type perfSize struct {
	mu        sync.Mutex
	now, most int
}

func (s *perfSize) get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// refused remembers that a call of that size was one too many.
func (s *perfSize) refused(cost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most = max(1, min(s.most, cost/2))
	s.now = min(s.now, s.most)
}

func (s *perfSize) slow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = min(s.most, max(s.now/2, leastSeries))
}

func (s *perfSize) well() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = min(s.most, s.now+s.now/4+1)
}

// cost is about how many series a part is, each counted more when it has many samples.
func (p perfPart) cost(plan *perfPlan) (n int) {
	for _, vm := range p.of[p.from:p.to] {
		if vm == nil {
			n += plan.host.series
		} else {
			n += plan.vm.series
		}
	}
	return n + n*(p.samples-1)/8
}

func (b perfBatch) cost(plan *perfPlan) (n int) {
	for _, p := range b {
		n += p.cost(plan)
	}
	return n
}

func (b perfBatch) entities() (n int) {
	for _, p := range b {
		n += p.to - p.from
	}
	return n
}

// halves splits between hosts; a host alone is split among its VMs.
func (b perfBatch) halves() []perfBatch {
	if n := len(b) / 2; n > 0 {
		return []perfBatch{b[:n], b[n:]}
	}
	p := b[0]
	middle := (p.from + p.to) / 2
	return []perfBatch{{{p.perfAsk, p.from, middle}}, {{p.perfAsk, middle, p.to}}}
}

// batches puts hosts together up to a size. A host that is larger gets calls of its own.
func batches(asks []*perfAsk, plan *perfPlan, size int) []perfBatch {
	var list []perfBatch
	var open perfBatch
	room := size
	for _, a := range asks {
		whole := perfPart{a, 0, len(a.of)}
		cost := whole.cost(plan)
		switch {
		case cost > size:
			list = append(list, cut(whole, plan, size)...)
			continue
		case cost > room:
			list = append(list, open)
			open, room = nil, size
		}
		open, room = append(open, whole), room-cost
	}
	if len(open) > 0 {
		list = append(list, open)
	}
	return list
}

// cut splits until each piece fits, or is one VM.
func cut(p perfPart, plan *perfPlan, size int) (list []perfBatch) {
	if p.to-p.from <= 1 || p.cost(plan) <= size {
		return []perfBatch{{p}}
	}
	for _, half := range (perfBatch{p}).halves() {
		list = append(list, cut(half[0], plan, size)...)
	}
	return list
}

// perfQuery reads samples for one round. It may be used by several goroutines.
type perfQuery struct {
	session *Session
	plan    *perfPlan
	size    *perfSize
	plain   *atomic.Bool // the server refuses CSV
	stale   *atomic.Bool // the roster is not the server's any more
	recount *atomic.Bool // the counters have other ids
	limit   time.Duration
	useless atomic.Pointer[error] // what the server said to the smallest question: larger ones need not be asked
}

// Bounds of how often a batch is asked for in other ways, before it is given up until the next time.
const (
	maxLeftOut = 4 // objects that are gone
	maxHalved  = 3 // where the server does not say that the size is the matter
)

// run asks for all batches, a few at a time.
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

// read asks for a batch. Where the server refuses that as a whole, its parts are asked for.
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
		q.readHalves(ctx, b, 0) // another batch was refused since this one was made
		return
	}
	err := q.try(ctx, b)
	for n := 0; err != nil && n < maxLeftOut && q.adapt(b, err); n++ {
		err = q.try(ctx, b)
	}
	switch {
	case err == nil:
	case b.entities() > 1 && tooLarge(err):
		q.size.refused(b.cost(q.plan))
		q.readHalves(ctx, b, 0)
	case b.entities() > 1 && halved < maxHalved && saysNo(err):
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

func (b perfBatch) fail(err error) {
	for _, p := range b {
		p.fail(err)
	}
}

func (q *perfQuery) readHalves(ctx context.Context, b perfBatch, halved int) {
	for _, half := range b.halves() {
		q.read(ctx, half, halved)
	}
}

// adapt reports whether asking once more makes sense, after it has changed how.
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
			if o := p.ref(i); hidden(err, o) && !p.leftOut(o) {
				q.stale.Store(true)
				p.leaveOut(o)
				if o.Type == typeHost {
					p.fail(err)
				}
				return true
			}
		}
	}
	return false
}

// hidden reports whether err is about an object that is gone or that the user may not see.
func hidden(err error, o ref) bool {
	if gone, ok := faultOf(err).(*types.ManagedObjectNotFound); ok {
		return gone.Obj == o
	}
	denied, ok := errors.AsType[*PermissionError](err)
	return ok && denied.Object == o.String()
}

// argument reports a server that does not take this part of a query.
func argument(err error, name string) bool {
	f, ok := faultOf(err).(*types.InvalidArgument)
	return ok && strings.HasSuffix(f.InvalidProperty, name)
}

// tooLarge reports a server that says that the query or its answer has too much in it.
func tooLarge(err error) bool {
	if status, ok := errors.AsType[*statusError](err); ok {
		return status.code == http.StatusRequestEntityTooLarge
	}
	return argument(err, "querySpec.size") || argument(err, "querySpec") || isFault[*types.LimitExceeded](faultOf(err))
}

// saysNo reports an answer that says no: to all of it, or to something in it.
func saysNo(err error) bool {
	_, ok := errors.AsType[*serverError](err)
	return ok
}

// slowError is a call that took too long.
type slowError struct{ after time.Duration }

func (e *slowError) Error() string { return timeoutWords(e.after) }
func (e *slowError) Unwrap() error { return context.DeadlineExceeded }

var errNoTurn = errors.New("other calls took so long that it was not asked")

func isSlow(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

// try is one call for the batch.
func (q *perfQuery) try(ctx context.Context, b perfBatch) error {
	text, of := q.write(b)
	if len(of) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, q.limit, &slowError{q.limit})
	defer cancel()
	res := new(soapwire.QueryPerfBody)
	if err := q.session.call.RoundTrip(ctx, &soapwire.QueryPerfBody{Req: &soapwire.QueryPerf{Inner: text}}, res); err != nil {
		return err
	}
	if res.Res == nil {
		return &ConnectError{Host: q.session.call.host, Doing: doing("QueryPerf"), Why: "it did not answer the question"}
	}
	for _, m := range res.Res.Returnval {
		a, ok := readPerf(m)
		if !ok {
			return fmt.Errorf("reading counters of %s: samples in a form that vperf does not understand", q.session.call.host)
		}
		if to, asked := of[a.entity]; asked {
			to.ask.mu.Lock()
			to.ask.harvest.add(a, to.vm, to.ask.after)
			to.ask.mu.Unlock()
		}
	}
	return nil
}

// perfOwner is whose samples these are.
type perfOwner struct {
	ask *perfAsk
	vm  *RosterVM
}

// write is the request for a batch, and who is in it.
func (q *perfQuery) write(b perfBatch) (string, map[ref]perfOwner) {
	var x strings.Builder
	manager := q.session.client.ServiceContent.PerfManager
	x.WriteString(`<_this type="PerformanceManager">` + escapeXML(manager.Value) + `</_this>`)
	of := map[ref]perfOwner{}
	for _, p := range b {
		for i := p.from; i < p.to; i++ {
			side, o := &q.plan.vm, p.ref(i)
			if p.of[i] == nil {
				side = &q.plan.host
			}
			if p.leftOut(o) {
				continue
			}
			of[o] = perfOwner{p.perfAsk, p.of[i]}
			x.WriteString(`<querySpec><entity type="` + o.Type + `">` + escapeXML(o.Value) + `</entity>`)
			p.writeTimes(&x)
			x.WriteString(side.metrics)
			x.WriteString(`<intervalId>` + realTime + `</intervalId>`)
			if !q.plain.Load() {
				x.WriteString(`<format>csv</format>`)
			}
			x.WriteString(`</querySpec>`)
		}
	}
	return x.String(), of
}

var realTime = strconv.Itoa(int(perfInterval / time.Second))

func (a *perfAsk) writeTimes(x *strings.Builder) {
	if a.after.IsZero() {
		x.WriteString(`<maxSample>1</maxSample>`)
		return
	}
	x.WriteString(`<startTime>` + a.after.UTC().Format(time.RFC3339Nano) + `</startTime>`)
	if !a.until.IsZero() {
		x.WriteString(`<endTime>` + a.until.UTC().Format(time.RFC3339Nano) + `</endTime>`)
	}
}

// entities of a host that a plan has questions for.
func (p *perfPlan) entities(h *perfHost) (list []*RosterVM) {
	if p.host.metrics != "" {
		list = append(list, nil)
	}
	if p.vm.metrics != "" {
		list = slices.Grow(list, len(h.vms))
		for i := range h.vms {
			list = append(list, &h.vms[i])
		}
	}
	return list
}
