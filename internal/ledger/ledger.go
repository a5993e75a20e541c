package ledger

import (
	"cmp"
	"sync"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Options configure a ledger.
type Options struct {
	Objects esxtop.Objects // objects to store; others are skipped
	// Stale is how long an object is shown after its newest sample has arrived; 0: three intervals of the PerformanceManager.
	Stale time.Duration
	// Now is the clock by which samples arrive; nil: time.Now. Its jumps have no effect.
	Now func() time.Time
	// Partial is set if not all metrics are stored: then objects may have no values, and no sample is missed for that.
	Partial bool
	// MaxSeries limits the number of series. Hosts come first, then VMs, then their parts; 0: no limit.
	MaxSeries int
	// Reason returns the reason why a host did not respond as one word, for the label of missed samples. It is called
	// with the ledger locked.
	Reason func(error) string
}

// Host is a host that should have counters.
type Host struct {
	MoID, Name string
	Up         bool // it is connected, so samples are expected
	// From is when its samples begin to count, for a host that is new; zero: with the first one.
	From time.Time
}

// VM is a virtual machine that should have counters.
type VM struct {
	MoID, Name, Host string // Host is an id
	On               bool   // it is powered on, so samples are expected
	// From is when its samples begin to count, for a VM that is new; zero: with the first one.
	From time.Time
}

// Coverage is how many objects should have counters, and how many have them.
type Coverage struct{ Expected, Collected int }

// Stats are statistics of a ledger.
type Stats struct {
	Hosts, VMs Coverage
	Current    bool          // there are values that arrived not long ago
	Newest     time.Time     // sample, by the server's clock
	Age        time.Duration // since the newest values arrived; negative if none did
	Series     int           // shown
	Over       int           // hidden because of MaxSeries
	Samples    uint64        // samples taken: one for each object and interval
	Missed     map[string]uint64
	Duplicates uint64 // skipped rows that have the same labels as another row of the frame
}

// Ledger stores the counters of one server. It is safe for concurrent use.
type Ledger struct {
	options Options
	stale   int64 // ms
	began   time.Time

	mu       sync.Mutex
	hosts    map[string]*owner // by id
	vms      map[string]*owner
	tables   []*seriesTable
	families []family

	turn    uint64 // counts calls of Take and Expect
	frames  uint64
	changes uint64
	members uint64   // counts additions and removals
	slot    int64    // the last one that has passed; 0: unknown
	took    []*owner // with a new sample in the present frame
	valued  int      // as Taken
	moved   []string
	swept   int64 // the slot of the last search for old parts

	samples, duplicates uint64
	missed              map[string]uint64
	ranking             ranking
	until               int64 // when the shown series change without new samples
}

// New returns an empty ledger.
func New(o Options) *Ledger {
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Ledger{
		options: o, stale: cmp.Or(o.Stale.Milliseconds(), 3*slot), began: o.Now(),
		hosts: map[string]*owner{}, vms: map[string]*owner{},
		missed: map[string]uint64{missedDown: 0, missedMoved: 0, missedNotKept: 0, missedTooOld: 0, missedNoValue: 0, missedClock: 0, missedOther: 0},
	}
	for object := range esxtop.Object(32) {
		if o.Objects.Has(object) && esxtop.AllObjects.Has(object) {
			l.tables = append(l.tables, newSeriesTable(object))
		}
	}
	l.families = families(l.tables)
	return l
}

// elapsed returns the time since the ledger was made, in milliseconds from 1 on: 0 is no arrival.
func (l *Ledger) elapsed() int64 { return l.options.Now().Sub(l.began).Milliseconds() + 1 }

// fresh reports whether an object whose newest sample arrived at that time is shown.
func (l *Ledger) fresh(arrived, now int64) bool { return arrived != 0 && now < arrived+l.stale }

// ranking is the order in which entities are shown up to the limit.
type ranking struct {
	members uint64 // the state of members when it was made
	list    []*entity
	limited bool // some of them are hidden
}
