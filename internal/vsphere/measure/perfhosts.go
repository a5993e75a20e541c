package measure

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/vsphere/property"
)

// sortPerfHosts sorts hosts by name.
func sortPerfHosts(hosts []*perfHost) {
	slices.SortFunc(hosts, func(a, b *perfHost) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.moid, b.moid))
	})
}

// perfHost is a host whose samples are read.
type perfHost struct {
	moid, name string
	down       string        // why it is not asked
	self       *perfEntity   // the host itself as an entity
	vms        []*perfEntity // the VMs running on it, by name
	threads    int           // per core; 0: unknown

	last    time.Time     // time of the newest sample that was read, by the host's clock
	seen    time.Time     // when it was read, by the local clock
	ahead   time.Duration // the host's clock, of the server's, from a minute on
	err     error         // why there are no new samples
	alone   bool          // it is asked in calls of its own, because it could delay others
	fails   int           // consecutive failures while alone
	again   time.Time     // it is not asked before this time
	behind  bool          // its last query was of older samples: newer ones are ready
	late    bool          // its newest sample was not available yet
	wasLate bool          // nor the one before: it is not waited for
}

// perfEntity is a host or a VM whose samples are read. A VM keeps its entity on any host.
type perfEntity struct {
	ref  ref
	vm   RosterVM // for a VM
	turn int      // the roster read that last listed it
	mute int      // consecutive samples without any value, up to the newest one

	// The following fields are used if every sample is needed.
	seen  time.Time // first seen, by the server's clock
	last  time.Time // newest sample that was returned; zero: none yet
	err   error     // why it got no samples while others of its host did
	fails int       // consecutive failures; it is asked in calls of its own, because it could make others fail
	again time.Time // it is not asked before this time
}

func (e *perfEntity) isHost() bool { return e.ref.Type == property.TypeHost }

// suspect makes the next query of the entity a call of its own, with increasing delays.
func (e *perfEntity) suspect(err error, now time.Time) {
	e.err = err
	if e.fails > 0 {
		e.again = now.Add(perfBackoff(e.fails - 1))
	}
	e.fails++
}

// perfBackoff returns the delay after consecutive failures.
func perfBackoff(fails int) time.Duration {
	const most = 3
	return perfInterval<<min(fails, most) - perfInterval/2
}

// perfItem is the query of one host or VM.
type perfItem struct {
	*perfEntity
	place   int       // in the frame: 0 is the host, VMs start at 1
	after   time.Time // samples after that time; zero: only the newest one
	until   time.Time // and up to this time; zero: no limit
	samples int       // the approximate number of samples

	newest  time.Time // newest sample that arrived
	err     error     // why none arrived
	without bool      // the server no longer has it, or does not show it
	entered bool      // its answer was entered
}
