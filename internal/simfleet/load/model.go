package load

import (
	"cmp"
	"math"
	"sync"
	"time"
)

// Model computes the load of the hosts and VMs of an endpoint.
type Model struct {
	speed   float64 // of the load curves; clocks are real
	zone    float64 // offset of the load curves from UTC in hours
	noise   *noise
	History *History
	// Lossless makes hosts keep all samples. Set it before the model is used.
	Lossless bool

	mu    sync.Mutex
	known map[string]*knownHost
}

// knownHost caches the computed values of a host.
type knownHost struct {
	mu        sync.Mutex
	pressures map[int64]*Pressure // by slot
	figures   map[int64]*HostFigures
	tally     *Tally
	asked     time.Time // time of the last counters
}

// rememberSlots is the number of cached slots per host; an hour has 180.
const rememberSlots = 256

// New returns a model for a history, with load curves at a speed (0 means 1) in a time zone, and with noise.
func New(h *History, speed float64, zone time.Duration, n Noise) *Model {
	return &Model{speed: cmp.Or(speed, 1), zone: zone.Hours(), noise: newNoise(n), History: h, known: map[string]*knownHost{}}
}

// noSampleOneIn is the inverse frequency of missing samples per object.
const noSampleOneIn = 1500

// Missing reports whether an object's sample of a slot is lost.
func (l *Model) Missing(of Stream, slot int64) bool {
	return !l.Lossless && of.Unit(noiseMissing, slot) < 1.0/noSampleOneIn
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

// Forget removes the cached slots that begin at a change or after it.
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

// remember caches a slot, and drops the oldest ones.
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

// hours returns the position on the load curves at the start of a slot, in hours.
func (l *Model) hours(slot int64) float64 {
	return float64((slot-1)*SlotSeconds)*l.speed/3600 + l.zone
}

// Host returns a host's values in a slot, cached. It is nil before the host existed.
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
	f := p.sum(p.Host.Stream, slot)
	remember(k.figures, slot, f)
	return f
}

// LoadAverage returns the load over some minutes, in hundredths of a percent of all cores.
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

// VM returns a VM's values in a slot. They are zero without a host.
func (l *Model) VM(s *Residency, slot int64) *VMFigures {
	p := l.pressure(s.host, slot)
	if p == nil {
		return new(VMFigures)
	}
	for i, other := range p.Residencies {
		if other.VM == s.VM {
			return p.vm(s, i, slot)
		}
	}
	return new(VMFigures)
}

// pressure returns a host's pressure in a slot, cached. It is nil before the host existed.
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
	p := l.pressureIn(l.History.scene(host, slot, l.noise.Settle), slot)
	if p != nil {
		remember(k.pressures, slot, p)
	}
	return p
}

// pressureIn computes the pressure for settings and residencies.
func (l *Model) pressureIn(in scene, slot int64) *Pressure {
	if len(in.hosts) == 0 {
		return nil
	}
	settings := in.hosts.now()
	p := &Pressure{Host: settings, hosts: in.hosts, Residencies: in.residencies, Wants: make([]demand, len(in.residencies)), level: l.noise.of(settings.Stream, slot), Slot: slot}
	for i, s := range in.residencies {
		p.Wants[i] = s.demand(in.vms[i], slot, l.hours(slot), p.level)
		p.networked(s, &p.Wants[i])
	}
	p.network()
	p.processors(settings.Stream, slot)
	p.memory()
	p.disks(settings.Stream, slot, l.noise)
	return p
}

// longestGap is the maximum number of slots computed one by one after a long time without requests. Earlier ones are
// extrapolated.
const longestGap = 4320 // a day

// advance adds up the slots before the given one. The time before the first request is extrapolated at the same rate since the
// start. It returns false for an unknown host.
func (k *knownHost) advance(l *Model, host string, slot int64) bool {
	f := l.hostOf(k, host, slot)
	if f == nil {
		return false
	}
	since := func(unix int64) fraction { return fraction{max(0, SlotStart(slot).Unix()-unix) / SlotSeconds, 1} }
	if t := k.tally; t == nil || t.booted != f.Host.Booted {
		k.tally = &Tally{booted: f.Host.Booted, upto: slot - 1, vms: map[int]vmTally{}}
		k.tally.step(f, slot, since(f.Host.Booted), func(s *Residency) fraction { return since(max(s.Since.Unix(), f.Host.Booted)) })
		return true
	}
	k.tally.upto = max(k.tally.upto, slot-1-longestGap)
	for k.tally.upto < slot-1 {
		k.tally.upto++
		past := l.hostOf(k, host, k.tally.upto)
		k.tally.step(past, k.tally.upto, Whole, func(*Residency) fraction { return Whole })
	}
	return true
}

// Counted returns a host's counters at a time, and the slot of that time. Counters do not decrease: an earlier time than that of
// the last request is replaced by it.
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
	const grain = 100 * time.Microsecond // with a finer grain a product would overflow
	past := at.Sub(SlotStart(slot)) / grain
	into := fraction{int64(past), SlotSeconds * int64(time.Second/grain)}
	return k.tally.with(f, slot, into), f, SlotStart(slot).Add(past * grain) // the clock is as fine as the counters
}
