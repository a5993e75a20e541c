package tui

import (
	"math"
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

const absent = "-"

// number is a figure with esxtop's decimals. If it is too wide, it loses decimals first and is rounded to powers of ten last: a figure
// that is cut off would be another figure.
func number(v float64, decimals, width int) string {
	for ; decimals >= 0; decimals-- {
		if s := strconv.FormatFloat(v, 'f', decimals, 64); len(s) <= width {
			return unsigned(s)
		}
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

// unsigned takes the sign from zeros that were rounded from below.
func unsigned(s string) string {
	if strings.HasPrefix(s, "-") && strings.Trim(s, "-0.") == "" {
		return s[1:]
	}
	return s
}

// pcpu is a figure of esxtop's CPU lines: three wide, one decimal below ten.
func pcpu(v float64, ok bool) string {
	switch {
	case !ok:
		return absent
	case v < 9.95:
		return unsigned(strconv.FormatFloat(v, 'f', 1, 64))
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// figure is a metric of a row as text.
func figure(r *esxtop.Row, m *esxtop.Metric, decimals, width int) string {
	if m == nil {
		return absent
	}
	if m.Kind == esxtop.Text {
		if s, ok := r.Text(m); ok {
			return s
		}
		return absent
	}
	v, ok := r.Value(m)
	switch {
	case !ok:
		return absent
	case m.Kind == esxtop.Flag && v == 0:
		return "N"
	case m.Kind == esxtop.Flag:
		return "Y"
	case m.Unit == esxtop.NodeBits:
		return nodes(uint64(v))
	}
	return number(v, decimals, width)
}

// nodes are the set bits of a mask: 0,1.
func nodes(mask uint64) string {
	var list []string
	for i := range 64 {
		if mask&(1<<i) != 0 {
			list = append(list, strconv.Itoa(i))
		}
	}
	if list == nil {
		return absent
	}
	return strings.Join(list, ",")
}

// megabytes formats a whole number, as in the memory lines.
func megabytes(v float64, ok bool) string {
	if !ok {
		return absent
	}
	return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
}

func decimal(v float64, ok bool) string {
	if !ok {
		return absent
	}
	return unsigned(strconv.FormatFloat(v, 'f', 2, 64))
}
