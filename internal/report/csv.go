package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"regexp"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
)

// csvColumns returns the column names. New columns go to the end; none is renamed, moved or removed.
func csvColumns() []string {
	return []string{
		"outcome", "severity", "rule", "title", "category", "profile", "kind", "object", "id", "vcenter", "path",
		"evidence", "fix", "reason", "docs", "until", "owner", "baseline", "pending",
	}
}

// CSV writes one row per finding, for spreadsheets. It escapes cells that a spreadsheet would evaluate as formulas.
func CSV(w io.Writer, a Audit) error {
	c := csv.NewWriter(w)
	_ = c.Write(csvColumns()) // Error returns the first error
	for _, f := range a.Result.Findings {
		_ = c.Write(csvRow(f, csvBaseline(a.Result, f)))
	}
	for rest := range a.rest() {
		for _, f := range rest {
			_ = c.Write(csvRow(f, ""))
		}
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return fmt.Errorf("writing the audit as CSV: %w", err)
	}
	return nil
}

func csvRow(f *advice.Finding, baseline string) []string {
	row := []string{
		string(f.Outcome), string(f.Severity), f.Rule.ID, f.Rule.Title, string(f.Rule.Category), string(f.Profile),
		string(f.Object.Kind), f.Object.Name, f.Object.ID, f.Object.VCenter, f.Object.Path,
		evidence(f), fixText(f), csvReason(f), wording.Docs(f.Rule),
	}
	until, owner := "", ""
	if w := f.Waiver; w != nil {
		until, owner = string(w.Until), w.Owner
	}
	row = append(row, until, owner, baseline, wording.OneLine(f.Pending))
	for i, cell := range row {
		row[i] = wording.Clean(noFormula(cell))
	}
	return row
}

// csvBaseline returns the baseline state of a failure. It is empty if there is no baseline or the finding is not a failure.
func csvBaseline(r *advice.Result, f *advice.Finding) string {
	switch {
	case r.Baseline == nil || f.Outcome != advice.Fail:
		return ""
	case f.Known():
		return "known"
	}
	return "new"
}

// csvReason returns the reason; it is empty if the evidence is sufficient.
func csvReason(f *advice.Finding) string {
	if f.Outcome == advice.Pass || f.Outcome == advice.Fail {
		return ""
	}
	return whyText(f)
}

// formula matches where a spreadsheet starts a formula: at the start of a cell, and after a semicolon, which separates cells
// in locales with a decimal comma. Some locales treat wide forms like the ASCII signs. All columns are text, so a leading
// minus never belongs to a number.
var formula = regexp.MustCompile(`(^|;)([\s"]*[=+\-@＝＋－＠]|[\t\r\n])`)

// noFormula turns a cell into text by prefixing the apostrophe that spreadsheets use for it.
func noFormula(cell string) string { return formula.ReplaceAllString(cell, "$1'$2") }
