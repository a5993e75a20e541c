package report

import (
	"fmt"
	"strings"

	"github.com/vperf/vperf/pkg/advice"
)

// fails counts the failures: new ones by severity, and those in the baseline.
func fails(r *advice.Result) string {
	bySeverity := map[advice.Severity]int{}
	for _, f := range r.Findings {
		if f.Outcome == advice.Fail && !f.Known() {
			bySeverity[f.Severity]++
		}
	}
	known := 0
	if r.Baseline != nil {
		known = r.Baseline.Known
	}
	var parts []string
	for _, s := range advice.Severities() {
		if n := bySeverity[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	hidden := r.Counts[advice.Fail] - known
	for _, n := range bySeverity {
		hidden -= n
	}
	if hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d lower-severity hidden", hidden))
	}
	if known > 0 {
		parts = append(parts, fmt.Sprintf("%d known", known))
	}
	text := fmt.Sprintf("%d fail", r.Counts[advice.Fail])
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text
}

// others counts the outcomes other than failures.
func others(r *advice.Result) string {
	waived := ""
	if n := r.Counts[advice.Waived]; n > 0 {
		waived = fmt.Sprintf("%d waived, ", n)
	}
	planned := ""
	if n := r.Planned(); n > 0 {
		planned = fmt.Sprintf(" (%d by planned absence)", n)
	}
	return fmt.Sprintf("%d unknown%s, %d need manual review, %s%d pass, %d not applicable", r.Counts[advice.Unknown], planned, r.Counts[advice.Manual],
		waived, r.Counts[advice.Pass], r.Counts[advice.NotApplicable])
}
