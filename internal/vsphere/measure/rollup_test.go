package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/esxtop"
)

func figuresOf(o esxtop.Object, ids ...string) (list []RollupFigure) {
	for _, id := range ids {
		list = append(list, RollupFigure{o, esxtop.Lookup(id)})
	}
	return list
}

// TestRollupsAgreeWithSamples: a rollup of 300 s is the mean of the 15 samples of 20 s, and hosts share calls.
func TestRollupsAgreeWithSamples(t *testing.T) {
	for _, endpoint := range []string{"vcenter", "esxi-a"} {
		t.Run(endpoint, func(t *testing.T) {
			clock := newPerfClock()
			s := vspheretest.FleetOf(t, endpoint, simfleet.Config{Now: clock.now})
			source := performanceOf(t, s, clock, PerformanceOptions{Request: esxtop.Request{Objects: esxtop.ObjectsOf(esxtop.Host)}, History: time.Hour})
			r, err := ReadRollups(t.Context(), source.roster)
			require.NoError(t, err)
			day := r.Intervals[0]
			require.Equal(t, 5*time.Minute, day.Interval)
			require.GreaterOrEqual(t, day.Kept, 24*time.Hour)
			var ids []string
			for _, h := range source.hosts {
				ids = append(ids, h.moid)
			}
			now := clock.now()
			before := s.Calls()["QueryPerf"]
			rounds, err := r.Read(t.Context(), RollupQuery{
				Hosts: ids, Figures: figuresOf(esxtop.Host, "host.cpuUsageMHz", "net.allRx"), Interval: day, From: now.Add(-time.Hour), Until: now,
			})
			require.NoError(t, err)
			require.LessOrEqual(t, s.Calls()["QueryPerf"]-before, 1+len(ids)*2/historicalMetrics)
			require.GreaterOrEqual(t, len(rounds), 11)
			last := rounds[len(rounds)-1]
			require.Len(t, last.Frames, len(ids))
			want := last.Frames[0]
			require.Equal(t, 5*time.Minute, want.Interval)
			sum, n := 0.0, 0
			for n < 15 {
				for _, f := range nextRound(t, source).Frames {
					if f.MoID == want.MoID && f.Time.After(want.Time.Add(-5*time.Minute)) && !f.Time.After(want.Time) {
						sum, n = sum+value(t, f, esxtop.Host, 0, "host.cpuUsageMHz"), n+1
					}
				}
			}
			require.InDelta(t, sum/15, value(t, want, esxtop.Host, 0, "host.cpuUsageMHz"), 1)
		})
	}
}

func TestRollupsNotCollected(t *testing.T) {
	clock := newPerfClock()
	s := vspheretest.FleetOf(t, "vcenter", simfleet.Config{Now: clock.now})
	roster, err := ReadRoster(t.Context(), s)
	require.NoError(t, err)
	r, err := ReadRollups(t.Context(), roster)
	require.NoError(t, err)
	day, ok := r.Reaching(12 * time.Hour)
	require.True(t, ok)
	month, ok := r.Reaching(20 * 24 * time.Hour)
	require.True(t, ok)
	require.Equal(t, 2*time.Hour, month.Interval)
	_, ok = r.Reaching(1000 * 24 * time.Hour)
	require.False(t, ok)

	energy := figuresOf(esxtop.Host, "power.energy")[0]
	require.NoError(t, r.Collected(energy, day))
	require.NoError(t, r.Collected(figuresOf(esxtop.Host, "host.cpuUsageMHz")[0], month))
	err = r.Collected(energy, month)
	require.ErrorContains(t, err, "power.energy (power.energy.summation) is not collected at statistics level 1 of the 2h0m0s interval: set that interval to level 3")
	var missing *NotCollectedError
	require.ErrorAs(t, err, &missing)
	require.Equal(t, 3, missing.Needs)
	require.ErrorContains(t, r.Collected(figuresOf(esxtop.Group, "numa.local")[0], day), "the PerformanceManager has no counter for it")
}
