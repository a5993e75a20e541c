// Package wording formats figures, facts, settings, times and kinds of objects as text.
package wording

import (
	"math"
	"strconv"
	"strings"
)

// UnitPart is the unit of a fraction of the samples, from 0 to 1.
const UnitPart = "of the samples"

// FigureOf formats a measured value with its unit, rounded to useful digits.
func FigureOf(v any, unit string) string {
	x, ok := v.(float64)
	switch {
	case !ok:
		return WithUnit(Plain(v), unit)
	case unit == UnitPart:
		return Percent(x) + " " + unit
	}
	return WithUnit(Number(x), unit)
}

// WithUnit appends the unit to a figure.
func WithUnit(s, unit string) string {
	switch {
	case unit == "":
		return s
	case IsStates(unit):
		return s + " (" + unit + ")"
	}
	return s + " " + unit
}

// IsStates reports whether a unit is a list of numbered states.
func IsStates(unit string) bool { return unit != "" && unit[0] >= '0' && unit[0] <= '9' }

// Number formats a figure with three significant digits: a fourth changes no decision.
func Number(x float64) string {
	switch size := math.Abs(x); {
	case math.IsNaN(x) || math.IsInf(x, 0) || size >= 1e15:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case size >= 100 || x == math.Trunc(x):
		return grouped(strconv.FormatFloat(x, 'f', 0, 64))
	case size >= 10:
		return Short(x, 1)
	case size >= 1:
		return Short(x, 2)
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}

// Short formats a figure without trailing zeros.
func Short(x float64, digits int) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(x, 'f', digits, 64), "0"), ".")
}

// grouped separates the thousands of a whole number.
func grouped(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Percent formats a fraction from 0 to 1 as a percentage.
func Percent(part float64) string { return Number(math.Round(part*1000)/10) + " %" }

// ShortFigure formats a figure with a short unit; for a list of states it returns the name of the state.
func ShortFigure(x float64, unit string) string {
	switch {
	case unit == UnitPart:
		return Percent(x) + " " + unit
	case unit == "1/s":
		return Number(x) + "/s"
	case IsStates(unit):
		return wordOfState(x, unit)
	}
	return WithUnit(Number(x), shortUnit(unit))
}

// wordOfState returns the name of a number in a unit such as "0 high, 1 clear".
func wordOfState(x float64, states string) string {
	for s := range strings.SplitSeq(states, ", ") {
		if n, word, ok := strings.Cut(s, " "); ok && n == Number(x) {
			return word
		}
	}
	return WithUnit(Number(x), states)
}

// shortUnits maps units to their short forms for a screen.
var shortUnits = map[string]string{
	"percent": "%", "percent of one vCPU's time": "% of a vCPU", "percent of the VM's vCPUs": "% of its vCPUs",
	"percent of the VM's memory": "% of its memory", "percent of received packets": "% of packets",
	"percent of sent packets": "% of packets", "percent of the nominal clock": "% of its clock", "ratio": "",
	"of the host's cores": "of the cores", "moves in an interval": "moves",
}

func shortUnit(unit string) string {
	if s, ok := shortUnits[unit]; ok {
		return s
	}
	return unit
}
