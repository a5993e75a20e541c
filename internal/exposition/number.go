package exposition

import (
	"math"
	"strconv"
	"time"
)

// appendValue appends the shortest form of a value that reads back as the same, like Prometheus's library. OpenMetrics
// requires a point or an exponent.
func appendValue(b []byte, v float64, f Format) []byte {
	switch {
	case math.IsInf(v, 1):
		return append(b, "+Inf"...)
	case math.IsInf(v, -1):
		return append(b, "-Inf"...)
	case math.IsNaN(v):
		return append(b, "NaN"...)
	}
	if whole := int64(v); float64(whole) == v && -exact < whole && whole < exact {
		return appendWhole(b, whole, f)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

const (
	exact = 1 << 53   // below it each integer is a float64, so that its digits are its shortest form
	plain = 1_000_000 // from here on a value is written with an exponent
)

// appendWhole appends the same as strconv in a third of the time: most values are integers.
func appendWhole(b []byte, v int64, f Format) []byte {
	from := len(b)
	b = strconv.AppendInt(b, v, 10)
	if -plain < v && v < plain {
		if f == OpenMetrics {
			b = append(b, ".0"...)
		}
		return b
	}
	first := from // digit
	if v < 0 {
		first++
	}
	power := len(b) - first - 1
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if len(b) > first+1 {
		b = append(b, 0)
		copy(b[first+2:], b[first+1:])
		b[first+1] = '.'
	}
	return append(b, 'e', '+', byte('0'+power/10), byte('0'+power%10))
}

// appendTime appends a time stamp: milliseconds in the text format, seconds in OpenMetrics.
func appendTime(b []byte, at time.Time, f Format) []byte {
	if f == Text {
		return strconv.AppendInt(b, at.UnixMilli(), 10)
	}
	return appendValue(b, float64(at.UnixMilli())/1000, f)
}

// Bool is the value of a metric that is yes or no.
func Bool(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// Seconds is the value of a metric that is a time: seconds since 1970, to the millisecond.
func Seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
