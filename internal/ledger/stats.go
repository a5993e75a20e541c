package ledger

import (
	"cmp"
	"maps"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Stats returns the statistics at a time of the server's clock.
func (l *Ledger) Stats(now time.Time) Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pass(before(now))
	s := Stats{Samples: l.samples, Missed: maps.Clone(l.missed), Duplicates: l.duplicates}
	at := l.elapsed()
	s.Series, s.Over = l.limit(at)
	var newestArrival int64
	for _, of := range []struct {
		owners map[string]*owner
		to     *Coverage
	}{{l.hosts, &s.Hosts}, {l.vms, &s.VMs}} {
		*of.to = l.coverage(of.owners, now.UnixMilli(), at)
		for _, o := range of.owners {
			newestArrival = max(newestArrival, o.arrived[0], o.arrived[1])
		}
	}
	s.Current, s.Age = l.fresh(newestArrival, at), -1
	if newestArrival != 0 {
		s.Age = time.Duration(at-newestArrival) * time.Millisecond
	}
	newest := newestOf(now.UnixMilli(), (*owner).newest, l.hosts, l.vms)
	if newest > 0 {
		s.Newest = time.UnixMilli(newest).UTC()
	}
	return s
}

// newestOf returns the time of the newest sample. A time in the future counts only if there are no others, because its
// host's clock is wrong.
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

// coverage counts the objects that have values that are not stale, and whose newest sample is as new as that of the others: by its time,
// or, as clocks differ, by its arrival. A single sample without values is missed, but its object is still collected.
func (l *Ledger) coverage(owners map[string]*owner, now, at int64) (c Coverage) {
	newest, arrived := newestOf(now, (*owner).performance, owners), int64(0)
	for _, o := range owners {
		arrived = max(arrived, o.arrived[originOf(esxtop.Performance)])
	}
	for _, o := range owners {
		if !o.expected {
			continue
		}
		c.Expected++
		came := o.arrived[originOf(esxtop.Performance)]
		if came == 0 && l.fresh(o.arrived[originOf(esxtop.Service)], at) ||
			l.fresh(came, at) && (came > arrived-slot/2 || o.performance() > newest-slot/2) {
			c.Collected++
		}
	}
	return c
}

// Changes counts changes of a page: a stored page with a lower count is outdated. Now is by the server's clock. Until is when, by the
// clock of arrivals, the first shown object becomes stale; zero if nothing is shown.
func (l *Ledger) Changes(now time.Time) (count uint64, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pass(before(now))
	at := l.elapsed()
	if l.until != 0 && at >= l.until {
		l.changes++
	}
	if l.until = l.firstStale(at); l.until != 0 {
		until = l.options.Now().Add(time.Duration(l.until-at) * time.Millisecond)
	}
	return l.changes, until
}

func (l *Ledger) firstStale(now int64) (first int64) {
	for _, s := range l.tables {
		for _, e := range s.order() {
			for at := range e.data {
				f := &e.data[at]
				if at := f.arrived + l.stale; f.shown > 0 && l.fresh(f.arrived, now) && (first == 0 || at < first) {
					first = at
				}
			}
		}
	}
	return first
}
