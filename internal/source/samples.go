package source

import (
	"context"
	"time"

	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
)

// Interval is the time between two samples of a host, and Kept how long hosts keep them.
const (
	Interval = 20 * time.Second
	Kept     = measure.KeptSamples
)

// Roster lists the hosts and VMs of one server, and opens their counters for callers that keep sums.
type Roster struct {
	*measure.Roster

	session *session.Session
}

type (
	// Host is a host of a roster.
	Host = measure.RosterHost
	// VM is a virtual machine of a roster.
	VM = measure.RosterVM
	// Clock is the clock that sources wait by.
	Clock = measure.Clock
)

// PoweredOn reports whether a power state of a host or a VM is on; unknown states are not known.
func PoweredOn(state string) (on, known bool) {
	switch state {
	case "poweredOn":
		return true, true
	case "poweredOff", "standBy", "suspended":
		return false, true
	}
	return false, false
}

// ReadRoster reads the hosts and VMs of a server once.
func ReadRoster(ctx context.Context, s *session.Session) (*Roster, error) {
	r, err := measure.ReadRoster(ctx, s)
	return &Roster{r, s}, err
}

// WatchRoster reads the hosts and VMs of a server and has the server report changes, so that Refresh is one small call. The caller
// closes the roster.
func WatchRoster(ctx context.Context, s *session.Session) (*Roster, error) {
	r, err := measure.WatchRoster(ctx, s)
	return &Roster{r, s}, err
}

// Sampling selects what to sample.
type Sampling struct {
	Objects esxtop.Objects
	Figures *esxtop.MetricSet // nil: all
	Hosts   func() []Host     // to ask; called before each round
	// History is the duration of past samples to read first if there is no progress yet, an hour at most.
	History  time.Duration
	Progress *Progress
	Now      time.Time // by the server's clock
	// RosterAge is the age at which the hosts and VMs are listed again; 0: a minute. RosterChanged lists them earlier.
	RosterAge time.Duration
	CallLimit time.Duration // 0: most of an interval
	Clock     Clock
}

// Sample opens the PerformanceManager and reads every sample, beginning where the progress ends.
func (r *Roster) Sample(ctx context.Context, o Sampling) (*Samples, error) {
	hosts := o.Hosts()
	s := &Samples{session: r.session, progress: o.Progress, pace: pace{clock: o.Clock}}
	var err error
	s.Source, err = r.everySample(ctx, hosts, measure.PerformanceOptions{
		Request: esxtop.Request{Objects: o.Objects, Figures: o.Figures}, Hosts: o.Hosts,
		History: o.Progress.missing(hosts, o.Now, o.History), RosterAge: o.RosterAge, CallLimit: o.CallLimit, Clock: Clock{Now: o.Clock.Now, After: s.pace.after},
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Past opens what hosts have kept of the given time, an hour at most. The samples that hosts take from now on follow.
func (r *Roster) Past(ctx context.Context, hosts []Host, what esxtop.Request, long time.Duration, clock Clock) (esxtop.Source, error) {
	return r.everySample(ctx, hosts, measure.PerformanceOptions{Request: what, History: long, Clock: clock})
}

func (r *Roster) everySample(ctx context.Context, hosts []Host, o measure.PerformanceOptions) (esxtop.Source, error) {
	o.Request.Interval, o.EverySample = Interval, true
	return measure.Performance(ctx, r.Roster, hosts, o)
}

// EsxtopService opens the Esxtop service of hosts, to be asked as often as hosts take samples. CloseSource closes it.
func (r *Roster) EsxtopService(ctx context.Context, hosts []Host, objects esxtop.Objects) (esxtop.Source, error) {
	return r.Esxtop(ctx, hosts, measure.EsxtopOptions{Request: esxtop.Request{Interval: Interval, Objects: objects}})
}

// Samples is a source that reports every sample of hosts and VMs, its progress, and the cost of each round.
type Samples struct {
	esxtop.Source

	session  *session.Session
	progress *Progress
	pace     pace
	queries  int
	took     time.Duration
}

// Next implements esxtop.Source.
func (s *Samples) Next(ctx context.Context) (*esxtop.Round, error) {
	s.pace.begin()
	before := s.asked()
	r, err := s.Source.Next(ctx)
	if err != nil {
		return nil, err
	}
	s.queries, s.took = s.asked()-before, s.pace.took()
	s.progress.add(r)
	return r, nil
}

// RosterChanged makes the next round list the hosts and VMs again.
func (s *Samples) RosterChanged() {
	if source, ok := s.Source.(interface{ RosterChanged() }); ok {
		source.RosterChanged()
	}
}

// Cost returns how long reading the last round took, without the wait for it, and its number of queries. A round without queries was
// read together with the one before.
func (s *Samples) Cost() (took time.Duration, queries int) { return s.took, s.queries }

func (s *Samples) asked() int { return s.session.Calls()["QueryPerf"] }

// Progress is the newest sample of each host that was read. It is kept from one session to the next. It must not be used by several
// goroutines at once.
type Progress struct{ newest map[string]time.Time } // by the host's id

func (p *Progress) add(r *esxtop.Round) {
	if p.newest == nil {
		p.newest = map[string]time.Time{}
	}
	for _, f := range r.Frames {
		if f.Time.After(p.newest[f.MoID]) || f.Age == 0 { // of a host whose clock was set back
			p.newest[f.MoID] = f.Time
		}
	}
}

// missing returns how much history to read: everything since the newest sample of the host that is furthest behind, or first if
// no sample was read yet. Samples of the other hosts are read again.
func (p *Progress) missing(hosts []Host, now time.Time, first time.Duration) time.Duration {
	oldest := time.Time{}
	for i := range hosts {
		at, known := p.newest[hosts[i].MoID]
		if known && hosts[i].Up() && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
	}
	if oldest.IsZero() {
		return min(first, Kept)
	}
	return min(now.Sub(oldest)+Interval, Kept)
}

// pace measures how long a round takes, without the wait for it.
type pace struct {
	clock   Clock
	waited  bool
	started time.Time
}

func (p *pace) begin() { p.waited, p.started = false, p.clock.Now() }

// after is the clock's. Reading begins when the first wait of a round is over.
func (p *pace) after(d time.Duration) <-chan time.Time {
	if !p.waited {
		p.waited, p.started = true, p.clock.Now().Add(d)
	}
	return p.clock.After(d)
}

func (p *pace) took() time.Duration { return max(0, p.clock.Now().Sub(p.started)) }

// Resume continues where another process ended: after the newest sample of each host, by its id.
func (p *Progress) Resume(newest map[string]time.Time) { p.newest = newest }
