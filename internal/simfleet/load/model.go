package load

import (
	"cmp"
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
