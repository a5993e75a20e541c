// Package doc is the model of the documents that people read, and the renderers that write them: for a terminal, as Markdown and as
// HTML. A subject builds a document, and knows no format.
//
// Every text is literal: only a renderer turns it into bytes, and it escapes all of it, whoever wrote it. So no subject can forget to
// escape the name of a VM, and none can write markup; bold text, colours, code and links are properties of a span.
package doc

import (
	"iter"
	"slices"
)

// Style says how a span is shown. Styles can be combined.
type Style uint8

// The styles of a span.
const (
	Strong Style = 1 << iota
	Faint
	Good
	Warn
	Bad
	Command // what a user types: a terminal never breaks it, other formats show it as code
	Cut     // a terminal shortens it so that its line is not wrapped
	gap     // separates parts of a line
)

// Span is a piece of text in one style.
type Span struct {
	Text  string // not escaped; may be foreign
	Style Style
	Link  string // an address, which a terminal does not show
}

// Text is the text of a line or a cell.
type Text []Span

// T joins strings, spans and texts.
func T(parts ...any) Text {
	var t Text
	for _, p := range parts {
		switch x := p.(type) {
		case string:
			t = append(t, Span{Text: x})
		case Span:
			t = append(t, x)
		case Text:
			t = append(t, x...)
		}
	}
	return t
}

// S returns a text in a style.
func S(style Style, text string) Span { return Span{Text: text, Style: style} }

// Bold returns a text in bold.
func Bold(text string) Span { return S(Strong, text) }

// Typed returns a command to type, which is never wrapped.
func Typed(command string) Span { return S(Command, command) }

// Short returns a text that a terminal shortens rather than wrap its line.
func Short(text string) Span { return S(Cut, text) }

// Linked returns a text with an address; it is plain if there is none.
func Linked(text, address string) Span { return Span{Text: text, Link: address} }

// Apart joins the parts that are not empty, with a gap between them: two blanks on a terminal, a colon elsewhere.
func Apart(parts ...any) Text {
	var t Text
	for _, p := range parts {
		x := T(p)
		if x.empty() {
			continue
		}
		if len(t) > 0 {
			t = append(t, S(gap, "  "))
		}
		t = append(t, x...)
	}
	return t
}

func (t Text) empty() bool {
	return !slices.ContainsFunc(t, func(s Span) bool { return s.Text != "" })
}

func (t Text) has(style Style) bool {
	return slices.ContainsFunc(t, func(s Span) bool { return s.Style&style != 0 })
}

// without returns the text without a style.
func (t Text) without(style Style) Text {
	t = slices.Clone(t)
	for i := range t {
		t[i].Style &^= style
	}
	return t
}

// Document is a sequence of blocks. It may compute them as they are written, so that a long one is never in memory.
type Document iter.Seq[Block]

// Of returns a document with these blocks.
func Of(blocks ...Block) Document { return Document(slices.Values(blocks)) }

type kind uint8

const (
	title kind = iota
	paragraph
	part
	item
	fields
	grid
	source
	screenful
)

// Block is a part of a document.
type Block struct {
	kind   kind
	text   Text
	number int
	fields []Field
	table  *Table
	under  []Block
	tail   []Block
	lines  int
}

// Title is the title of a document. A terminal does not show it: the command is right above.
func Title(parts ...any) Block { return Block{kind: title, text: T(parts...)} }

// P is a paragraph.
func P(parts ...any) Block { return Block{kind: paragraph, text: T(parts...)} }

// Part is a section with a title, and an empty line around it.
func Part(title Text, under ...Block) Block { return Block{kind: part, text: title, under: under} }

// Section is a part with a title of our words, or nothing if there is nothing in it.
func Section(title string, under ...Block) Block {
	if len(under) == 0 {
		return Group()
	}
	return Part(T(Bold(title)), under...)
}

// Group keeps blocks together, with an empty line around them.
func Group(under ...Block) Block { return Block{kind: part, under: under} }

// Item is a line, with what belongs to it under it.
func Item(text Text, under ...Block) Block { return Block{kind: item, text: text, under: under} }

// Items returns an item for each line that is not empty.
func Items(lines ...string) (all []Block) {
	for _, l := range lines {
		if l != "" {
			all = append(all, Item(T(l)))
		}
	}
	return all
}

// Numbered gives a part or an item a number, from 1.
func (b Block) Numbered(n int) Block {
	b.number = n
	return b
}

// With adds blocks under a part or an item.
func (b Block) With(under ...Block) Block {
	b.under = append(slices.Clip(b.under), under...)
	return b
}

// Line is a line to type.
func Line(command string) Block { return Item(T(Typed(command))) }

// Source is code with its line breaks.
func Source(code string) Block { return Block{kind: source, text: T(code)} }

// Field is a label with a line of text, or several.
type Field struct {
	Label string
	Lines []Text
}

// F returns a field with one line.
func F(label string, parts ...any) Field { return Field{label, []Text{T(parts...)}} }

// Lines returns a field with a line for each text.
func Lines(label string, lines ...string) Field {
	f := Field{Label: label}
	for _, l := range lines {
		f.Lines = append(f.Lines, T(l))
	}
	return f
}

// Fields are labelled texts, without those that are empty.
func Fields(all ...Field) Block {
	b := Block{kind: fields}
	for _, f := range all {
		f.Lines = slices.DeleteFunc(slices.Clone(f.Lines), Text.empty)
		if len(f.Lines) > 0 {
			b.fields = append(b.fields, f)
		}
	}
	return b
}

// Table is a table. A terminal on which it has no room drops the spare columns, in their order; if that is not enough, it writes the
// columns from Below on under the others or, if Below is 0, each row as a line of words: no figure is cut.
type Table struct {
	Head  []string
	Rows  []Row
	Right []int    // columns of figures
	Spare []string // heads of columns
	Below int
	Prose bool // the last column is text, which is wrapped in its column
}

// Row is a row of a table, with what belongs to it.
type Row struct {
	Cells []Text
	Under []Block
}

// Add adds a row of strings, spans or texts.
func (t *Table) Add(cells ...any) {
	r := Row{Cells: make([]Text, len(cells))}
	for i, c := range cells {
		r.Cells[i] = T(c)
	}
	t.Rows = append(t.Rows, r)
}

// Under adds blocks to the last row.
func (t *Table) Under(blocks ...Block) {
	r := &t.Rows[len(t.Rows)-1]
	r.Under = append(r.Under, blocks...)
}

// Block returns the table as a block; it shows nothing without rows.
func (t Table) Block() Block { return Block{kind: grid, table: &t} }

// Spare names the columns of a table that a narrow terminal drops.
func (b Block) Spare(heads ...string) Block {
	b.table.Spare = heads
	return b
}

// Screenful shows as many items as a screen of so many lines has room for, counts the others, and ends with tail.
func Screenful(lines int, items []Block, tail ...Block) Block {
	return Block{kind: screenful, under: items, tail: tail, lines: lines}
}
