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
	var treated, untreated []float64
	for u := range r.Units {
		p := r.unitChange(blocks, u)
		out.Pairs = append(out.Pairs, p)
		if p.Dropped != "" {
			out.Dropped++
			out.PerUnit = append(out.PerUnit, newEstimate(nil, r.Outcome.Form, r.base(0)))
			continue
		}
		out.PerUnit = append(out.PerUnit, newEstimate([]float64{p.Difference}, r.Outcome.Form, r.base(0)))
		if r.Lot[u] {
			treated = append(treated, p.Difference)
		} else {
			untreated = append(untreated, p.Difference)
		}
	}
	out.Used = len(treated) + len(untreated)
	out.Estimate = newEstimate(nil, r.Outcome.Form, r.base(0))
	out.Estimate.N, out.P = out.Used, 1
	if len(treated) > 0 && len(untreated) > 0 {
		c := welch(treated, untreated)
		out.Estimate.Mean, out.Estimate.Low, out.Estimate.High, out.P = c.mean, c.low, c.high, c.p
		out.Estimate.HodgesLehmann = shiftBetween(treated, untreated)
		out.Estimate.SD = math.Sqrt((variance(treated) + variance(untreated)) / 2)
		out.Treated, out.Untreated = r.Outcome.Form.Shown(r.meanAfter(out.Pairs, true)), r.Outcome.Form.Shown(r.meanAfter(out.Pairs, false))
		out.Notes = append(out.Notes, fmt.Sprintf("%d units with the change, %d without", len(treated), len(untreated)))
	}
	out.Verdict = decide(out.Estimate, r.Outcome.Better, r.MinEffect, out.P <= r.Alpha)
	if out.Used < provingUnits {
		out.Claim, out.Verdict = ClaimObserved, Observed
	}
	return out
}

// unitChange compares a unit's blocks after the change with those before it: Treated is after, Untreated is before,
// whether or not the unit was drawn.
func (r *Registration) unitChange(blocks []Block, unit int) PairResult {
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
		case b.Outcomes[0].Known:
			halves[blocks[i].Half&1] = append(halves[blocks[i].Half&1], b.Outcomes[0].Value)
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
