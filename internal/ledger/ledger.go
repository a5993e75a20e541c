package ledger

import (
	"time"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
)

// Options say what a ledger keeps.
type Options struct {
	Objects esxtop.Objects // whose figures are kept; others are passed over
	// Stale is how long after its newest sample an object is shown, by the server's clock; 0: three intervals of the
	// PerformanceManager.
	Stale time.Duration
	// MaxSeries is how many series there may be. Hosts come first, then VMs, then their parts; 0: no limit.
	MaxSeries int
	// Reason says in a word why a host did not answer: the label of samples that were missed.
	Reason func(error) string
}

// Host is a host that counters are expected of.
type Host struct {
	MoID, Name string
	Up         bool // it is connected, and so expected to have samples
}

// VM is a virtual machine that counters are expected of.
type VM struct {
	MoID, Name, Host string // Host is an id
	On               bool   // it is powered on, and so expected to have samples
}

// Coverage is how many of those that should have counters have them.
type Coverage struct{ Expected, Collected int }

// Stats are what a ledger says of itself.
type Stats struct {
	Hosts, VMs Coverage
	Newest     time.Time // sample, by the server's clock
	Series     int       // that are shown
	Over       int       // that are not, since there would be too many
	Samples    uint64    // that were taken in: of one object and one interval each
	Missed     map[string]uint64
}

// Ledger keeps the books of one server. It may be used by several goroutines.
type Ledger struct{}

// New is an empty ledger.
func New(o Options) *Ledger { return &Ledger{} }

// Expect says who is there, by the roster. Who is in neither list is gone: it is forgotten, with its sums. Excluded objects are not in the lists.
func (l *Ledger) Expect(hosts []Host, vms []VM) {}

// Take enters a round: of each object each sample once, however often it comes, and in any order of time that a source may
// give after trouble.
func (l *Ledger) Take(r *esxtop.Round) {}

// Stats tells of the ledger as it is at a time of the server's clock.
func (l *Ledger) Stats(now time.Time) Stats { return Stats{} }

// Write writes the families of some objects, without what is stale at a time of the server's clock.
func (l *Ledger) Write(w *exposition.Writer, objects esxtop.Objects, now time.Time) {}

// Changes counts what alters a page: who keeps one made of an older count makes it anew. Until is when, by the server's
// clock, the first object that is shown now becomes stale.
func (l *Ledger) Changes(now time.Time) (count uint64, until time.Time) { return 0, time.Time{} }
