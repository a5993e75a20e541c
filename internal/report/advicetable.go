package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/advice"
)

// AdviceTable writes advice for a terminal: what to do first, why, and what it should bring, as briefly as it can be said
// unless all is asked for.
func AdviceTable(w io.Writer, a Advice, t Terminal) error {
	s := briefStory(a)
	if a.Whole {
		s = storyOf(a)
	}
	return adviceTable(w, a, s, t)
}

func adviceTable(w io.Writer, a Advice, s story, t Terminal) error {
	b := bufio.NewWriter(w)
	p := &page{w: b, term: t, whole: a.Whole}
	p.hanging(0, objectIndent, "%s", t.Style.Bold(clean(s.verdict)))
	for _, l := range s.counts {
		p.hanging(0, objectIndent, "%s", clean(l))
	}
	p.hanging(0, objectIndent, "%s", clean(s.about))
	for i, part := range s.sections {
		p.adviceSection(part, i == 0 && len(a.Showing()) > 0)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing advice as a table: %w", err)
	}
	return nil
}

// adviceSection writes a section. The first has no title: the line above it says what it is. Only things to do stand apart
// from each other.
func (p *page) adviceSection(s section, first bool) {
	if !first {
		p.w.WriteByte('\n')
		p.line(0, "%s", p.term.Style.Bold(s.title))
	}
	for _, e := range s.entries {
		if first {
			p.w.WriteByte('\n')
		}
		p.entry(e)
	}
	if s.grid != nil {
		p.grid(s.grid)
	}
	if first && len(s.more) > 0 {
		p.w.WriteByte('\n')
	}
	for _, l := range s.more {
		p.hanging(objectIndent, detailIndent, "%s", clean(l))
	}
}

func (p *page) entry(e entry) {
	if e.rule == nil && len(e.lines) == 1 {
		p.hanging(objectIndent, detailIndent, "%s: %s", clean(e.title), clean(e.lines[0]))
		return
	}
	p.hanging(p.entryIndent(e), detailIndent, "%s", p.entryHead(e))
	for _, l := range e.lines {
		p.hanging(detailIndent, detailIndent+2, "%s", clean(l))
	}
	for _, f := range e.fields {
		p.field(f)
	}
	if len(e.commands) > 0 {
		p.command(detailIndent+2, e.commands[0])
	}
}

func (p *page) entryIndent(e entry) int {
	if e.rank > 0 {
		return 0
	}
	return objectIndent
}

func (p *page) entryHead(e entry) string {
	var parts []string
	if e.rank > 0 {
		parts = append(parts, fmt.Sprintf("%-2s", strconv.Itoa(e.rank)))
	}
	if e.severity != "" {
		parts = append(parts, severityWord(p.term.Style, e.severity))
	}
	if e.rule == nil {
		return strings.Join(append(parts, clean(e.title)), "  ")
	}
	return strings.Join(append(parts, p.term.Style.Bold(clean(e.rule.ID)), clean(OneLine(e.title))), "  ")
}

// severityWord is a severity in the colour that it deserves.
func severityWord(s iostreams.Style, of advice.Severity) string {
	word := strings.ToUpper(string(of))
	switch {
	case of.AtLeast(advice.High):
		return s.Red(word)
	case of == advice.Medium:
		return s.Yellow(word)
	}
	return word
}

// labelWidth is the room for the word before what belongs to it.
const labelWidth = 9

// field writes a word and, beside it, what belongs to it.
func (p *page) field(f field) {
	label := f.label + ":" + strings.Repeat(" ", max(1, labelWidth-len(f.label)-1))
	const at = detailIndent + labelWidth
	for i, l := range f.lines {
		before := strings.Repeat(" ", labelWidth)
		if i == 0 {
			before = p.term.Style.Dim(label)
		}
		if f.typed { // however long: a line that is broken is no command
			p.w.WriteString(strings.Repeat(" ", detailIndent) + before + clean(l) + "\n")
			continue
		}
		p.hanging(detailIndent, at+2, "%s%s", before, clean(l))
	}
}

// command writes what to type on a line of its own, however long.
func (p *page) command(indent int, c string) {
	p.w.WriteString(strings.Repeat(" ", indent) + clean(c) + "\n")
}
