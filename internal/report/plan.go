package report

import (
	"bufio"
	"io"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/tuning"
)

// Plan writes a plan for the person who is going to agree to it: what is changed from what to what, what it needs, how it
// is undone, and what is left alone. Reasons stand once, by rule, below the steps. Unless all of it is wanted in full, what
// is the same for several objects is said once with all their names, the changes of a long plan take a line each, and a long
// list of what is left alone is counted.
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
	p.left(plan.Left)
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
