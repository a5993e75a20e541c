package report

import (
	"bufio"
	"io"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/tuning"
)

// Plan writes a plan for approval: old and new values, requirements, rollback, and skipped changes. Reasons appear once, by
// rule, below the steps. Unless full is true, it merges identical steps of several objects and lists their names, writes one
// line per change in a long plan, and counts a long list of skipped changes.
func Plan(w io.Writer, plan *tuning.Plan, full bool, t Terminal) error {
	b := bufio.NewWriter(w)
	p := &page{w: b, term: t, whole: full}
	p.line(0, "%s: %s, values read %s", wording.Clean(plan.Server.Name), Extent(plan), plan.Made.UTC().Format(time.RFC3339))
	p.allSteps(plan)
	for i, c := range causesOf(plan) {
		if i == 0 || !p.brief {
			p.w.WriteByte('\n')
		}
		p.cause(c)
	}
	p.skipped(plan.Skipped)
	p.w.WriteByte('\n')
	p.line(0, "%s", p.term.Style.Bold(planSummary(plan)))
	return finish(b, "the plan")
}

func (p *page) cause(c tuning.Cause) {
	severity := ""
	if c.Severity != "" {
		severity = " (" + wording.Clean(c.Severity) + ")"
	}
	p.hanging(0, objectIndent, "%s%s  %s", p.term.Style.Bold(wording.Clean(c.Rule)), severity, wording.Clean(c.Title))
	shown := c.Benefit
	if !p.whole && len(shown) > 1 {
		shown = shown[:1]
	}
	for _, b := range shown {
		p.hanging(objectIndent, detailIndent, "benefit: %s", wording.Clean(wording.OneLine(b)))
	}
	if more := len(c.Benefit) - len(shown); more > 0 {
		p.hanging(objectIndent, detailIndent, "%s: vperf explain %s", plural.Count(more, "more measurement"), wording.Clean(c.Rule))
	}
	if c.Risk != "" {
		p.hanging(objectIndent, detailIndent, "risk: %s", wording.Clean(wording.OneLine(c.Risk)))
	}
}
