package load

import (
	"hash/fnv"
	"math"
)

// Stream is the deterministic noise of one entity.
type Stream uint64

// NewStream returns the noise of an entity with these names.
func NewStream(names ...string) Stream {
	h := fnv.New64a()
	for _, n := range names {
		_, _ = h.Write([]byte(n))
		_, _ = h.Write([]byte{0})
	}
	return Stream(h.Sum64())
}

// Kinds of noise.
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

// Unit returns a number from 0 up to 1, the same for the same kind and n. The upper half of kind distinguishes several streams of
// one kind.
func (s Stream) Unit(kind uint64, n int64) float64 {
	return float64(mix(uint64(s)^mix(kind<<48^kind>>16<<32^uint64(n)))>>11) / (1 << 53)
}

// swing varies slowly, interpolating between the numbers of consecutive integers.
func (s Stream) swing(kind uint64, x float64) float64 {
	low := math.Floor(x)
	at := x - low
	at = at * at * (3 - 2*at)
	from, to := s.Unit(kind, int64(low)), s.Unit(kind, int64(low)+1)
	return from + (to-from)*at
}

// count returns the number of events in a slot for a rate per second: the fraction occasionally makes one more.
func (s Stream) count(perSecond float64, kind uint64, slot int64) int64 {
	n := perSecond * float64(SlotSeconds)
	low := math.Floor(n)
	if s.Unit(kind, slot) < n-low {
		low++
	}
	return int64(low)
}
