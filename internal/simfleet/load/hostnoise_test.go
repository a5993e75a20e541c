package load

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func moments(list []float64) (mean, sd float64) {
	for _, v := range list {
		mean += v / float64(len(list))
	}
	for _, v := range list {
		sd += (v - mean) * (v - mean) / float64(len(list))
	}
	return mean, math.Sqrt(sd)
}

// correlation returns the correlation of values with those so many places later.
func correlation(list []float64, lag int) (sum float64) {
	mean, sd := moments(list)
	for n := range len(list) - lag {
		sum += (list[n] - mean) * (list[n+lag] - mean) / float64(len(list)-lag)
	}
	return sum / (sd * sd)
}

const day = 4320 // slots

// The noise of a host has the requested deviation and correlation, across the blocks in which it is computed.
func TestWander(t *testing.T) {
	t.Parallel()
	for _, phi := range []float64{0, .5, .8, .95} {
		n := newNoise(Noise{Seed: 11, Phi: phi, Work: Variation{CV: .15}})
		var list, joints []float64
		for slot := range int64(10 * day) {
			list = append(list, n.of(NewStream("host01"), slot).work)
		}
		mean, sd := moments(list)
		require.InDelta(t, 1, mean, .02, "φ %g", phi)
		require.InDelta(t, .15, sd, .01, "φ %g", phi)
		require.InDelta(t, phi, correlation(list, 1), .02, "φ %g", phi)
		require.InDelta(t, phi*phi, correlation(list, 2), .04, "φ %g", phi)
		for at := blockSlots; at < len(list); at += blockSlots { // what is new in a block's first value
			joints = append(joints, list[at]-1-phi*(list[at-1]-1))
		}
		_, fresh := moments(joints)
		require.InDelta(t, .15*math.Sqrt(1-phi*phi), fresh, .015, "φ %g", phi)
	}
}

// Load of the whole cluster is slow, and hosts follow it by a quarter more or less.
func TestSlowAndDiurnal(t *testing.T) {
	t.Parallel()
	slow := newNoise(Noise{Seed: 3, Work: Variation{Slow: .07}})
	daily := newNoise(Noise{Seed: 3, Work: Variation{Diurnal: .2}})
	one, other := NewStream("host01"), NewStream("host02")
	var a, ratio []float64
	for slot := range int64(20 * day) {
		x, y := slow.of(one, slot).work, slow.of(other, slot).work
		a, ratio = append(a, x), append(ratio, (x-1)/(y-1))
		require.InDelta(t, daily.of(one, slot).work, daily.of(one, slot+day).work, 1e-6)
	}
	mean, sd := moments(a)
	require.InDelta(t, 1, mean, .02)
	require.InDelta(t, .07, sd, .07*.3)
	require.InDelta(t, math.Exp(-1), correlation(a, 90), .12, "after half an hour")
	_, differ := moments(ratio)
	require.InDelta(t, 0, differ, 1e-6, "one load, two loadings")
	require.NotEqual(t, 1, ratio[0])
	low, high := 1.0, 1.0
	for slot := range int64(day) {
		low, high = min(low, daily.of(one, slot).work), max(high, daily.of(one, slot).work)
	}
	require.InDelta(t, 2, low+high, .001)
	require.GreaterOrEqual(t, high, 1+.2*.75-.001)
	require.LessOrEqual(t, high, 1+.2*1.25)
}

// Without noise nothing varies; work and cost vary on their own.
func TestNoiseLevels(t *testing.T) {
	t.Parallel()
	require.Equal(t, noiseLevel{1, 1, 1}, newNoise(Noise{Seed: 1, Settle: time.Second}).of(NewStream("host01"), 5))
	n := newNoise(RealNoise(1, .8))
	var work, cost []float64
	for slot := range int64(10 * day) {
		level := n.of(NewStream("host01"), slot)
		work, cost = append(work, level.work), append(cost, level.cost)
	}
	meanWork, sdWork := moments(work)
	meanCost, sdCost := moments(cost)
	var both float64
	for i := range work {
		both += (work[i] - meanWork) * (cost[i] - meanCost) / sdWork / sdCost / float64(len(work))
	}
	require.Less(t, math.Abs(both), .5, "they may share the phase of the day")
	require.InDelta(t, .23, sdWork, .06)
	require.InDelta(t, .06, sdCost, .012)
}

// A request far away costs as much as one nearby.
func BenchmarkNoiseAnywhere(b *testing.B) {
	n := newNoise(RealNoise(1, .95))
	slot := int64(0)
	for b.Loop() {
		slot += 1_000_003
		n.of(NewStream("host01"), slot)
	}
}

func BenchmarkNoiseInOrder(b *testing.B) {
	n := newNoise(RealNoise(1, .95))
	slot := int64(0)
	for b.Loop() {
		slot++
		n.of(NewStream("host01"), slot)
	}
}

// What is in effect adds up, and follows the course of the settings.
func TestCourse(t *testing.T) {
	t.Parallel()
	a, b, c := &Host{Cores: 1}, &Host{Cores: 2}, &Host{Cores: 3}
	at := SlotStart(1000)
	course := course[Host]{{settings: a}, {at, b}, {at.Add(20 * time.Second), c}}
	for slot := int64(1001); slot < 1015; slot++ {
		mix := course.during(slot, 20*time.Second)
		var sum float64
		for _, w := range mix {
			require.GreaterOrEqual(t, w.weight, 0.0)
			sum += w.weight
		}
		require.InDelta(t, 1, sum, 1e-9)
		require.Same(t, c, mix.now())
		left := (1 - math.Exp(-1)) * math.Exp(-float64(slot-1001)) // of all before the last change
		require.InDelta(t, 3-left*(1-math.Exp(-1))-2*left*math.Exp(-1), mix.of(func(h *Host) float64 { return float64(h.Cores) }), .001)
		if slot > 1011 {
			require.Len(t, mix, 1, "it has settled")
		}
	}
	require.Len(t, course.during(1001, 0), 1, "at once")
}
