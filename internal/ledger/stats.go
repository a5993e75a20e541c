package ledger

import (
	"cmp"
	"maps"
	"time"
)

// Stats returns the statistics at a time of the server's clock.
func (l *Ledger) Stats(now time.Time) Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pass(before(now))
	s := Stats{Samples: l.samples, Missed: maps.Clone(l.missed), Duplicates: l.duplicates}
	s.Series, s.Over = l.limit(now.UnixMilli())
	s.Hosts, s.VMs = l.coverage(l.hosts, now.UnixMilli()), l.coverage(l.vms, now.UnixMilli())
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

// coverage counts the objects whose newest sample is as new as that of the others.
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

// Changes counts changes of a page: a stored page with a lower count is outdated. Until is when, by the server's clock,
// the first shown object becomes stale; zero if nothing is shown.
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
	for _, s := range l.tables {
		for _, e := range s.order() {
			for at := range e.data {
				f := &e.data[at]
				if at := f.last + l.stale; f.shown > 0 && l.fresh(f.last, now) && (first == 0 || at < first) {
					first = at
				}
			}
		}
	}
	return first
}
