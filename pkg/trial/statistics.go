package trial

import (
	"math"
	"math/rand/v2"
	"slices"
)

// The statistics of trials. All functions are pure; testdata/statistics.json and vectors that were computed with other
// software check them.

const (
	exactPairs = 16     // up to here the sign-flip test enumerates all 2ⁿ flips
	flipDraws  = 20_000 // above, it draws this many
	confidence = .95    // of intervals
	bar        = 20     // the e-value that decides: wrong in at most 1 of 20 trials, whenever one looks
	harmBar    = 40     // the one-sided e-value that stops a trial
)

// bets are the fractions of its capital that the e-process stakes on the next sign.
var bets = [...]float64{.15, .3, .5, .7, .9}

func mean(list []float64) float64 {
	sum := 0.
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// variance returns the variance of a sample, with n − 1; 0 for fewer than two values.
func variance(list []float64) float64 {
	if len(list) < 2 {
		return 0
	}
	m, sum := mean(list), 0.
	for _, x := range list {
		sum += (x - m) * (x - m)
	}
	return sum / float64(len(list)-1)
}

// tQuantile returns a quantile of Student's t distribution.
func tQuantile(p, df float64) float64 {
	return studentsT(df).quantile(p)
}

// tTail returns the two-sided p value of a t statistic.
func tTail(t, df float64) float64 {
	if math.IsNaN(t) {
		return 1
	}
	return 2 * studentsT(df).survival(math.Abs(t))
}

// tInterval returns the 95 % interval of the mean. Fewer than two values have none: it is unbounded.
func tInterval(list []float64) (low, high float64) {
	n := float64(len(list))
	if n < 2 {
		return -math.MaxFloat64, math.MaxFloat64
	}
	half := tQuantile((1+confidence)/2, n-1) * math.Sqrt(variance(list)/n)
	return mean(list) - half, mean(list) + half
}

// signFlip returns the two-sided p value of the sum of differences under random signs: exact by enumeration for up to
// 16 differences, otherwise from 20,000 draws that follow from the seed.
func signFlip(list []float64, seed uint64) float64 {
	n := len(list)
	if n == 0 {
		return 1
	}
	sums, size := flipSums(list)
	observed := math.Abs(sumOf(list))
	extreme := observed - 1e-12*size // equal sums are as extreme, whatever the order of addition
	if n <= exactPairs {
		hits := 0
		for mask := range 1 << n {
			word := [...]uint64{uint64(mask)}
			if math.Abs(flipped(sums, word[:])) >= extreme {
				hits++
			}
		}
		return float64(hits) / float64(int(1)<<n)
	}
	dice, words := rand.NewPCG(seed, flipStream), make([]uint64, (n+63)/64)
	hits := 1 // the observed signs are one of the draws: p is never 0, and the test stays valid
	for range flipDraws {
		for i := range words {
			words[i] = dice.Uint64()
		}
		if math.Abs(flipped(sums, words)) >= extreme {
			hits++
		}
	}
	return float64(hits) / (flipDraws + 1)
}

// flipSums tables, for each eight differences, their sum under all signs; size is the sum of the absolute values.
func flipSums(list []float64) (sums [][256]float64, size float64) {
	for i := 0; i < len(list); i += 8 {
		var table [256]float64
		for k, d := range list[i:min(i+8, len(list))] {
			size += math.Abs(d)
			for mask := range table {
				if mask>>k&1 == 1 {
					table[mask] -= d
				} else {
					table[mask] += d
				}
			}
		}
		sums = append(sums, table)
	}
	return sums, size
}

func flipped(sums [][256]float64, signs []uint64) (sum float64) {
	for i := range sums {
		sum += sums[i][signs[i/8]>>(i%8*8)&255]
	}
	return sum
}

func sumOf(list []float64) (sum float64) {
	for _, x := range list {
		sum += x
	}
	return sum
}

// hodgesLehmann returns the median of the means of all pairs of values, each value with itself included.
func hodgesLehmann(list []float64) float64 {
	means := make([]float64, 0, len(list)*(len(list)+1)/2)
	for i, a := range list {
		for _, b := range list[i:] {
			means = append(means, (a+b)/2)
		}
	}
	n := len(means)
	if n == 0 {
		return 0
	}
	upper := nth(means, n/2)
	if n%2 == 1 {
		return upper
	}
	return (slices.Max(means[:n/2]) + upper) / 2
}

// nth returns the k-th smallest value, from 0, and leaves no larger one before it. It reorders the list.
func nth(list []float64, k int) float64 {
	low, high := 0, len(list)-1
	for low < high {
		pivot, i, j := list[low+(high-low)/2], low, high
		for i <= j {
			for list[i] < pivot {
				i++
			}
			for list[j] > pivot {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return list[k]
		}
	}
	return list[k]
}

// percentile returns the p-th part of a list, from 0 to 1, with linear interpolation; 0 of an empty list.
func percentile(list []float64, p float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	at := p * float64(len(sorted)-1)
	below := int(at)
	if below+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[below] + (at-float64(below))*(sorted[below+1]-sorted[below])
}

// eProcess bets on the signs of differences. Each coin is fair given the past, so without an effect the expected
// capital stays 1 whatever the noise, and P(it ever reaches 1/α) ≤ α.
type eProcess struct {
	sorted   []float64          // absolute differences so far
	up, down [len(bets)]float64 // logarithms of the capitals
}

// stake returns the difference as a bet between −1 and 1, scaled by the earlier ones, and remembers it.
func (e *eProcess) stake(d float64) float64 {
	size, s := math.Abs(d), 0.
	switch n := len(e.sorted); {
	case d == 0:
	case n == 0:
		s = 1
	default:
		median := (e.sorted[(n-1)/2] + e.sorted[n/2]) / 2
		s = min(1, size/(1.5*median)) // a median of 0 makes it 1
	}
	at, _ := slices.BinarySearch(e.sorted, size)
	e.sorted = slices.Insert(e.sorted, at, size)
	return math.Copysign(s, d)
}

func (e *eProcess) add(d float64) {
	s := e.stake(d)
	for i, bet := range bets {
		e.up[i] += math.Log1p(bet * s)
		e.down[i] += math.Log1p(-bet * s)
	}
}

// twoSided returns the e-value of an effect in either direction.
func (e *eProcess) twoSided() (sum float64) {
	for i := range bets {
		sum += (capital(e.up[i]) + capital(e.down[i])) / 2
	}
	return sum / float64(len(bets))
}

// oneSided returns the e-value of an effect above 0.
func (e *eProcess) oneSided() (sum float64) {
	for i := range bets {
		sum += capital(e.up[i])
	}
	return sum / float64(len(bets))
}

// capital is exp, kept finite: JSON has no infinity.
func capital(log float64) float64 { return math.Exp(min(log, 600)) }

// eValues returns the e-value after each difference.
func eValues(list []float64) []float64 {
	var e eProcess
	out := make([]float64, len(list))
	for i, d := range list {
		e.add(d)
		out[i] = e.twoSided()
	}
	return out
}

// comparison is a difference of means with its 95 % interval and its p value.
type comparison struct{ mean, low, high, p float64 }

// welch compares the means of two samples with unequal variances: a − b.
func welch(a, b []float64) comparison {
	d := mean(a) - mean(b)
	if len(a) < 2 || len(b) < 2 {
		return comparison{d, -math.MaxFloat64, math.MaxFloat64, 1}
	}
	va, vb := variance(a)/float64(len(a)), variance(b)/float64(len(b))
	if va+vb == 0 {
		return certain(d)
	}
	df := (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	return around(d, math.Sqrt(va+vb), df)
}

// certain is the comparison of values without any noise.
func certain(d float64) comparison {
	c := comparison{d, d, d, 1}
	if d != 0 {
		c.p = 0
	}
	return c
}

func around(d, se, df float64) comparison {
	half := tQuantile((1+confidence)/2, df) * se
	return comparison{d, d - half, d + half, tTail(d/se, df)}
}

// neweyWest compares the means of two parts of one series, after − before, with a linear trend. Its standard error is
// Newey and West's (Bartlett kernel) with the bandwidth of Andrews (1991), from an AR(1) of the scores.
func neweyWest(before, after []float64) comparison {
	n := len(before) + len(after)
	if len(before) < 2 || len(after) < 2 || n < 6 {
		return comparison{0, -math.MaxFloat64, math.MaxFloat64, 1}
	}
	y := slices.Concat(before, after)
	step, trend := make([]float64, n), make([]float64, n)
	for i := range n {
		trend[i] = float64(i)
		if i >= len(before) {
			step[i] = 1
		}
	}
	// By Frisch and Waugh, the coefficient of the step is that of its part that a line does not explain.
	x := withoutLine(trend, step)
	y = withoutLine(trend, y)
	sxx, sxy := 0., 0.
	for i := range n {
		sxx += x[i] * x[i]
		sxy += x[i] * y[i]
	}
	b := sxy / sxx
	scores := make([]float64, n)
	for i := range n {
		scores[i] = x[i] * (y[i] - b*x[i])
	}
	v := longRun(scores)
	if v <= 0 {
		return certain(b)
	}
	return around(b, math.Sqrt(v)/sxx, float64(n-3))
}

// withoutLine returns the residuals of y after a regression on a constant and x.
func withoutLine(x, y []float64) []float64 {
	mx, my, sxx, sxy := mean(x), mean(y), 0., 0.
	for i := range x {
		sxx += (x[i] - mx) * (x[i] - mx)
		sxy += (x[i] - mx) * (y[i] - my)
	}
	out := make([]float64, len(x))
	for i := range x {
		out[i] = y[i] - my - sxy/sxx*(x[i]-mx)
	}
	return out
}

// longRun returns the long-run variance of the sum of a series.
func longRun(u []float64) float64 {
	n := float64(len(u))
	lag := func(k int) (sum float64) {
		for i := k; i < len(u); i++ {
			sum += u[i] * u[i-k]
		}
		return sum
	}
	v := lag(0)
	if v == 0 {
		return 0
	}
	rho := max(-.97, min(.97, lag(1)/v))
	alpha := 4 * rho * rho / ((1 - rho) * (1 - rho) * (1 + rho) * (1 + rho))
	width := min(1.1447*math.Cbrt(alpha*n), n-1)
	for k := 1; float64(k) < width+1 && k < len(u); k++ {
		v += 2 * (1 - float64(k)/(width+1)) * lag(k)
	}
	return v
}

// pairsNeeded returns how many differences find an effect with 80 % probability at 5 %, at least 6: with fewer, no
// outcome of the sign-flip test has p ≤ 0.05.
func pairsNeeded(sd, effect float64) int {
	if effect <= 0 {
		return math.MaxInt32
	}
	z := (1.96 + .84) * sd / effect
	return int(min(max(fewestPairs, math.Ceil(z*z+2)), math.MaxInt32))
}

// fewestPairs can reach p ≤ 0.05: 2/2⁶ = 0.031.
const fewestPairs = 6

// smallestEffect is the inverse of pairsNeeded, for effects whose standard deviation is a fraction of them, varies. It is infinite if
// n differences find none.
func smallestEffect(sd, varies float64, n int) float64 {
	const z = 1.96 + .84
	left := float64(n-2) - z*z*varies*varies
	if n < fewestPairs || left <= 0 {
		return math.Inf(1)
	}
	return z * sd / math.Sqrt(left)
}

// power returns the probability that the sign-flip test of n differences finds an effect at error probability alpha. The
// standard deviation is itself an estimate, from df differences: the probability is the mean over the values that it
// may really have.
func power(sd, effect float64, n, df int, alpha float64) float64 {
	switch {
	case n < fewestPairs:
		return 0
	case sd <= 0:
		return 1
	}
	const parts = 9
	sum, degrees := 0., float64(max(1, df))
	for i := range parts {
		really := sd * math.Sqrt(degrees/chiSquaredQuantile((float64(i)+.5)/parts, degrees))
		sum += powerAt(effect/really, n, alpha)
	}
	return sum / parts
}

// powerAt is the power for an effect of d standard deviations.
func powerAt(d float64, n int, alpha float64) float64 {
	if n <= coarsePairs {
		return powerByFlips(d, n, alpha)
	}
	t := studentsT(n - 1)
	critical, shift := t.quantile(1-alpha/2), d*math.Sqrt(float64(n))
	return t.cdf(shift-critical) + t.cdf(-shift-critical)
}

// coarsePairs have few enough flips that the test has clearly less power than a t-test.
const coarsePairs = 9

// powerByFlips simulates the test. Its random numbers are always the same.
func powerByFlips(d float64, n int, alpha float64) float64 {
	const draws = 500
	dice, list, found := rand.New(rand.NewPCG(uint64(n), powerStream)), make([]float64, n), 0
	for range draws {
		for i := range list {
			list[i] = d + dice.NormFloat64()
		}
		if signFlip(list, 0) <= alpha {
			found++
		}
	}
	return float64(found) / draws
}
