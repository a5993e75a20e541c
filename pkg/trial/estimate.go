package trial

import "math"

// newEstimate estimates the effect from independent differences.
func newEstimate(list []float64, form Form, base float64) Estimate {
	e := Estimate{N: len(list), Form: form, Base: base}
	if len(list) == 0 {
		e.Low, e.High = -math.MaxFloat64, math.MaxFloat64
		return e
	}
	e.Mean, e.SD, e.HodgesLehmann = mean(list), math.Sqrt(variance(list)), hodgesLehmann(list)
	e.Low, e.High = tInterval(list)
	return e
}

// Bounded reports whether the interval has ends: one difference has none.
func (e Estimate) Bounded() bool { return e.Low > -math.MaxFloat64 && e.High < math.MaxFloat64 }

// Fraction converts a difference on the estimate's scale to a fraction: -.05 is 5 % less. Differences are fractions of
// the baseline; if that is 0, they stay as they are.
func (e Estimate) Fraction(x float64) float64 {
	if e.Form != Difference {
		return math.Expm1(x)
	}
	if e.Base > 0 {
		return x / e.Base
	}
	return x
}

// Percent returns the estimate and the ends of its interval in percent.
func (e Estimate) Percent() (effect, low, high float64) {
	return 100 * e.Fraction(e.Mean), 100 * e.Fraction(e.Low), 100 * e.Fraction(e.High)
}

// scale is the inverse of Fraction.
func (e Estimate) scale(fraction float64) float64 {
	switch {
	case e.Form != Difference:
		return math.Log1p(fraction)
	case e.Base > 0:
		return fraction * e.Base
	}
	return fraction
}

// Shown converts a value of a block to what people see: cost by work, or a typical x of log(1 + x).
func (f Form) Shown(value float64) float64 {
	switch f {
	case Ratio:
		return math.Exp(value)
	case Log1p:
		return math.Expm1(value)
	}
	return value
}
