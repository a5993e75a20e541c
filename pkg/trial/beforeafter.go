package trial

import (
	"math"
	"slices"
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
