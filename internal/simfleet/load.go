package simfleet

import (
	"cmp"
	"hash/fnv"
	"math"
	"sync"
	"time"
)

// What the fleet's hosts and VMs have to do is a function of who they are, of the 20 seconds that are looked at, and of
// the settings in force when those began. Nothing else: whoever asks twice gets the same, and statistics, quick stats,
// counters of NICs and the Esxtop service agree, since all of them show these figures.
//
// It goes in three steps: what each guest wants (demand), what that does to a host (pressure), and what each VM then
// gets (vmFigures). A host's own figures (hostFigures) are the sums.

// slotSeconds is the length of a slot, slotMillis in milliseconds.
const (
	slotSeconds = int64(20)
	slotMillis  = 1000 * slotSeconds
)

// loads is what the hosts and VMs of an endpoint have to do.
type loads struct {
	speed   float64 // of the curves; clocks are real
	zone    float64 // hours that the curves are ahead of UTC
	history *history

	mu    sync.Mutex
	known map[string]*knownHost
}

// knownHost keeps what was worked out for a host.
type knownHost struct {
	mu        sync.Mutex
	pressures map[int64]*pressure // by slot
	figures   map[int64]*hostFigures
	tally     *tally
	asked     time.Time // the last moment that something was counted up to
}

// rememberSlots is how many slots of a host are kept; an hour has 180.
const rememberSlots = 256

// newLoads are the loads of what runs according to a history, on curves of a speed (0 is once), in a zone.
func newLoads(h *history, speed float64, zone time.Duration) *loads {
	return &loads{speed: cmp.Or(speed, 1), zone: zone.Hours(), history: h, known: map[string]*knownHost{}}
}

func (l *loads) of(host string) *knownHost {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.known[host]
	if k == nil {
		k = &knownHost{pressures: map[int64]*pressure{}, figures: map[int64]*hostFigures{}}
		l.known[host] = k
	}
	return k
}

// forget drops what was worked out for slots that begin with a change or after it.
func (l *loads) forget(host string, now time.Time) {
	k := l.of(host)
	k.mu.Lock()
	defer k.mu.Unlock()
	for slot := range k.pressures {
		if !slotStart(slot).Before(now) {
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

// slotEnd is when the sample of a slot is taken.
func slotEnd(slot int64) time.Time { return time.Unix(slot*slotSeconds, 0).UTC() }

// slotStart is when a slot begins; its sample is taken when it ends.
func slotStart(slot int64) time.Time { return slotEnd(slot - 1) }

// slotOf is the slot that a moment lies in; one that begins then is it.
func slotOf(at time.Time) int64 { return at.Unix()/slotSeconds + 1 }

// hours is how far the curves have come when a slot begins, in hours of their time.
func (l *loads) hours(slot int64) float64 {
	return float64((slot-1)*slotSeconds)*l.speed/3600 + l.zone
}

// stream is noise of one entity.
type stream uint64

func newStream(names ...string) stream {
	h := fnv.New64a()
	for _, n := range names {
		_, _ = h.Write([]byte(n))
		_, _ = h.Write([]byte{0})
	}
	return stream(h.Sum64())
}

// kinds of noise.
const (
	noisePhase uint64 = iota + 1
	noiseSwing
	noiseCPU
	noiseShare
	noiseReady
	noiseCostop
	noiseBurst
	noiseNet
	noiseDisk
	noiseSwap
	noiseNUMA
	noiseAborts
	noiseOwn
	noiseMissing
	noisePlace
	noiseCore
	noiseThread
	noiseClock
)

func mix(n uint64) uint64 {
	n += 0x9E3779B97F4A7C15
	n = (n ^ n>>30) * 0xBF58476D1CE4E5B9
	n = (n ^ n>>27) * 0x94D049BB133111EB
	return n ^ n>>31
}

// unit is from 0 up to 1, and the same for the same kind and number. The upper half of a kind tells several of one kind apart.
func (s stream) unit(kind uint64, n int64) float64 {
	return float64(mix(uint64(s)^mix(kind<<48^kind>>16<<32^uint64(n)))>>11) / (1 << 53)
}

// swing goes up and down slowly: from one number to the next as x does.
func (s stream) swing(kind uint64, x float64) float64 {
	low := math.Floor(x)
	at := x - low
	at = at * at * (3 - 2*at)
	from, to := s.unit(kind, int64(low)), s.unit(kind, int64(low)+1)
	return from + (to-from)*at
}
