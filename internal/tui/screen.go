package tui

import (
	"fmt"
	"strings"
	"time"
)

// screen is all lines of the terminal.
func (m *model) screen() string {
	var lines []string
	if m.page != nil {
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

// top is what stands over the column names.
func (m *model) top() []string {
	lines := above(m.shown(), m.panel(), m.width, m.height/3, m.opts.Now())
	if len(lines) == 0 {
		lines = []string{"waiting for the first sample"}
	}
	lines = append(lines, m.sourceLine())
	if m.set.VMsOnly {
		lines = append(lines, "View VM only")
	}
	return lines
}

// sourceLine says where the figures come from, and what the user made of them.
func (m *model) sourceLine() string {
	var parts []string
	if m.replay != nil {
		parts = append(parts, m.position())
	}
	if m.held != nil {
		parts = append(parts, "HELD since "+m.held.time.UTC().Format("3:04:05pm")+", P goes on")
	}
	if m.shown().past {
		parts = append(parts, "PAST, as the source has kept it; what is now follows")
	}
	if m.filter != "" {
		parts = append(parts, fmt.Sprintf("filter %q: %d rows", clean(m.filter), m.table.matching))
	}
	return strings.Join(append(parts, sourceLine(m.known.about)), " | ")
}

const around = 4 // lines that always are there: a question, the column names, trouble, and the cell under the cursor

// room is how many rows of the table fit.
func (m *model) room() int { return max(m.height-len(m.top())-around, 1) }

func (m *model) tableLines() []string {
	st := style{m.opts.Color}
	lines := append(m.top(), m.asking())
	t, room := m.table, m.room()
	m.topRow = max(min(m.topRow, m.at), m.at-room+1, 0)
	m.leftCol = t.reveal(m.leftCol, m.column, m.width)
	v := t.window(m.leftCol, m.width)
	lines = append(lines, v.head(m.column, st))
	for i := range room {
		if i+m.topRow >= len(t.rows) {
			lines = append(lines, "")
			continue
		}
		lines = append(lines, v.row(t, t.rows[i+m.topRow], i+m.topRow == m.at, m.column, st))
	}
	return append(lines, m.trouble(st), m.cell())
}

// asking is the line between the head and the table, where esxtop asks and answers.
func (m *model) asking() string {
	if m.prompt != nil {
		return m.prompt.label + ": " + clean(m.prompt.text) + "_"
	}
	return m.message
}

// trouble names what the marks mean: of the row under the cursor, else the worst there is.
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
	text := marks[a.level] + " " + a.told(len(m.shown().hosts) > 1)
	if n := len(m.table.alarms); n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	return st.level(cut(text, m.width), a.level)
}

// nothing says why the table is empty.
func (m *model) nothing() string {
	frames := m.shown().list()
	switch {
	case len(frames) == 0:
		return ""
	case m.filter != "" && len(m.all.rows) > 0:
		return "nothing is called so; esc drops the filter"
	}
	for _, f := range frames {
		if f.Has(m.panel().Object) {
			return "there are none"
		}
	}
	if m.awaited > 0 {
		return "asked for it: it comes with the next sample, if the source has it"
	}
	return "this source does not tell of it"
}

// cell tells of the figure under the cursor: what it is and how it went lately.
func (m *model) cell() string {
	l, c, ok := m.under()
	if !ok {
		return ""
	}
	text := clean(rowName(l)) + " " + c.Label + " " + m.table.text(l, c)
	if len(m.shown().hosts) > 1 {
		text = clean(l.frame.Host) + " " + text
	}
	if c.Metric == nil || len(m.histories) == 0 {
		return text
	}
	list, span := m.histories[0].of(l.key(), c)
	drawn, highest := spark(list, m.width-cells(text)-24)
	if len(list) < 2 || drawn == "" {
		return text
	}
	return fmt.Sprintf("%s %s %s, max %s", text, drawn, lately(span), number(float64(highest), 2, 8))
}

// lately is a span of time as people say it.
func lately(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min", int(d.Minutes()))
}
