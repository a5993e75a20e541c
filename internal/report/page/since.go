package page

import (
	"fmt"
	"strings"

	"github.com/vperf/vperf/internal/report/diffreport"
	"github.com/vperf/vperf/internal/report/wording"
)

// since is what changed since an older snapshot.
type since struct {
	Shown    bool
	From     string
	Gist     string
	Sections []sinceSection
	Findings []sinceFinding
	Counts   string
	More     string
	Counters []sinceCounter
	Note     string
	Missing  []string
}

type sinceSection struct {
	Title string
	Rows  []sinceRow
	More  string
}

type sinceRow struct{ Object, What, Change, By string }

type sinceFinding struct {
	Change                    string // new, gone or unclear
	Mark                      mark   // the severity
	Rule, Title, Objects, Why string
}

type sinceCounter struct{ Objects, Metric, Old, New string }

// mostSince is the number of findings that are listed.
const mostSince = 40

func (s *show) since() since {
	d := s.Since
	if d == nil {
		return since{}
	}
	out := since{Shown: true, From: moment(d.Old.TakenAt), Counts: diffreport.FindingCounts(&d.Findings), Note: diffreport.CounterNote}
	changed := 0
	for _, section := range diffreport.Sections(d, s.Whole) {
		changed += section.Count
		out.Sections = append(out.Sections, s.sinceSection(&section))
	}
	out.Gist = counted(changed, "change") + ", findings: " + out.Counts
	rows, more := first(diffreport.FindingRows(&d.Findings, false), s.limit(mostSince))
	for _, r := range rows {
		out.Findings = append(out.Findings, sinceFinding{
			Change: strings.ToLower(r.Mark), Mark: markOf(r.Severity), Rule: clean(r.Rule), Title: prose(r.Title),
			Objects: clean(wording.Kind(r.Kind) + " " + wording.SomeNames(r.Objects)), Why: prose(r.Why),
		})
	}
	if more > 0 {
		out.More = whole(more) + " more: " + s.Typed.Command("diff", "--since", "AGE") + " lists them"
	}
	for _, r := range diffreport.CounterRows(d) {
		out.Counters = append(out.Counters, sinceCounter{fmt.Sprintf("%d × %s", r.Objects, wording.Kind(r.Kind)), clean(r.Metric), clean(r.Old), clean(r.New)})
	}
	for _, line := range diffreport.UncomparedTexts(d, false) {
		out.Missing = append(out.Missing, prose(line))
	}
	return out
}

func (s *show) sinceSection(of *diffreport.Section) sinceSection {
	out := sinceSection{Title: fmt.Sprintf("%s: %s", of.Title, whole(of.Count))}
	rows, more := first(of.Rows, s.limit(mostChanges))
	for i := range rows {
		r := &rows[i]
		row := sinceRow{Object: clean(r.Who(false)), What: clean(r.What), Change: clean(r.Change)}
		for _, by := range append(r.By, r.Note) {
			if by != "" {
				row.By += prose(by) + ". "
			}
		}
		out.Rows = append(out.Rows, row)
	}
	if more += of.More; more > 0 {
		out.More = whole(more) + " more: " + s.Typed.Command("diff", "--since", "AGE") + " lists them"
	}
	return out
}
