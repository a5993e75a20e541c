package simfleet

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// Wherever the user is, it is half past ten in the fleet's zone, and no zone is beyond the date line.
func TestMidMorning(t *testing.T) {
	t.Parallel()
	paris := time.FixedZone("", 3600)
	for at := time.Date(2026, 11, 20, 0, 0, 0, 0, paris); at.Day() < 22; at = at.Add(17 * time.Minute) {
		zone := MidMorning(at)
		require.LessOrEqual(t, zone.Abs(), 12*time.Hour)
		require.InDelta(t, 10.5, math.Mod(float64(load.SlotStart(load.SlotOf(at)).Unix())/3600+zone.Hours(), 24), .006, at)
	}
	require.Zero(t, MidMorning(time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)))
}

// The zone shifts only the load.
func TestZoneMovesTheLoad(t *testing.T) {
	t.Parallel()
	night := time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC)
	at := func(zone time.Duration) float64 {
		l, s := common(t).runs("web-01")
		return float64(load.New(l.History, 1, zone, load.Noise{}).VM(s, load.SlotOf(night)).DemandMHz)
	}
	require.Greater(t, at(MidMorning(night)), 2*at(0), "it is busy there, while it is night here")
	require.InDelta(t, at(24*time.Hour), at(0), at(0)/2, "a day later it is about the same")
}
