package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/tuning"
)

// PlanMarkdown writes a plan for a change request. It escapes all text from the inventory.
func PlanMarkdown(w io.Writer, plan *tuning.Plan) error {
	m := &markdownPage{w: bufio.NewWriter(w)}
	fmt.Fprintf(m.w, "# vperf plan for %s\n\n", wording.Markdown(plan.Server.Name))
	fmt.Fprintf(m.w, "**%s**; values read %s, digest `%s`\n", planSummary(plan), plan.Made.UTC().Format(time.RFC3339), shortDigest(plan))
	m.steps(plan)
	m.causes(plan)
	m.skipped(plan)
	return finish(m.w, "the plan as Markdown")
}

// shortDigest returns the start of the digest, long enough to compare by eye; a plan read from a file has a digest of letters
// and digits.
func shortDigest(plan *tuning.Plan) string {
	return wording.Markdown(plan.Digest[:min(len(plan.Digest), 12)])
}

func (m *markdownPage) steps(plan *tuning.Plan) {
	if len(plan.Steps) == 0 {
		return
	}
	m.heading("changes")
	m.row("step", "object", "setting", "from", "to", "needs", "undone", "rules")
	m.row("---", "---", "---", "---", "---", "---", "---", "---")
	var notes []string
	for i := range plan.Steps {
		s := &plan.Steps[i]
		for j := range s.Changes {
			c := &s.Changes[j]
			m.row(strconv.Itoa(s.ID), wording.TargetKind(s.Target.Kind)+" "+wording.Markdown(s.Target.Name), wording.Markdown(addressText(c.Address)), wording.Markdown(valueText(c.Address, c.Before)),
				wording.Markdown(valueText(c.Address, c.After)), wording.Markdown(activationText(c.Activation)), wording.Markdown(undoText(c)), wording.Markdown(join(rulesAsking(s.Target, c))))
		}
		notes = append(notes, stepNotes(s)...)
	}
	if len(notes) > 0 {
		fmt.Fprintf(m.w, "\n%s\n", strings.Join(notes, "\n"))
	}
}

// stepNotes returns the notes of a step besides its changes, one item each.
func stepNotes(s *tuning.Step) []string {
	var texts []string
	if s.Deferred != "" {
		texts = append(texts, "deferred: "+s.Deferred)
	}
	if s.Owner != "" {
		texts = append(texts, "owner: "+s.Owner+"; the change belongs in "+s.Place)
	}
	var items []string
	for _, t := range append(texts, s.Notes...) {
		items = append(items, fmt.Sprintf("- step %d: %s", s.ID, wording.Markdown(t)))
	}
	return items
}

func (m *markdownPage) causes(plan *tuning.Plan) {
	all := causesOf(plan)
	if len(all) == 0 {
		return
	}
	m.heading("why")
	m.row("rule", "severity", "benefit", "risk")
	m.row("---", "---", "---", "---")
	for _, c := range all {
		m.row(wording.Markdown(c.Rule)+": "+wording.Markdown(c.Title), wording.Markdown(c.Severity), wording.Markdown(wording.OneLine(strings.Join(c.Benefit, "; "))), wording.Markdown(wording.OneLine(c.Risk)))
	}
}

func (m *markdownPage) skipped(plan *tuning.Plan) {
	if len(plan.Skipped) == 0 {
		return
	}
	m.heading("skipped")
	m.row("object", "setting", "rules", "why")
	m.row("---", "---", "---", "---")
	for _, l := range refusedFirst(plan.Skipped) {
		why := wording.Markdown(l.Why)
		if l.Refused {
			why = "**refused**: " + why
		}
		m.row(wording.TargetKind(l.Target.Kind)+" "+wording.Markdown(l.Target.Name), wording.Markdown(addressText(l.Address)), wording.Markdown(join(l.Rules)), why)
	}
}
