package trial

import (
	"fmt"
	"math"
)

// provingUnits is how many units a randomised design needs to claim a causal effect.
const provingUnits = 8

// analyseLot compares the changes of the units that were drawn with those of the others: Welch's t-test on after − before.
// Blocks with half 0 are before the change, with half 1 after it.
func analyseLot(r *Registration, blocks []Block) *Result {
	out := &Result{Claim: ClaimCausal, Verdict: Undecided, E: 1, EMax: 1}
	if len(r.Units) < provingUnits {
		out.Claim = ClaimObserved
	}
	for u := range r.Units {
		p := r.unitChange(blocks, u, 0)
		out.Pairs = append(out.Pairs, p)
		if p.Dropped != "" {
			out.Dropped++
			out.PerUnit = append(out.PerUnit, newEstimate(nil, r.Outcome.Form, r.base(0)))
			continue
		}
		out.PerUnit = append(out.PerUnit, newEstimate([]float64{p.Difference}, r.Outcome.Form, r.base(0)))
	}
	treated, untreated := r.groups(out.Pairs)
	out.Used = len(treated) + len(untreated)
	out.Estimate, out.P = r.between(treated, untreated, 0)
	if len(treated) > 0 && len(untreated) > 0 {
		out.Treated, out.Untreated = r.Outcome.Form.Shown(r.meanAfter(out.Pairs, true)), r.Outcome.Form.Shown(r.meanAfter(out.Pairs, false))
		out.Notes = append(out.Notes, fmt.Sprintf("%d units with the change, %d without", len(treated), len(untreated)))
	}
	out.Verdict = decide(out.Estimate, r.Outcome.Better, r.MinEffect, out.P <= r.Alpha)
	if out.Used < provingUnits {
		out.Claim, out.Verdict = ClaimObserved, Observed
	}
	out.Others = r.lotOthers(blocks)
	out.TookEffect = r.tookEffect(out)
	return out
}

// lotOthers describes the other outcomes; their p values are corrected by Holm's method.
func (r *Registration) lotOthers(blocks []Block) []OtherResult {
	list := make([]OtherResult, len(r.Others))
	for i, o := range r.Others {
		pairs := make([]PairResult, len(r.Units))
		for u := range r.Units {
			pairs[u] = r.unitChange(blocks, u, i+1)
		}
		list[i].Outcome = o.ID
		treated, untreated := r.groups(pairs)
		if list[i].Estimate, list[i].P = r.between(treated, untreated, i+1); list[i].Estimate.N > 0 {
			list[i].Treated, list[i].Untreated = o.Form.Shown(r.meanAfter(pairs, true)), o.Form.Shown(r.meanAfter(pairs, false))
		}
	}
	holm(list)
	return list
}

// groups returns the changes of the units that were drawn, and of the others.
func (r *Registration) groups(pairs []PairResult) (treated, untreated []float64) {
	for _, p := range pairs {
		switch {
		case p.Dropped != "":
		case r.Lot[p.Unit]:
			treated = append(treated, p.Difference)
		default:
			untreated = append(untreated, p.Difference)
		}
	}
	return treated, untreated
}

// between estimates how much more the drawn units changed than the others, by Welch's t-test. Without units on both sides, N is 0 and p is 1.
func (r *Registration) between(treated, untreated []float64, outcome int) (e Estimate, p float64) {
	e = newEstimate(nil, r.Outcomes()[outcome].Form, r.base(outcome))
	if len(treated) == 0 || len(untreated) == 0 {
		return e, 1
	}
	c := welch(treated, untreated)
	e.Mean, e.Low, e.High, e.N = c.mean, c.low, c.high, len(treated)+len(untreated)
	e.HodgesLehmann = shiftBetween(treated, untreated)
	e.SD = math.Sqrt((variance(treated) + variance(untreated)) / 2)
	return e, c.p
}

// unitChange compares a unit's blocks after the change with those before it: Treated is after, Untreated is before,
// whether or not the unit was drawn.
func (r *Registration) unitChange(blocks []Block, unit, outcome int) PairResult {
	p := PairResult{Unit: unit}
	var halves [2][]float64
	for i := range blocks {
		if unit >= len(blocks[i].Units) {
			continue
		}
		b := &blocks[i].Units[unit]
		switch {
		case b.Dropped != "":
			p.Dropped = b.Dropped
		case outcome < len(b.Outcomes) && b.Outcomes[outcome].Known:
			halves[blocks[i].Half&1] = append(halves[blocks[i].Half&1], b.Outcomes[outcome].Value)
		}
	}
	if len(halves[0]) == 0 || len(halves[1]) == 0 {
		if p.Dropped == "" {
			p.Dropped = "not measured before and after"
		}
		return p
	}
	p.Dropped = "" // other days count
	p.Untreated, p.Treated = mean(halves[0]), mean(halves[1])
	p.Difference = p.Treated - p.Untreated
	return p
}

func (r *Registration) meanAfter(pairs []PairResult, drawn bool) float64 {
	var list []float64
	for _, p := range pairs {
		if p.Dropped == "" && r.Lot[p.Unit] == drawn {
			list = append(list, p.Treated)
		}
	}
	return mean(list)
}

// shiftBetween is the estimate of Hodges and Lehmann of the shift between two samples: the median of all differences.
func shiftBetween(a, b []float64) float64 {
	var list []float64
	for _, x := range a {
		for _, y := range b {
			list = append(list, x-y)
		}
	}
	return percentile(list, .5)
}
