package measure

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
)

// perfAsk is the query for one host: itself and its VMs.
type perfAsk struct {
	host    *perfHost
	of      []perfItem
	trusted int   // how many of them may share a call with other hosts; the last query of the others failed
	more    bool  // only a part of the missing samples is queried
	held    error // why some VMs are not queried or were omitted

	mu       sync.Mutex
	harvest  *perfHarvest
	answered bool // some of them got an answer
	err      error
}

// fail records why entities got no answer.
func (p perfPart) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
	for i := p.from; i < p.to; i++ {
		p.of[i].err = err
	}
}

// leaveOut omits an entity that the server no longer has or does not show. A VM that is gone is not an error of its host.
func (a *perfAsk) leaveOut(it *perfItem, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	it.without, it.err = true, err
	switch {
	case it.isHost() && a.err == nil:
		a.err = err
	case !it.isHost() && !session.IsFault[*types.ManagedObjectNotFound](session.FaultOf(err)):
		a.held = err
	}
}

// perfPart is a part of a host's query: items of perfAsk.of.
type perfPart struct {
	*perfAsk
	from, to int
}

// perfBatch is the query of one call. It has whole hosts, or a part of a single host that is too large for a call.
type perfBatch []perfPart

// Sizes of a call, in series; a series of many samples counts for more. Hosts are combined up to mostEntities: this keeps the
// number of calls low, and a failing call affects a limited number of hosts.
const (
	mostSeries   = 20_000
	leastSeries  = 500
	mostEntities = 256
)

// perfSize is the allowed size of a call. It shrinks when the server refuses or takes too long, and grows again while calls
// succeed, but never to a size that was refused.
type perfSize struct {
	mu        sync.Mutex
	now, most int
}

func (s *perfSize) get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// refused records that a call of that size was too large.
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

// cost returns the approximate number of series of a part, weighted by their number of samples.
func (p perfPart) cost(plan *perfPlan) (n int) {
	for i := p.from; i < p.to; i++ {
		it := &p.of[i]
		series := plan.sideOf(it.perfEntity).series
		n += series + series*(it.samples-1)/8
	}
	return n
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

// halves splits between hosts; a single host is split between its VMs.
func (b perfBatch) halves() []perfBatch {
	if n := len(b) / 2; n > 0 {
		return []perfBatch{b[:n], b[n:]}
	}
	p := b[0]
	middle := (p.from + p.to) / 2
	return []perfBatch{{{p.perfAsk, p.from, middle}}, {{p.perfAsk, middle, p.to}}}
}

// batches combines hosts up to a size. A larger host gets calls of its own.
func batches(asks []*perfAsk, plan *perfPlan, size int) []perfBatch {
	var list []perfBatch
	var open perfBatch
	room := size
	for _, a := range asks {
		whole := perfPart{a, 0, a.trusted}
		cost := whole.cost(plan)
		switch {
		case cost > size:
			list = append(list, cut(whole, plan, size)...)
			continue
		case cost == 0:
			continue
		case cost > room || open.entities() >= mostEntities:
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

// cut splits a part until each piece fits or is a single VM.
func cut(p perfPart, plan *perfPlan, size int) (list []perfBatch) {
	switch {
	case p.from == p.to:
		return nil
	case p.to-p.from == 1 || p.cost(plan) <= size:
		return []perfBatch{{p}}
	}
	for _, half := range (perfBatch{p}).halves() {
		list = append(list, cut(half[0], plan, size)...)
	}
	return list
}

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

// perfRooms holds the memory of answers until the next ones come. The garbage collector would free a sync.Pool in each interval.
type perfRooms struct {
	mu   sync.Mutex
	free []*soapwire.Room
}

func (r *perfRooms) take() *soapwire.Room {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.free)
	if n == 0 {
		return new(soapwire.Room)
	}
	room := r.free[n-1]
	r.free = r.free[:n-1]
	return room
}

func (r *perfRooms) put(room *soapwire.Room) {
	room.Reset()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, room)
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

// hidden reports whether err means that an object is gone or that the user may not see it.
func hidden(err error, o ref) bool {
	if gone, ok := session.FaultOf(err).(*types.ManagedObjectNotFound); ok {
		return gone.Obj == o
	}
	denied, ok := errors.AsType[*session.PermissionError](err)
	return ok && denied.Object == o.String()
}

// argument reports whether the server does not accept this part of a query.
func argument(err error, name string) bool {
	f, ok := session.FaultOf(err).(*types.InvalidArgument)
	return ok && strings.HasSuffix(f.InvalidProperty, name)
}

// tooLarge reports whether the query or its answer is too large for the server or for vperf.
func tooLarge(err error) bool {
	if _, ok := errors.AsType[*session.AnswerSizeError](err); ok {
		return true
	}
	if status, ok := errors.AsType[*session.StatusError](err); ok {
		return status.Code == http.StatusRequestEntityTooLarge
	}
	return argument(err, "querySpec.size") || argument(err, "querySpec") || session.IsFault[*types.LimitExceeded](session.FaultOf(err))
}

// refused reports an answer that refuses the query or an object in it.
func refused(err error) bool {
	_, ok := errors.AsType[*session.ServerError](err)
	return ok
}

// slowError is a call that took too long.
type slowError struct{ after time.Duration }

func (e *slowError) Error() string { return session.TimeoutWords(e.after) }
func (e *slowError) Unwrap() error { return context.DeadlineExceeded }

// patiently returns a context with the given time limit.
func patiently(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, &slowError{limit})
}

func isSlow(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

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

// perfAsked lists the entities in a call. Servers answer in the order of the query, or nearly so.
type perfAsked struct {
	list []perfOwner
	next int
	at   map[ref]int // created when needed
}

// perfOwner is the owner of samples.
type perfOwner struct {
	ask  *perfAsk
	item *perfItem
}

// find returns the entity of an answer, or a zero value.
func (x *perfAsked) find(r ref) perfOwner {
	if x.next < len(x.list) && x.list[x.next].item.ref == r {
		x.next++
		return x.list[x.next-1]
	}
	if x.at == nil {
		x.at = make(map[ref]int, len(x.list))
		for i, o := range x.list {
			x.at[o.item.ref] = i
		}
	}
	i, there := x.at[r]
	if !there {
		return perfOwner{}
	}
	x.next = i + 1
	return x.list[i]
}

// write returns the request for a batch and the entities in it. All VMs share its parts, except for names and times.
func (q *perfQuery) write(b perfBatch) ([]string, *perfAsked) {
	n := b.entities()
	asked := &perfAsked{list: make([]perfOwner, 0, n)}
	manager := q.session.Client().ServiceContent.PerfManager
	text := append(make([]string, 0, 1+4*n), `<_this type="PerformanceManager">`+xmlText(manager.Value)+`</_this>`)
	var last *perfItem
	times, end := "", q.specEnd()
	for _, p := range b {
		for i := p.from; i < p.to; i++ {
			it := &p.of[i]
			if it.without {
				continue
			}
			if last == nil || !last.after.Equal(it.after) || !last.until.Equal(it.until) {
				times = it.times()
			}
			last = it
			asked.list = append(asked.list, perfOwner{p.perfAsk, it})
			text = append(text, `<querySpec><entity type="`+it.ref.Type+`">`+xmlText(it.ref.Value)+`</entity>`, times, q.plan.sideOf(it.perfEntity).metrics, end)
		}
	}
	return text, asked
}

// specEnd returns the last elements of a query.
func (q *perfQuery) specEnd() string {
	plain := q.plain.Load()
	switch {
	case q.interval > 0:
		end := `<intervalId>` + strconv.Itoa(q.interval) + `</intervalId>`
		if !plain {
			end += `<format>csv</format>`
		}
		return end + `</querySpec>`
	case plain:
		return perfSpecEnd
	}
	return perfSpecEndCSV
}

var realTime = strconv.Itoa(int(perfInterval / time.Second))

var (
	perfSpecEnd    = `<intervalId>` + realTime + `</intervalId></querySpec>`
	perfSpecEndCSV = `<intervalId>` + realTime + `</intervalId><format>csv</format></querySpec>`
)

// times returns the elements for the time range of a query.
func (it *perfItem) times() string {
	if it.after.IsZero() {
		return `<maxSample>1</maxSample>`
	}
	s := `<startTime>` + it.after.UTC().Format(time.RFC3339Nano) + `</startTime>`
	if !it.until.IsZero() {
		s += `<endTime>` + it.until.UTC().Format(time.RFC3339Nano) + `</endTime>`
	}
	return s
}

// xmlText escapes text for an XML document.
func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // writing to a builder cannot fail
	return b.String()
}
