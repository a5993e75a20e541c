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

// maxEsxtopHosts is the maximum number of hosts that the Esxtop service is asked for at once: each answer passes through the
// vCenter, and has megabytes for a large host.
const maxEsxtopHosts = session.IdleConnections

const (
	defaultInterval = 5 * time.Second
	longestStretch  = 30 * time.Second // slow hosts do not stretch the interval beyond this
	openLimit       = 20 * time.Second // for opening the service on all hosts
	openPatience    = 2 * time.Second  // for the other hosts, once one has answered
)

// esxtopSource reads the Esxtop service of several hosts. A round asks every host that is not busy, each in its own goroutine,
// and ends when these have answered, at the next tick at the latest. Slower answers are part of a later round.
type esxtopSource struct {
	session *session.Session
	roster  *Roster
	base    context.Context // of the work between rounds; Close ends it
	cancel  context.CancelFunc
	tasks   sync.WaitGroup
	changed chan struct{} // signals that a host is done or the request has changed
	close   sync.Once
	closed  error

	mu          sync.Mutex
	readers     []*hostReader // sorted by name
	request     esxtop.Request
	minInterval time.Duration // what no interval goes below
	minReason   string        // why that is; empty: hosts have it so
	replay      Replay        // nil: time passes by itself
	interval    time.Duration // what is made of the request
	began       time.Time     // the last round; zero: there was none
	doubt       string        // what of an answer was not understood, the first time
	names       namer
}

// hostReader is the state of a station in the rounds.
type hostReader struct {
	*station
	busy  bool
	begun time.Time     // the current or last operation
	took  time.Duration // the duration of that
	size  int           // of the last answer
	fresh *esxtop.Frame // not yet part of a round
	last  time.Time     // time of the last frame
	err   error         // of the last operation
}

// reached reports whether the host's last operation succeeded. The caller holds the source's mu.
func (s *hostReader) reached() bool { return !s.busy && s.err == nil }

// EsxtopOptions sets how the Esxtop service is read.
type EsxtopOptions struct {
	Request     esxtop.Request
	MinInterval time.Duration // the minimum interval; never less than two seconds
	MinReason   string        // why this minimum applies
	// OnTraffic is called before the first round with a message about the hosts' traffic through the server; may be nil.
	OnTraffic func(words string)
	// Replay moves the clock of the hosts from one round to the next; nil: the source waits.
	Replay Replay
}

// Esxtop opens the Esxtop service of several hosts. It fails if it reaches none of them. The caller closes the source.
func (r *Roster) Esxtop(ctx context.Context, hosts []RosterHost, o EsxtopOptions) (esxtop.Source, error) {
	if len(hosts) > maxEsxtopHosts {
		return nil, tooManyHosts(len(hosts))
	}
	e := newEsxtopSource(r, hosts, o)
	err := e.open(ctx)
	if err == nil && o.OnTraffic != nil {
		err = e.measure(ctx, o.OnTraffic)
	}
	if err != nil {
		_ = e.Close(ctx) // the error of opening is returned; a failure to unregister from a host adds nothing
		return nil, err
	}
	return e, nil
}

func newEsxtopSource(r *Roster, hosts []RosterHost, o EsxtopOptions) *esxtopSource {
	e := &esxtopSource{
		session: r.session, roster: r, changed: make(chan struct{}, 1),
		request: o.Request, minInterval: esxtopLeast, names: namer{roster: r}, replay: o.Replay,
	}
	if o.MinInterval > e.minInterval {
		e.minInterval, e.minReason = o.MinInterval, o.MinReason
	}
	e.base, e.cancel = context.WithCancel(context.Background())
	for _, h := range hosts {
		e.readers = append(e.readers, &hostReader{station: &station{session: r.session, host: h}})
	}
	slices.SortFunc(e.readers, func(a, b *hostReader) int { return strings.Compare(a.host.Name, b.host.Name) })
	e.interval = e.wanted()
	return e
}

// open connects to all hosts concurrently. It waits for all, but only briefly for those that hang once one has answered.
func (e *esxtopSource) open(ctx context.Context) error {
	e.mu.Lock()
	for _, s := range e.readers {
		e.runTask(s, func(ctx context.Context) error { return s.connect(ctx) })
	}
	e.mu.Unlock()
	limit := time.Now().Add(openLimit)
	due := func() time.Time {
		for _, s := range e.readers {
			if end := s.begun.Add(s.took + openPatience); s.reached() && end.Before(limit) {
				limit = end
			}
		}
		return limit
	}
	allBack := func() bool { return !slices.ContainsFunc(e.readers, func(s *hostReader) bool { return s.busy }) }
	if err := e.wait(ctx, due, allBack); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	refused := fmt.Errorf("%s %s: %s", session.Describe("QueryServiceList"), e.session.Host(), session.TimeoutWords(openLimit))
	for _, s := range slices.Backward(e.readers) {
		switch {
		case s.reached():
			return nil
		case !s.busy:
			refused = s.err
		}
	}
	return refused
}

// measure reads one host for the first time and reports the traffic of all of them.
func (e *esxtopSource) measure(ctx context.Context, notify func(string)) error {
	e.mu.Lock()
	one := e.readers[slices.IndexFunc(e.readers, (*hostReader).reached)]
	e.startRead(one)
	e.mu.Unlock()
	if err := e.wait(ctx, in(openLimit), func() bool { return !one.busy }); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	hosts, perSecond := len(e.readers), float64(one.size*len(e.readers))/e.interval.Seconds()
	if one.fresh == nil {
		notify(fmt.Sprintf("the traffic of the Esxtop service of %d hosts through %s is not known: %s does not respond", hosts, e.session.Host(), session.Plain(one.host.Name)))
	} else {
		notify(fmt.Sprintf("reading the Esxtop service of %d hosts every %s causes about %.1f MB/s of traffic through %s", hosts, rough(e.interval), perSecond/1e6, e.session.Host()))
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
		case <-e.changed:
		case <-ctx.Done():
		case <-e.base.Done():
		}
		t.Stop()
	}
}

// in returns a function that returns the time d from now.
func in(d time.Duration) func() time.Time {
	at := time.Now().Add(d)
	return func() time.Time { return at }
}

var errSourceClosed = errors.New("the source of counters is closed")

// over returns the error if the source or ctx has ended.
func (e *esxtopSource) over(ctx context.Context) error {
	switch {
	case e.base.Err() != nil:
		return errSourceClosed
	case ctx.Err() != nil:
		return fmt.Errorf("waiting for counters from %s: %w", e.session.Host(), context.Cause(ctx))
	}
	return nil
}

// begin starts a read on every host that is idle.
func (e *esxtopSource) begin() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	e.began = now
	for _, s := range e.readers {
		if !s.busy && s.fresh == nil { // a host that has just answered late is not read again so soon; its answer is part of this round
			e.startRead(s)
		}
	}
	return now
}

// startRead starts a read of a host. The caller holds e.mu.
func (e *esxtopSource) startRead(s *hostReader) {
	objects := e.request.Objects
	e.runTask(s, func(ctx context.Context) error {
		r, size, err := s.fetch(ctx, objects)
		if err != nil {
			return err
		}
		unknown := e.names.name(r.frame, s.host)
		e.mu.Lock()
		s.fresh, s.last, s.size = r.frame, time.Now(), size
		if r.least > e.minInterval {
			e.minInterval, e.minReason = r.least, ""
		}
		if r.doubt != nil && e.doubt == "" {
			e.doubt = session.Plain(s.host.Name + ": " + r.doubt.Error())
		}
		e.mu.Unlock()
		if unknown {
			e.tasks.Go(func() { e.names.refresh(e.base) })
		}
		return nil
	})
}

// runTask runs an operation of a host in the background. The caller holds e.mu. After a failure the host is left, and opened again
// the next time.
func (e *esxtopSource) runTask(s *hostReader, do func(context.Context) error) {
	if e.base.Err() != nil {
		return
	}
	s.busy, s.begun = true, time.Now()
	e.tasks.Go(func() {
		err := do(e.base)
		if err != nil && e.base.Err() == nil {
			_ = s.leave(e.base) // the host may be unreachable; then the error does not matter
			err = esxtopError(e.session, s.host.Name, e.closer(s.host, err))
		}
		e.mu.Lock()
		s.busy, s.err, s.took = false, err, time.Since(s.begun)
		e.mu.Unlock()
		e.notify()
	})
}

// closer explains why a host has no service, as far as the roster knows.
func (e *esxtopSource) closer(host RosterHost, err error) error {
	if !errors.Is(err, errNoService) {
		return err
	}
	e.tasks.Go(func() { e.names.refresh(e.base) }) // the roster may be out of date
	if now, listed := e.roster.host(host.MoID); listed && now.Down != "" {
		return hostIsDown(now.Down)
	}
	return err
}

// complete reports whether all hosts asked in a round have answered. The caller holds e.mu. If none was asked, any host asked
// before suffices.
func (e *esxtopSource) complete(began time.Time) bool {
	news := false
	for _, s := range e.readers {
		if s.busy && !s.begun.Before(began) {
			return false
		}
		news = news || !s.busy
	}
	return news
}

// end makes a round from the frames that have arrived.
func (e *esxtopSource) end(began time.Time) *esxtop.Round {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := new(esxtop.Round)
	for _, s := range e.readers {
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

// pace lengthens the interval if hosts take more than half of it, and shortens it again if they do not. A single host that does
// not even answer by the tick is just late, unless all are. The caller holds e.mu.
func (e *esxtopSource) pace(began time.Time) {
	var longest time.Duration
	late := true
	for _, s := range e.readers {
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

// wanted returns the requested interval within the limits. The caller holds e.mu.
func (e *esxtopSource) wanted() time.Duration {
	asked := e.request.Interval
	if asked <= 0 {
		asked = defaultInterval
	}
	return max(asked, e.minInterval)
}

// Configure implements esxtop.Source. An interval of 0 keeps the current one.
func (e *esxtopSource) Configure(r esxtop.Request) {
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
	for _, s := range e.readers {
		a.Hosts = append(a.Hosts, s.host.Name)
	}
	a.Note = sentences(e.tempo(), e.doubt)
	return a
}

// tempo explains why the interval differs from the requested one. The caller holds e.mu.
func (e *esxtopSource) tempo() string {
	wanted := e.wanted()
	switch asked := e.request.Interval; {
	case e.interval > wanted:
		return fmt.Sprintf("every %s instead of %s: the hosts respond slowly", rough(e.interval), rough(wanted))
	case asked > 0 && wanted > asked:
		return fmt.Sprintf("every %s instead of %s: %s", rough(wanted), asked, cmp.Or(e.minReason, "the hosts refresh their counters no faster"))
	}
	return ""
}

// rough rounds a duration for display.
func rough(d time.Duration) time.Duration { return d.Round(time.Second / 10) }

// sentences joins the non-empty texts.
func sentences(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), "; ")
}

// Close implements esxtop.Source. It ends running operations and lets every host free the data it keeps for vperf.
func (e *esxtopSource) Close(ctx context.Context) error {
	e.close.Do(func() { e.closed = e.leave(ctx) })
	return e.closed
}

func (e *esxtopSource) leave(ctx context.Context) error {
	e.mu.Lock()
	e.cancel() // with the lock held, so that no operation starts afterwards
	e.mu.Unlock()
	e.tasks.Wait()
	errs := make([]error, len(e.readers))
	var farewell sync.WaitGroup
	for i, s := range e.readers {
		farewell.Go(func() {
			if err := s.leave(ctx); err != nil {
				errs[i] = esxtopError(e.session, s.host.Name, err)
			}
		})
	}
	farewell.Wait()
	return errors.Join(errs...)
}

// notify wakes the goroutines in wait.
func (e *esxtopSource) notify() {
	select {
	case e.changed <- struct{}{}:
	default:
	}
}

func tooManyHosts(n int) error {
	return fmt.Errorf("reading the Esxtop service of %d hosts: the maximum is %d; name fewer hosts, or use --source performance", n, maxEsxtopHosts)
}
