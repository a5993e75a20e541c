package report

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// AdviceMarkdown writes advice for a ticket.
func AdviceMarkdown(w io.Writer, a Advice) error {
	m := &markdownPage{w: bufio.NewWriter(w)}
	s := storyOf(a)
	fmt.Fprintf(m.w, "# vperf advice for %s\n\n**%s**\n\n", literal(a.Source), literal(s.verdict))
	for _, l := range append(s.counts, s.about) {
		fmt.Fprintf(m.w, "- %s\n", item(l))
	}
	for _, n := range a.Notes {
		fmt.Fprintf(m.w, "\nNote: %s\n", literal(OneLine(n)))
	}
	for _, part := range s.sections {
		m.adviceSection(part)
	}
	if err := m.w.Flush(); err != nil {
		return fmt.Errorf("writing advice as Markdown: %w", err)
	}
	return nil
}

func (m *markdownPage) adviceSection(s section) {
	m.heading(literal(s.title))
	brief := true
	for _, e := range s.entries {
		brief = brief && len(e.fields) == 0
	}
	for i, e := range s.entries {
		if brief {
			m.briefEntry(e)
			continue
		}
		if i > 0 {
			m.w.WriteByte('\n')
		}
		m.entry(e)
	}
	if s.grid != nil {
		m.grid(s.grid)
	}
	for _, l := range s.more {
		fmt.Fprintf(m.w, "\n%s\n", literal(l))
	}
}

// briefEntry is an entry as an item of a list.
func (m *markdownPage) briefEntry(e entry) {
	text := entryTitle(e)
	if e.rule == nil && e.rank == 0 {
		text = item(e.title)
	}
	if len(e.lines) == 1 {
		text += ": " + literal(e.lines[0])
	}
	fmt.Fprintf(m.w, "- %s\n", text)
	if len(e.lines) > 1 {
		m.items("  ", e.lines)
	}
	if len(e.commands) > 0 {
		fmt.Fprintf(m.w, "  - %s\n", code(e.commands[0]))
	}
}

func (m *markdownPage) entry(e entry) {
	fmt.Fprintf(m.w, "### %s\n\n", entryTitle(e))
	m.items("", e.lines)
	for _, f := range e.fields {
		m.field(f)
	}
}

func (m *markdownPage) field(f field) {
	if len(f.lines) == 1 && !f.typed {
		fmt.Fprintf(m.w, "- **%s:** %s\n", f.label, literal(f.lines[0]))
		return
	}
	fmt.Fprintf(m.w, "- **%s:**\n", f.label)
	if !f.typed {
		m.items("  ", f.lines)
		return
	}
	for _, c := range f.lines {
		fmt.Fprintf(m.w, "  - %s\n", code(c))
	}
}

// grid is a table. Every cell is literal, a bar in it too.
func (m *markdownPage) grid(g *grid) {
	m.gridRow(g.head)
	fmt.Fprintf(m.w, "|%s\n", strings.Repeat(" --- |", len(g.head)))
	for _, row := range g.rows {
		m.gridRow(row)
	}
}

func (m *markdownPage) gridRow(cells []string) {
	for _, c := range cells {
		fmt.Fprintf(m.w, "| %s ", literal(OneLine(c)))
	}
	m.w.WriteString("|\n")
}

func (m *markdownPage) items(indent string, lines []string) {
	for _, l := range lines {
		fmt.Fprintf(m.w, "%s- %s\n", indent, item(l))
	}
}

// item is text that begins an item of a list, and does not begin a list, a line or a block of its own there.
func item(s string) string {
	s = literal(strings.TrimSpace(s))
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") || strings.HasPrefix(s, "=") {
		return `\` + s
	}
	return numbered.ReplaceAllString(s, `$1\$2`)
}

var numbered = regexp.MustCompile(`^(\d+)([.)])`)

// entryTitle is the rank, the severity, and the rule with a link to its section of the guide.
func entryTitle(e entry) string {
	s := ""
	if e.rank > 0 {
		s = fmt.Sprintf("%d\\. ", e.rank)
	}
	if e.severity != "" {
		s += string(e.severity) + ": "
	}
	s += literal(OneLine(e.title))
	if e.rule == nil {
		return s
	}
	if more := docs(e.rule); more != "" {
		return fmt.Sprintf("%s ([%s](%s))", s, e.rule.ID, more)
	}
	return s + " (" + literal(e.rule.ID) + ")"
}

// code is what to type. What it is made of has no backtick: a name that does is replaced by an id.
func code(s string) string { return "`" + strings.ReplaceAll(clean(s), "`", "'") + "`" }
