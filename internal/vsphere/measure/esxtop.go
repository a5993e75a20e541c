package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
)

// maxEsxtopHosts is how many hosts the Esxtop service is asked of at once: each answer goes through the vCenter, and is
// megabytes on a large host.
const maxEsxtopHosts = session.IdleConnections

const (
	defaultInterval = 5 * time.Second
	longestStretch  = 30 * time.Second // the interval grows no further for the sake of hosts that take long
	openLimit       = 20 * time.Second // for the first words with all hosts together
	openPatience    = 2 * time.Second  // for the others, once one of them has answered
)

// esxtopSource is the Esxtop service of some hosts as a source. A round asks every host that is not busy, each in a goroutine of
// its own, and ends when these have answered, at the next tick at the latest. Who takes longer is in a later one.
type esxtopSource struct {
	session *session.Session
	roster  *Roster
	base    context.Context // of what goes on between rounds; Close ends it
	cancel  context.CancelFunc
	tasks   sync.WaitGroup
	news    chan struct{} // holds something when a host is done or the request has changed
	close   sync.Once
	closed  error

	mu       sync.Mutex
	seats    []*seat // by name
	request  esxtop.Request
	least    time.Duration // what no interval goes below
	because  string        // why that is; empty: hosts have it so
	replay   Replay        // nil: time passes by itself
	interval time.Duration // what is made of the request
	began    time.Time     // the last round; zero: there was none
	doubt    string        // what of an answer was not understood, the first time
	names    namer
}

// seat is a station as rounds see it.
type seat struct {
	*station
	busy  bool
	begun time.Time     // what it does, or did last
	took  time.Duration // that
	size  int           // of the last text
	fresh *esxtop.Frame // in no round yet
	last  time.Time     // of the last frame
	err   error         // of what it did last
}

// reached reports a host that did what it had to do; the source's mu is held.
func (s *seat) reached() bool { return !s.busy && s.err == nil }

// EsxtopOptions say how the Esxtop service is asked.
type EsxtopOptions struct {
	Request esxtop.Request
	Least   time.Duration // what no interval goes below; never less than two seconds
	Because string        // why that is
	// Tell hears, before the first round, how much the hosts will draw through the server; nil: nobody wants to know.
	Tell func(words string)
	// Replay moves the clock of the hosts from one round to the next; nil: the source waits.
	Replay Replay
}

// Esxtop opens the Esxtop service of some hosts. It fails when it reaches none of them. Whoever gets the source closes it.
func (r *Roster) Esxtop(ctx context.Context, hosts []RosterHost, o EsxtopOptions) (esxtop.Source, error) {
	if len(hosts) > maxEsxtopHosts {
		return nil, tooManyHosts(len(hosts))
	}
	e := newEsxtopSource(r, hosts, o)
	err := e.open(ctx)
	if err == nil && o.Tell != nil {
		err = e.measure(ctx, o.Tell)
	}
	if err != nil {
		_ = e.Close(ctx) // what keeps us from opening is told; that a host was not told to forget us is no news then
		return nil, err
	}
	return e, nil
}

func newEsxtopSource(r *Roster, hosts []RosterHost, o EsxtopOptions) *esxtopSource {
	e := &esxtopSource{
		session: r.session, roster: r, news: make(chan struct{}, 1),
		request: o.Request, least: esxtopLeast, names: namer{roster: r}, replay: o.Replay,
	}
	if o.Least > e.least {
		e.least, e.because = o.Least, o.Because
	}
	e.base, e.cancel = context.WithCancel(context.Background())
	for _, h := range hosts {
		e.seats = append(e.seats, &seat{station: &station{session: r.session, host: h}})
	}
	slices.SortFunc(e.seats, func(a, b *seat) int { return strings.Compare(a.host.Name, b.host.Name) })
	e.interval = e.wanted()
	return e
}

// open connects to all hosts at once. It waits for all, but not long for those that hang once another is there.
func (e *esxtopSource) open(ctx context.Context) error {
	e.mu.Lock()
	for _, s := range e.seats {
		e.engage(s, func(ctx context.Context) error { return s.connect(ctx) })
	}
	e.mu.Unlock()
	limit := time.Now().Add(openLimit)
	due := func() time.Time {
		for _, s := range e.seats {
			if end := s.begun.Add(s.took + openPatience); s.reached() && end.Before(limit) {
				limit = end
			}
		}
		return limit
	}
	allBack := func() bool { return !slices.ContainsFunc(e.seats, func(s *seat) bool { return s.busy }) }
	if err := e.wait(ctx, due, allBack); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	refused := fmt.Errorf("%s %s: %s", session.Doing("QueryServiceList"), e.session.Host(), session.TimeoutWords(openLimit))
	for _, s := range slices.Backward(e.seats) {
		switch {
		case s.reached():
			return nil
		case !s.busy:
			refused = s.err
		}
	}
	return refused
}

// measure takes the first look at one host and tells what all of them will draw.
func (e *esxtopSource) measure(ctx context.Context, tell func(string)) error {
	e.mu.Lock()
	one := e.seats[slices.IndexFunc(e.seats, (*seat).reached)]
	e.look(one)
	e.mu.Unlock()
	if err := e.wait(ctx, in(openLimit), func() bool { return !one.busy }); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	hosts, perSecond := len(e.seats), float64(one.size*len(e.seats))/e.interval.Seconds()
	if one.fresh == nil {
		tell(fmt.Sprintf("how much the Esxtop service of %d hosts draws through %s is not known: %s does not answer", hosts, e.session.Host(), session.Plain(one.host.Name)))
	} else {
		tell(fmt.Sprintf("the Esxtop service of %d hosts, every %s, draws about %.1f MB/s through %s", hosts, rough(e.interval), perSecond/1e6, e.session.Host()))
	}
	return nil
}

// Next implements esxtop.Source.
func (e *esxtopSource) Next(ctx context.Context) (*esxtop.Round, error) {
	if err := e.tick(ctx); err != nil {
		return nil, err
	}
	began := e.begin()
	if err := e.wait(ctx, e.until, func() bool { return e.complete(began) }); err != nil {
		return nil, err
	}
	return e.end(began), nil
}

// tick waits until it is time for the next round. The first one needs no wait.
func (e *esxtopSource) tick(ctx context.Context) error {
	if e.replay == nil {
		return e.wait(ctx, e.until, func() bool { return false })
	}
	e.mu.Lock()
	first, interval := e.began.IsZero(), e.interval
	e.mu.Unlock()
	if err := e.over(ctx); err != nil || first {
		return err
	}
	return e.replay.Forward(ctx, interval)
}

// until is when the round ends; e.mu is held. In a replay no time passes meanwhile, so that hosts may take theirs.
func (e *esxtopSource) until() time.Time {
	if e.replay != nil {
		return e.began.Add(openLimit)
	}
	return e.began.Add(e.interval)
}

// wait waits until something is due or done. Both are looked at whenever a host has answered or the request has changed, with
// e.mu held.
func (e *esxtopSource) wait(ctx context.Context, due func() time.Time, done func() bool) error {
	for {
		e.mu.Lock()
		enough, left := done(), time.Until(due())
		e.mu.Unlock()
		if err := e.over(ctx); err != nil || enough || left <= 0 {
			return err
		}
		t := time.NewTimer(left)
		select {
		case <-t.C:
		case <-e.news:
		case <-ctx.Done():
		case <-e.base.Done():
		}
		t.Stop()
	}
}

// in is a moment that is due after a while.
func in(d time.Duration) func() time.Time {
	at := time.Now().Add(d)
	return func() time.Time { return at }
}

var errSourceClosed = errors.New("the source of counters is closed")

// over is why nothing more comes.
func (e *esxtopSource) over(ctx context.Context) error {
	switch {
	case e.base.Err() != nil:
		return errSourceClosed
	case ctx.Err() != nil:
		return fmt.Errorf("waiting for counters from %s: %w", e.session.Host(), context.Cause(ctx))
	}
	return nil
}

// begin asks every host that can be asked.
func (e *esxtopSource) begin() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	e.began = now
	for _, s := range e.seats {
		if !s.busy && s.fresh == nil { // one that has just answered late takes no new look that soon, and what it said is in this round
			e.look(s)
		}
	}
	return now
}

// look fetches from a host; e.mu is held.
func (e *esxtopSource) look(s *seat) {
	objects := e.request.Objects
	e.engage(s, func(ctx context.Context) error {
		r, size, err := s.fetch(ctx, objects)
		if err != nil {
			return err
		}
		unknown := e.names.name(r.frame, s.host)
		e.mu.Lock()
		s.fresh, s.last, s.size = r.frame, time.Now(), size
		if r.least > e.least {
			e.least, e.because = r.least, ""
		}
		if r.doubt != nil && e.doubt == "" {
			e.doubt = session.Plain(s.host.Name + ": " + r.doubt.Error())
		}
		e.mu.Unlock()
		if unknown {
			e.tasks.Go(func() { e.names.lookAgain(e.base) })
		}
		return nil
	})
}

// engage lets a host do one thing in the background; e.mu is held. A host that fails is left, and found anew the next time.
func (e *esxtopSource) engage(s *seat, do func(context.Context) error) {
	if e.base.Err() != nil {
		return
	}
	s.busy, s.begun = true, time.Now()
	e.tasks.Go(func() {
		err := do(e.base)
		if err != nil && e.base.Err() == nil {
			_ = s.leave(e.base) // it may be out of reach; then there is nobody to tell
			err = esxtopError(e.session, s.host.Name, e.closer(s.host, err))
		}
		e.mu.Lock()
		s.busy, s.err, s.took = false, err, time.Since(s.begun)
		e.mu.Unlock()
		e.notify()
	})
}

// closer says why a host has no service, as far as the roster knows.
func (e *esxtopSource) closer(host RosterHost, err error) error {
	if !errors.Is(err, errNoService) {
		return err
	}
	e.tasks.Go(func() { e.names.lookAgain(e.base) }) // what it knows may be old
	if now, listed := e.roster.host(host.MoID); listed && now.Down != "" {
		return hostIsDown(now.Down)
	}
	return err
}

// complete reports that all who were asked in a round have answered; e.mu is held. Without any, the first who was asked before
// will do.
func (e *esxtopSource) complete(began time.Time) bool {
	news := false
	for _, s := range e.seats {
		if s.busy && !s.begun.Before(began) {
			return false
		}
		news = news || !s.busy
	}
	return news
}

// end makes a round of what there is.
func (e *esxtopSource) end(began time.Time) *esxtop.Round {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := new(esxtop.Round)
	for _, s := range e.seats {
		if s.fresh == nil {
			r.Troubles = append(r.Troubles, esxtop.Trouble{Host: s.host.Name, MoID: s.host.MoID, Since: s.last, Err: s.err})
			continue
		}
		if r.Frames = append(r.Frames, s.fresh); s.fresh.Time.After(r.Time) {
			r.Time = s.fresh.Time
		}
		s.fresh = nil
	}
	if r.Time.IsZero() {
		r.Time = time.Now()
	}
	if e.replay == nil { // else hosts have all the time
		e.pace(began)
	}
	return r
}

// pace makes the interval longer when hosts take more than half of it, and shorter again when they do not. One that does
// not even answer by the tick is late by itself, unless all are; e.mu is held.
func (e *esxtopSource) pace(began time.Time) {
	var longest time.Duration
	late := true
	for _, s := range e.seats {
		if !s.busy && !s.begun.Before(began) {
			late = false
			longest = max(longest, s.took)
		}
	}
	wanted := e.wanted()
	if late {
		longest = e.interval
	}
	e.interval = max(wanted, min(2*longest, longestStretch))
}

// wanted is the interval that was asked for, as far as it can be had; e.mu is held.
func (e *esxtopSource) wanted() time.Duration {
	asked := e.request.Interval
	if asked <= 0 {
		asked = defaultInterval
	}
	return max(asked, e.least)
}

// Ask implements esxtop.Source. An interval of nothing leaves it as it is.
func (e *esxtopSource) Ask(r esxtop.Request) {
	e.mu.Lock()
	if r.Interval <= 0 {
		r.Interval = e.request.Interval
	}
	e.request = r
	e.interval = e.wanted()
	e.mu.Unlock()
	e.notify()
}

// About implements esxtop.Source.
func (e *esxtopSource) About() esxtop.About {
	e.mu.Lock()
	defer e.mu.Unlock()
	a := esxtop.About{Origin: esxtop.Service, Interval: e.interval}
	for _, s := range e.seats {
		a.Hosts = append(a.Hosts, s.host.Name)
	}
	a.Note = sentences(e.tempo(), e.doubt)
	return a
}

// tempo says why the interval is not what was asked for; e.mu is held.
func (e *esxtopSource) tempo() string {
	wanted := e.wanted()
	switch asked := e.request.Interval; {
	case e.interval > wanted:
		return fmt.Sprintf("every %s instead of %s: the hosts take long to answer", rough(e.interval), rough(wanted))
	case asked > 0 && wanted > asked:
		return fmt.Sprintf("every %s instead of %s: %s", rough(wanted), asked, cmp.Or(e.because, "hosts take no new look sooner"))
	}
	return ""
}

// rough is a duration for people.
func rough(d time.Duration) time.Duration { return d.Round(time.Second / 10) }

// sentences joins what there is to say.
func sentences(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), "; ")
}

// Close implements esxtop.Source. It ends what is under way and has every host free what it keeps for us.
func (e *esxtopSource) Close(ctx context.Context) error {
	e.close.Do(func() { e.closed = e.leave(ctx) })
	return e.closed
}

func (e *esxtopSource) leave(ctx context.Context) error {
	e.mu.Lock()
	e.cancel() // with the lock held: nobody begins anything afterwards
	e.mu.Unlock()
	e.tasks.Wait()
	errs := make([]error, len(e.seats))
	var farewell sync.WaitGroup
	for i, s := range e.seats {
		farewell.Go(func() {
			if err := s.leave(ctx); err != nil {
				errs[i] = esxtopError(e.session, s.host.Name, err)
			}
		})
	}
	farewell.Wait()
	return errors.Join(errs...)
}

// notify wakes whoever waits.
func (e *esxtopSource) notify() {
	select {
	case e.news <- struct{}{}:
	default:
	}
}

func tooManyHosts(n int) error {
	return fmt.Errorf("asking the Esxtop service of %d hosts: it is asked of %d at most; name fewer hosts, or type --source performance", n, maxEsxtopHosts)
}
