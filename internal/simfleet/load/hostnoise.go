package load

import (
	"math"
	"sync"
	"time"
)

// Noise is the variation of load and of its cost on real hosts, which makes a naive comparison of two hours wrong: samples depend
// on those before them, on the time of day, and on what goes on in the whole cluster. The zero value adds none. It is a function of
// the seed, the host and the slot.
type Noise struct {
	Seed uint64
	// Phi is the correlation of the noise of a host in adjacent slots, from 0 to MaxPhi.
	Phi float64
	// Work varies what guests ask for: CPU, packets and I/O together. Cost varies what a unit of work costs: CPU time, and the
	// latency of disks.
	Work, Cost Variation
	// Settle is the time constant with which a change of settings takes effect; 0 is at once.
	Settle time.Duration
}

// Variation is a variation around 1. Slow and Diurnal belong to all hosts, which follow them with a factor of their own from .75 to
// 1.25.
type Variation struct {
	CV      float64 // standard deviation of the host's own noise
	Diurnal float64 // amplitude of a sinusoid of 24 hours
	Slow    float64 // standard deviation of a load that changes with a time constant of 30 minutes
}

// MaxPhi is the maximum of Noise.Phi.
const MaxPhi = .995

// RealNoise returns the noise of a typical host, with changes that settle with a time constant of a slot: raw counters have a
// coefficient of variation of 15 %, those per unit of work one of 5 %.
func RealNoise(seed uint64, phi float64) Noise {
	return Noise{
		Seed: seed, Phi: phi, Settle: time.Duration(SlotSeconds) * time.Second,
		Work: Variation{CV: .15, Diurnal: .2, Slow: .07},
		Cost: Variation{CV: .05, Diurnal: .04, Slow: .015},
	}
}

// SteadyNoise returns the noise of a host with steady work, such as one of a trading floor, on which a trial needs hours and not
// days: the work varies as much as its cost does elsewhere.
func SteadyNoise(seed uint64, phi float64) Noise {
	n := RealNoise(seed, phi)
	n.Work, n.Cost = n.Cost, Variation{CV: .03, Diurnal: .02, Slow: .01}
	return n
}

// slowPhi is the correlation of slow load in adjacent slots.
var slowPhi = math.Exp(-float64(SlotSeconds) / (30 * 60))

// noiseLevel holds the factors of a host in a slot, and how much is left of the guests' ripple.
type noiseLevel struct{ work, cost, ripple float64 }

// leftOfRipple is what is left of the ripple of each guest on a host with noise, which has the variation of real hosts without it.
const leftOfRipple = .15

// between returns a number from low on within a span, for a random number from 0 to 1.
func (n noiseLevel) between(low, span, unit float64) float64 {
	if n.ripple == 1 {
		return low + span*unit
	}
	return low + span/2 + n.ripple*span*(unit-.5)
}

// noise computes the levels, and caches what takes long.
type noise struct {
	Noise

	off   bool
	mu    sync.Mutex
	known map[noiseRun][]noiseBlock
}

// noiseRun identifies a series of autoregressive noise.
type noiseRun struct {
	of   Stream
	kind uint64
}

// noiseBlock is a part of a series.
type noiseBlock struct {
	number int64
	values *[blockSlots]float64
}

const (
	blockSlots = 64 // a power of two
	keptBlocks = 6  // of a series: more than an hour of samples
)

func newNoise(n Noise) *noise {
	n.Phi = min(max(n.Phi, 0), MaxPhi)
	off := n.Work == Variation{} && n.Cost == Variation{}
	return &noise{Noise: n, off: off, known: map[noiseRun][]noiseBlock{}}
}

// Kinds of the noise of hosts: for work, and one more for cost.
const (
	hostWander uint64 = 2*iota + 1000
	hostFollows
	slowWander
	dayPhase
)

// of returns the levels of a host or a disk in a slot.
func (n *noise) of(one Stream, slot int64) noiseLevel {
	if n == nil || n.off {
		return noiseLevel{1, 1, 1}
	}
	return noiseLevel{n.level(one, n.Work, 0, slot), n.level(one, n.Cost, 1, slot), leftOfRipple}
}

// level returns one of the levels.
func (n *noise) level(one Stream, v Variation, which uint64, slot int64) float64 {
	own, all := Stream(mix(uint64(one)^mix(n.Seed))), Stream(mix(n.Seed^mix(which)))
	hours := float64((slot-1)*SlotSeconds) / 3600
	day := math.Sin(2 * math.Pi * (hours/24 + all.Unit(dayPhase, 0)))
	level := (v.Diurnal*day + v.Slow*n.wander(all, slowWander+which, slowPhi, slot)) * (.75 + .5*own.Unit(hostFollows+which, 0))
	level += v.CV * n.wander(own, hostWander+which, n.Phi, slot)
	return max(lowestLevel, 1+level)
}

// lowestLevel is the least that is left of a load.
const lowestLevel = .05

// wander returns autoregressive noise of variance 1, the same for the same arguments in any order of calls.
func (n *noise) wander(of Stream, kind uint64, phi float64, slot int64) float64 {
	number := slot >> 6
	n.mu.Lock()
	defer n.mu.Unlock()
	run := noiseRun{of, kind}
	for _, b := range n.known[run] {
		if b.number == number {
			return b.values[slot&(blockSlots-1)]
		}
	}
	b := noiseBlock{number, wanderBlock(of, kind, phi, number)}
	n.known[run] = append(n.known[run], b)
	n.known[run] = n.known[run][max(0, len(n.known[run])-keptBlocks):]
	return b.values[slot&(blockSlots-1)]
}

// wanderBlock computes a block. It begins so long before that the beginning no longer matters, whence neighbouring blocks join.
func wanderBlock(of Stream, kind uint64, phi float64, number int64) *[blockSlots]float64 {
	const lost = 1e-5
	first, back := number*blockSlots, int64(0)
	if phi > 0 {
		back = int64(math.Ceil(math.Log(lost) / math.Log(phi)))
	}
	fresh, values := math.Sqrt(1-phi*phi), new([blockSlots]float64)
	x := of.normal(kind, first-back-1)
	for slot := first - back; slot < first+blockSlots; slot++ {
		x = phi*x + fresh*of.normal(kind, slot)
		if slot >= first {
			values[slot-first] = x
		}
	}
	return values
}

// normal returns a normally distributed number, the same for the same arguments.
func (s Stream) normal(kind uint64, n int64) float64 {
	u, v := s.Unit(kind, 2*n), s.Unit(kind, 2*n+1)
	return math.Sqrt(-2*math.Log(1-u)) * math.Cos(2*math.Pi*v)
}
