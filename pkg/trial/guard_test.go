package trial

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/esxtop"
)

// measured returns a registration with a baseline of an hour of the estate.
func measured(t *testing.T, r *Registration, e *memoryEstate) {
	t.Helper()
	var rounds []*esxtop.Round
	for range 180 {
		round, err := e.Next(t.Context())
		require.NoError(t, err)
		rounds = append(rounds, round)
	}
	b, err := r.Measure(rounds)
	require.NoError(t, err)
	r.Baseline = b
	e.rounds = 0
}

func TestBaseline(t *testing.T) {
	r, e := onHosts(t, 2, 6), newEstate(calm, 2, 0)
	measured(t, r, e)
	require.Len(t, r.Baseline.Units, 2)
	u := r.Baseline.Units[0]
	require.InDelta(t, 1000, u.Outcomes[0], 20)
	require.InDelta(t, 2, u.Outcomes[1], 1e-9)
	require.Zero(t, u.Outcomes[2], "the frames have no ports")
	require.Equal(t, GuardBaseline{P99: 2, Max: 2, Mean: 2, Samples: 180}, u.Guards[0])
	require.Equal(t, GuardBaseline{Samples: 180}, u.Guards[5], "no swapping")
	require.Zero(t, u.Guards[4].Samples, "the frames have no LUNs")
}

// TestHardGuard doubles the ready time when the change is made: the trial ends with the second sample.
func TestHardGuard(t *testing.T) {
	r, e := onHosts(t, 1, 6), newEstate(calm, 1, 0)
	r.Schedule[0].First[0] = false // the second block has the change
	e.onFrame = func(_, _ int, f *esxtop.Frame) bool {
		setReady(f, 6)
		if e.treated != nil && e.treated[0] {
			setReady(f, 12)
		}
		return true
	}
	measured(t, r, e)
	res, told, err := made(t.Context(), t, r, e)
	require.NoError(t, err)
	require.Equal(t, StopGuard, res.Stop)
	require.Equal(t, "Ready time per vCPU of the worst VM on host01 is 12 %, above 9, in two samples", res.Stopped)
	require.Equal(t, []Trip{{Guard: "ready", How: "hard", Unit: 0, Value: 12, Limit: 9, Text: res.Stopped}}, res.Trips)
	require.Equal(t, 17, e.rounds, "15 of the first block and two samples")
	for _, p := range told {
		if p.Kind == SampleTaken {
			require.Equal(t, "ready", p.Guards[0].Guard)
			require.True(t, p.Guards[0].Known)
			require.InDelta(t, 9, p.Guards[0].Limit, 1e-9)
			require.False(t, p.Guards[4].Known)
		}
	}
}

func TestHardGuardIsQuiet(t *testing.T) {
	for name, ready := range map[string]func(round int, treated bool) float64{
		"without the change": func(_ int, treated bool) float64 {
			if treated {
				return 6
			}
			return 50
		},
		"single samples": func(round int, _ bool) float64 {
			if round%2 == 0 {
				return 50
			}
			return 6
		},
		"small values": func(_ int, treated bool) float64 {
			if treated {
				return 4.9 // below the warning threshold
			}
			return 6
		},
	} {
		r, e := onHosts(t, 1, 6), newEstate(calm, 1, 0)
		r.Guards = r.Guards[:1]
		e.onFrame = func(round, _ int, f *esxtop.Frame) bool {
			setReady(f, 6)
			if e.treated != nil {
				setReady(f, ready(round, e.treated[0]))
			}
			return true
		}
		measured(t, r, e)
		res, _, err := made(t.Context(), t, r, e)
		require.NoError(t, err)
		require.Empty(t, res.Trips, name)
	}
}

func TestUserGuard(t *testing.T) {
	r, e := onHosts(t, 1, 6), newEstate(calm, 1, 0)
	guard, err := ParseGuard("vm.cpu.ready<5%")
	require.NoError(t, err)
	r.Guards = []Guard{guard}
	e.onFrame = func(_, _ int, f *esxtop.Frame) bool {
		if e.treated != nil && e.treated[0] {
			setReady(f, 5.5)
		}
		return true
	}
	res, _, err := made(t.Context(), t, r, e)
	require.NoError(t, err)
	require.Equal(t, "vm.cpu.ready on host01 is 5.5 %, above 5, in two samples", res.Stopped)
}

// TestHardGuardFollowsLoad has load that rises during the trial, with the change and without it: no alarm. If the change then doubles
// the counter, the guard trips with the second sample.
func TestHardGuardFollowsLoad(t *testing.T) {
	for _, harm := range []float64{1, 2} {
		r, e := onHosts(t, 1, 6), newEstate(calm, 1, 0)
		r.Guards = r.Guards[:1]
		treated := 0
		e.onFrame = func(round, _ int, f *esxtop.Frame) bool {
			v := 6.
			if e.treated != nil {
				v = min(6*math.Exp(float64(round)/120), 20) // by two thirds within two pairs, to the threefold at last
			}
			if e.treated != nil && e.treated[0] && round > 140 {
				v *= harm
				treated++
			}
			setReady(f, v)
			return true
		}
		measured(t, r, e)
		res, _, err := made(t.Context(), t, r, e)
		require.NoError(t, err)
		if harm == 1 {
			require.Empty(t, res.Trips)
			require.Equal(t, 6, res.Used)
			continue
		}
		require.Equal(t, "hard", res.Trips[0].How)
		require.Equal(t, 2, treated, "it trips with the second sample")
		require.Greater(t, res.Trips[0].Limit, 15.)
	}
}

// TestLimitsThatStay: blocks with the change, dropped blocks and blocks with less teach a guard nothing, nor does any block the guard of
// a user.
func TestLimitsThatStay(t *testing.T) {
	r := onHosts(t, 1, 6)
	user, err := ParseGuard("vm.cpu.ready<5%")
	require.NoError(t, err)
	r.Guards = []Guard{r.Guards[0], user}
	r.Baseline.Units = []UnitBaseline{{Guards: []GuardBaseline{{P99: 6, Samples: 180}, {P99: 6, Samples: 180}}}}
	w := newWatch(r)
	block := func(ready float64) *Block {
		return &Block{Treated: []bool{false}, Units: []UnitBlock{{Samples: []RawSample{{Guards: []float64{ready, ready}}}}}}
	}
	treated, dropped := block(20), block(20)
	treated.Treated[0], dropped.Units[0].Dropped = true, "1 lost sample"
	for _, b := range []*Block{treated, dropped, block(5), block(unknown)} {
		w.learn(b)
		require.Equal(t, []float64{9, 5}, w.limits[0])
	}
	w.learn(block(10))
	require.InDelta(t, 15, w.limits[0][0], 1e-9+.2)
	require.InDelta(t, w.limits[0][0], w.readings[0].Limit, 1e-12)
	require.InDelta(t, 5., w.limits[0][1], 1e-12)
	for range 200 {
		w.learn(block(4))
	}
	require.Equal(t, []float64{9, 5}, w.limits[0], "the limit falls with the load, to that of the hour before")
}

func TestSwappingStarts(t *testing.T) {
	r, e := onHosts(t, 1, 6), newEstate(calm, 1, 0)
	measured(t, r, e)
	treated := 0
	e.onFrame = func(_, _ int, f *esxtop.Frame) bool {
		if e.treated[0] {
			if treated++; treated == 4 {
				f.Rows(esxtop.Host)[0].Set(esxtop.Lookup("mem.hostSwapRead"), .2)
			}
		}
		return true
	}
	res, _, err := made(t.Context(), t, r, e)
	require.NoError(t, err)
	require.Equal(t, "starts", res.Trips[0].How, "at once, although it is little")
	require.Equal(t, 4, treated)
}

// TestStartedWithoutTheChange: ballooning that starts in a block without the change is not the change's, but three times as much is.
func TestStartedWithoutTheChange(t *testing.T) {
	r := onHosts(t, 1, 6)
	r.Guards = slices.DeleteFunc(r.Guards, func(g Guard) bool { return g.ID != "balloon" })
	require.Len(t, r.Guards, 1)
	r.Baseline.Units = []UnitBaseline{{Guards: []GuardBaseline{{Samples: 180}}}}
	b := &Block{Treated: []bool{true}}
	sample := func(mb float64) *RawSample {
		return &RawSample{Time: start.Add(20 * time.Second), Guards: []float64{mb}}
	}
	w := newWatch(r)
	w.begin(b)
	require.Equal(t, "starts", w.sample(b, 0, sample(10)).How)
	w.learn(&Block{Treated: []bool{false}, Units: []UnitBlock{{Samples: []RawSample{{Guards: []float64{100}}}}}})
	require.Nil(t, w.sample(b, 0, sample(10)))
	require.Nil(t, w.sample(b, 0, sample(300)))
	require.Equal(t, "hard", w.sample(b, 0, sample(300)).How)
}

// TestSoftGuard raises a counter by half: less than the hard guard's limit, but more than without the change.
func TestSoftGuard(t *testing.T) {
	r, e := onHosts(t, 4, 12), newEstate(calm, 4, 0)
	e.onFrame = func(_, host int, f *esxtop.Frame) bool {
		setReady(f, 3)
		if e.treated != nil && e.treated[host] && host == 2 {
			setReady(f, 4.4)
		}
		return true
	}
	measured(t, r, e)
	res, _, err := made(t.Context(), t, r, e)
	require.NoError(t, err)
	require.Equal(t, "soft", res.Trips[0].How, res.Stopped)
	require.Equal(t, 2, res.Trips[0].Unit)
	require.InDelta(t, .47, res.Trips[0].Value, .01)
	require.LessOrEqual(t, e.rounds, 8*15)
}

// TestHarm has one host, without units to compare with: the e-process over its pairs stops the trial.
func TestHarm(t *testing.T) {
	r, e := onHosts(t, 1, 40), newEstate(rawCounter(.5), 1, 0)
	r.Guards = r.Guards[:1]
	e.onFrame = func(_, _ int, f *esxtop.Frame) bool {
		setReady(f, 3)
		if e.treated != nil && e.treated[0] {
			setReady(f, 4.4)
		}
		return true
	}
	measured(t, r, e)
	res, _, err := made(t.Context(), t, r, e)
	require.NoError(t, err)
	require.Equal(t, StopGuard, res.Stop)
	require.Equal(t, "harm", res.Trips[0].How)
	require.Equal(t, "ready", res.Trips[0].Guard)
	require.GreaterOrEqual(t, res.Trips[0].Value, 40.)
	require.Less(t, res.Used, 20)
}

func usedMHz(f *esxtop.Frame) float64 {
	v, _ := f.Of(esxtop.Lookup("host.cpuUsageMHz"))
	return v
}

// alarms makes the blocks of a trial without ending it at an alarm, and returns which guards tripped.
func (e *memoryEstate) alarms(t *testing.T, r *Registration) map[string]bool {
	t.Helper()
	m, err := NewMeter(r)
	require.NoError(t, err)
	w, all := newWatch(r), map[string]bool{}
	note := func(trip *Trip) {
		if trip != nil {
			all[trip.How] = true
		}
	}
	for i := range 2 * r.Pairs {
		b := Block{Begin: e.now, End: e.now.Add(r.Block), Treated: r.Schedule[i/2].Treated(i % 2)}
		e.treated = b.Treated
		m.Begin()
		w.begin(&b)
		for !m.reached(0, b.End) {
			round, err := e.Next(t.Context())
			require.NoError(t, err)
			for _, f := range round.Frames {
				for _, u := range m.Add(f) {
					note(w.sample(&b, u, m.newest(u)))
				}
			}
		}
		b.Units = m.Block(b.Begin, b.End, r.Settle).Units
		w.learn(&b)
		note(w.soft(&b))
	}
	return all
}

// TestProveGuardsOfNoise counts false alarms in trials of four hours without any effect.
func TestProveGuardsOfNoise(t *testing.T) {
	runs := proof.Count(t, 30, 300)
	for _, phi := range []float64{.5, .8, .95} {
		alarms := map[string]int{}
		for seed := range runs {
			r, e := onHosts(t, 2, 24), newEstate(rawCounter(phi), 2, 0)
			r.Guards, r.Others, r.Schedule = r.Guards[:1], nil, NewSchedule(uint64(seed), 24, 2)
			e.fleet = newFleet(rawCounter(phi), 2, 0, uint64(seed))
			e.onFrame = func(_, _ int, f *esxtop.Frame) bool { // the guard's counter is as noisy as the outcome
				setReady(f, 6*usedMHz(f)/1000)
				return true
			}
			measured(t, r, e)
			for how := range e.alarms(t, r) {
				alarms[how]++
			}
		}
		t.Logf("φ %g: false alarms in %d trials of 4 h of 2 hosts: hard %.1f %%, soft %.1f %%", phi, runs,
			100*float64(alarms["hard"])/float64(runs), 100*float64(alarms["soft"])/float64(runs))
		require.LessOrEqual(t, float64(alarms["hard"])/float64(runs), .05+3*math.Sqrt(.05/float64(runs)))
		require.LessOrEqual(t, float64(alarms["soft"])/float64(runs), .20+3*math.Sqrt(.2/float64(runs)))
	}
}
