package efficiency

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// amount is a number that may be unread or absent.
type amount = inventory.Fact[float64]

// quantity is an input of a figure: its amount, and a text with it.
type quantity struct {
	amount amount
	words  string // if the amount is known, or too small to use
}

func unread(reason string) quantity { return quantity{amount: inventory.Unread[float64](reason)} }

// value is the number, where it is known.
func (q quantity) value() (float64, bool) { return q.amount.Value() }

// in replaces the text of a known quantity, after its number.
func (q quantity) in(words string) quantity {
	if v, ok := q.value(); ok {
		q.words = round(v) + " " + words
	}
	return q
}

// atLeast makes a quantity absent if it is too small for a meaningful figure.
func (q quantity) atLeast(least float64, unit string) quantity {
	if v, ok := q.value(); ok && v < least {
		q.amount = inventory.Absent[float64]()
		q.words += fmt.Sprintf("; below %s %s the figure is not meaningful", round(least), unit)
	}
	return q
}

// given returns other if the quantity is unknown.
func (q quantity) given(other quantity) quantity {
	if _, ok := other.value(); !ok {
		return other
	}
	return q
}

// work computes a quantity from others. It is unread, with the reason, if one of them is, and absent if one of them is.
func work(out func(v []float64) float64, of ...quantity) quantity {
	values, absent := make([]float64, len(of)), false
	for i, q := range of {
		v, state, reason := q.amount.Get()
		switch state {
		case inventory.StateUnread:
			return unread(reason)
		case inventory.StateAbsent:
			absent = true
		}
		values[i] = v
	}
	if absent {
		return none
	}
	v := out(values)
	if math.IsNaN(v) || math.IsInf(v, 0) { // of a host without cores, or a cluster without hosts
		return none
	}
	return quantity{amount: inventory.Known(v)}
}

// none is the quantity of something that does not exist.
var none = quantity{amount: inventory.Absent[float64]()}

func product(v []float64) float64    { return v[0] * v[1] }
func quotient(v []float64) float64   { return v[0] / v[1] }
func difference(v []float64) float64 { return v[0] - v[1] }
func total(v []float64) float64 {
	sum := 0.0
	for _, each := range v {
		sum += each
	}
	return sum
}

// known converts a fact to a quantity.
func known(f inventory.Fact[int64], what, words string) quantity {
	v, state, reason := f.Get()
	switch {
	case state == inventory.StateKnown:
		return quantity{amount: inventory.Known(float64(v))}.in(words)
	case state == inventory.StateAbsent:
		return none
	case reason == "":
		reason = what + " was not read"
	}
	return unread(reason)
}

// The statistics of counters that figures use.
func mean(s inventory.Series) float64 { return s.Mean }
func p95(s inventory.Series) float64  { return s.P95 }

// counter returns a statistic of a counter. It is absent if there was nothing to measure.
func counter(live inventory.Live, metric string, of func(inventory.Series) float64) quantity {
	s, there := live.Get(metric)
	switch {
	case len(live) == 0:
		return unread(inventory.NoLiveCounters)
	case !there:
		return unread("the source of the counters does not have " + metric)
	case s.Samples == 0:
		return quantity{none.amount, metric + ": there was no activity during the measurement"}
	}
	return quantity{amount: inventory.Known(of(s))}
}

// round formats a number with three significant digits, and all digits before the decimal point.
func round(v float64) string {
	const counting, most = 3, 6
	decimals := 0
	if v != 0 {
		decimals = min(max(counting-1-int(math.Floor(math.Log10(math.Abs(v)))), 0), most)
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if decimals > 0 {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return s
}
