package measure

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
)

// PerformanceOptions say how a PerformanceManager is read.
type PerformanceOptions struct {
	Request esxtop.Request
	// History is how much of what the server kept comes first, an hour at most.
	History time.Duration
	// Note is why it is this source.
	Note string
	// EverySample is for those who keep sums: a VM that was asked for in vain, that moved or that came late gets the samples it lacks
	// all the same, in frames of their time that have no other rows. So do hosts of which a part was asked in vain; they are in a
	// round's troubles, too. An interval of more than one sample is that of asking only.
	EverySample bool
	// Hosts chooses who is asked, anew for each round: hosts come and go. Nil: those that Performance was given.
	Hosts func() []RosterHost
	Clock Clock
}

// KeptSamples is how long hosts keep real-time samples.
const KeptSamples = time.Hour

// Times of reading. A call may take most of an interval, but for those to a host that made others wait before.
const (
	perfPatience = perfInterval * 3 / 4
	perfBrief    = perfInterval / 4
	rosterAge    = time.Minute     // after which VMs may have moved
	perfPause    = 2 * time.Second // before asking again for samples that are late
	perfLate     = 6 * time.Second // after which nobody waits for them
	valuesAtOnce = 400_000         // of all hosts, in the pieces of time in which the past is read
)

// performance is a source whose frames come from the server's PerformanceManager: one every 20 seconds, as the hosts
// take their samples. All is read in Next; nothing runs between calls of it.
type performance struct {
	session *session.Session
	roster  *Roster
	note    string
	jitter  func(time.Duration) time.Duration
	clock   Clock
	every   bool // sample counts, of each host and each VM

	mu      sync.Mutex
	request esxtop.Request

	changed chan struct{} // the request is another one
	closed  chan struct{}
	close   sync.Once

	choose func() []RosterHost // nil: the hosts stay as they are

	// Of Next alone, but that About looks at the hosts.
	hosts    []*perfHost
	vms      map[string]*perfEntity // by id
	turn     int                    // of looking who is there
	counters perfCounters
	nfs      map[string]string
	plan     *perfPlan
	planned  esxtop.Objects
	size     perfSize
	plain    atomic.Bool
	stale    atomic.Bool // the roster is not the server's any more
	rostered time.Time
	rounds   []*esxtop.Round // read, and not given yet; oldest first
	began    time.Time       // by the server's clock, where history was asked for: what is older is past
	ahead    time.Duration   // the server's clock, of ours
	pace     perfPace
	recount  atomic.Bool // the counters have other ids
	patience time.Duration
	brief    time.Duration
	within   func(context.Context, time.Duration) (context.Context, context.CancelFunc) // patience, as a context
	atOnce   int                                                                        // values of all hosts, in the pieces of time in which the past is read
}

// serverNow is what the server's clock shows.
func (p *performance) serverNow() time.Time { return p.clock.Now().Add(p.ahead).UTC() }

// asked is the request, and the time between rounds that follows from it: a number of whole samples.
func (p *performance) asked() (esxtop.Request, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	samples := max(1, (p.request.Interval+perfInterval-1)/perfInterval)
	return p.request, samples * perfInterval
}

// perfPace says when to ask. How long a server takes until it gives a sample is found out by asking earlier each time, until
// that was too early.
type perfPace struct {
	more    bool          // there are older samples still, which need no waiting
	newest  time.Time     // sample that was read
	asked   time.Time     // for the last time, by the server's clock
	fresh   bool          // and something came
	age     time.Duration // of a sample when it is asked for
	good    time.Duration // an age at which it was there
	settled bool
}

// due is when the next samples should be there, by the server's clock.
func (p *perfPace) due(interval time.Duration) time.Time {
	switch {
	case p.more:
		return time.Time{}
	case !p.fresh:
		return p.asked.Add(interval)
	}
	place := p.newest.Round(perfInterval) // on the grid, which the host may be off a little
	next := place.Truncate(interval).Add(interval + p.newest.Sub(place) + p.age)
	if soonest := p.asked.Add(time.Second); next.Before(soonest) {
		return soonest
	}
	return next
}

// learn notes an asking that brought samples up to newest, after some that came too early.
func (p *perfPace) learn(asked, newest time.Time, early int) {
	p.newest, p.good = newest, max(0, asked.Sub(newest))
	switch {
	case early > 0:
		p.age, p.settled = p.good, true
	case !p.settled:
		p.age = p.good / 2
	}
}

// again is how long to wait before asking for samples once more that were not there yet; 0 is not at all.
func (p *perfPace) again() time.Duration {
	left := p.newest.Add(perfInterval + p.good).Sub(p.asked) // until they should be there
	if left < -perfLate {
		return 0
	}
	return max(perfPause, left/2)
}
