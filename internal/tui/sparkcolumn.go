package tui

import (
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Widths of the column of sparklines.
const (
	leastSpark = 10
	mostSpark  = 30
	sparkFrom  = 100 // a screen of that width reserves room for it
)

// sparkColumn is the last column of a screen: how the metric that orders the rows went lately.
type sparkColumn struct {
	history *history
	column  *column
	width   int
	span    time.Duration
}

// tableWidth is the width for the columns. On a wide screen it leaves room for sparklines.
func (t *table) tableWidth(width int) int {
	if width < sparkFrom || t.sortColumn() == nil {
		return width
	}
	return width - leastSpark - 8
}

// addSpark adds sparklines where there is room.
func (v *view) addSpark(t *table, m *model, width int) {
	c := t.sortColumn()
	used := 0
	for _, c := range v.columns {
		used += c.width
	}
	room := min(width-used-8, mostSpark) // the rest is for marks and the hint at more columns
	if c == nil || room < leastSpark || len(m.histories) == 0 || m.histories[0].panel != t.panel.Key {
		return
	}
	h := m.histories[0].history
	if h.count < 2 {
		return
	}
	v.spark = &sparkColumn{history: h, column: c, width: room, span: h.span()}
}

func (v view) sparkHead(st style) string {
	if v.spark == nil {
		return ""
	}
	return "  " + st.bold(pad(v.spark.column.Label+" "+lately(v.spark.span), v.spark.width, true))
}

// sparkCell is the sparkline of a row, after so many cells behind the last column.
func (v view) sparkCell(t *table, l line, after int, st style) string {
	if v.spark == nil {
		return ""
	}
	list := v.spark.history.timeline(l.key(), v.spark.column, v.spark.width)
	if list == nil {
		return ""
	}
	drawn := trend(list, floorOf(v.spark.column.Metric))
	level, _ := t.level(l, v.spark.column)
	return strings.Repeat(" ", 2-min(after, 2)) + st.level(drawn, level)
}

// trend draws a series between its own lowest and highest value, so that its course is seen. The scale covers at least half of the
// highest value, and floor: small changes stay small.
func trend(list []float32, floor float32) string {
	low, high := bottom(list), peak(list)
	if least := max(high/2, floor); high-low < least {
		low = max((high+low-least)/2, 0)
		high = low + least
	}
	moved := make([]float32, len(list))
	for i, v := range list {
		moved[i] = v - low
	}
	return sparkTo(moved, high-low)
}

// bottom returns the lowest value, or 0 without values.
func bottom(list []float32) (lowest float32) {
	first := true
	for _, v := range list {
		if v == v && (first || v < lowest) {
			lowest, first = v, false
		}
	}
	return lowest
}

// floorOf returns the minimum range of a trend, so that the noise of an idle VM stays flat.
func floorOf(m *esxtop.Metric) float32 {
	if m.Unit == esxtop.Percent {
		return 10
	}
	return 0
}
