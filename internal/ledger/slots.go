package ledger

import "time"

// Reasons for missed samples that do not come from Options.Reason.
const (
	missedDown    = "host_down" // the host was not connected
	missedMoved   = "moved"     // the VM changed its host meanwhile
	missedNotKept = "not_kept"  // the server has no samples of that time: the VM was off or suspended
	missedTooOld  = "too_old"   // vperf asked too late: servers keep samples for an hour
	missedNoValue = "no_value"  // the server has a sample without any value
	missedClock   = "clock"     // the host's clock was set back: a sample of that time is counted already
	missedOther   = "other"     // also: an impossible value
)

// Hosts take samples for the PerformanceManager in slots, at full twenty seconds.
const (
	slot = 20_000             // ms
	lost = 3_600_000 + 3*slot // age at which a missing sample is lost, with some reserve
	// clockSlack is how much sooner than any before it a sample may arrive without a change of the host's clock.
	clockSlack = 2 * slot
	// emptyAtFirst is how many samples without values a VM may have when it starts. A VM that has more of them than that is mute.
	emptyAtFirst = 3
)

// nearest and before return slots: that of a sample, and the last one before t.
func nearest(t time.Time) int64 { return (t.UnixMilli() + slot/2) / slot * slot }
func before(t time.Time) int64  { return t.UnixMilli() / slot * slot }

// account tracks up to which slot a host or a VM is accounted for: each slot's sample was taken, missed, or not expected.
type account struct {
	closed int64   // 0: unknown
	taken  uint64  // the turn in which the newest sample came
	host   string  // its host
	pauses []pause // after closed, oldest first
}

// pause is a time without slots: the VM was off.
type pause struct{ from, to int64 } // to 0: until now

// pause begins a pause, unless there is one.
func (b *account) pause(now int64) {
	if n := len(b.pauses); n == 0 || b.pauses[n-1].to != 0 {
		b.pauses = append(b.pauses, pause{from: now})
	}
}

func (b *account) resume(now int64) {
	n := len(b.pauses)
	if n == 0 || b.pauses[n-1].to != 0 {
		return
	}
	if b.pauses[n-1].to = now; b.pauses[n-1].from >= now {
		b.pauses = b.pauses[:n-1]
	}
}

// expected returns how many of the n slots after closed should have samples.
func (b *account) expected(n int64) int64 {
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

// upTo returns how many slots there are after closed and up to t, give or take half a slot.
func (b *account) upTo(t int64) int64 { return (t + slot/2 - b.closed) / slot }

// close moves closed to t, and drops older pauses.
func (b *account) close(t int64) {
	b.closed = t
	past := 0
	for past < len(b.pauses) && b.pauses[past].to != 0 && b.pauses[past].to <= t {
		past++
	}
	b.pauses = b.pauses[past:]
}

// partsKept is how long a part is kept after its owner's last sample with it.
const partsKept = 3_600_000 // ms

// sample is the time and interval of a frame.
type sample struct {
	time     int64 // milliseconds of Unix
	interval time.Duration
	arrived  int64 // elapsed time of the ledger; of an older sample as if it had been read in its time
	newest   bool  // of the host, when it was read
	at       int   // the origin
	host     string
}

// isNew allows for servers that date the same sample differently each time.
func (s sample) isNew(last int64) bool { return last == 0 || s.time > last+s.interval.Milliseconds()/2 }
