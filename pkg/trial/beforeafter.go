package trial

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// BeforeAfter compares the samples before a change with those after it: values are those of an outcome's form, one a
// sample ([Outcome.Series]). The interval is Newey and West's, with a linear trend. It proves nothing, and its claim says so.
func BeforeAfter(o Outcome, before, after []float64) *Result {
	c := neweyWest(before, after)
	out := &Result{Claim: ClaimBeforeAfter, Verdict: Observed, P: c.p, E: 1, EMax: 1, Used: len(before) + len(after)}
	out.Estimate = Estimate{Mean: c.mean, Low: c.low, High: c.high, N: out.Used, Form: o.Form}
	if len(before) == 0 || len(after) == 0 {
		out.Notes = append(out.Notes, "there are no samples on one side of the change")
		return out
	}
	out.Estimate.HodgesLehmann = percentile(after, .5) - percentile(before, .5)
	out.Estimate.SD = math.Sqrt(variance(slices.Concat(before, after)))
	if o.Form == Difference {
		out.Estimate.Base = mean(before)
	}
	out.Treated, out.Untreated = o.Form.Shown(mean(after)), o.Form.Shown(mean(before))
	return out
}

// Series returns the values of single samples on the scale of the outcome's form, for [BeforeAfter]; index is the
// outcome's place in the samples. Samples without work have none.
func (o *Outcome) Series(samples []RawSample, index int) (list []float64) {
	for i := range samples {
		if v := valueOf(o, samples[i:i+1], index); v.Known {
			list = append(list, v.Value)
		}
	}
	return list
}

// BeforeAfterOf compares the blocks of half 0, before a change, with those of half 1, after it. With several units, the
// series is the mean of the units that have samples on both sides, at the times at which all of them have one.
func BeforeAfterOf(r *Registration, blocks []Block) *Result {
	var out *Result
	for i, o := range r.Outcomes() {
		var names []string
		var perUnit []Estimate
		var with []int
		for u := range r.Units {
			halves := seriesOf(&o, blocks, []int{u}, i)
			alone := BeforeAfter(o, halves[0], halves[1])
			perUnit = append(perUnit, alone.Estimate)
			if len(halves[0]) > 0 && len(halves[1]) > 0 {
				with = append(with, u)
			} else {
				names = append(names, r.Units[u].Name)
			}
		}
		halves := seriesOf(&o, blocks, with, i)
		all := BeforeAfter(o, halves[0], halves[1])
		if i > 0 {
			out.Others = append(out.Others, OtherResult{Outcome: o.ID, Estimate: all.Estimate, P: all.P, Treated: all.Treated, Untreated: all.Untreated})
			continue
		}
		out = all
		out.PerUnit = perUnit
		if len(names) > 0 && len(with) > 0 {
			out.Notes = append(out.Notes, "without samples on both sides: "+strings.Join(names, ", "))
		}
	}
	holm(out.Others)
	return out
}

// seriesOf returns the means over units of an outcome's values, before and after the change, at the times at which all
// of the units have one.
func seriesOf(o *Outcome, blocks []Block, units []int, index int) (halves [2][]float64) {
	for i := range blocks {
		sums, count := map[int64]float64{}, map[int64]int{}
		for _, u := range units {
			list := blocks[i].Units[u].Samples
			for k := range list {
				if v := valueOf(o, list[k:k+1], index); v.Known {
					at := list[k].Time.Round(seconds(list[k].Seconds)).Unix()
					sums[at], count[at] = sums[at]+v.Value, count[at]+1
				}
			}
		}
		for _, at := range slices.Sorted(maps.Keys(sums)) {
			if count[at] == len(units) {
				halves[blocks[i].Half&1] = append(halves[blocks[i].Half&1], sums[at]/float64(len(units)))
			}
		}
	}
	return halves
}
