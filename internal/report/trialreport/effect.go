package trialreport

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/trial"
)

// effect formats an estimate of one outcome. Its figures are percentages, or, where the baseline is 0, figures in the
// outcome's unit.
type effect struct {
	e        trial.Estimate
	unit     string // " %" or the outcome's
	absolute bool
	digits   int // after the decimal point
}

// newEffect chooses the digits by the width of the interval: a digit that the interval does not support says nothing.
func newEffect(o *trial.Outcome, e trial.Estimate) effect {
	f := effect{e: e, unit: " %", absolute: e.Form == trial.Difference && e.Base <= 0}
	if f.absolute {
		f.unit = " " + wording.Clean(o.Unit)
	}
	f.digits = 1
	if _, low, high := f.figures(); e.Bounded() {
		f.digits = digitsFor(high - low)
	}
	return f
}

// digitsFor returns how many decimal places figures need so that a range of this width has two digits.
func digitsFor(width float64) int {
	switch {
	case width >= 3, width == 0:
		return 0
	case width >= .3:
		return 1
	case width >= .03:
		return 2
	}
	return 3
}

// figures returns the effect and the ends of its interval.
func (f effect) figures() (mean, low, high float64) {
	if f.absolute {
		return f.e.Mean, f.e.Low, f.e.High
	}
	return f.e.Percent()
}

// known reports whether there is anything to estimate from.
func (f effect) known() bool { return f.e.N > 0 }

// signed returns the effect with its sign: "-17 %".
func (f effect) signed() string {
	mean, _, _ := f.figures()
	return signed(mean, f.digits) + f.unit
}

// size returns the effect without its sign.
func (f effect) size() string {
	mean, _, _ := f.figures()
	return fixed(math.Abs(mean), f.digits) + f.unit
}

// interval returns the ends of the interval with their signs, or "" if it has none.
func (f effect) interval() string {
	_, low, high := f.figures()
	if !f.e.Bounded() || !f.known() {
		return ""
	}
	return signed(low, f.digits) + " to " + signed(high, f.digits) + f.unit
}

// sizes returns the ends of an interval that does not contain 0, without signs, the smaller one first.
func (f effect) sizes() string {
	_, low, high := f.figures()
	ends := []float64{math.Abs(low), math.Abs(high)}
	slices.Sort(ends)
	return fixed(ends[0], f.digits) + " to " + fixed(ends[1], f.digits) + f.unit
}

// text returns the effect with its interval: "-17 % (95 % interval -19 to -15 %)".
func (f effect) text() string {
	switch interval := f.interval(); {
	case !f.known():
		return "not measured"
	case interval == "":
		return f.signed()
	default:
		return f.signed() + " (95 % interval " + interval + ")"
	}
}

// brief is text for a table.
func (f effect) brief() string {
	switch interval := f.interval(); {
	case !f.known():
		return "-"
	case interval == "":
		return f.signed()
	default:
		return f.signed() + " (" + interval + ")"
	}
}

// verb says in which direction the effect goes.
func (f effect) verb() string {
	if f.e.Mean < 0 {
		return "lowers"
	}
	return "raises"
}

func fixed(x float64, digits int) string {
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// signed formats a number with its sign; 0 has none.
func signed(x float64, digits int) string {
	s := fixed(x, digits)
	if strings.Trim(s, "0.") == "" || s[0] == '-' {
		return s
	}
	return "+" + s
}

// percent formats a fraction: 5 %.
func percent(fraction float64) string {
	return wording.Number(math.Round(fraction*1e4)/100) + " %"
}

// probability formats a p value.
func probability(p float64) string {
	if p < .0001 {
		return "below 0.0001"
	}
	return strconv.FormatFloat(p, 'g', 2, 64)
}

// evidence formats an e-value.
func evidence(e float64) string {
	if e >= 1e6 {
		return "above 1,000,000"
	}
	return wording.Number(cmp.Or(math.Round(e*100)/100, .01))
}

// lowerFirst lowers the first letter of a title, unless it begins with an abbreviation.
func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}
