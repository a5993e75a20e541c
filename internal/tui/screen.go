package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// screen is all lines of the terminal. It remembers where the table is, for the mouse.
func (m *model) screen() string {
	var lines []string
	if m.page != nil {
		m.layout = layout{}
		lines = m.page.lines(m)
	} else {
		lines = m.tableLines()
	}
	if len(lines) > m.height {
		lines = lines[:m.height]
	}
	for i, l := range lines {
		lines[i] = cut(l, m.width)
	}
	return strings.Join(lines, "\n")
}

// top returns the part of the screen above the column names.
func (m *model) top() []string {
	lines := above(m.scene(), m.panel(), m.width, m.height/3, m.opts.Now())
	if len(lines) == 0 {
		lines = []string{"waiting for the first sample"}
	}
	return append(lines, m.bar(style{m.opts.Color}))
}

const around = 4 // lines that are always there: the column names, trouble or a message, the cell under the cursor, the keys

// room returns the number of table rows that fit.
func (m *model) room() int { return max(m.height-len(m.top())-around, 1) }

func (m *model) tableLines() []string {
	st := style{m.opts.Color}
	lines := m.top()
	t, room := m.table, max(m.height-len(lines)-around, 1)
	m.topRow = max(min(m.topRow, m.at), m.at-room+1, 0)
	wide := t.tableWidth(m.width)
	m.leftCol = t.reveal(m.leftCol, m.column, wide)
	v := t.window(m.leftCol, wide)
	v.addSpark(t, m, m.width)
	m.layout = layout{head: len(lines), rows: room, view: v}
	lines = append(lines, v.head(t, m.column, m.width, st))
	for i := range room {
		if i+m.topRow >= len(t.rows) {
			lines = append(lines, "")
			continue
		}
		lines = append(lines, v.row(t, t.rows[i+m.topRow], i+m.topRow == m.at, m.column, st))
	}
	return append(lines, m.saying(st), m.cell(), keyLine(m.hints(), m.width, st))
}

// saying returns the line with a question, a message, or the worst alarm.
func (m *model) saying(st style) string {
	switch {
	case m.prompt != nil:
		return st.bold(m.prompt.label+":") + " " + clean(m.prompt.text) + "_"
	case m.message != "":
		return m.message
	}
	return m.trouble(st)
}

// trouble explains the marks of the row under the cursor, or the worst ones of the table.
func (m *model) trouble(st style) string {
	if len(m.table.alarms) == 0 {
		if len(m.table.rows) == 0 {
			return m.nothing()
		}
		return ""
	}
	a := m.table.alarms[0]
	for _, other := range m.table.alarms {
		if other.line.key() == m.key {
			a = other
			break
		}
	}
	text, more := marks[a.level]+" "+a.told(len(m.scene().hosts) > 1), ""
	if n := len(m.table.alarms); n > 1 {
		more = fmt.Sprintf(" (and %d more)", n-1)
	}
	if word := a.metric.Threshold.Word; cells(text)+cells(more) > m.width {
		text = strings.TrimSuffix(text, ": "+word)
	}
	return st.level(cut(text, m.width-cells(more))+more, a.level)
}

// nothing explains why the table is empty.
func (m *model) nothing() string {
	frames := m.scene().list()
	switch {
	case len(frames) == 0:
		return ""
	case m.filter != "" && len(m.all.rows) > 0:
		return "no row matches the filter; esc drops it"
	case m.set.VMsOnly && len(m.all.rows) > 0 && ofVMs(m.panel().Object):
		return "there are no VMs here; V shows all rows"
	}
	for _, f := range frames {
		if f.Has(m.panel().Object) {
			return "this host has none"
		}
	}
	if m.awaited > 0 {
		return "requested; it comes with the next sample if the source has it"
	}
	return "the source has no data for this panel" + m.otherSource()
}

// otherSource names the source that has more.
func (m *model) otherSource() string {
	if m.origin() == esxtop.Performance {
		return "; --source esxtop has"
	}
	return ""
}

// cell describes the figure under the cursor and its recent course.
func (m *model) cell() string {
	l, c, ok := m.under()
	if !ok {
		return ""
	}
	text := clean(rowName(l)) + " " + c.Label + " " + m.table.text(l, c)
	if len(m.scene().hosts) > 1 {
		text = clean(l.frame.Host) + " " + text
	}
	if c.Metric == nil || len(m.histories) == 0 {
		return text
	}
	h := m.histories[0]
	list := h.timeline(l.key(), c, m.width-cells(text)-24)
	if len(list) < 2 {
		return text
	}
	return fmt.Sprintf("%s %s %s, max %s", text, trend(list, floorOf(c.Metric)), lately(h.span()), number(float64(peak(list)), 2, 8))
}

// lately formats a span of time in words.
func lately(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min", int(d.Minutes()))
}
