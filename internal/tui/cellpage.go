package tui

import (
	"fmt"
	"math"

	tea "charm.land/bubbletea/v2"

	"github.com/vperf/vperf/pkg/esxtop"
)

// cellPage explains a cell: its value, its history, and the meaning of the metric. It is updated with every sample.
type cellPage struct {
	key    lineKey
	column column
	scroll textPage
}

// explain opens the page of the cell under the cursor.
func (m *model) explain() page {
	l, c, ok := m.under()
	switch {
	case ok:
		return cellPage{key: l.key(), column: *c}
	case m.column < len(m.table.columns):
		return textPage{text: m.meaning(&m.table.columns[m.column])}
	}
	return textPage{text: []string{"there is no column to explain"}}
}

func (p cellPage) lines(m *model) []string {
	p.scroll.text = p.text(m)
	return p.scroll.lines(m)
}

func (p cellPage) press(m *model, key string) (page, tea.Cmd) {
	p.scroll.text = p.text(m)
	next, cmd := p.scroll.press(m, key)
	if next == nil {
		return nil, cmd
	}
	p.scroll = next.(textPage)
	return p, cmd
}

// text returns the whole page.
func (p cellPage) text(m *model) []string {
	c := &p.column
	text := []string{c.Label}
	if l, ok := m.lineOf(p.key); ok {
		text = []string{p.title(m, l)}
		if c.Metric != nil {
			text = append(append(text, ""), p.past(m, l)...)
		}
	}
	return append(append(text, ""), m.meaning(c)...)
}

// lineOf returns the current line of a row in the table.
func (m *model) lineOf(key lineKey) (line, bool) {
	for _, l := range m.table.rows {
		if l.key() == key {
			return l, true
		}
	}
	return line{}, false
}

// title is the cell in one line: row, column, value, and the verdict of its threshold.
func (p cellPage) title(m *model, l line) string {
	c := &p.column
	title := clean(rowName(l)) + "  " + c.Label + "  " + m.table.text(l, c)
	if len(m.shown().hosts) > 1 {
		title += "  on " + clean(l.frame.Host)
	}
	if level, metric := m.table.level(l, c); level > esxtop.Unremarkable {
		title += "  " + style{m.opts.Color}.level(marks[level]+" "+newAlarm(l, m.table.row(l, c), metric, level).told(false), level)
	}
	return title
}

// past is the chart of the cell's history, and its summary.
func (p cellPage) past(m *model, l line) []string {
	c := &p.column
	if len(m.histories) == 0 || m.histories[0].panel != m.set.Panel {
		return nil
	}
	h := m.histories[0]
	list := h.timeline(p.key, c, max(m.width-chartLabel-1, 1))
	if len(list) < 2 {
		return []string{"history    none yet; it grows with every sample"}
	}
	drawing := chart{list: list, span: h.span(), limit: limitOf(m.table.row(l, c), c), height: min(max(m.height/4, 3), 12), style: style{m.opts.Color}}
	return append(drawing.lines(), summary(list))
}

// limitOf is the threshold of a row in the unit of the column; NaN: there is none.
func limitOf(r *esxtop.Row, c *column) float64 {
	if r == nil || c.Of(r.Object) == nil || c.Of(r.Object).Threshold == nil {
		return math.NaN()
	}
	t := c.Of(r.Object).Threshold
	if t.PerVCPU && r.Object == esxtop.Group {
		return t.Warn * float64(r.VCPUs)
	}
	return t.Warn
}

// summary returns the minimum, mean and maximum of a series.
func summary(list []float32) string {
	low, high, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
	for _, v := range list {
		if v == v {
			low, high, sum, n = min(low, float64(v)), max(high, float64(v)), sum+float64(v), n+1
		}
	}
	if n == 0 {
		return "history    no values"
	}
	return fmt.Sprintf("history    lowest %s, mean %s, highest %s, last %s", trimmed(low), trimmed(sum/float64(n)), trimmed(high), trimmed(float64(list[len(list)-1])))
}

// meaning explains a column: metric, unit, threshold, rules.
func (m *model) meaning(c *column) []string {
	if c.Metric == nil {
		return []string{c.Label + " identifies the row; it is not a metric."}
	}
	text := c.Metric.Explain()
	if c.Other != nil {
		text = append(append(text, "", "of other rows:"), c.Other.Explain()...)
	}
	text = append(text, "")
	rules := m.opts.Rules(c.Metric.ID)
	if len(rules) == 0 {
		text = append(text, "rules      no rule uses it")
	}
	for _, r := range rules {
		text = append(text, "rule       "+clean(r))
	}
	return text
}
