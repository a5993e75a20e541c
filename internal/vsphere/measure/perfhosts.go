package measure

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/vsphere/property"
)

// sortPerfHosts puts hosts in the order of their names.
func sortPerfHosts(hosts []*perfHost) {
	slices.SortFunc(hosts, func(a, b *perfHost) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.moid, b.moid))
	})
}

// perfHost is a host that is asked for samples.
type perfHost struct {
	moid, name string
	down       string        // why it is not asked
	self       *perfEntity   // as one that is asked
	vms        []*perfEntity // that run on it, by name
	threads    int           // of a core; 0: not known

	last    time.Time // of the newest sample that was read, by the host's clock
	seen    time.Time // when that was, by ours
	err     error     // why there is nothing new
	alone   bool      // it is asked apart from others, which it could make wait
	fails   int       // how often in a row it failed alone
	again   time.Time // it is not asked before
	late    bool      // its newest sample was not there yet
	wasLate bool      // nor the one before: nobody waits for it
}

// perfEntity is a host or a VM that is asked for samples. A VM stays the same one wherever it runs.
type perfEntity struct {
	ref  ref
	vm   RosterVM // of a VM
	turn int      // when it was there last

	// Where each sample counts.
	seen  time.Time // for the first time, by the server's clock
	last  time.Time // newest sample that was given; zero: none yet
	err   error     // why it was asked in vain while others of its host were not
	fails int       // how often in a row; it is asked apart from others, which it could cost theirs
	again time.Time // it is not asked before
}

func (e *perfEntity) isHost() bool { return e.ref.Type == property.TypeHost }

// suspect has it asked apart the next time, and less and less often.
func (e *perfEntity) suspect(err error, now time.Time) {
	e.err = err
	if e.fails > 0 {
		e.again = now.Add(perfBackoff(e.fails - 1))
	}
	e.fails++
}

// perfBackoff is how long what failed again is left alone.
func perfBackoff(fails int) time.Duration {
	const most = 3
	return perfInterval<<min(fails, most) - perfInterval/2
}

// perfItem is what one host or VM is asked.
type perfItem struct {
	*perfEntity
	place   int       // in the frame: 0 is the host, VMs are counted from 1
	after   time.Time // samples after that time; zero: the newest one
	until   time.Time // and up to this; zero: all
	samples int       // about how many that is

	newest  time.Time // sample that came
	err     error     // why nothing did
	without bool      // the server does not have it any more, or does not show it
	entered bool      // its answer was taken in
}
