package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/vperf/vperf/pkg/esxtop"
)

// marks follow figures beyond a threshold, so that colour is never the only sign.
var marks = [...]string{esxtop.Unremarkable: " ", esxtop.Warning: "!", esxtop.Critical: "X"}

var levelWords = [...]string{esxtop.Unremarkable: "ok", esxtop.Warning: "warning", esxtop.Critical: "critical"}

// style adds weight, reversal and colour to text. Without colour, weight and reversal remain.
type style struct{ colour bool }

func (s style) wrap(text, on, off string) string {
	return "\x1b[" + on + "m" + text + "\x1b[" + off + "m"
}

func (s style) bold(text string) string    { return s.wrap(text, "1", "22") }
func (s style) dim(text string) string     { return s.wrap(text, "2", "22") }
func (s style) reverse(text string) string { return s.wrap(text, "7", "27") }

func (s style) level(text string, level esxtop.Level) string {
	switch {
	case level == esxtop.Unremarkable || !s.colour:
		return text
	case level == esxtop.Critical:
		return s.wrap(text, "31", "39")
	}
	return s.wrap(text, "33", "39")
}

// view is the visible part of a table.
type view struct {
	columns []column // fixed ones first
	at      []int    // their indexes in the table
	width   int
	first   int // index of the first scrolling column of the table
	spark   *sparkColumn
}

// window chooses columns: the fixed ones, then the others from the first on, as far as the width allows. Width 0 takes all.
func (t *table) window(first, width int) view {
	columns := t.columns
	if width > 0 {
		columns = shrunk(columns, width)
	}
	v := view{width: width, first: first}
	used := 0
	add := func(i int) bool {
		if width > 0 && used+columns[i].width >= width { // one more for the mark behind the last
			return false
		}
		used += columns[i].width
		v.columns, v.at = append(v.columns, columns[i]), append(v.at, i)
		return true
	}
	for i := range columns {
		if columns[i].fixed && !add(i) {
			return v
		}
	}
	for i := range columns {
		if !columns[i].fixed && i >= first && !add(i) {
			break
		}
	}
	return v
}

// reveal returns the first scrolling column that puts the wanted one in the window.
func (t *table) reveal(first, wanted, width int) int {
	if wanted < 0 || wanted >= len(t.columns) || t.columns[wanted].fixed || wanted < first {
		return max(min(first, wanted), 0)
	}
	for first < wanted {
		at := t.window(first, width).at
		if len(at) > 0 && at[len(at)-1] >= wanted {
			break
		}
		first++
	}
	return first
}

// head is the line of the columns' names. The one under the cursor is reversed, the one that orders the rows has an arrow, and the
// edges say that there are more columns to the left or right.
func (v view) head(t *table, cursor, width int, st style) string {
	var b strings.Builder
	for i, c := range v.columns {
		gap, label := " ", c.Label
		if t.sortsBy(&c) {
			gap, label = sortMark(c, arrow(t.sortsDown()))
		}
		text := pad(label, c.width-1, c.left)
		if v.at[i] == cursor {
			text = st.reverse(text)
		} else {
			text = st.bold(text)
		}
		b.WriteString(gap + text)
	}
	b.WriteString(v.sparkHead(st))
	return v.edges(t, b.String(), width, st)
}

// sortMark puts an arrow at a label, or before it where the column has no room.
func sortMark(c column, mark string) (gap, label string) {
	switch {
	case cells(c.Label)+1 >= c.width:
		return mark, c.Label
	case c.left:
		return " ", c.Label + mark
	}
	return " ", mark + c.Label
}

// edges hints at columns that are not on the screen.
func (v view) edges(t *table, head string, width int, st style) string {
	left, right := v.first > t.fixedCount(), len(v.at) > 0 && v.at[len(v.at)-1] < len(t.columns)-1
	if left {
		head = "‹" + ansi.TruncateLeft(head, 1, "")
	}
	if right && width > 1 {
		hint := fmt.Sprintf(" +%d›", len(t.columns)-1-v.at[len(v.at)-1])
		if room := width - cells(head); room < cells(hint) {
			hint = "›"
			head = cut(head, width-1)
		}
		head += strings.Repeat(" ", max(width-cells(head)-cells(hint), 0)) + st.bold(hint)
	}
	return head
}

// row returns a line of the table. Figures keep esxtop's places: a mark takes the blank before the next one.
func (v view) row(t *table, l line, here bool, cursor int, st style) string {
	var b strings.Builder
	mark, markLevel := " ", esxtop.Unremarkable
	if here {
		mark = ">"
	}
	for i := range v.columns {
		c := &v.columns[i]
		text := padded(t, l, c)
		b.WriteString(st.level(mark, markLevel))
		level, _ := t.level(l, c)
		mark, markLevel = marks[level], level
		switch {
		case here && v.at[i] == cursor:
			b.WriteString(st.reverse(st.level(text, level)))
		case level > esxtop.Unremarkable:
			b.WriteString(st.level(text, level))
		case l.late:
			b.WriteString(st.dim(text))
		case here:
			b.WriteString(st.bold(text))
		default:
			b.WriteString(text)
		}
	}
	mark = strings.TrimRight(mark, " >")
	b.WriteString(st.level(mark, markLevel))
	b.WriteString(v.sparkCell(t, l, cells(mark), st))
	return b.String()
}

// padded is the text of a cell at its width: rows below others are indented, and a late host has a mark.
func padded(t *table, l line, c *column) string {
	text := t.text(l, c)
	if c.Attribute == esxtop.RowName && !l.onTop() {
		text = " " + strings.TrimSuffix(text, ":"+clean(l.owner.Name)) // vmx-vcpu-0:web01
	}
	if _, port, found := strings.Cut(text, ":"); found && l.row.VM && c.Metric != nil && c.Metric.ID == "net.usedBy" {
		text = port // 1302699:web01.eth0: the id of the leader says nothing
	}
	if c.Attribute == esxtop.RowHost && l.late {
		text = cut(text, c.width-2) + "?"
	}
	return pad(elide(text, c.width-1), c.width-1, c.left)
}

// told returns the text of an alarm, with its host if there are several.
func (a alarm) told(hosts bool) string {
	t := a.metric.Threshold
	where := clean(rowName(a.line))
	if hosts && a.line.row.Object != esxtop.Host {
		where = clean(a.line.frame.Host) + " " + where
	}
	label := a.metric.Column
	if t.PerVCPU {
		label += " per vCPU"
	}
	sign := ">"
	if t.Below {
		sign = "<"
	}
	limit := t.Warn
	if a.level == esxtop.Critical {
		limit = t.Critical
	}
	words := where + " " + label + " " + trimmed(a.value) + " " + sign + " " + trimmed(limit) + " " + levelWords[a.level]
	if t.Word != "" {
		words += ": " + t.Word
	}
	return words
}

func trimmed(v float64) string {
	s := number(v, 2, 8)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// rowName returns the name of a row as users know it.
func rowName(l line) string {
	if s := usedBy(l.row); s != "" {
		return s
	}
	name := l.row.Name
	if name == "" {
		name = l.row.ID
	}
	if !l.onTop() && l.owner.Name != "" && l.owner.Name != name {
		name = l.owner.Name + " " + name
	}
	return name
}
