package measure

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
)

// PerformanceOptions sets how a PerformanceManager is read.
type PerformanceOptions struct {
	Request esxtop.Request
	// History is how much of the server's stored samples to return first, an hour at most.
	History time.Duration
	// Note explains why this source was chosen.
	Note string
	// EverySample is for consumers that keep sums. A VM whose query failed, that moved or that is new gets all its missed
	// samples, in frames of their time that have no other rows. The same applies to hosts for which a part of the query failed;
	// they are in a round's troubles, too. An interval of more than one sample then only sets how often the server is asked.
	EverySample bool
	// ByHost is for consumers that need no order between hosts: hosts are read one group after the other, each with all its
	// samples. All rounds but the last of the last group have More. Not together with EverySample.
	ByHost bool
	// Hosts returns the hosts to read, anew for each round. Nil: the hosts passed to Performance.
	Hosts func() []RosterHost
	// RosterAge is the age at which the roster is read again; 0: a minute.
	RosterAge time.Duration
	// CallLimit limits each call; 0: most of an interval.
	CallLimit time.Duration
	Clock     Clock
}

// KeptSamples is how long hosts keep real-time samples.
const KeptSamples = time.Hour

// Time limits of reading. A call may take most of an interval, except calls to a host that delayed others before.
const (
	perfPatience = perfInterval * 3 / 4
	perfBrief    = perfInterval / 4
	rosterAge    = time.Minute     // then VMs may have moved, unless the caller knows better
	perfPause    = 2 * time.Second // before asking again for late samples
	perfLate     = 6 * time.Second // then late samples are not waited for
	valuesAtOnce = 400_000         // of all hosts, in one piece of the history
	leastAtOnce  = 2               // samples of all hosts in a piece, so that hosts that miss one catch up with the next
)

// performance is a source whose frames come from the server's PerformanceManager: one every 20 seconds, the sampling interval of
// the hosts. Next does all the reading; nothing runs between its calls.
type performance struct {
	session *session.Session
	roster  *Roster
	note    string
	jitter  func(time.Duration) time.Duration
	clock   Clock
	byHost  bool          // hosts are read in turns
	every   bool          // every sample of each host and VM is needed
	age     time.Duration // at which the roster is read again

	mu      sync.Mutex
	request esxtop.Request

	changed chan struct{} // the request has changed
	closed  chan struct{}
	close   sync.Once

	choose func() []RosterHost // nil: the hosts stay the same

	// The following fields belong to Next; About reads hosts, too.
	hosts    []*perfHost
	vms      map[string]*perfEntity // by id
	turn     int                    // number of roster reads
	counters perfCounters
	nfs      map[string]string
	plan     *perfPlan
	planned  plannedFor
	size     perfSize
	plain    atomic.Bool
	stale    atomic.Bool // the roster differs from the server's
	rostered time.Time
	rounds   []*esxtop.Round // read but not returned yet; oldest first
	began    time.Time       // by the server's clock, if history was requested: older samples are history
	ahead    time.Duration   // the server's clock minus the local one
	pace     perfPace
	rooms    perfRooms
	turns    perfTurns
	came     map[string]bool // hosts with samples since all of them were asked, by id
	// behindOnly is set while only hosts that are behind are asked. The others have no new samples yet: waiting for those would delay
	// the hosts that are behind, which would then never catch up.
	behindOnly bool
	recount    atomic.Bool // the ids of the counters have changed
	patience   time.Duration
	brief      time.Duration
	within     func(context.Context, time.Duration) (context.Context, context.CancelFunc) // patiently, replaceable in tests
	atOnce     int                                                                        // values of all hosts in one piece of the history
	atLeast    int                                                                        // samples of all hosts in a piece
}

// plannedFor is the part of a request that a plan depends on.
type plannedFor struct {
	objects esxtop.Objects
	figures *esxtop.MetricSet
}

// serverNow returns the current time of the server's clock.
func (p *performance) serverNow() time.Time { return p.clock.Now().Add(p.ahead).UTC() }

// asked returns the request and the resulting time between rounds, a multiple of the sampling interval.
func (p *performance) asked() (esxtop.Request, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	samples := max(1, (p.request.Interval+perfInterval-1)/perfInterval)
	return p.request, samples * perfInterval
}

// perfPace decides when to ask. It learns how long a server takes to provide a sample by asking earlier each time, until that was
// too early.
type perfPace struct {
	more    bool          // older samples remain, which need no waiting
	newest  time.Time     // newest sample that was read
	asked   time.Time     // last request, by the server's clock
	fresh   bool          // the last request returned a new sample
	age     time.Duration // age of the sample when it was requested
	good    time.Duration // an age at which a sample was available
	settled bool
}

// due returns when to ask next, by the server's clock: at once if older samples remain.
func (p *perfPace) due(interval time.Duration) time.Time {
	if p.more {
		return time.Time{}
	}
	return p.next(interval)
}

// behindOnly reports whether older samples remain and the next ones are not due yet.
func (p *perfPace) behindOnly(now time.Time, interval time.Duration) bool {
	return p.more && now.Before(p.next(interval))
}

// next returns when the next samples should be available, by the server's clock.
func (p *perfPace) next(interval time.Duration) time.Time {
	if !p.fresh {
		return p.asked.Add(interval)
	}
	place := p.newest.Round(perfInterval) // on the grid, from which the host may differ slightly
	next := place.Truncate(interval).Add(interval + p.newest.Sub(place) + p.age)
	if soonest := p.asked.Add(time.Second); next.Before(soonest) {
		return soonest
	}
	if next.After(p.asked.Add(2 * interval)) { // the clock of the samples has jumped ahead of the server's
		return p.asked.Add(interval)
	}
	return next
}

// learn records a request that returned samples up to newest, after early requests that came too early.
func (p *perfPace) learn(asked, newest time.Time, early int) {
	p.newest, p.good = newest, max(0, asked.Sub(newest))
	switch {
	case early > 0:
		p.age, p.settled = p.good, true
	case !p.settled:
		p.age = p.good / 2
	}
}

// again returns how long to wait before asking again for samples that were not available yet; 0 means not to ask again.
func (p *perfPace) again() time.Duration {
	left := p.newest.Add(perfInterval + p.good).Sub(p.asked) // until they should be available
	if left < -perfLate || left > 2*perfInterval {           // or the clock of the samples is ahead
		return 0
	}
	return min(max(perfPause, left/2), perfInterval)
}
