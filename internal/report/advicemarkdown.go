package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/report/wording"
)

// AdviceMarkdown writes advice as Markdown for a ticket.
func AdviceMarkdown(w io.Writer, v *view.View) error {
	m := &markdownPage{w: bufio.NewWriter(w)}
	s := v.Text()
	fmt.Fprintf(m.w, "# vperf advice for %s\n\n**%s**\n\n", wording.Markdown(v.Source), wording.Markdown(s.Verdict))
	for _, l := range append(s.Counts, s.About) {
		fmt.Fprintf(m.w, "- %s\n", wording.MarkdownItem(l))
	}
	for _, n := range v.Notes {
		fmt.Fprintf(m.w, "\nNote: %s\n", wording.Markdown(wording.OneLine(n)))
	}
	for _, part := range s.Sections {
		m.adviceSection(part)
	}
	return finish(m.w, "advice as Markdown")
}

func (m *markdownPage) adviceSection(s view.Section) {
	m.heading(wording.Markdown(s.Title))
	brief := true
	for _, e := range s.Entries {
		brief = brief && len(e.Fields) == 0
	}
	for i, e := range s.Entries {
		if brief {
			m.briefEntry(e)
			continue
		}
		if i > 0 {
			m.w.WriteByte('\n')
		}
		m.entry(e)
	}
	if s.Grid != nil {
		m.grid(s.Grid)
	}
	for _, l := range s.More {
		fmt.Fprintf(m.w, "\n%s\n", wording.Markdown(l))
	}
}

// briefEntry writes an entry as a list item.
func (m *markdownPage) briefEntry(e view.Entry) {
	text := entryTitle(e)
	if e.Rule == nil && e.Rank == 0 {
		text = wording.MarkdownItem(e.Title)
	}
	if len(e.Lines) == 1 {
		text += ": " + wording.Markdown(e.Lines[0])
	}
	fmt.Fprintf(m.w, "- %s\n", text)
	if len(e.Lines) > 1 {
		m.items("  ", e.Lines)
	}
	if len(e.Commands) > 0 {
		fmt.Fprintf(m.w, "  - %s\n", wording.MarkdownCode(e.Commands[0]))
	}
}

func (m *markdownPage) entry(e view.Entry) {
	fmt.Fprintf(m.w, "### %s\n\n", entryTitle(e))
	m.items("", e.Lines)
	for _, f := range e.Fields {
		m.field(f)
	}
}

func (m *markdownPage) field(f view.Field) {
	if len(f.Lines) == 1 && !f.Typed {
		fmt.Fprintf(m.w, "- **%s:** %s\n", f.Label, wording.Markdown(f.Lines[0]))
		return
	}
	fmt.Fprintf(m.w, "- **%s:**\n", f.Label)
	if !f.Typed {
		m.items("  ", f.Lines)
		return
	}
	for _, c := range f.Lines {
		fmt.Fprintf(m.w, "  - %s\n", wording.MarkdownCode(c))
	}
}

// grid writes a table. Every cell is literal text; a bar in a cell is escaped.
func (m *markdownPage) grid(g *view.Grid) {
	m.gridRow(g.Head)
	fmt.Fprintf(m.w, "|%s\n", strings.Repeat(" --- |", len(g.Head)))
	for _, row := range g.Rows {
		m.gridRow(row)
	}
}

func (m *markdownPage) gridRow(cells []string) {
	for _, c := range cells {
		fmt.Fprintf(m.w, "| %s ", wording.Markdown(wording.OneLine(c)))
	}
	m.w.WriteString("|\n")
}

func (m *markdownPage) items(indent string, lines []string) {
	for _, l := range lines {
		fmt.Fprintf(m.w, "%s- %s\n", indent, wording.MarkdownItem(l))
	}
}

// entryTitle returns the rank, the severity, and the rule with a link to its section of the guide.
func entryTitle(e view.Entry) string {
	s := ""
	if e.Rank > 0 {
		s = fmt.Sprintf("%d\\. ", e.Rank)
	}
	if e.Severity != "" {
		s += string(e.Severity) + ": "
	}
	s += wording.Markdown(wording.OneLine(e.Title))
	if e.Rule == nil {
		return s
	}
	if more := wording.Docs(e.Rule); more != "" {
		return fmt.Sprintf("%s ([%s](%s))", s, e.Rule.ID, more)
	}
	return s + " (" + wording.Markdown(e.Rule.ID) + ")"
}
