package ledger

import (
	"cmp"
	"maps"
	"sync"
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

// Stats tells of the ledger as it is at a time of the server's clock.
func (l *Ledger) Stats(now time.Time) Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pass(before(now))
	s := Stats{Samples: l.samples, Missed: maps.Clone(l.missed), Twins: l.twins}
	s.Series, s.Over = l.limit(now.UnixMilli())
	s.Hosts, s.VMs = l.coverage(l.hosts, now.UnixMilli()), l.coverage(l.vms, now.UnixMilli())
	newest := newestOf(now.UnixMilli(), (*owner).newest, l.hosts, l.vms)
	if newest > 0 {
		s.Newest = time.UnixMilli(newest).UTC()
	}
	return s
}

// newestOf is when the newest sample was taken. One from the future counts only where all are: its host's clock is wrong.
func newestOf(now int64, of func(*owner) int64, owners ...map[string]*owner) int64 {
	var newest, future int64
	for _, in := range owners {
		for _, o := range in {
			if last := of(o); last <= now+slot {
				newest = max(newest, last)
			} else {
				future = max(future, last)
			}
		}
	}
	return cmp.Or(newest, future)
}

// coverage counts those whose newest sample is as new as that of the others.
func (l *Ledger) coverage(owners map[string]*owner, now int64) (c Coverage) {
	newest := newestOf(now, (*owner).performance, owners)
	for _, o := range owners {
		if !o.expected {
			continue
		}
		c.Expected++
		last := o.performance()
		if last == 0 && l.fresh(o.newest(), now) || l.fresh(last, now) && last > newest-slot/2 {
			c.Collected++
		}
	}
	return c
}

// fresh reports whether something whose newest sample is of that time is shown.
func (l *Ledger) fresh(last, now int64) bool { return last != 0 && now < last+l.stale }

// Changes counts what alters a page: who keeps one made of an older count makes it anew. Until is when, by the server's
// clock, the first object that is shown now becomes stale; zero where nothing is shown.
func (l *Ledger) Changes(now time.Time) (count uint64, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pass(before(now))
	if l.until != 0 && now.UnixMilli() >= l.until {
		l.changes++
	}
	l.until = l.firstStale(now.UnixMilli())
	if l.until != 0 {
		until = time.UnixMilli(l.until).UTC()
	}
	return l.changes, until
}

func (l *Ledger) firstStale(now int64) (first int64) {
	for _, s := range l.shelves {
		for _, e := range s.order() {
			for at := range e.feeds {
				f := &e.feeds[at]
				if at := f.last + l.stale; f.shown > 0 && l.fresh(f.last, now) && (first == 0 || at < first) {
					first = at
				}
			}
		}
	}
	return first
}

// Write writes the families of some objects, without what is stale at a time of the server's clock. The ledger is locked meanwhile.
func (l *Ledger) Write(w *exposition.Writer, objects esxtop.Objects, now time.Time) {
	begun := ""
	l.Walk(objects, now, func(f exposition.Family, labels exposition.Labels, v float64, _ time.Time) {
		if f.Name != begun {
			w.Family(f)
			begun = f.Name
		}
		w.Sample(labels, v)
	})
}
