package doc

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Markdown writes a document as Markdown that every code host renders alike.
func (d Document) Markdown(w io.Writer) error {
	m := &markdown{w: bufio.NewWriter(w), level: 1}
	for b := range d {
		m.block(b)
	}
	if err := m.w.Flush(); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

type markdown struct {
	w     *bufio.Writer
	level int  // of headings
	wrote bool // anything

	indent string // of the items of a list in a list
	list   string // mark of the list that the last line belongs to, or ""
}

func (m *markdown) blocks(all []Block) {
	for _, b := range all {
		m.block(b)
	}
}

func (m *markdown) block(b Block) {
	switch b.kind {
	case title:
		m.apart("# " + line(b.text))
	case paragraph:
		m.paragraph(b.text)
	case part:
		m.part(b)
	case item:
		m.item(mark(b), b)
	case fields:
		m.fields(b.fields)
	case grid:
		m.table(*b.table)
	case source:
		m.source(b.text[0].Text)
	case screenful:
		m.blocks(b.under)
		m.blocks(b.tail)
	}
}

// apart writes lines with an empty line before them.
func (m *markdown) apart(lines string) {
	if m.wrote {
		m.w.WriteByte('\n')
	}
	m.w.WriteString(lines + "\n")
	m.wrote, m.list = true, ""
}

// source writes code as an indented block, which no line of it can end.
func (m *markdown) source(text string) {
	m.apart("    " + strings.ReplaceAll(printable(text), "\n", "\n    "))
}

func (m *markdown) paragraph(text Text) {
	if m.indent != "" {
		m.item("- ", Block{text: text})
		return
	}
	m.apart(line(text))
}

func (m *markdown) part(b Block) {
	if b.text == nil {
		m.blocks(b.under)
		return
	}
	m.level++
	m.apart(strings.Repeat("#", m.level) + " " + heading(b))
	m.blocks(b.under)
	m.level--
}

// heading returns the text of a heading, which is bold anyway.
func heading(b Block) string {
	plain := b.text.without(Strong)
	if b.number > 0 {
		return strconv.Itoa(b.number) + `\. ` + inline(plain)
	}
	s := line(plain) // section titles are in lower case
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

func mark(b Block) string {
	if b.number > 0 {
		return strconv.Itoa(b.number) + ". "
	}
	return "- "
}

func (m *markdown) item(mark string, b Block) {
	kind := mark[len(mark)-2:]
	if m.wrote && (m.list == "" || m.indent == "" && m.list != kind) {
		m.w.WriteByte('\n')
	}
	m.wrote = true
	m.w.WriteString(m.indent + mark + line(b.text) + "\n")
	before := m.indent
	m.indent, m.list = before+strings.Repeat(" ", len(mark)), kind
	m.blocks(b.under)
	m.indent, m.list = before, kind
}

func (m *markdown) fields(all []Field) {
	for _, f := range all {
		label := S(Strong, f.Label+":")
		if len(f.Lines) == 1 {
			m.item("- ", Item(append(T(label, " "), f.Lines[0]...)))
			continue
		}
		b := Item(T(label))
		for _, l := range f.Lines {
			b.under = append(b.under, Item(l))
		}
		m.item("- ", b)
	}
}

func (m *markdown) table(t Table) {
	if len(t.Rows) == 0 {
		return
	}
	head := make([]Text, len(t.Rows[0].Cells))
	for i := range t.Head {
		head[i] = T(t.Head[i])
	}
	lines := []string{row(head), strings.Repeat("| --- ", len(head)) + "|"}
	for _, i := range t.Right {
		lines[1] = lines[1][:6*i] + "| --: " + lines[1][6*i+6:]
	}
	for _, r := range t.Rows {
		for _, b := range r.Under { // a cell has no room for blocks
			last := &r.Cells[len(r.Cells)-1]
			*last = append(append(*last, Span{Text: "; "}), b.text...)
		}
		lines = append(lines, row(r.Cells))
	}
	m.apart(strings.Join(lines, "\n"))
}

func row(cells []Text) string {
	var b strings.Builder
	for _, c := range cells {
		b.WriteString("| " + inline(c) + " ")
	}
	return b.String() + "|"
}

// line returns a text that starts no list, line or block of its own.
func line(t Text) string {
	s := strings.TrimSpace(inline(t))
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") || strings.HasPrefix(s, "=") {
		return `\` + s
	}
	return numbered.ReplaceAllString(s, `$1\$2`)
}

var numbered = regexp.MustCompile(`^(\d+)([.)])`)

func inline(t Text) string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.markdown())
	}
	return b.String()
}

func (s Span) markdown() string {
	text := Escaped(s.Text)
	switch {
	case s.Style&gap != 0:
		return ": "
	case text == "":
		return ""
	case s.Style&Command != 0:
		text = Code(s.Text)
	case s.Link != "":
		text = "[" + text + "](" + s.Link + ")"
	}
	if s.Style&Strong != 0 {
		return "**" + text + "**"
	}
	return text
}
