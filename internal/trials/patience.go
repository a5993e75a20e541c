package trials

import (
	"time"

	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// patience excuses failures of a server that is away, such as a vCenter that restarts.
type patience struct {
	clock source.Clock
	since time.Time // of the first failure; zero: the last call succeeded
}

// excuses reports whether a call failed because the server is away, and has not been away for too long.
func (p *patience) excuses(err error) bool {
	if !session.Transient(err) {
		p.since = time.Time{}
		return false
	}
	if p.since.IsZero() {
		p.since = p.clock.Now()
	}
	return p.clock.Now().Sub(p.since) <= source.LostFor
}
