package ledger

import (
	"strings"

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

// account accounts for a sample of a host or a VM: for the sample itself, once for all its parts and frames, and for
// missed samples since the previous one.
func (l *Ledger) account(o *owner, s sample) {
	if !s.isNew(o.last[s.at]) {
		return
	}
	if s.interval > 0 {
		l.samples++
	}
	if s.time-o.newest() > partsKept {
		o.backSince = s.time
	}
	was := o.last[s.at]
	o.last[s.at] = s.time
	if s.at != originOf(esxtop.Performance) {
		if interval := s.interval.Milliseconds(); was != 0 && interval > 0 {
			l.miss(o, (s.time-was+interval/2)/interval-1, s.host, missedNotKept)
		}
		return
	}
	if o.account.closed != 0 && s.time > o.account.closed {
		l.miss(o, o.account.expected((s.time-o.account.closed+slot/2)/slot-1), s.host, missedNotKept)
	}
	if was == 0 || s.time > o.account.closed {
		o.account.close(s.time)
	}
	o.account.taken, o.account.host = l.turn, s.host
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
	for _, h := range l.hosts {
		l.passOf(h, h.moid)
	}
	for _, vm := range l.vms {
		l.passOf(vm, vm.host)
	}
}

func (l *Ledger) passOf(o *owner, host string) {
	b := &o.account
	if b.closed == 0 {
		b.closed = l.slot
		return
	}
	n := (l.slot - lost - b.closed) / slot
	if n <= 0 {
		return
	}
	l.miss(o, b.expected(n), host, missedTooOld)
	b.close(b.closed + n*slot)
}
