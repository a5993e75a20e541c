package load

import (
	"cmp"
	"math"
	"sync"
	"time"
)

// Model is what the hosts and VMs of an endpoint have to do.
type Model struct {
	speed   float64 // of the curves; clocks are real
	zone    float64 // hours that the curves are ahead of UTC
	History *History

	mu    sync.Mutex
	known map[string]*knownHost
}

// knownHost keeps what was worked out for a host.
type knownHost struct {
	mu        sync.Mutex
	pressures map[int64]*Pressure // by slot
	figures   map[int64]*HostFigures
	tally     *Tally
	asked     time.Time // the last moment that something was counted up to
}

// rememberSlots is how many slots of a host are kept; an hour has 180.
const rememberSlots = 256

// New are the loads of what runs according to a history, on curves of a speed (0 is once), in a zone.
func New(h *History, speed float64, zone time.Duration) *Model {
	return &Model{speed: cmp.Or(speed, 1), zone: zone.Hours(), History: h, known: map[string]*knownHost{}}
}

func (l *Model) of(host string) *knownHost {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.known[host]
	if k == nil {
		k = &knownHost{pressures: map[int64]*Pressure{}, figures: map[int64]*HostFigures{}}
		l.known[host] = k
	}
	return k
}

// Forget drops what was worked out for slots that begin with a change or after it.
func (l *Model) Forget(host string, now time.Time) {
	k := l.of(host)
	k.mu.Lock()
	defer k.mu.Unlock()
	for slot := range k.pressures {
		if !SlotStart(slot).Before(now) {
			delete(k.pressures, slot)
			delete(k.figures, slot)
		}
	}
}

// remember keeps a slot, and lets the oldest ones go.
func remember[T any](known map[int64]T, slot int64, v T) {
	if len(known) >= rememberSlots {
		for old := range known {
			if old < slot-rememberSlots/2 || old > slot+rememberSlots/2 {
				delete(known, old)
			}
		}
		if len(known) >= 2*rememberSlots {
			clear(known)
		}
	}
	known[slot] = v
}

// hours is how far the curves have come when a slot begins, in hours of their time.
func (l *Model) hours(slot int64) float64 {
	return float64((slot-1)*SlotSeconds)*l.speed/3600 + l.zone
}

// Host works out a slot of a host, or remembers it. It is nil before there was the host.
func (l *Model) Host(host string, slot int64) *HostFigures {
	k := l.of(host)
	k.mu.Lock()
	defer k.mu.Unlock()
	return l.hostOf(k, host, slot)
}

func (l *Model) hostOf(k *knownHost, host string, slot int64) *HostFigures {
	if f := k.figures[slot]; f != nil {
		return f
	}
	p := l.pressureOf(k, host, slot)
	if p == nil {
		return nil
	}
	f := p.sum(p.Host.Stream, p.All(slot), slot)
	remember(k.figures, slot, f)
	return f
}

// LoadAverage is the load over some minutes, in hundredths of a percent of all cores.
func (l *Model) LoadAverage(host string, slot int64, minutes int64) int64 {
	var sum, n int64
	step := max(1, minutes)
	for back := int64(0); back < minutes*60/SlotSeconds; back += step {
		if p := l.pressure(host, slot-back); p != nil {
			sum, n = sum+int64(math.Round(p.load*10_000)), n+1
		}
	}
	return sum / max(n, 1)
}

// VM works out a slot of a VM. It is empty where there was no host.
func (l *Model) VM(s *Stay, slot int64) *VMFigures {
	p := l.pressure(s.host, slot)
	if p == nil {
		return new(VMFigures)
	}
	for i, other := range p.Stays {
		if other.VM == s.VM {
			return p.vm(s, i, slot)
		}
	}
	return new(VMFigures)
}

// pressure works out a slot of a host, or remembers it. It is nil before there was the host.
func (l *Model) pressure(host string, slot int64) *Pressure {
	k := l.of(host)
	k.mu.Lock()
	defer k.mu.Unlock()
	return l.pressureOf(k, host, slot)
}

func (l *Model) pressureOf(k *knownHost, host string, slot int64) *Pressure {
	if p := k.pressures[slot]; p != nil {
		return p
	}
	settings, list := l.History.At(host, slot)
	if settings == nil {
		return nil
	}
	p := &Pressure{Host: settings, Stays: list, Wants: make([]demand, len(list))}
	for i, s := range list {
		p.Wants[i] = s.demand(slot, l.hours(slot))
		settings.networked(s, &p.Wants[i], p.crossingOf(s))
	}
	p.network()
	p.processors(settings.Stream, slot)
	p.memory()
	p.disks(settings.Stream, slot)
	remember(k.pressures, slot, p)
	return p
}

// longestGap is how many slots are looked at when nobody has asked for long. Those before are taken for granted.
const longestGap = 4320 // a day

// advance counts up to the slot before one. What ran before the first that is asked for is taken to have gone on at the same pace
// since it began. It is false for what is no host.
func (k *knownHost) advance(l *Model, host string, slot int64) bool {
	f := l.hostOf(k, host, slot)
	if f == nil {
		return false
	}
	since := func(unix int64) fraction { return fraction{max(0, SlotStart(slot).Unix()-unix) / SlotSeconds, 1} }
	if t := k.tally; t == nil || t.booted != f.Host.Booted {
		k.tally = &Tally{booted: f.Host.Booted, upto: slot - 1, vms: map[int]vmTally{}}
		k.tally.step(f, slot, since(f.Host.Booted), func(s *Stay) fraction { return since(max(s.Since.Unix(), f.Host.Booted)) })
		return true
	}
	k.tally.upto = max(k.tally.upto, slot-1-longestGap)
	for k.tally.upto < slot-1 {
		k.tally.upto++
		past := l.hostOf(k, host, k.tally.upto)
		k.tally.step(past, k.tally.upto, Whole, func(*Stay) fraction { return Whole })
	}
	return true
}

// Counted is what a host has counted up to a moment, and the slot that this lies in. It does not go back: a moment before the last
// that was asked for is taken for that.
func (l *Model) Counted(host string, at time.Time) (*Tally, *HostFigures, time.Time) {
	k := l.of(host)
	k.mu.Lock()
	defer k.mu.Unlock()
	if at.Before(k.asked) {
		at = k.asked
	}
	k.asked = at
	slot := SlotOf(at)
	if !k.advance(l, host, slot) {
		return nil, nil, at
	}
	f := l.hostOf(k, host, slot)
	const grain = 100 * time.Microsecond // finer than that, a product would not fit
	past := at.Sub(SlotStart(slot)) / grain
	into := fraction{int64(past), SlotSeconds * int64(time.Second/grain)}
	return k.tally.with(f, slot, into), f, SlotStart(slot).Add(past * grain) // the clock goes as fine as what it times
}
