package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/report/wording"
)

// AdviceTable writes advice as text: what to do first, why, and the expected effect. It is brief unless the user asks for
// everything. On an interactive terminal it takes one screen.
func AdviceTable(w io.Writer, v *view.View, t Terminal) error {
	s := v.Brief()
	if t.TTY && !v.Whole && len(v.Showing()) > 0 {
		return adviceScreen(w, s, t)
	}
	if v.Whole {
		s = v.Text()
	}
	return adviceTable(w, v, s, t)
}

func adviceTable(w io.Writer, v *view.View, s view.Text, t Terminal) error {
	b := bufio.NewWriter(w)
	p := &page{w: b, term: t, whole: v.Whole}
	p.hanging(0, objectIndent, "%s", t.Style.Bold(wording.Clean(s.Verdict)))
	for _, l := range s.Counts {
		p.hanging(0, objectIndent, "%s", wording.Clean(l))
	}
	p.hanging(0, objectIndent, "%s", wording.Clean(s.About))
	for i, part := range s.Sections {
		p.adviceSection(part, i == 0 && len(v.Showing()) > 0)
	}
	return finish(b, "advice as a table")
}

// adviceSection writes a section. The first section has no title, because the line above introduces it. Blank lines separate
// only recommendations.
func (p *page) adviceSection(s view.Section, first bool) {
	if !first {
		p.w.WriteByte('\n')
		p.line(0, "%s", p.term.Style.Bold(s.Title))
	}
	for i, e := range s.Entries {
		if first && (i == 0 || len(s.Entries[i-1].Lines) > 0) {
			p.w.WriteByte('\n')
		}
		p.entry(e)
	}
	if s.Grid != nil {
		p.grid(s.Grid)
	}
	if first && len(s.More) > 0 {
		p.w.WriteByte('\n')
	}
	for _, l := range s.More {
		p.hanging(objectIndent, detailIndent, "%s", wording.Clean(l))
	}
}

func (p *page) entry(e view.Entry) {
	if e.Rule == nil && len(e.Lines) == 1 {
		p.hanging(objectIndent, detailIndent, "%s: %s", wording.Clean(e.Title), wording.Clean(e.Lines[0]))
		return
	}
	p.hanging(p.entryIndent(e), detailIndent, "%s", p.entryHead(e))
	for _, l := range e.Lines {
		p.hanging(detailIndent, detailIndent+2, "%s", wording.Clean(l))
	}
	for _, f := range e.Fields {
		p.field(f)
	}
	if len(e.Commands) > 0 {
		p.command(detailIndent+2, e.Commands[0])
	}
}

func (p *page) entryIndent(e view.Entry) int {
	if e.Rank > 0 {
		return 0
	}
	return objectIndent
}

func (p *page) entryHead(e view.Entry) string {
	var parts []string
	if e.Rank > 0 {
		parts = append(parts, fmt.Sprintf("%-2s", strconv.Itoa(e.Rank)))
	}
	if e.Severity != "" {
		parts = append(parts, severityWord(p.term.Style, e.Severity))
	}
	if e.Rule == nil {
		return strings.Join(append(parts, wording.Clean(e.Title)), "  ")
	}
	return strings.Join(append(parts, p.term.Style.Bold(wording.Clean(e.Rule.ID)), wording.Clean(wording.OneLine(e.Title))), "  ")
}

// labelWidth is the width of the label column.
const labelWidth = 9

// field writes a label and its text.
func (p *page) field(f view.Field) {
	label := f.Label + ":" + strings.Repeat(" ", max(1, labelWidth-len(f.Label)-1))
	const at = detailIndent + labelWidth
	for i, l := range f.Lines {
		before := strings.Repeat(" ", labelWidth)
		if i == 0 {
			before = p.term.Style.Dim(label)
		}
		if f.Typed { // however long: a wrapped line cannot be pasted as a command
			p.w.WriteString(strings.Repeat(" ", detailIndent) + before + wording.Clean(l) + "\n")
			continue
		}
		p.hanging(detailIndent, at+2, "%s%s", before, wording.Clean(l))
	}
}

// command writes a command on a line of its own and never wraps it.
func (p *page) command(indent int, c string) {
	p.w.WriteString(strings.Repeat(" ", indent) + wording.Clean(c) + "\n")
}
