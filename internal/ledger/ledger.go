package ledger

import (
	"cmp"
	"sync"
	"time"

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
	// Reason says in a word why a host did not answer: the label of samples that were missed. It is called with the ledger locked.
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
	Twins      uint64 // rows that were passed over, since another one of the frame has the same labels
}

// Ledger keeps the books of one server. It may be used by several goroutines.
type Ledger struct {
	options Options
	stale   int64 // ms

	mu       sync.Mutex
	hosts    map[string]*owner // by id
	vms      map[string]*owner
	shelves  []*shelf
	families []family

	turn    uint64 // counts calls of Take and Expect
	frames  uint64
	changes uint64
	members uint64 // counts who came and went
	slot    int64  // the last one that has been; 0: it is not known
	swept   int64  // the slot in which parts were last looked through

	samples, twins uint64
	missed         map[string]uint64
	ranking        ranking
	until          int64 // when what is shown changes by itself
}

// New is an empty ledger.
func New(o Options) *Ledger {
	l := &Ledger{
		options: o, stale: cmp.Or(o.Stale.Milliseconds(), 3*slot),
		hosts: map[string]*owner{}, vms: map[string]*owner{},
		missed: map[string]uint64{missedDown: 0, missedMoved: 0, missedNotKept: 0, missedTooOld: 0, missedOther: 0},
	}
	for object := range esxtop.Object(32) {
		if o.Objects.Has(object) && esxtop.AllObjects.Has(object) {
			l.shelves = append(l.shelves, newShelf(object))
		}
	}
	l.families = families(l.shelves)
	return l
}

// fresh reports whether something whose newest sample is of that time is shown.
func (l *Ledger) fresh(last, now int64) bool { return last != 0 && now < last+l.stale }

// ranking is the order in which entities may be shown, as long as there is room.
type ranking struct {
	members uint64 // as they were when it was made
	list    []*entity
	limited bool // some of them are hidden
}
