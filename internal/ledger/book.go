package ledger

import "time"

// Reasons why samples were missed that do not come from Options.Reason.
const (
	missedDown    = "host_down" // it was not connected
	missedMoved   = "moved"     // the VM changed its host meanwhile
	missedNotKept = "not_kept"  // the server has none of that time: the VM was off, or suspended
	missedTooOld  = "too_old"   // nobody asked in time, and servers keep them for an hour
	missedOther   = "other"     // also: a figure that cannot be
)

// Slots are the times at which hosts take samples for the PerformanceManager, by full twenty seconds.
const (
	slot = 20_000             // ms
	lost = 3_600_000 + 3*slot // after which a sample that has not come is lost, and a little more
)

// nearest and before are slots: that of a sample, and the last one that has been.
func nearest(t time.Time) int64 { return (t.UnixMilli() + slot/2) / slot * slot }
func before(t time.Time) int64  { return t.UnixMilli() / slot * slot }

// book is up to when each slot of a host or a VM is accounted for: it was taken, it was missed, or it never was to be.
type book struct {
	closed int64   // 0: nothing is known of it yet
	taken  uint64  // the turn in which the newest sample came
	host   string  // that it came from
	pauses []pause // since closed, oldest first
}

// pause is a time without slots: the VM was off.
type pause struct{ from, to int64 } // to 0: until now

// pause begins one, unless it is under way.
func (b *book) pause(now int64) {
	if n := len(b.pauses); n == 0 || b.pauses[n-1].to != 0 {
		b.pauses = append(b.pauses, pause{from: now})
	}
}

func (b *book) resume(now int64) {
	n := len(b.pauses)
	if n == 0 || b.pauses[n-1].to != 0 {
		return
	}
	if b.pauses[n-1].to = now; b.pauses[n-1].from >= now {
		b.pauses = b.pauses[:n-1]
	}
}

// owed is how many of the next slots behind closed, of which there are n, were to have samples.
func (b *book) owed(n int64) int64 {
	owed := n
	for _, p := range b.pauses {
		first, last := b.upTo(p.from), n
		if p.to != 0 {
			last = min(n, b.upTo(p.to))
		}
		owed -= max(0, last-max(0, first))
	}
	return owed
}

// upTo is how many slots there are behind closed and not after a time, give or take half a slot.
func (b *book) upTo(t int64) int64 { return (t + slot/2 - b.closed) / slot }

// close moves on to a time, and lets go of what was before.
func (b *book) close(t int64) {
	b.closed = t
	past := 0
	for past < len(b.pauses) && b.pauses[past].to != 0 && b.pauses[past].to <= t {
		past++
	}
	b.pauses = b.pauses[past:]
}

// partsKept is how long a part is kept that its owner does not tell of any more.
const partsKept = 3_600_000 // ms

// sample is when a frame was taken, and over which time.
type sample struct {
	time     int64 // milliseconds of Unix
	interval time.Duration
	at       int // the origin
	host     string
}

// isNew leaves room for servers that date a sample anew each time they are asked.
func (s sample) isNew(last int64) bool { return last == 0 || s.time > last+s.interval.Milliseconds()/2 }
