package trial

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// Claims: what a design allows to say.
const (
	ClaimCausal      = "causal effect"
	ClaimObserved    = "observed, not proven: fewer than 8 units were drawn by lot"
	ClaimBeforeAfter = "before/after, not a proof"
)

// Analyse computes the result from the blocks there are. It is a pure function of its arguments.
func Analyse(r *Registration, blocks []Block) *Result {
	if r.Design == inventory.DesignRandomised {
		return analyseLot(r, blocks)
	}
	pairs := r.pairs(blocks)
	out := &Result{Claim: ClaimCausal, Pairs: r.pairResults(pairs, 0), Verdict: Undecided}
	used := differences(out.Pairs, -1)
	out.Used, out.Dropped = len(used), len(out.Pairs)-len(used)
	base := r.base(0)
	out.Estimate = newEstimate(used, r.Outcome.Form, base)
	for u := range r.Units {
		out.PerUnit = append(out.PerUnit, newEstimate(differences(out.Pairs, u), r.Outcome.Form, base))
	}
	out.Treated, out.Untreated = r.shownMeans(0, out.Pairs)
	out.P, out.EValues = signFlip(used, r.Seed), eValues(used)
	out.E, out.EMax = 1, 1
	if n := len(used); n > 0 {
		out.E, out.EMax = out.EValues[n-1], slices.Max(out.EValues)
	}
	out.Verdict = decide(out.Estimate, r.Outcome.Better, r.MinEffect, out.P <= r.Alpha || out.EMax >= bar)
	if out.Verdict == Undecided {
		out.MorePairs = r.morePairs(out.Estimate)
	}
	out.Harm = r.harm(pairs, out.Pairs)
	out.WorkMoved = r.workMoved(pairs)
	out.Others = r.others(pairs)
	out.TookEffect = r.tookEffect(out)
	if r.Outcome.Form == Difference && base == 0 {
		out.Notes = append(out.Notes, "the baseline of "+r.Outcome.ID+" is 0: effects and the smallest effect that matters are in "+r.Outcome.Unit)
	}
	return out
}

// unitPair is both blocks of a unit's pair.
type unitPair struct {
	pair, unit         int
	treated, untreated *UnitBlock
	dropped            string
}

// pairs returns the pairs of units whose two blocks are done, in the order in which they are analysed.
func (r *Registration) pairs(blocks []Block) (list []unitPair) {
	halves := map[[2]int]*Block{}
	last := -1
	for i := range blocks {
		b := &blocks[i]
		halves[[2]int{b.Pair, b.Half}] = b // the newest record of a block counts
		last = max(last, b.Pair)
	}
	for pair := range last + 1 {
		first, second := halves[[2]int{pair, 0}], halves[[2]int{pair, 1}]
		if first == nil || second == nil {
			continue
		}
		for u := range min(len(r.Units), len(first.Units), len(second.Units)) {
			p := unitPair{pair: pair, unit: u, treated: &first.Units[u], untreated: &second.Units[u]}
			p.dropped = cmp.Or(p.treated.Dropped, p.untreated.Dropped)
			if second.Treated[u] {
				p.treated, p.untreated = p.untreated, p.treated
			}
			list = append(list, p)
		}
	}
	return list
}

// pairResults compares an outcome within each pair.
func (r *Registration) pairResults(pairs []unitPair, outcome int) []PairResult {
	list := make([]PairResult, len(pairs))
	for i, p := range pairs {
		t, u := p.treated.Outcomes[outcome], p.untreated.Outcomes[outcome]
		list[i] = PairResult{Pair: p.pair, Unit: p.unit, Treated: t.Value, Untreated: u.Value, Difference: t.Value - u.Value, Dropped: p.dropped}
		if p.dropped == "" && (!t.Known || !u.Known) {
			list[i].Dropped = "no work was done"
		}
	}
	return list
}

// differences returns those that count, of one unit, or of all with -1.
func differences(pairs []PairResult, unit int) (list []float64) {
	for _, p := range pairs {
		if p.Dropped == "" && (unit < 0 || p.Unit == unit) {
			list = append(list, p.Difference)
		}
	}
	return list
}

// shownMeans returns the means of the blocks with and without the change, as people see them.
func (r *Registration) shownMeans(outcome int, pairs []PairResult) (treated, untreated float64) {
	n := 0
	for _, p := range pairs {
		if p.Dropped == "" {
			treated, untreated, n = treated+p.Treated, untreated+p.Untreated, n+1
		}
	}
	if n == 0 {
		return 0, 0
	}
	form := r.Outcomes()[outcome].Form
	return form.Shown(treated / float64(n)), form.Shown(untreated / float64(n))
}

// base returns what differences of an outcome are fractions of: the mean of the units' baselines.
func (r *Registration) base(outcome int) (sum float64) {
	for _, u := range r.Baseline.Units {
		if outcome < len(u.Outcomes) {
			sum += u.Outcomes[outcome] / float64(len(r.Baseline.Units))
		}
	}
	return sum
}

// morePairs says how many pairs of blocks are missing until the interval is as narrow as an answer takes, if noise and effect stay as they
// are so far.
func (r *Registration) morePairs(e Estimate) int {
	need := fewestPairs
	if e.N >= 2 {
		need = pairsNeeded(e.SD, r.decisiveDistance(e))
	}
	missing := max(1, need-e.N)
	return (missing + len(r.Units) - 1) / len(r.Units)
}

// decisiveDistance returns how far the estimate is from the limits that its interval must not include for an answer, on the scale of the
// estimate. An effect just below the smallest one that matters is far from 0, and takes long to tell from that one.
func (r *Registration) decisiveDistance(e Estimate) float64 {
	size, matters := math.Abs(e.Mean), math.Abs(e.scale(r.MinEffect))
	if e.Mean < 0 {
		matters = math.Abs(e.scale(-r.MinEffect))
	}
	better := (e.Mean < 0) == (r.Outcome.Better == Down)
	switch {
	case size >= matters:
		return size
	case better:
		return matters - size
	}
	return max(size, matters-size) // worse, or no difference
}

// harm returns the one-sided e-values of the outcome and the guards: their largest so far.
func (r *Registration) harm(pairs []unitPair, results []PairResult) []HarmValue {
	worse := differences(results, -1)
	if r.Outcome.Better == Up {
		for i := range worse {
			worse[i] = -worse[i]
		}
	}
	list := []HarmValue{{Of: r.Outcome.ID, E: largestHarm(worse)}}
	for i, g := range r.Guards {
		var worse []float64
		for _, p := range pairs {
			if p.dropped != "" || i >= len(p.treated.Guards) || p.treated.Guards[i] == unknown || p.untreated.Guards[i] == unknown {
				continue
			}
			d := p.treated.Guards[i] - p.untreated.Guards[i]
			if g.Below {
				d = -d
			}
			worse = append(worse, d)
		}
		list = append(list, HarmValue{Of: g.ID, E: largestHarm(worse)})
	}
	return list
}

func largestHarm(worse []float64) float64 {
	var e eProcess
	largest := 1.
	for _, d := range worse {
		e.add(d)
		largest = max(largest, e.oneSided())
	}
	return largest
}

// workMoved tests whether the change moved the work itself, in which case cost by work is no fair outcome.
func (r *Registration) workMoved(pairs []unitPair) *Correlation {
	if len(r.Outcome.Work) == 0 {
		return nil
	}
	var list []float64
	squares := 0.
	for _, p := range pairs {
		t, u := p.treated.Outcomes[0], p.untreated.Outcomes[0]
		if p.dropped == "" && t.Work > 0 && u.Work > 0 {
			d := math.Log(t.Work / u.Work)
			list, squares = append(list, d), squares+d*d
		}
	}
	if len(list) == 0 {
		return nil
	}
	c := &Correlation{P: signFlip(list, r.Seed), Effect: math.Expm1(mean(list))}
	if squares > 0 {
		c.R = mean(list) / math.Sqrt(squares/float64(len(list)))
	}
	return c
}

// others describes the other outcomes; their p values are corrected by Holm's method.
func (r *Registration) others(pairs []unitPair) []OtherResult {
	list := make([]OtherResult, len(r.Others))
	for i, o := range r.Others {
		results := r.pairResults(pairs, i+1)
		used := differences(results, -1)
		list[i] = OtherResult{Outcome: o.ID, Estimate: newEstimate(used, o.Form, r.base(i+1)), P: signFlip(used, r.Seed)}
		list[i].Treated, list[i].Untreated = r.shownMeans(i+1, results)
	}
	holm(list)
	return list
}

func holm(list []OtherResult) {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[a].P, list[b].P) })
	least := 0.
	for rank, i := range order {
		least = max(least, min(1, list[i].P*float64(len(list)-rank)))
		list[i].Holm = least
	}
}

// Decisive reports whether the result answers the question and stays valid if the trial stops now.
func (res *Result) Decisive() bool { return res.EMax >= bar && res.Verdict != Undecided }

// Harmful returns the first outcome or guard whose one-sided e-value shows harm, or "".
func (res *Result) Harmful() (of string, e float64) {
	for _, h := range res.Harm {
		if h.E >= harmBar {
			return h.Of, h.E
		}
	}
	return "", 0
}

// Summary is the verdict in one line, for logs.
func (res *Result) Summary() string {
	if !res.Estimate.Bounded() {
		return fmt.Sprintf("%s after %d differences", res.Verdict, res.Used)
	}
	effect, low, high := res.Estimate.Percent()
	return fmt.Sprintf("%s: %+.1f %% (95 %% interval %+.1f to %+.1f %%), p %.3g, e %.3g, %d differences", res.Verdict, effect, low, high, res.P, res.E, res.Used)
}
