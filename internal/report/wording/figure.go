// Package wording puts figures, facts, settings, times and kinds of objects into words.
package wording

import (
	"math"
	"strconv"
	"strings"
)

// UnitPart is of a value that is a part of the samples, from 0 to 1.
const UnitPart = "of the samples"

// FigureOf is a measured value with its unit, in as many digits as a person can use.
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

// WithUnit is a figure with its unit behind it.
func WithUnit(s, unit string) string {
	switch {
	case unit == "":
		return s
	case IsStates(unit):
		return s + " (" + unit + ")"
	}
	return s + " " + unit
}

// IsStates reports a unit that is a list of what numbers mean.
func IsStates(unit string) bool { return unit != "" && unit[0] >= '0' && unit[0] <= '9' }

// Number is a figure with three digits that count: nobody acts upon the fourth.
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

// Short has no zeros at its end.
func Short(x float64, digits int) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(x, 'f', digits, 64), "0"), ".")
}

// grouped parts thousands of a whole number.
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

// Percent is a part of a whole.
func Percent(part float64) string { return Number(math.Round(part*1000)/10) + " %" }

// ShortFigure is a figure with a short unit; one of a list of states is its word.
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

// wordOfState is what a number means by a unit such as "0 high, 1 clear".
func wordOfState(x float64, states string) string {
	for s := range strings.SplitSeq(states, ", ") {
		if n, word, ok := strings.Cut(s, " "); ok && n == Number(x) {
			return word
		}
	}
	return WithUnit(Number(x), states)
}

// shortUnits are units as a screen has room for.
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
