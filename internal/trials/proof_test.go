package trials

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/trial"
)

// mostPairs of a simulated trial: the plan may ask for more.
const mostPairs = 24

// simulated is one trial in a lab, beside a naive comparison of the hour before with the hour after.
type simulated struct {
	*trial.Result

	truth, promised float64
	lasted          time.Duration // only of guards
	naive           interval      // Welch's t-test on samples
	corrected       interval      // Newey and West's errors with a trend
}

// interval is a 95 % interval of an effect.
type interval struct{ low, high float64 }

func (i interval) covers(v float64) bool { return i.low <= v && v <= i.high }

// found reports whether the trial proves an effect.
func (s simulated) found() bool { return s.P <= trial.DefaultAlpha || s.EMax >= 20 }

// incomplete reports whether a pair was dropped, because the fleet lost a sample.
func incomplete(s simulated) bool { return s.Dropped > 0 }

func (s simulated) interval() interval { return interval{s.Estimate.Low, s.Estimate.High} }

// welch returns the interval of the difference of means as if samples did not depend on one another.
func welch(before, after []float64) interval {
	ma, va := stat.MeanVariance(after, nil)
	mb, vb := stat.MeanVariance(before, nil)
	va, vb = va/float64(len(after)), vb/float64(len(before))
	df := (va + vb) * (va + vb) / (va*va/float64(len(after)-1) + vb*vb/float64(len(before)-1))
	half := distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(.975) * math.Sqrt(va+vb)
	return interval{ma - mb - half, ma - mb + half}
}

// simulate makes trials, as many at a time as there are cores. Each has its own seed, noise and time of day.
func simulate(t *testing.T, n int, one func(i int) simulated) []simulated {
	t.Helper()
	list := make([]simulated, n)
	next := make(chan int)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				list[i] = one(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
	return list
}

// labTrial makes one trial. minEffect 0 is the true effect in the two hours from its start.
func labTrial(t *testing.T, library *trial.Library, e experiment, seed uint64, phi, minEffect float64) simulated {
	b := newBench(t, library, e, nil, seed, phi, max(minEffect, trial.DefaultMinEffect))
	if minEffect == 0 {
		b.r.MinEffect = math.Expm1(math.Abs(b.truth(t, b.start, b.start.Add(20*b.r.Block))))
	}
	s := simulated{promised: b.plan(t, mostPairs)}
	s.Result = b.run(t, nil)
	s.truth = b.truth(t, b.start, b.lab.Now())
	before, after := b.beforeAfter(t)
	s.naive = welch(before, after)
	nw := trial.BeforeAfter(b.r.Outcome, before, after).Estimate
	s.corrected = interval{nw.Low, nw.High}
	return s
}

// share returns how many of the trials are so, as a fraction.
func share(list []simulated, is func(simulated) bool) float64 {
	n := 0
	for _, s := range list {
		if is(s) {
			n++
		}
	}
	return float64(n) / float64(len(list))
}

func average(list []simulated, of func(simulated) float64) (sum float64) {
	for _, s := range list {
		sum += of(s) / float64(len(list))
	}
	return sum
}

// ceiling returns the share of n tries that an event of probability p exceeds once in 1,000 times.
func ceiling(n int, p float64) float64 {
	b, sum := distuv.Binomial{N: float64(n), P: p}, 0.
	for k := range n + 1 {
		if sum += b.Prob(float64(k)); sum >= .999 {
			return float64(k) / float64(n)
		}
	}
	return 1
}

// floor returns the share of n intervals of 95 % that cover the truth but for once in 1,000 times.
func floor(n int) float64 { return 1 - ceiling(n, .05) }

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// A setting without effect is rarely found to have one, whatever the outcome, the correlation of samples and the time of day. A
// comparison of two hours finds one more often than not.
func TestProveNoEffect(t *testing.T) {
	t.Parallel()
	library, all := builtIn(t), experiments()
	phis := []float64{.5, .65, .8, .95}
	list := simulate(t, proof.Count(t, 32, 400), func(i int) simulated {
		return labTrial(t, library, all[i%4].without(), 1000+uint64(i), phis[i/4%4], trial.DefaultMinEffect)
	})
	wrong := func(s simulated) bool { return s.Verdict == trial.Keep || s.Verdict == trial.Worse }
	naive := func(s simulated) bool { return !s.naive.covers(0) }
	corrected := func(s simulated) bool { return !s.corrected.covers(0) }
	line := func(name string, part []simulated) {
		t.Logf("| %s | %d | %s | %s | %s | %s | %s | %s | %.1f |", name, len(part), percent(share(part, naive)), percent(share(part, corrected)),
			percent(share(part, simulated.found)), percent(share(part, wrong)), percent(share(part, func(s simulated) bool { return s.interval().covers(0) })),
			percent(share(part, incomplete)), average(part, func(s simulated) float64 { return float64(s.Used) }))
	}
	t.Log("| trials | number | Welch | Newey-West | p or e | keep or worse | covers 0 | dropped | pairs |")
	for k := range phis {
		line(fmt.Sprintf("φ %g", phis[k]), pick(list, func(i int) bool { return i/4%4 == k }))
	}
	for k, e := range all {
		line(e.title, pick(list, func(i int) bool { return i%4 == k }))
	}
	line("all", list)
	n := len(list)
	require.LessOrEqual(t, share(list, wrong), ceiling(n, .05), "says keep or worse")
	require.LessOrEqual(t, share(list, simulated.found), ceiling(n, .05), "p or e-value")
	require.GreaterOrEqual(t, share(list, func(s simulated) bool { return s.interval().covers(0) }), floor(n), "intervals")
	require.Greater(t, share(list, naive), .3, "the fleet would not need trials")
}

func pick(list []simulated, is func(int) bool) (part []simulated) {
	for i, s := range list {
		if is(i) {
			part = append(part, s)
		}
	}
	return part
}

// The interval of a trial covers the fleet's true effect as often as it says, and a trial finds it as often as its plan promises,
// within 10 points. docs/trial.md has the figures.
func TestProveEffects(t *testing.T) {
	t.Parallel()
	library := builtIn(t)
	var pooled []simulated
	covers := func(s simulated) bool { return s.interval().covers(s.truth) }
	t.Log("| setting | true effect | covers | Welch covers | Newey-West covers | promised | found | keep | worse | no difference | dropped | pairs |")
	for k, e := range experiments() {
		list := simulate(t, proof.Count(t, 8, 200), func(i int) simulated {
			return labTrial(t, library, e, 10000*uint64(k+1)+uint64(i), .8, 0)
		})
		verdict := func(v trial.Verdict) string {
			return percent(share(list, func(s simulated) bool { return s.Verdict == v }))
		}
		n, promised := len(list), average(list, func(s simulated) float64 { return s.promised })
		found := share(list, simulated.found)
		t.Logf("| %s | %+.1f %% | %s | %s | %s | %s | %s | %s | %s | %s | %s | %.1f |", e.title, 100*math.Expm1(average(list, func(s simulated) float64 { return s.truth })),
			percent(share(list, covers)), percent(share(list, func(s simulated) bool { return s.naive.covers(s.truth) })),
			percent(share(list, func(s simulated) bool { return s.corrected.covers(s.truth) })), percent(promised), percent(found),
			verdict(trial.Keep), verdict(trial.Worse), verdict(trial.NoDifference), percent(share(list, incomplete)),
			average(list, func(s simulated) float64 { return float64(s.Used) }))
		require.GreaterOrEqual(t, share(list, covers), floor(n), e.title)
		slack := .1
		if n < 200 { // too few to tell
			slack += 3 * math.Sqrt(promised*(1-promised)/float64(n))
		}
		require.InDelta(t, promised, found, slack, e.title)
		pooled = append(pooled, list...)
	}
	rate := share(pooled, covers)
	t.Logf("all: covers %s", percent(rate))
	require.GreaterOrEqual(t, rate, floor(len(pooled)))
	require.LessOrEqual(t, rate, ceiling(len(pooled), .95))
}
