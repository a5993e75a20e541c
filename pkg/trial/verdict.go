package trial

// decide returns the verdict of an estimate. proven reports whether a test excludes that there is no effect.
func decide(e Estimate, better Better, minEffect float64, proven bool) Verdict {
	good := func(x float64) float64 {
		if better == Up {
			return e.Fraction(x)
		}
		return -e.Fraction(x)
	}
	low, high := min(good(e.Low), good(e.High)), max(good(e.Low), good(e.High))
	switch {
	case e.N < fewestPairs:
		return Undecided
	case low > -minEffect && high < minEffect:
		return NoDifference
	case proven && low > 0 && good(e.Mean) >= minEffect:
		return Keep
	case proven && high < 0:
		return Worse
	}
	return Undecided
}
