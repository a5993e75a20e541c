package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// takeTroubles records why hosts did not respond.
func (l *Ledger) takeTroubles(list []esxtop.Trouble) {
	for _, t := range list {
		if t.Err == nil {
			continue
		}
		if h := l.hostOf(t); h != nil {
			h.trouble.turn, h.trouble.reason = l.turn, l.reason(t.Err)
		}
	}
}

// hostOf returns the host that a trouble is about; nil if it is ambiguous.
func (l *Ledger) hostOf(t esxtop.Trouble) (found *owner) {
	if t.MoID != "" {
		return l.hosts[t.MoID]
	}
	for _, h := range l.hosts {
		if h.name == t.Host {
			if found != nil {
				return nil
			}
			found = h
		}
	}
	return found
}

func (l *Ledger) reason(err error) (word string) {
	if l.options.Reason != nil {
		word = l.options.Reason(err)
	}
	if word == "" {
		return missedOther
	}
	return strings.Clone(word)
}

// account accounts for a sample of a host or a VM, once for all its parts and frames, and for missed samples since the previous one.
// It returns false for a sample that it has had.
func (l *Ledger) account(o *owner, s sample) (isNew bool) {
	was, clock := o.last[s.at], &o.clocks[s.at]
	back := was != 0 && s.newest && s.time < was-s.interval.Milliseconds()/2
	if !back && !s.isNew(was) {
		return false
	}
	if s.time-o.newest() > partsKept {
		o.backSince = s.time
	}
	o.last[s.at] = s.time
	moved := clock.move(s, was, back)
	if o.moid == s.host && moved != 0 {
		l.moved = append(l.moved, fmt.Sprintf("%s by %s", o.title(), (time.Duration(moved)*time.Millisecond).Round(time.Second)))
	}
	skipped := max(0, moved)
	if clock.counts = clock.enter(s); !clock.counts {
		return true
	}
	s.time -= skipped // as many samples were missed as would have been without that
	if s.at != originOf(esxtop.Performance) {
		if interval := s.interval.Milliseconds(); was != 0 && interval > 0 {
			l.miss(o, (s.time-was+interval/2)/interval-1, s.host, missedNotKept)
		}
		return true
	}
	if o.account.closed != 0 && s.time > o.account.closed {
		l.miss(o, o.account.expected((s.time-o.account.closed+slot/2)/slot-1), s.host, missedNotKept)
	}
	if s.time += skipped; was == 0 || s.time > o.account.closed {
		o.account.close(s.time)
	}
	o.account.taken, o.account.host = l.turn, s.host
	return true
}

// move compares a sample's time with its arrival. It returns by how much the host's clock was set ahead or back.
func (c *hostClock) move(s sample, was int64, back bool) (moved int64) {
	ahead := s.time - s.arrived
	switch {
	case back && c.known:
		moved = ahead - c.ahead
	case back:
		moved = s.time - was
	case c.known && ahead-c.ahead > clockSlack:
		moved = ahead - c.ahead
		c.skippedFrom, c.skippedTo = was, s.time
	}
	if !c.known || moved != 0 || ahead > c.ahead {
		c.ahead, c.known = ahead, true
	}
	return moved
}

// enter reports whether a sample counts: its time, by the host's clock, was not counted yet.
func (c *hostClock) enter(s sample) bool {
	half := s.interval.Milliseconds() / 2
	switch {
	case c.newest == 0:
		c.newest, c.skippedTo = s.time, s.time // nothing before it is counted either
	case s.time > c.newest+half:
		c.newest = s.time
	case s.time > c.skippedFrom+half && s.time < c.skippedTo-half:
		c.skippedFrom = s.time
	default:
		return false
	}
	return true
}

// settle counts the samples of a frame: those without values, those that count already, and the others.
func (l *Ledger) settle(s sample) {
	mute := slices.ContainsFunc(l.took, func(o *owner) bool { return o.moid == s.host && !o.valued })
	for _, o := range l.took {
		switch {
		case s.interval == 0:
		case !o.valued && (o.arrived[s.at] != 0 || s.at == originOf(esxtop.Performance) && !l.options.Partial) && !o.begins(mute):
			l.missed[missedNoValue]++
		case !o.clocks[s.at].counts:
			l.missed[missedClock]++
		default:
			l.samples++
		}
		if o.valued {
			l.valued++
			o.arrived[s.at], o.empty = s.arrived, 0
		}
	}
	l.took = l.took[:0]
}

// begins takes a sample without values, and reports whether it is one of those that a VM has before its first value: none is missed for
// them. A host whose own sample has no values is mute, and so are its VMs.
func (o *owner) begins(mute bool) bool {
	if mute || o.empty == 0 {
		return false
	}
	o.empty--
	return true
}

// miss counts missed samples with their reason.
func (l *Ledger) miss(o *owner, n int64, host, otherwise string) {
	if n <= 0 {
		return
	}
	l.missed[l.why(o, host, otherwise)] += uint64(n)
}

// why returns the reason for missed samples since the newest one. For a VM, it may be about its previous or its present
// host.
func (l *Ledger) why(o *owner, host, otherwise string) string {
	hosts := [...]*owner{l.hosts[o.account.host], l.hosts[host]}
	var last trouble
	for _, h := range hosts {
		switch {
		case h == nil:
		case !h.expected || h.trouble.down > o.account.taken:
			return missedDown
		case h.trouble.turn > max(o.account.taken, last.turn):
			last = h.trouble
		}
	}
	switch {
	case last.turn != 0:
		return last.reason
	case o.account.host != "" && o.account.host != host:
		return missedMoved
	}
	return otherwise
}

// pass sets the present time, by the server's clock: samples that are so old that the server has dropped them are
// missed.
func (l *Ledger) pass(now int64) {
	if now <= l.slot {
		return
	}
	l.slot = now
	at := l.elapsed()
	for _, h := range l.hosts {
		l.passOf(h, h.moid, at)
	}
	for _, vm := range l.vms {
		l.passOf(vm, vm.host, at)
	}
}

func (l *Ledger) passOf(o *owner, host string, at int64) {
	b := &o.account
	if b.closed == 0 {
		b.closed = l.slot
		return
	}
	now := l.slot
	if c := &o.clocks[originOf(esxtop.Performance)]; c.known {
		now = min(now, at+c.ahead) // its host's clock may be behind
	}
	n := (now - lost - b.closed) / slot
	if n <= 0 {
		return
	}
	l.miss(o, b.expected(n), host, missedTooOld)
	b.close(b.closed + n*slot)
}
