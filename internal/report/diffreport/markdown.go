package diffreport

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/report/wording"
)

// Markdown writes a difference for tickets and change requests. It escapes all text from the inventory.
func Markdown(w io.Writer, d *diff.Diff, whole bool) error {
	m := &markdown{bufio.NewWriter(w)}
	fmt.Fprintf(m.w, "# What changed\n\n- old: %s\n- new: %s\n", wording.Markdown(SideText(d.Old)), wording.Markdown(SideText(d.New)))
	for _, n := range d.Notes {
		fmt.Fprintf(m.w, "- note: %s\n", wording.Markdown(n))
	}
	if d.Empty() {
		fmt.Fprint(m.w, "\n**Nothing changed.**\n")
	}
	for _, s := range Sections(d, whole) {
		m.section(s, whole)
	}
	m.findings(&d.Findings, whole)
	if rows := CounterRows(d); len(rows) > 0 {
		m.heading("Counters: " + CounterNote)
		m.rows([]string{"objects", "counter", "old median", "new median"})
		for _, r := range rows {
			m.row(fmt.Sprintf("%d × %s", r.Objects, wording.Kind(r.Kind)), r.Metric, r.Old, r.New)
		}
	}
	if lines := UncomparedTexts(d, whole); len(lines) > 0 {
		m.heading("Could not be compared: " + plainCount(d))
		for _, l := range lines {
			fmt.Fprintf(m.w, "- %s\n", wording.Markdown(l))
		}
	}
	if err := m.w.Flush(); err != nil {
		return fmt.Errorf("writing the difference as Markdown: %w", err)
	}
	return nil
}

type markdown struct{ w *bufio.Writer }

func (m *markdown) heading(text string) { fmt.Fprintf(m.w, "\n## %s\n\n", wording.Markdown(text)) }

// rows begins a table.
func (m *markdown) rows(heads []string) {
	m.row(heads...)
	fmt.Fprintf(m.w, "|%s\n", strings.Repeat(" --- |", len(heads)))
}

func (m *markdown) row(cells ...string) {
	for i, c := range cells {
		cells[i] = wording.Markdown(c)
	}
	fmt.Fprintf(m.w, "| %s |\n", strings.Join(cells, " | "))
}

func (m *markdown) section(s Section, whole bool) {
	m.heading(fmt.Sprintf("%s: %d", s.Title, s.Count))
	m.rows([]string{"object", "what", "change", "by"})
	for i := range s.Rows {
		r := &s.Rows[i]
		by := strings.Join(r.By, "; ")
		if r.Note != "" {
			by = strings.TrimPrefix(by+"; "+r.Note, "; ")
		}
		m.row(r.Who(whole), r.What, r.Change, by)
	}
	if s.More > 0 {
		fmt.Fprintf(m.w, "\nAnd %d more.\n", s.More)
	}
}

func (m *markdown) findings(f *diff.Findings, whole bool) {
	m.heading("Findings: " + FindingCounts(f))
	rows := FindingRows(f, whole)
	if len(rows) == 0 {
		return
	}
	m.rows([]string{"", "severity", "rule", "object", "why"})
	for _, r := range rows {
		m.row(strings.ToLower(r.Mark), string(r.Severity), r.Rule+": "+r.Title, wording.Kind(r.Kind)+" "+wording.SomeNames(r.Objects), r.Why)
	}
}
