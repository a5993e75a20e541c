package doc

import (
	"html"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
)

// HTML returns a document as a part of a page whose style is that of page/sheet; the headings of its sections have this level. All text
// is escaped.
func (d Document) HTML(level int) template.HTML {
	h := &htmlWriter{level: level}
	var all []Block
	for b := range d {
		all = append(all, b)
	}
	h.blocks(all)
	return template.HTML(h.String()) //nolint:gosec // every text in it is escaped
}

type htmlWriter struct {
	strings.Builder

	level int // of headings
}

// blocks writes blocks; items in a row are a list.
func (h *htmlWriter) blocks(all []Block) {
	for i := 0; i < len(all); i++ {
		if all[i].kind != item {
			h.block(all[i])
			continue
		}
		list := "ul"
		if all[i].number > 0 {
			list = "ol"
		}
		h.WriteString("<" + list + ">\n")
		for first := all[i]; i < len(all) && all[i].kind == item && (all[i].number > 0) == (first.number > 0); i++ {
			h.WriteString("<li data-find>" + inHTML(all[i].text))
			h.blocks(all[i].under)
			h.WriteString("</li>\n")
		}
		i--
		h.WriteString("</" + list + ">\n")
	}
}

func (h *htmlWriter) block(b Block) {
	switch b.kind {
	case title: // the page has one
	case paragraph:
		h.WriteString("<p>" + inHTML(b.text) + "</p>\n")
	case part:
		h.part(b)
	case fields:
		h.fields(b.fields)
	case grid:
		h.table(*b.table)
	case source:
		h.WriteString(`<pre class="cmd">` + html.EscapeString(printable(b.text[0].Text)) + "</pre>\n")
	case screenful:
		h.blocks(append(b.under, b.tail...))
	}
}

func (h *htmlWriter) heading(level int, text Text) {
	tag := "h" + strconv.Itoa(level)
	h.WriteString("<" + tag + ">" + inHTML(text.without(Strong)) + "</" + tag + ">\n")
}

func (h *htmlWriter) part(b Block) {
	if b.text != nil {
		h.heading(h.level, b.text)
	}
	h.level++
	h.blocks(b.under)
	h.level--
}

func (h *htmlWriter) fields(all []Field) {
	if len(all) == 0 {
		return
	}
	h.WriteString(`<dl class="terms sums">` + "\n")
	for _, f := range all {
		h.WriteString("<dt>" + escapedHTML(f.Label) + "</dt>")
		for _, l := range f.Lines {
			h.WriteString("<dd>" + inHTML(l) + "</dd>\n")
		}
	}
	h.WriteString("</dl>\n")
}

func (h *htmlWriter) table(t Table) {
	if len(t.Rows) == 0 {
		return
	}
	h.WriteString(`<div class="wide" tabindex="0" role="region" aria-label="` + escapedHTML(strings.Join(t.Head, ", ")) + `"><table class="figs">` + "\n")
	if len(t.Head) > 0 {
		h.WriteString("<thead><tr>")
		for i, name := range t.Head {
			h.WriteString(`<th scope="col"` + t.class(i) + ">" + escapedHTML(name) + "</th>")
		}
		h.WriteString("</tr></thead>\n")
	}
	h.WriteString("<tbody>\n")
	for _, r := range t.Rows {
		h.WriteString(`<tr><th scope="row">` + inHTML(r.Cells[0]) + "</th>")
		for i, c := range r.Cells[1:] {
			h.WriteString("<td" + t.class(i+1) + ">" + inHTML(c))
			if i == len(r.Cells)-2 {
				h.blocks(r.Under)
			}
			h.WriteString("</td>")
		}
		h.WriteString("</tr>\n")
	}
	h.WriteString("</tbody>\n</table></div>\n")
}

func (t Table) class(column int) string {
	if slices.Contains(t.Right, column) {
		return ` class="num"`
	}
	return ""
}

func inHTML(t Text) string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.html())
	}
	return b.String()
}

func escapedHTML(s string) string { return html.EscapeString(iostreams.Sanitize(s)) }

func (s Span) html() string {
	text := escapedHTML(s.Text)
	switch {
	case s.Style&gap != 0:
		return ": "
	case s.Style&Command != 0:
		text = "<code>" + text + "</code>"
	case s.Link != "":
		text = `<a href="` + html.EscapeString(s.Link) + `">` + text + "</a>"
	}
	for _, c := range []struct {
		style Style
		class string
	}{{Good, "good"}, {Warn, "warn"}, {Bad, "bad"}, {Faint, "faint"}} {
		if s.Style&c.style != 0 {
			text = `<span class="` + c.class + `">` + text + "</span>"
		}
	}
	if s.Style&Strong != 0 {
		text = "<strong>" + text + "</strong>"
	}
	return text
}
