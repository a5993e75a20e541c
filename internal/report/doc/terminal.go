package doc

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
)

const (
	indentWidth = 2
	numberWidth = 4 // of a number in front of a line
	labelWidth  = 9 // of short labels and their colon
	columnGap   = 2
)

// Terminal writes a document for a terminal of so many columns, or without limit if width is 0.
func (d Document) Terminal(w io.Writer, width int, style iostreams.Style) error {
	t := &terminal{w: bufio.NewWriter(w), width: width, style: style}
	for b := range d {
		t.block(0, b)
	}
	if err := t.w.Flush(); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

type terminal struct {
	w     *bufio.Writer
	width int
	style iostreams.Style
	lines int  // that were written
	apart bool // an empty line comes before the next one
}

func (t *terminal) blocks(indent int, all []Block) {
	for _, b := range all {
		t.block(indent, b)
	}
}

func (t *terminal) block(indent int, b Block) {
	switch b.kind {
	case title:
	case paragraph:
		t.hanging(indent, indent, b.text)
	case part:
		t.part(indent, b)
	case item:
		t.item(indent, b)
	case fields:
		t.fields(indent, b.fields)
	case grid:
		t.table(indent, *b.table)
	case source:
		at := strings.Repeat(" ", indent)
		t.line(at + strings.ReplaceAll(printable(b.text[0].Text), "\n", "\n"+at))
	case screenful:
		t.screenful(indent, b)
	}
}

func (t *terminal) part(indent int, b Block) {
	if len(b.under) == 0 && b.text == nil {
		return
	}
	t.apart = true
	if b.text != nil {
		t.item(indent, b)
	} else {
		t.blocks(indent, b.under)
	}
	t.apart = true
}

func (t *terminal) item(indent int, b Block) {
	under, text := indent+indentWidth, b.text
	if b.number > 0 {
		under, text = indent+numberWidth, append(T(fmt.Sprintf("%-*s", numberWidth, strconv.Itoa(b.number))), text...)
	}
	t.hanging(indent, under, text)
	t.blocks(under, b.under)
}

// fields writes several labels in a column if all of them are short.
func (t *terminal) fields(indent int, all []Field) {
	width := labelWidth
	if len(all) == 1 || slices.ContainsFunc(all, func(f Field) bool { return len(f.Label)+len(": ") > labelWidth }) {
		width = 0
	}
	for _, f := range all {
		label, others := fmt.Sprintf("%-*s", width, f.Label+":"), indent+width+indentWidth
		if width == 0 {
			label += " "
		}
		if len(f.Lines) > 1 {
			others = indent + len(label) + indentWidth
		}
		for i, l := range f.Lines {
			if i > 0 {
				label = strings.Repeat(" ", len(label))
			}
			t.hanging(indent, others, append(T(S(Faint|Command, label)), l...))
		}
	}
}

// hanging writes a text as lines, of which the first begins at one column, and the others at another.
func (t *terminal) hanging(first, others int, text Text) {
	if text.has(Cut) && t.width > 0 {
		text = shortened(text, t.width-first)
	}
	t.line(t.wrapped(strings.Repeat(" ", first)+t.styled(text), others))
}

func (t *terminal) wrapped(line string, others int) string {
	return strings.TrimRight(Wrap(line, strings.Repeat(" ", others), t.width), " ")
}

func (t *terminal) line(text string) {
	if t.apart && t.lines > 0 {
		t.w.WriteByte('\n')
		t.lines++
	}
	t.apart = false
	t.w.WriteString(strings.ReplaceAll(text, unbroken, " "))
	t.w.WriteByte('\n')
	t.lines += 1 + strings.Count(text, "\n")
}

// unbroken stands for a space at which no line is broken. Sanitized text does not contain it.
const unbroken = "\x00"

func (t *terminal) styled(text Text) string {
	var b strings.Builder
	for _, s := range text {
		b.WriteString(t.span(s))
	}
	return b.String()
}

func (t *terminal) span(s Span) string {
	text := iostreams.Sanitize(s.Text)
	if s.Style&Command != 0 {
		text = strings.ReplaceAll(text, " ", unbroken)
	}
	if text == "" {
		return ""
	}
	for _, c := range []struct {
		style  Style
		colour func(string) string
	}{{Good, t.style.Green}, {Warn, t.style.Yellow}, {Bad, t.style.Red}, {Faint, t.style.Dim}, {Strong, t.style.Bold}} {
		if s.Style&c.style != 0 {
			text = c.colour(text)
		}
	}
	return text
}

// plain returns the text as a terminal shows it, without styles.
func (t Text) plain() string { return new(terminal).styled(t) }

// shortened cuts the spans that may be cut, so that the text is no longer than width.
func shortened(text Text, width int) Text {
	text = slices.Clone(text)
	for i, s := range text {
		over := Width(text.plain()) - width
		if s.Style&Cut == 0 || over <= 0 {
			continue
		}
		runes := []rune(iostreams.Sanitize(s.Text))
		text[i].Text = string(runes[:max(0, len(runes)-over-1)]) + "…"
	}
	return text
}

func (t *terminal) table(indent int, tab Table) {
	if len(tab.Rows) == 0 {
		return
	}
	g := newCells(t, indent, tab)
	for _, spare := range tab.Spare {
		if i := slices.Index(tab.Head, spare); i >= 0 && !g.fit(indent, t.width) {
			tab = tab.without(i)
			g = newCells(t, indent, tab)
		}
	}
	switch {
	case g.fit(indent, t.width):
		t.rows(indent, g, tab.Rows)
	case tab.Below > 0:
		t.below(indent, tab)
	default:
		for _, r := range tab.Rows {
			t.hanging(indent, indent+indentWidth, tab.words(r))
		}
	}
}

// rows writes a table that has room.
func (t *terminal) rows(indent int, g cells, rows []Row) {
	under := indent + indentWidth
	if g.prose {
		under = indent + g.start(len(g.widths)-1)
	}
	for i := range g.rows {
		line := g.line(indent, i)
		if i < g.heads {
			t.line(t.style.Dim(line))
			continue
		}
		t.line(t.wrapped(line, under))
		t.blocks(under, rows[i-g.heads].Under)
	}
}

// below writes the columns of a table in two tables, a line of each in turn.
func (t *terminal) below(indent int, tab Table) {
	first, second := newCells(t, indent, tab.columns(0, tab.Below)), newCells(t, indent, tab.columns(tab.Below, len(tab.Rows[0].Cells)))
	under := indent + 2*indentWidth
	for i := range first.rows {
		t.line(t.wrapped(first.line(indent, i), under+indentWidth))
		t.line(t.wrapped(second.line(under, i), under+indentWidth))
		if i >= first.heads {
			t.blocks(under, tab.Rows[i-first.heads].Under)
		}
	}
}

// screenful writes as many items as there is room for.
func (t *terminal) screenful(indent int, b Block) {
	tail := &terminal{w: bufio.NewWriter(io.Discard), width: t.width, lines: 1}
	tail.blocks(indent, b.tail)
	room := b.lines - t.lines - tail.lines + 1
	if t.apart {
		room--
	}
	shown := len(b.under)
	if shown > room {
		shown = max(0, room-1) // and a line that counts the others
	}
	t.blocks(indent, b.under[:shown])
	if n := len(b.under) - shown; n > 0 {
		t.hanging(indent, indent, T(fmt.Sprintf("… and %d more", n)))
	}
	t.blocks(indent, b.tail)
}

// cells are the cells of a table as a terminal shows them.
type cells struct {
	rows   [][]string
	heads  int // 1 if the first row is the heading
	widths []int
	right  []int
	prose  bool
}

func newCells(t *terminal, indent int, tab Table) cells {
	g := cells{right: tab.Right, prose: tab.Prose}
	if len(tab.Head) > 0 {
		g.rows, g.heads = append(g.rows, tab.Head), 1
	}
	for _, r := range tab.Rows {
		row := make([]string, len(r.Cells))
		for i, c := range r.Cells {
			row[i] = t.styled(c)
		}
		g.rows = append(g.rows, row)
	}
	for _, row := range g.rows {
		for i, cell := range row {
			if i == len(g.widths) {
				g.widths = append(g.widths, 0)
			}
			g.widths[i] = max(g.widths[i], Width(cell))
		}
	}
	g.cut(t, indent, tab.Rows)
	return g
}

// cut shortens the cells of the last column that may be cut.
func (g cells) cut(t *terminal, indent int, rows []Row) {
	last := len(g.widths) - 1
	for i, r := range rows {
		if len(r.Cells) <= last || t.width <= 0 {
			continue
		}
		if text := r.Cells[last]; text.has(Cut) {
			g.rows[g.heads+i][last] = t.styled(shortened(text, t.width-indent-g.start(last)))
		}
	}
}

// start returns the place at which a column begins.
func (g cells) start(column int) int {
	at := 0
	for _, n := range g.widths[:column] {
		at += n + columnGap
	}
	return at
}

func (g cells) fit(indent, width int) bool {
	return width <= 0 || g.prose || indent+g.start(len(g.widths))-columnGap <= width
}

// line returns a row in columns.
func (g cells) line(indent, row int) string {
	var line strings.Builder
	line.WriteString(strings.Repeat(" ", indent))
	for i, cell := range g.rows[row] {
		blanks := strings.Repeat(" ", g.widths[i]-Width(cell))
		if slices.Contains(g.right, i) {
			cell, blanks = blanks+cell, ""
		}
		line.WriteString(cell + blanks + strings.Repeat(" ", columnGap))
	}
	return strings.TrimRight(line.String(), " ")
}

// without returns a table without a column.
func (t Table) without(column int) Table {
	a, b := t.columns(0, column), t.columns(column+1, len(t.Head))
	a.Head = append(a.Head, b.Head...)
	for i := range a.Rows {
		a.Rows[i].Cells = append(a.Rows[i].Cells, b.Rows[i].Cells...)
	}
	for _, i := range b.Right {
		a.Right = append(a.Right, column+i)
	}
	return a
}

// columns returns some columns of a table.
func (t Table) columns(from, to int) Table {
	part := t
	part.Right, part.Rows = nil, make([]Row, len(t.Rows))
	if len(t.Head) > 0 {
		part.Head = slices.Clone(t.Head[from:to])
	}
	for _, i := range t.Right {
		if i >= from && i < to {
			part.Right = append(part.Right, i-from)
		}
	}
	for i, r := range t.Rows {
		part.Rows[i] = Row{slices.Clone(r.Cells[from:to]), r.Under}
	}
	return part
}

// words returns a row as one line: the first cell, then each other cell with its heading.
func (t Table) words(r Row) Text {
	line, between := append(slices.Clone(r.Cells[0]), Span{Text: ": "}), ""
	for i, c := range r.Cells[1:] {
		if !c.empty() {
			line = append(append(line, Span{Text: between + t.Head[i+1] + " "}), c...)
			between = "; "
		}
	}
	return line
}
