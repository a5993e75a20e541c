package trial

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
)

const hourPairs = 6 // of 5-minute blocks

// TestProveFalsePositives compares the designs where nothing changes: docs/trial.md has the table. It is printed with -v.
func TestProveFalsePositives(t *testing.T) {
	runs := proof.Count(t, 150, 2000)
	var table strings.Builder
	fmt.Fprintf(&table, "| design and test | φ = 0.5 | φ = 0.8 | φ = 0.95 |\n|---|---|---|---|\n")
	row := func(name string, low, high float64, wrong func(phi float64, seed uint64) bool) {
		fmt.Fprintf(&table, "| %s |", name)
		for _, phi := range []float64{.5, .8, .95} {
			n := 0
			for seed := range runs {
				if wrong(phi, uint64(seed)) {
					n++
				}
			}
			rate := float64(n) / float64(runs)
			fmt.Fprintf(&table, " %.1f %% |", 100*rate)
			spread := 3 * math.Sqrt(high*(1-high)/float64(runs)) // of the count
			require.GreaterOrEqual(t, rate, low-spread, "%s, φ %g", name, phi)
			require.LessOrEqual(t, rate, high+spread, "%s, φ %g", name, phi)
		}
		table.WriteString("\n")
	}
	for _, hours := range []int{1, 4} {
		n := hours * 180
		row(fmt.Sprintf("before/after, Welch's t-test on samples, %d h", hours), .45, .97, func(phi float64, seed uint64) bool {
			s := newFleet(rawCounter(phi), 1, 0, seed).series(2 * n)
			return welch(s[n:], s[:n]).p <= .05
		})
	}
	row("before/after, Newey-West errors and a trend, 4 h", .10, .40, func(phi float64, seed uint64) bool {
		s := newFleet(rawCounter(phi), 1, 0, seed).series(2 * 720)
		return neweyWest(s[:720], s[720:]).p <= .05
	})
	for _, hours := range []int{1, 4} {
		row(fmt.Sprintf("switchback, sign flip, %d h", hours), .02, .06, func(phi float64, seed uint64) bool {
			r := registered(1, hours*hourPairs, seed)
			return Analyse(r, newFleet(rawCounter(phi), 1, 0, seed).switchback(r, nil)).P <= .05
		})
	}
	row("switchback, keep or worse with early stop, 4 h", 0, .05, func(phi float64, seed uint64) bool {
		r := registered(1, 4*hourPairs, seed)
		res := stopped(newFleet(rawCounter(phi), 1, 0, seed), r)
		return res.Verdict == Keep || res.Verdict == Worse
	})
	row("switchback of 4 hosts, keep or worse with early stop, 4 h", 0, .05, func(phi float64, seed uint64) bool {
		r := registered(4, 4*hourPairs, seed)
		res := stopped(newFleet(rawCounter(phi), 4, 0, seed), r)
		return res.Verdict == Keep || res.Verdict == Worse
	})
	t.Log("\n" + table.String())
}

// stopped returns the result of a trial that ends when the e-value decides.
func stopped(f *fleet, r *Registration) *Result {
	blocks := f.switchback(r, func(blocks []Block) bool { return barReached(r, blocks) && Analyse(r, blocks).Decisive() })
	return Analyse(r, blocks)
}

// barReached reports whether the e-value has reached its bar: the quick part of Decisive.
func barReached(r *Registration, blocks []Block) bool {
	return slices.Max(eValues(differences(r.pairResults(r.pairs(blocks), 0), -1))) >= bar
}

// TestProveEProcess looks after every pair, which no ordinary test survives.
func TestProveEProcess(t *testing.T) {
	runs := proof.Count(t, 1000, 10_000)
	wrong, harmful, peeking := 0, 0, 0
	for seed := range runs {
		r := registered(1, 48, uint64(seed))
		phi := []float64{.5, .8, .95}[seed%3]
		res := r.pairResults(r.pairs(newFleet(rawCounter(phi), 1, 0, uint64(seed)).switchback(r, nil)), 0)
		list := differences(res, -1)
		if slices.Max(eValues(list)) >= bar {
			wrong++
		}
		if largestHarm(list) >= harmBar {
			harmful++
		}
		for n := fewestPairs; n <= len(list); n++ {
			if low, high := tInterval(list[:n]); low > 0 || high < 0 {
				peeking++
				break
			}
		}
	}
	rate := float64(wrong) / float64(runs)
	t.Logf("E ≥ %d at any look: %.2f %% of %d runs; one-sided E ≥ %d: %.2f %%; a t-test at every look: %.0f %%",
		bar, 100*rate, runs, harmBar, 100*float64(harmful)/float64(runs), 100*float64(peeking)/float64(runs))
	require.LessOrEqual(t, rate, .05)
	require.LessOrEqual(t, float64(harmful)/float64(runs), 1./harmBar)
	require.Greater(t, float64(peeking)/float64(runs), .10, "looking costs, or this test shows nothing")
}

// TestProveCoverageAndPower makes trials of true effects, planned from an hour of samples.
func TestProveCoverageAndPower(t *testing.T) {
	runs := proof.Count(t, 40, 500)
	var table strings.Builder
	fmt.Fprintf(&table, "| noise | true effect | hosts | covered | covered, early stop | promised | found | found, early stop | hours | keep |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range []struct {
		name   string
		noise  noise
		effect float64
		hosts  int
	}{
		{"raw, φ 0.8", rawCounter(.8), -.10, 1},
		{"raw, φ 0.8", rawCounter(.8), -.10, 4},
		{"raw, φ 0.95", rawCounter(.95), -.10, 4},
		{"per work, φ 0.5", perWork(.5), -.05, 1},
		{"per work, φ 0.8", perWork(.8), -.05, 1},
		{"per work, φ 0.8", perWork(.8), .02, 4},
		{"per work, φ 0.95", perWork(.95), -.05, 1},
		{"per work, φ 0.8", perWork(.8), -.05, 8},
	} {
		s := planned(c.noise, c.effect, c.hosts, runs)
		fmt.Fprintf(&table, "| %s | %+.0f %% | %d | %.1f %% | %.1f %% | %.0f %% | %.0f %% | %.0f %% | %.1f | %.0f %% |\n",
			c.name, 100*c.effect, c.hosts, 100*s.covered, 100*s.coveredEarly, 100*s.promised, 100*s.found, 100*s.foundEarly, s.hours, 100*s.kept)
		spread := 3 * math.Sqrt(.08*.92/float64(runs))
		require.InDelta(t, .95, s.covered, .03+spread, "coverage: %s %g", c.name, c.effect)
		spread = 3 * math.Sqrt(.2*.8/float64(runs))
		require.InDelta(t, s.promised, s.found, .10+spread, "power: %s %g", c.name, c.effect)
	}
	t.Log("\n" + table.String())
}

type performance struct{ covered, coveredEarly, promised, found, foundEarly, kept, hours float64 }

// planned makes trials whose length follows from a baseline of one hour.
func planned(n noise, effect float64, hosts, runs int) (s performance) {
	for seed := range runs {
		f := newFleet(n, hosts, effect, uint64(seed))
		q := PlanRequest{
			Units: make([]Unit, hosts), Outcomes: []Outcome{simulated}, MinEffect: math.Abs(effect), Alpha: .05,
			Block: 300e9, Settle: 60e9, Interval: 20e9,
		}
		p := f.prospect(&q)
		r := registered(hosts, p.Pairs, uint64(seed))
		truth := math.Log1p(effect)
		early := false
		var first *Result
		blocks := f.switchback(r, func(blocks []Block) bool {
			if early || !barReached(r, blocks) {
				return false
			}
			if res := Analyse(r, blocks); res.Decisive() {
				early, first = true, res
			}
			return false
		})
		res := Analyse(r, blocks)
		if first == nil {
			first = res
		}
		one := func(yes bool) float64 {
			if yes {
				return 1 / float64(runs)
			}
			return 0
		}
		s.covered += one(res.Estimate.Low <= truth && truth <= res.Estimate.High)
		s.coveredEarly += one(first.Estimate.Low <= truth && truth <= first.Estimate.High)
		s.found += one(res.P <= r.Alpha)
		s.foundEarly += one(first.P <= r.Alpha || first.EMax >= bar)
		s.kept += one(res.Verdict == Keep)
		s.promised += p.Power / float64(runs)
		s.hours += float64(p.Pairs) / hourPairs / float64(runs)
	}
	return s
}

// prospect plans a trial from an hour of the fleet's samples, as PlanFor does from frames.
func (f *fleet) prospect(q *PlanRequest) (p Prospect) {
	m := &Meter{r: &Registration{Interval: q.Interval}, outcomes: []boundOutcome{{Outcome: simulated}}, samples: make([][]RawSample, len(q.Units))}
	p.Outcome = simulated
	for i := range 180 {
		for u, v := range f.next(nil) {
			m.samples[u] = append(m.samples[u], RawSample{Time: start.Add(seconds(20 * float64(i+1))), Seconds: 20, Cost: []float64{v}, Work: []float64{1}})
		}
	}
	squares, n := 0., 0
	for u := range q.Units {
		s, k := m.adjacent(u, q.Block, q.Settle)
		squares, n = squares+s, n+k
		p.Differences += int(span(m.samples[u])/q.Block) - 1
	}
	p.SD = math.Sqrt(squares / float64(n))
	q.promise(&p)
	return p
}

// Where effects depend on the load, the plan takes more pairs and promises no more.
func TestPlanOfEffectsThatVary(t *testing.T) {
	q := &PlanRequest{Units: make([]Unit, 1), MinEffect: .05, Alpha: .05, Block: 5 * time.Minute}
	steady := Prospect{SD: .05, Differences: 10, Outcome: Outcome{Form: Ratio}}
	varies := steady
	varies.Outcome.EffectVaries = .5
	q.promise(&steady)
	q.promise(&varies)
	require.Equal(t, steady.Needed+2, varies.Needed) // (2.8 · 0.5)² = 1.96 more
	require.InDelta(t, steady.Power, varies.Power, .06)
	require.Empty(t, steady.Notes)
	require.Contains(t, varies.Notes[0], "50 % of the effect")
	q.For = time.Duration(steady.Pairs) * 2 * q.Block
	varies.Notes = nil
	q.promise(&varies)
	require.Less(t, varies.Power, steady.Power-.03)
	require.Greater(t, varies.Smallest, steady.Smallest)
}
