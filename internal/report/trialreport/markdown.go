package trialreport

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/pkg/inventory"
)

// Markdown writes the result of a trial as Markdown, with every pair.
func Markdown(w io.Writer, t *trials.Recorded) error {
	m := &markdown{bufio.NewWriter(w)}
	m.heading(1, "Trial of "+t.Registration.Rule)
	if text := alarm(t.Result); text != "" {
		m.paragraph("**" + escaped(text) + "**")
	}
	m.paragraph("**" + escaped(verdictSentence(t)) + ".**")
	for _, c := range caveats(t) {
		m.paragraph("> " + escaped(c))
	}
	m.paragraph(escaped(t.Registration.Question))
	if t.Waiting() {
		m.lot(t)
		return m.end("the lot of the trial")
	}
	m.table(outcomeRows(t, len(t.Result.Others)))
	if t.Registration.Design == inventory.DesignRandomised {
		m.table(lotRows(t, len(t.Result.Pairs)))
	} else if rows := unitRows(t, len(t.Registration.Units)); len(rows) > 2 {
		m.table(rows)
	}
	for _, f := range facts(t, len(t.Conditions.Hosts)+len(t.Conditions.Published)) {
		m.item(f)
	}
	if rows := pairRows(t); t.Registration.Design.Switches() && len(rows) > 1 {
		m.heading(2, "Pairs")
		m.table(rows)
	}
	return m.end("the result of the trial")
}

// lot writes a lot that is not judged yet.
func (m *markdown) lot(t *trials.Recorded) {
	for _, f := range lotFacts(t.Registration, &t.Conditions) {
		m.item(f)
	}
	m.w.WriteByte('\n')
	for i, s := range lotSteps(t) {
		fmt.Fprintf(m.w, "%d. %s", i+1, escaped(s.text))
		if s.command != "" {
			fmt.Fprintf(m.w, " %s", wording.MarkdownCode(s.command))
		}
		m.w.WriteByte('\n')
	}
}

// PlanMarkdown writes a plan as Markdown.
func PlanMarkdown(w io.Writer, in PlanInput) error {
	m := &markdown{bufio.NewWriter(w)}
	m.heading(1, "Plan of a trial of "+in.rule())
	r := in.Registration
	if r == nil && in.How.Design == inventory.DesignRandomised {
		m.paragraph("This change cannot be switched on and off. " + escaped(in.How.Reason))
		for _, f := range lotOffered(&in) {
			m.item(f)
		}
		return m.end("the plan of the trial")
	}
	if r == nil {
		m.paragraph("No trial can measure this change. " + escaped(in.How.Reason))
		return m.end("the plan of the trial")
	}
	m.paragraph(escaped(r.Question))
	for _, f := range planFacts(&in) {
		if f.text != "" {
			m.item(f)
		}
	}
	rows, notes := prospectRows(&in)
	m.heading(2, "Outcomes")
	m.table(rows)
	m.paragraph(escaped(columnsText(&in)))
	for _, n := range notes {
		m.item(fact{name: "Note", text: n})
	}
	return m.end("the plan of the trial")
}

type markdown struct{ w *bufio.Writer }

func (m *markdown) heading(level int, text string) {
	if level > 1 {
		m.w.WriteByte('\n')
	}
	fmt.Fprintf(m.w, "%s %s\n\n", strings.Repeat("#", level), escaped(text))
}

func (m *markdown) paragraph(text string) { fmt.Fprintf(m.w, "%s\n\n", text) }

func (m *markdown) item(f fact) {
	text := escaped(f.text)
	if f.command {
		text = wording.MarkdownCode(f.text)
	}
	fmt.Fprintf(m.w, "- **%s**: %s\n", escaped(f.name), text)
}

func (m *markdown) table(rows [][]string) {
	for i, row := range rows {
		for _, cell := range row {
			fmt.Fprintf(m.w, "| %s ", escaped(strings.TrimSpace(cell)))
		}
		m.w.WriteString("|\n")
		if i == 0 {
			m.w.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	m.w.WriteByte('\n')
}

func (m *markdown) end(what string) error {
	if err := m.w.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", what, err)
	}
	return nil
}

// escaped escapes a text of several lines as one line.
func escaped(text string) string { return wording.Markdown(wording.OneLine(text)) }
