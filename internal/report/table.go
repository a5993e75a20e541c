package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
)

// Table writes the audit for a terminal: worst first, findings grouped by rule, with fixes and links. It makes all names from
// the inventory safe for a terminal.
func Table(w io.Writer, a Audit, t Terminal) error {
	b := bufio.NewWriter(w)
	p := &page{w: b, term: t, unreadObjects: unreadObjectsOf(a), whole: a.Whole}
	p.header(a)
	for _, g := range groups(a.Result.Findings) {
		if !g.onlyFor(p.unreadObjects) {
			p.group(g)
		}
	}
	p.summary(a)
	return finish(b, "the audit as a table")
}

func (p *page) header(a Audit) {
	r := a.Result
	p.line(0, "%s: %s, %s, %s, profile %s, as of %s", wording.Clean(a.Source), plural.Count(r.Hosts, "host"), plural.Count(r.VMs, "VM"),
		plural.Count(r.Checks, "check"), a.profile(), wording.Taken(a.TakenAt))
}

func (p *page) group(g group) {
	first := g[0]
	p.w.WriteByte('\n')
	word := p.heading(first)
	p.hanging(0, 2, "%s  %s  %s", word, p.term.Style.Bold(first.Rule.ID), first.Rule.Title)
	if first.Outcome == advice.Unknown {
		p.unknowns(g)
		return
	}
	alike := g.profilesAlike()
	for _, r := range p.rows(g) {
		p.foldedRow(r)
		if !alike {
			p.rowProfile(r)
		}
	}
	if alike {
		p.profile(objectIndent, first)
	}
	if first.Outcome == advice.Manual {
		p.hanging(objectIndent, objectIndent+6, "look: %s", wording.OneLine(first.Reason))
	}
	p.shared(g, "waived", func(f *advice.Finding) []string {
		if f.Outcome != advice.Waived {
			return nil
		}
		return []string{whyText(f)}
	})
	p.shared(g, "note", noteTexts)
	if !first.Rule.FromUser() {
		p.line(objectIndent, "more: vperf explain %s", first.Rule.ID)
	}
}

func (p *page) rows(g group) []Row { return g.rows(p.whole) }

// heading returns the severity of a failure, or any other outcome.
func (p *page) heading(f *advice.Finding) string {
	s := p.term.Style
	if f.Outcome != advice.Fail {
		return s.Yellow(strings.ToUpper(string(f.Outcome)))
	}
	return severityWord(s, f.Severity)
}

func (p *page) foldedRow(r Row) {
	what := r.Evidence()
	if r[0].Outcome == advice.NotApplicable {
		what = wording.Clean(r[0].Reason)
	}
	known, waits := r.marks()
	names := r.Names()
	if r.Many() {
		names += " (--all, JSON and CSV list them)"
	}
	p.hanging(objectIndent, detailIndent, "%s", strings.TrimSpace(names+known+"  "+what))
	if waits != "" {
		p.hanging(detailIndent, detailIndent+2, "%s", waits)
	}
	for _, fix := range r.Fixes() {
		p.hanging(detailIndent, detailIndent+2, "fix: %s", fix)
	}
	if r.Many() {
		return
	}
	for _, f := range r {
		for _, line := range coverTexts(f) {
			p.hanging(detailIndent, detailIndent+2, "%s", line)
		}
	}
}

// rowProfile writes the profiles of a row's objects.
func (p *page) rowProfile(r Row) {
	if !r.Many() {
		p.profile(detailIndent, r[0])
	} else if all := r.profiles(); all != "" {
		p.hanging(detailIndent, detailIndent+2, "profiles other than general: %s", all)
	}
}

// profile writes the profile of an object, unless it is general.
func (p *page) profile(indent int, f *advice.Finding) {
	if f.Profile != advice.ProfileGeneral {
		p.hanging(indent, indent+2, "profile %s: %s", f.Profile, wording.Clean(f.ProfileWhy))
	}
}

// shared writes the common texts of a group's findings once, and names the objects if a text does not apply to all.
func (p *page) shared(g group, label string, texts func(*advice.Finding) []string) {
	var seen []string
	of := map[string][]string{}
	for _, f := range g {
		for _, n := range texts(f) {
			if of[n] == nil {
				seen = append(seen, n)
			}
			of[n] = append(of[n], f.Object.Name)
		}
	}
	for _, n := range seen {
		whose := ""
		if len(of[n]) < len(g) {
			whose = " (" + wording.SomeOf(of[n]) + ")"
		}
		p.hanging(objectIndent, objectIndent+len(label)+2, "%s%s: %s", label, whose, n)
	}
}

// unknowns writes the missing facts with a count of the affected objects.
func (p *page) unknowns(g group) {
	p.line(objectIndent, "%s could not be judged:", plural.Count(len(g), "object"))
	for _, l := range unreadFacts(g, p.unreadObjects) {
		p.hanging(detailIndent, detailIndent+2, "%s (%s)", wording.Clean(l.what()), wording.SomeOf(l.names))
	}
}

func (p *page) summary(a Audit) {
	r := a.Result
	p.w.WriteByte('\n')
	p.line(0, "%s, %s", p.term.Style.Bold(fails(r)), others(r))
	if b := baseline(r); b != "" {
		p.line(0, "%s", b)
	}
	if s := skippedVMs(r); s != "" {
		p.line(0, "%s", s)
	}
	for _, b := range notRead(r) {
		p.hanging(0, 2, "not read: %s", b)
	}
}

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
