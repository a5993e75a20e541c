package diffreport

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
)

// Table writes a difference for a terminal. If whole, no list is shortened.
func Table(w io.Writer, d *diff.Diff, t report.Terminal, whole bool) error {
	p := &printer{w: bufio.NewWriter(w), term: t}
	p.line(0, "old: %s", wording.Clean(SideText(d.Old)))
	p.line(0, "new: %s", wording.Clean(SideText(d.New)))
	for _, n := range d.Notes {
		p.line(0, "note: %s", wording.Clean(n))
	}
	if d.Empty() {
		p.line(0, "\n%s", t.Style.Bold("nothing changed"))
	}
	for _, s := range Sections(d, whole) {
		p.section(s, whole)
	}
	p.findings(&d.Findings, whole)
	p.counters(d)
	p.uncompared(d, whole)
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("writing the difference as a table: %w", err)
	}
	return nil
}

type printer struct {
	w    *bufio.Writer
	term report.Terminal
}

func (p *printer) line(indent int, format string, args ...any) {
	text := strings.Repeat(" ", indent) + fmt.Sprintf(format, args...)
	p.w.WriteString(doc.Wrap(text, strings.Repeat(" ", indent+2), p.term.Width))
	p.w.WriteByte('\n')
}

func (p *printer) heading(title string, count string) {
	p.line(0, "\n%s: %s", p.term.Style.Bold(title), count)
}

func (p *printer) section(s Section, whole bool) {
	p.heading(s.Title, strconv.Itoa(s.Count))
	for i := range s.Rows {
		r := &s.Rows[i]
		parts := []string{wording.Clean(r.Who(whole)), wording.Clean(r.What), p.term.Style.Bold(wording.Clean(r.Change))}
		if r.What == "" {
			parts = append(parts[:1], parts[2])
		}
		p.line(2, "%s", strings.Join(parts, "  "))
		for _, by := range r.By {
			p.line(6, "%s", wording.Clean(by))
		}
		if r.Note != "" {
			p.line(6, "%s", wording.Clean(r.Note))
		}
	}
	if s.More > 0 {
		p.line(2, "and %d more; --all lists them", s.More)
	}
}

func (p *printer) findings(f *diff.Findings, whole bool) {
	p.heading("Findings", FindingCounts(f))
	rows := FindingRows(f, whole)
	for i, r := range rows {
		if !whole && i > mostRows {
			p.line(2, "and %d more rules; --all lists them", len(rows)-i)
			return
		}
		names := wording.SomeNames(r.Objects)
		if whole {
			names = strings.Join(r.Objects, ", ")
		}
		p.line(2, "%s %s  %s  %s", p.mark(r), strings.ToUpper(string(r.Severity)), p.term.Style.Bold(wording.Clean(r.Rule)), wording.Clean(r.Title))
		text := wording.Kind(r.Kind) + " " + names
		if r.Why != "" {
			text += " (" + r.Why + ")"
		}
		p.line(6, "%s", wording.Clean(text))
	}
}

func (p *printer) mark(r FindingRow) string {
	switch r.Mark {
	case "NEW":
		return p.term.Style.Red(r.Mark)
	case "GONE":
		return p.term.Style.Green(r.Mark)
	case "UNCLEAR":
		return p.term.Style.Yellow(r.Mark)
	}
	return r.Mark
}

func (p *printer) counters(d *diff.Diff) {
	rows := CounterRows(d)
	if len(rows) == 0 {
		return
	}
	p.heading("Counters", CounterNote)
	cells := [][]string{{"OBJECTS", "COUNTER", "OLD MEDIAN", "NEW MEDIAN"}}
	for _, r := range rows {
		cells = append(cells, []string{fmt.Sprintf("%d × %s", r.Objects, wording.Kind(r.Kind)), r.Metric, r.Old, r.New})
	}
	for _, l := range doc.Align(cells) {
		p.w.WriteString("  " + strings.TrimRight(l, " ") + "\n")
	}
}

func (p *printer) uncompared(d *diff.Diff, whole bool) {
	lines := UncomparedTexts(d, whole)
	if len(lines) == 0 {
		return
	}
	p.heading("Could not be compared", plainCount(d))
	for _, l := range lines {
		p.line(2, "%s", wording.Clean(l))
	}
}

// plainCount counts the facts and objects that could not be compared.
func plainCount(d *diff.Diff) string {
	facts, objects := 0, map[string]bool{}
	for _, u := range d.Uncompared {
		facts += max(1, len(u.Facts))
		objects[u.Object.VCenter+" "+u.Object.ID] = true
	}
	return fmt.Sprintf("%d facts of %d objects", facts, len(objects))
}
