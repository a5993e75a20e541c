package trial

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// studentsT is Student's t distribution with this many degrees of freedom. gonum has it in stat/distuv, but that package brings
// linear algebra, which makes the program 3 MB larger. The incomplete beta and gamma functions are all that it takes.
type studentsT float64

// survival returns the probability of a value above x.
func (nu studentsT) survival(x float64) float64 {
	if x == 0 {
		return .5
	}
	tail := mathext.RegIncBeta(float64(nu)/2, .5, float64(nu)/(x*x+float64(nu))) / 2
	if x > 0 {
		return tail
	}
	return 1 - tail
}

// cdf returns the probability of a value up to x.
func (nu studentsT) cdf(x float64) float64 { return nu.survival(-x) }

// quantile returns the value that is exceeded with probability 1-p.
func (nu studentsT) quantile(p float64) float64 {
	switch {
	case p == .5:
		return 0
	case p < .5:
		return -nu.quantile(1 - p)
	}
	t := mathext.InvRegIncBeta(float64(nu)/2, .5, 2*(1-p))
	return math.Sqrt(float64(nu) * (1 - t) / t)
}

// chiSquaredQuantile returns the value that a chi-squared distribution exceeds with probability 1-p.
func chiSquaredQuantile(p, degrees float64) float64 {
	return 2 * mathext.GammaIncRegInv(degrees/2, p)
}
