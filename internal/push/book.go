package push

import (
	"sync"
	"time"

	"github.com/vperf/vperf/internal/exposition"
)

// book records what was pushed of a source: the time of the newest sample of each series.
type book struct {
	mu       sync.Mutex
	start    int64 // when its counters began, ms; 0: unknown
	turn     uint32
	families map[string]*familyBook
}

// familyBook is the part of a book for one family.
type familyBook struct {
	family exposition.Family
	series map[exposition.Labels]entry
	// forgot is set when a series was removed: a new one may be the old one again, so that its start is unknown.
	forgot bool
}

// entry is a series.
type entry struct {
	at      int64 // time of the newest sample, or of the end; ms
	value   float64
	turn    uint32 // of the page that it was last in
	ended   bool   // the end was pushed
	started bool   // it counts since the start of the book
}

// endedKept is how long the end of a series is remembered. A sample from before the end would be refused by receivers.
const endedKept = time.Hour

func newBook() *book { return &book{families: map[string]*familyBook{}} }

// page passes on the samples of a page that were not pushed yet, and the ends of series that are not in it any more. Now
// is the time of series without a time stamp. It returns the number of samples that are older than what was pushed. The
// caller holds the lock.
func (b *book) page(began, now time.Time, write func(*exposition.Writer), each func(sample)) (outOfOrder int) {
	b.turn++
	b.start = 0
	if !began.IsZero() {
		b.start = began.UnixMilli()
	}
	var in *familyBook
	write(exposition.NewCollector(func(f exposition.Family, l exposition.Labels, v float64, at time.Time) {
		if in == nil || in.family.Name != f.Name {
			in = b.family(f)
		}
		s := sample{family: &in.family, labels: l, value: v, at: at.UnixMilli()}
		if at.IsZero() {
			s.at = now.UnixMilli()
		}
		isNew, late := in.enter(&s, b.turn, b.start)
		if late {
			outOfOrder++
		}
		if isNew {
			each(s)
		}
	}))
	b.end(now.UnixMilli(), each)
	return outOfOrder
}

// enter records a sample, and sets its start. It reports whether the sample is new, or older than what was pushed.
func (in *familyBook) enter(s *sample, turn uint32, start int64) (isNew, late bool) {
	e, known := in.series[s.labels]
	if known && e.turn == turn {
		return false, false // the page has the series twice
	}
	late = known && (s.at < e.at || s.at == e.at && e.ended)
	isNew = !known || s.at > e.at
	e.turn = turn
	if isNew {
		e.started = !known && !in.forgot || known && e.started && s.value >= e.value // a sum that shrinks began anew
		e.at, e.value, e.ended = s.at, s.value, false
		if in.family.Kind == exposition.Counter && e.started && start <= s.at {
			s.start = start
		}
	}
	in.series[s.labels] = e
	return isNew, late
}

// family returns the part of the book for a family.
func (b *book) family(f exposition.Family) *familyBook {
	in := b.families[f.Name]
	if in == nil {
		in = &familyBook{family: f, series: map[exposition.Labels]entry{}}
		b.families[f.Name] = in
	}
	return in
}

// end passes on the ends of series that the present page does not have, and forgets those that ended long ago.
func (b *book) end(now int64, each func(sample)) {
	for name, in := range b.families {
		for l, e := range in.series {
			switch {
			case e.turn == b.turn:
			case e.ended:
				if now-e.at > endedKept.Milliseconds() {
					delete(in.series, l)
					in.forgot = true
				}
			default:
				e.at, e.ended = max(now, e.at+1), true
				in.series[l] = e
				each(sample{family: &in.family, labels: l, at: e.at, ended: true})
			}
		}
		if len(in.series) == 0 && !in.forgot {
			delete(b.families, name)
		}
	}
}
