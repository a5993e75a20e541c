package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
)

// Markdown writes the audit for tickets and change requests: the findings by severity, with the exact change that fixes each.
// It escapes all text from the inventory.
func Markdown(w io.Writer, a Audit) error {
	m := &markdownPage{bufio.NewWriter(w), a.Whole}
	m.header(a)
	for _, s := range advice.Severities() {
		m.failed(s, findingsOf(a, advice.Fail, s))
	}
	m.unknown(a)
	for _, o := range advice.Outcomes() {
		if o != advice.Fail && o != advice.Unknown {
			m.others(o, findingsOf(a, o, ""))
		}
	}
	m.unread(a)
	return finish(m.w, "the audit as Markdown")
}

// findingsOf selects findings by outcome and, unless s is "", by severity.
func findingsOf(a Audit, o advice.Outcome, s advice.Severity) []*advice.Finding {
	return slices.DeleteFunc(slices.Clone(a.Result.Findings), func(f *advice.Finding) bool {
		return f.Outcome != o || s != "" && f.Severity != s
	})
}

func (m *markdownPage) header(a Audit) {
	r := a.Result
	fmt.Fprintf(m.w, "# vperf audit of %s\n\n", wording.Markdown(a.Source))
	fmt.Fprintf(m.w, "**%s**, %s; %s, %s, profile %s, as of %s\n", fails(r), others(r), plural.Count(r.Hosts, "host"), plural.Count(r.VMs, "VM"),
		a.profile(), wording.Taken(a.TakenAt))
	for _, more := range []string{baseline(r), skippedVMs(r)} {
		if more != "" {
			fmt.Fprintf(m.w, "\n%s\n", more)
		}
	}
}

func (m *markdownPage) failed(s advice.Severity, findings []*advice.Finding) {
	if len(findings) == 0 {
		return
	}
	m.heading(string(s))
	m.row("rule", "object", "evidence", "fix")
	m.row("---", "---", "---", "---")
	for _, g := range groups(findings) {
		for _, r := range g.rows(m.whole) {
			_, waits := r.marks()
			m.row(ruleLink(r[0]), objectMarkdown(r), wording.Markdown(r.Evidence()), wording.Markdown(cmp.Or(waits, strings.Join(r.Fixes(), "; "))))
		}
	}
	m.notes(findings)
}

// unknown groups findings by missing fact, because one host that does not respond would fill pages.
func (m *markdownPage) unknown(a Audit) {
	findings := findingsOf(a, advice.Unknown, "")
	if len(findings) == 0 {
		return
	}
	m.heading(string(advice.Unknown))
	m.row("rule", "missing", "of")
	m.row("---", "---", "---")
	for _, g := range groups(findings) {
		for _, l := range unreadFacts(g, unreadObjectsOf(a)) {
			m.row(ruleLink(g[0]), wording.Markdown(l.what()), wording.Markdown(wording.SomeOf(l.names)))
		}
	}
}

// others writes a table of an outcome that needs no change.
func (m *markdownPage) others(o advice.Outcome, findings []*advice.Finding) {
	if len(findings) == 0 {
		return
	}
	m.heading(strings.ReplaceAll(string(o), "-", " "))
	m.row("rule", "object", "why")
	m.row("---", "---", "---")
	for _, g := range groups(findings) {
		for _, r := range g.rows(m.whole || o != advice.Manual) {
			why := whyText(r[0])
			if o == advice.Pass {
				why = evidence(r[0])
			}
			m.row(ruleLink(r[0]), objectMarkdown(r), wording.Markdown(why))
		}
	}
	m.notes(findings)
}

// notes writes each note once, below the table that it explains.
func (m *markdownPage) notes(findings []*advice.Finding) {
	var lines []string
	for _, f := range findings {
		for _, n := range noteTexts(f) {
			if line := "- " + f.Rule.ID + ": " + wording.Markdown(n); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(m.w, "\n%s\n", strings.Join(lines, "\n"))
	}
}

// unread lists the completely unread objects: missing findings do not mean that they passed.
func (m *markdownPage) unread(a Audit) {
	if len(a.Result.UnreadObjects) == 0 {
		return
	}
	m.heading("not read")
	for _, g := range a.Result.UnreadObjects {
		fmt.Fprintf(m.w, "- %s %s: %s\n", g.Object.Kind, wording.Markdown(g.Object.Name), wording.Markdown(g.Reason))
	}
}

func ruleLink(f *advice.Finding) string {
	name := f.Rule.ID
	if more := wording.Docs(f.Rule); more != "" {
		name = fmt.Sprintf("[%s](%s)", name, more)
	}
	return name + ": " + wording.Markdown(f.Rule.Title)
}

func objectMarkdown(r Row) string {
	known, _ := r.marks()
	names := wording.Markdown(r.Names()) + known
	if r.Many() {
		return names
	}
	parts := []string{string(r[0].Object.Kind) + " " + names}
	for _, f := range r {
		for _, line := range coverTexts(f) {
			parts = append(parts, wording.Markdown(line))
		}
	}
	return strings.Join(parts, "; ")
}
