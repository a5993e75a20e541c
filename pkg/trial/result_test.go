package trial

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

func TestDecide(t *testing.T) {
	around := func(m, half float64) Estimate {
		return Estimate{Mean: m, Low: m - half, High: m + half, N: 10, Form: Ratio}
	}
	for i, c := range []struct {
		e      Estimate
		better Better
		proven bool
		want   Verdict
	}{
		{around(-.10, .03), Down, true, Keep},
		{around(-.10, .03), Up, true, Worse},
		{around(.10, .03), Up, true, Keep},
		{around(.10, .03), Down, true, Worse},
		{around(-.10, .03), Down, false, Undecided},
		{around(-.03, .01), Down, true, NoDifference}, // first, although it is an improvement
		{around(-.04, .03), Down, true, Undecided},    // an improvement, but less than what matters
		{around(.04, .03), Down, true, Worse},
		{around(0, .08), Down, false, Undecided},
		{Estimate{Mean: -.1, Low: -.11, High: -.09, N: 5, Form: Ratio}, Down, true, Undecided},
		{newEstimate(nil, Ratio, 0), Down, true, Undecided},
		{Estimate{Mean: -20, Low: -21, High: -19, N: 10, Form: Difference, Base: 100}, Down, true, Keep},
		{Estimate{Mean: -2, Low: -2.1, High: -1.9, N: 10, Form: Difference, Base: 100}, Down, true, NoDifference},
	} {
		require.Equal(t, c.want, decide(c.e, c.better, .05, c.proven), i)
	}
}

func TestHolm(t *testing.T) {
	list := []OtherResult{{P: .04}, {P: .01}, {P: .03}, {P: .9}}
	holm(list)
	for i, want := range []float64{.09, .04, .09, .9} {
		require.InDelta(t, want, list[i].Holm, 1e-12)
	}
}

func TestWorkMoved(t *testing.T) {
	r := registered(1, 10, 1)
	r.Outcome.Work = []Term{{}}
	var blocks []Block
	dice := rand.New(rand.NewPCG(1, 1))
	for i, p := range r.Schedule {
		for half := range 2 {
			b := Block{Pair: i, Half: half, Treated: p.Treated(half)}
			work := 100 + dice.Float64()
			if b.Treated[0] {
				work *= 1.3
			}
			b.Units = []UnitBlock{{Outcomes: []Value{{Cost: 1, Work: work, Value: -math.Log(work), Known: true}}}}
			blocks = append(blocks, b)
		}
	}
	c := Analyse(r, blocks).WorkMoved
	require.Greater(t, c.R, .99)
	require.InDelta(t, .3, c.Effect, .02)
	require.LessOrEqual(t, c.P, .01)
}

func TestSchedule(t *testing.T) {
	long, short := NewSchedule(7, 2000, 3), NewSchedule(7, 5, 3)
	require.Equal(t, long[:5], short)
	require.NotEqual(t, long[:5], NewSchedule(8, 5, 3))
	heads := 0
	for _, p := range long {
		for u, first := range p.First {
			require.NotEqual(t, p.Treated(0)[u], p.Treated(1)[u])
			require.Equal(t, first, p.Treated(0)[u])
			if first {
				heads++
			}
		}
	}
	require.InDelta(t, 3000, heads, 150)
	drawn := 0
	for seed := range 1000 {
		lot := DrawLot(uint64(seed), 9)
		n := 0
		for _, is := range lot {
			if is {
				n++
			}
		}
		require.Equal(t, 4, n)
		if lot[0] {
			drawn++
		}
	}
	require.InDelta(t, 444, drawn, 60)
}

// lotTrial simulates a randomised design of whole days.
func lotTrial(hosts int, effect float64, seed uint64) *Result {
	r := &Registration{Design: inventory.DesignRandomised, Outcome: simulated, MinEffect: .05, Alpha: .05, Units: make([]Unit, hosts), Lot: DrawLot(seed, hosts)}
	f := newFleet(rawCounter(.8), hosts, effect, seed)
	var blocks []Block
	for half := range 2 {
		b := Block{Half: half, Treated: make([]bool, hosts), Units: make([]UnitBlock, hosts)}
		if half == 1 {
			b.Treated = r.Lot
		}
		samples := make([][]RawSample, hosts)
		for range 24 * 180 {
			for u, v := range f.next(b.Treated) {
				samples[u] = append(samples[u], RawSample{Seconds: 20, Cost: []float64{v}, Work: []float64{1}})
			}
		}
		for u := range samples {
			b.Units[u].Outcomes = []Value{valueOf(&simulated, samples[u], 0)}
		}
		blocks = append(blocks, b)
	}
	return Analyse(r, blocks)
}

func TestProveRandomisedHosts(t *testing.T) {
	runs := proof.Count(t, 40, 400)
	wrong, found := 0, 0
	for seed := range runs {
		if lotTrial(8, 0, uint64(seed)).P <= .05 {
			wrong++
		}
		if res := lotTrial(8, -.05, uint64(seed)); res.P <= .05 {
			found++
			require.Less(t, res.Estimate.High, 0.)
		}
	}
	rate := float64(wrong) / float64(runs)
	t.Logf("8 hosts, 24 h + 24 h, Welch: %.1f %% false positives, finds 5 %% in %.0f %%", 100*rate, 100*float64(found)/float64(runs))
	require.LessOrEqual(t, rate, .06+3*math.Sqrt(.06/float64(runs)))
	require.Greater(t, float64(found)/float64(runs), .7)
}

func TestFewHostsProveNothing(t *testing.T) {
	res := lotTrial(8, -.20, 1)
	require.Equal(t, Keep, res.Verdict, res.Summary())
	require.Equal(t, ClaimCausal, res.Claim)
	res = lotTrial(6, -.20, 1)
	require.Equal(t, Observed, res.Verdict)
	require.Equal(t, ClaimObserved, res.Claim)
	require.InDelta(t, math.Log(.8), res.Estimate.Mean, .05)

	r := &Registration{Design: inventory.DesignRandomised, Outcome: simulated, Units: make([]Unit, 8), Lot: DrawLot(1, 8)}
	res = Analyse(r, nil)
	require.Equal(t, Observed, res.Verdict)
	require.Equal(t, 8, res.Dropped)
}

func TestBeforeAfter(t *testing.T) {
	f := newFleet(perWork(.8), 1, 0, 3)
	before, after := f.series(180), f.series(180)
	for i := range before {
		before[i] = math.Log(before[i])
		after[i] = math.Log(after[i] * .8)
	}
	res := BeforeAfter(simulated, before, after)
	require.Equal(t, ClaimBeforeAfter, res.Claim)
	require.Equal(t, Observed, res.Verdict, "whatever the numbers")
	effect, low, high := res.Estimate.Percent()
	require.InDelta(t, -20, effect, 6)
	require.Less(t, low, effect)
	require.Greater(t, high, effect)
	require.Less(t, res.P, .05)
	require.NotEmpty(t, BeforeAfter(simulated, nil, after).Notes)

	samples := []RawSample{{Seconds: 20, Cost: []float64{2}, Work: []float64{1}}, {Seconds: 20, Cost: []float64{2}, Work: []float64{0}}}
	require.InDeltaSlice(t, []float64{math.Log(2)}, simulated.Series(samples, 0), 1e-12)
}

func TestPlanFor(t *testing.T) {
	e := newEstate(perWork(.8), 2, 0)
	var rounds []*esxtop.Round
	for range 180 {
		round, err := e.Next(t.Context())
		require.NoError(t, err)
		rounds = append(rounds, round)
	}
	l, r := library(t), onHosts(t, 2, 6)
	q := PlanRequest{Units: r.Units, Outcomes: l.Outcomes, Block: r.Block, Settle: r.Settle}
	byID := map[string]Prospect{}
	for _, p := range PlanFor(q, rounds) {
		byID[p.Outcome.ID] = p
	}
	p := byID["cpu-per-gbit"]
	require.InDelta(t, 1000, p.Mean, 100)
	require.InDelta(t, .05, p.SD, .03)
	require.Equal(t, 22, p.Differences)
	require.Len(t, p.Hours, 4)
	require.Equal(t, p.Needed, p.Hours[0].Pairs)
	require.InDelta(t, float64(p.Needed)/6, p.Hours[0].Hours, 1e-9)
	require.Equal(t, (p.Needed+7)/8, p.Hours[3].Pairs)
	require.InDelta(t, .8, p.Power, .15)
	require.InDelta(t, .05, p.Smallest, .01)
	require.Contains(t, byID["drops"].Missing, "host01 has no drops")
	require.Contains(t, byID["disk-latency"].Missing, "host01 has no disk-latency")
	require.Zero(t, byID["ready"].SD, "it is constant")

	q.For, q.Outcomes = 20*time.Minute, []Outcome{*l.Outcome("cpu-per-gbit")}
	p = PlanFor(q, rounds)[0]
	require.Equal(t, 2, p.Pairs)
	require.Zero(t, p.Power)
	require.Contains(t, p.Notes[0], "4 differences are too few")

	q.For, q.Block, q.Settle = 0, 30*time.Minute, 10*time.Minute
	p = PlanFor(q, rounds)[0]
	require.Empty(t, p.Missing)
	require.Contains(t, p.Notes[0], "the noise is that of blocks of 12m0s")
	require.Contains(t, PlanFor(q, rounds[:30])[0].Missing, "do not fill two blocks")
	q.Units = []Unit{{Kind: inventory.ScopeVM, Name: "vm-a"}}
	require.Contains(t, PlanFor(q, rounds)[0].Missing, "cannot be measured on a vm")
}

// day returns the blocks of a trial of a day.
func day(hosts int) (*Registration, []Block) {
	r := registered(hosts, 144, 1)
	return r, newFleet(rawCounter(.8), hosts, -.05, 1).switchback(r, nil)
}

func BenchmarkAnalyseDayOf8Hosts(b *testing.B) {
	r, blocks := day(8)
	for b.Loop() {
		Analyse(r, blocks)
	}
}

// TestBudgets analyses a trial of 8 hosts and a day, and counts what its samples occupy. The limit of time is that of a
// quiet machine, with room for others.
func TestBudgets(t *testing.T) {
	r := onHosts(t, 8, 144)
	r.Settle, r.Seed = r.Settle+time.Second, 0 // nothing depends on it
	e := newEstate(rawCounter(.8), 8, 0)
	r.Schedule = NewSchedule(3, 144, 8)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var blocks []Block
	m, err := NewMeter(r)
	require.NoError(t, err)
	for i := range 288 {
		b := Block{Pair: i / 2, Half: i % 2, Begin: e.now, End: e.now.Add(r.Block), Treated: r.Schedule[i/2].Treated(i % 2)}
		m.Begin()
		for !m.reached(0, b.End) {
			round, err := e.Next(t.Context())
			require.NoError(t, err)
			for _, f := range round.Frames {
				m.Add(f)
			}
		}
		b.Units = m.Block(b.Begin, b.End, r.Settle).Units
		blocks = append(blocks, b)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	mib := (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / (1 << 20)
	began := time.Now()
	res := Analyse(r, blocks)
	took := time.Since(began)
	t.Logf("a day of 8 hosts: %.1f MiB, analysed in %s", mib, took)
	require.Equal(t, 8*144, res.Used)
	require.Less(t, mib, 60.)
	require.Less(t, took, 5*time.Second)
}
