package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
)

// worstShown is how many rules the overview names: ten, in two lines each, leave room for the rest of a screen of 40 lines.
const worstShown = 10

// Overview writes the first screen of an audit for a terminal: the server, the counts, the worst findings with their fix, and
// what to type next. It takes at most 40 lines on a terminal of 80 columns or more. Table writes the whole.
func Overview(w io.Writer, a Audit, t Terminal) error {
	b := bufio.NewWriter(w)
	o := &overview{page: page{w: b, term: t, unreadObjects: unreadObjectsOf(a)}}
	o.counts(a)
	failed := failedGroups(a.Result.Findings)
	o.worst(failed)
	o.notRead(a.Result)
	o.next(failed)
	return finish(b, "the audit's overview")
}

type overview struct{ page }

func (o *overview) counts(a Audit) {
	r := a.Result
	o.line(0, "%s", o.cut(fmt.Sprintf("%s: %s, %s, profile %s, %s", wording.Clean(a.Source), plural.Count(r.Hosts, "host"), plural.Count(r.VMs, "VM"),
		a.profile(), wording.Taken(a.TakenAt)), o.term.Width))
	o.line(0, "%s", o.term.Style.Bold(fails(r)))
	o.line(0, "%s", others(r))
	if b := baseline(r); b != "" {
		o.line(0, "%s", b)
	}
}

// failedGroups groups the failures by rule: the most severe first, then by number of objects.
func failedGroups(all []*advice.Finding) []group {
	var failed []group
	for _, g := range groups(all) {
		if g[0].Outcome == advice.Fail {
			failed = append(failed, g)
		}
	}
	severities := advice.Severities()
	slices.SortStableFunc(failed, func(a, b group) int {
		return cmp.Or(cmp.Compare(slices.Index(severities, a[0].Severity), slices.Index(severities, b[0].Severity)), cmp.Compare(len(b), len(a)))
	})
	return failed
}

func (o *overview) worst(failed []group) {
	if len(failed) == 0 {
		return
	}
	o.w.WriteByte('\n')
	shown := failed[:min(len(failed), worstShown)]
	if len(shown) < len(failed) {
		o.line(0, "%s", o.term.Style.Bold(fmt.Sprintf("The %d worst of %d rules with findings:", len(shown), len(failed))))
	}
	for _, g := range shown {
		o.finding(g)
	}
}

// severityColumn is the width of the longest severity plus a gap.
const severityColumn = len("CRITICAL") + 2

// finding writes two lines: the fault, then the objects and the command.
func (o *overview) finding(g group) {
	first := g[0]
	word := severityWord(o.term.Style, first.Severity)
	pad := strings.Repeat(" ", severityColumn-doc.Width(word))
	o.w.WriteString(word + pad + o.term.Style.Bold(o.cut(first.Rule.Title, o.term.Width-severityColumn)) + "\n")
	command := o.fix(g)
	names := o.cut(g.names(), o.term.Width-severityColumn-doc.Width(command)-gap)
	o.w.WriteString(strings.Repeat(" ", severityColumn) + names + "  " + o.term.Style.Dim(command) + "\n")
}

// names counts the objects of a group and names them.
func (g group) names() string {
	all := make([]string, len(g))
	for i, f := range g {
		all[i] = wording.Clean(f.Object.Name)
	}
	if len(all) == 1 {
		return all[0]
	}
	return plural.Count(len(all), wording.CountedKind(g[0].Object.Kind)) + ": " + strings.Join(all, ", ")
}

// fix returns the command that shows how to fix the findings of a group: plan if vperf can make the change, otherwise
// explain.
func (o *overview) fix(g group) string {
	id := g[0].Rule.ID
	if g[0].Rule.FromUser() || !g.applicable() {
		return "vperf explain " + id
	}
	return o.term.Typed.Command("plan", "--rule", id)
}

// applicable reports whether vperf can fix at least one of the findings.
func (g group) applicable() bool {
	for _, f := range g {
		for _, c := range f.Remedies {
			if c.Setting.Kind.Applicable() {
				return true
			}
		}
	}
	return false
}

// notRead counts the unread objects, so that a short list of findings does not suggest a healthy environment.
func (o *overview) notRead(r *advice.Result) {
	lines := notRead(r)
	if len(lines) == 0 {
		return
	}
	o.w.WriteByte('\n')
	for i, l := range lines {
		if i == mostNotRead {
			o.line(0, "and %d more reasons", len(lines)-i)
			return
		}
		o.line(0, "%s %s", o.term.Style.Yellow("not read:"), o.cut(l, o.term.Width-len("not read: ")))
	}
}

const mostNotRead = 3

// next suggests follow-up commands.
func (o *overview) next(failed []group) {
	rows := [][]string{}
	if len(failed) > 0 {
		rows = append(rows, []string{"vperf explain " + failed[0][0].Rule.ID, "why it matters and how to fix it"})
	}
	rows = append(rows,
		[]string{o.term.Typed.Command("audit", "--details"), "every finding with its evidence"},
		[]string{o.term.Typed.Command("advise"), "what to do first, by measured counters"})
	o.section("Next:", doc.Align(rows))
}

// cut shortens text to width columns; 0 or less means no limit.
func (p *page) cut(text string, width int) string {
	if p.term.Width <= 0 || doc.Width(text) <= width {
		return text
	}
	runes := []rune(text)
	return string(runes[:max(0, min(len(runes), width-1))]) + "…"
}
