package tui

import (
	"math"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// chart draws a series in several lines, the newest value at the right, with the highest value and 0 at the left edge and a
// threshold as a line.
type chart struct {
	list   []float32
	span   time.Duration
	limit  float64 // NaN: there is none
	height int     // of the series, without the axis
	style  style
}

const chartLabel = 9

// lines returns the chart from the top, the time axis last.
func (c chart) lines() []string {
	top := c.top()
	out := make([]string, 0, c.height+1)
	limitRow := -1
	if c.limit == c.limit && c.limit > 0 && c.limit < float64(top) {
		limitRow = min(int(c.limit/float64(top)*float64(c.height)), c.height-1)
	}
	for row := c.height - 1; row >= 0; row-- {
		label := ""
		switch row {
		case c.height - 1:
			label = number(float64(top), 2, chartLabel-2)
		case limitRow:
			label = number(c.limit, 2, chartLabel-2)
		case 0:
			label = "0"
		}
		drawn := c.row(row, top, row == limitRow)
		if limitRow >= 0 && row >= limitRow {
			drawn = c.style.level(drawn, esxtop.Warning)
		}
		out = append(out, pad(label, chartLabel-1, false)+"│"+drawn)
	}
	return append(out, strings.Repeat(" ", chartLabel-1)+"└"+c.axis())
}

// top is the value of the upper edge: the highest one, or a threshold a little above it.
func (c chart) top() float32 {
	top := peak(c.list)
	if c.limit == c.limit && c.limit > float64(top) && c.limit <= 3*float64(top) {
		top = float32(c.limit * 1.1)
	}
	if top == 0 {
		top = 1
	}
	return top
}

// row is one line of the series: blocks in eighths.
func (c chart) row(row int, top float32, limit bool) string {
	empty := ' '
	if limit {
		empty = '╌'
	}
	var b strings.Builder
	for _, v := range c.list {
		eighths := int(math.Round(float64(v/top)*float64(8*c.height))) - 8*row
		switch {
		case v != v && row == 0:
			b.WriteRune('·')
		case v != v || eighths <= 0:
			b.WriteRune(empty)
		default:
			b.WriteRune(blocks[min(eighths, 8)-1])
		}
	}
	return b.String()
}

// axis labels both ends of the time axis.
func (c chart) axis() string {
	from := lately(c.span) + " ago"
	gap := len(c.list) - cells(from) - len("now")
	if gap < 1 {
		return strings.Repeat("─", len(c.list))
	}
	return from + strings.Repeat("─", gap) + "now"
}
