package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/advice"
)

// worstShown is how many rules the overview names: ten, in two lines each, leave room for the rest of a screen of 40 lines.
const worstShown = 10

// Overview returns the first screen of an audit: the server, the counts, the worst findings with their fix, and what to type next.
// It takes at most 40 lines on a terminal of 80 columns or more. Details has the whole.
func Overview(a Audit, from typed.Source) doc.Document {
	r := a.Result
	head := a.Source + ": " + plural.Count(r.Hosts, "host") + ", " + plural.Count(r.VMs, "VM") + ", profile " + a.profile() + ", " + a.TakenAt.UTC().Format(time.RFC3339)
	all := []doc.Block{doc.P(doc.Short(head)), doc.P(doc.Bold(fails(r))), doc.P(others(r))}
	if b := baseline(r); b != "" {
		all = append(all, doc.P(b))
	}
	failed := failedGroups(r.Findings)
	return doc.Of(append(all, worst(failed, from), doc.Group(mostlyNotRead(r)...), next(failed, from))...)
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

func worst(failed []group, from typed.Source) doc.Block {
	shown := failed[:min(len(failed), worstShown)]
	t := doc.Table{Prose: true}
	for _, g := range shown {
		t.Add(severityWord(g[0].Severity), doc.S(doc.Strong|doc.Cut, wording.OneLine(g[0].Rule.Title)))
		t.Under(doc.P(doc.Apart(doc.Short(g.names()), doc.S(doc.Faint|doc.Command, g.fix(from)))))
	}
	if len(shown) < len(failed) {
		return doc.Group(doc.P(doc.Bold(fmt.Sprintf("The %d worst of %d rules with findings:", len(shown), len(failed)))), t.Block())
	}
	return doc.Group(t.Block())
}

// names counts the objects of a group and names them.
func (g group) names() string {
	all := make([]string, len(g))
	for i, f := range g {
		all[i] = f.Object.Name
	}
	if len(all) == 1 {
		return all[0]
	}
	return plural.Count(len(all), wording.CountedKind(g[0].Object.Kind)) + ": " + strings.Join(all, ", ")
}

// fix returns the command that shows how to fix the findings of a group: plan if vperf can make the change, otherwise
// explain.
func (g group) fix(from typed.Source) string {
	id := g[0].Rule.ID
	if g[0].Rule.FromUser() || !g.applicable() {
		return "vperf explain " + id
	}
	return from.Command("plan", "--rule", id)
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

const mostNotRead = 3

// mostlyNotRead counts the unread objects, so that a short list of findings does not suggest a healthy environment.
func mostlyNotRead(r *advice.Result) (all []doc.Block) {
	lines := notRead(r)
	for i, l := range lines {
		if i == mostNotRead {
			return append(all, doc.P(fmt.Sprintf("and %d more reasons", len(lines)-i)))
		}
		all = append(all, doc.P(doc.S(doc.Warn, "not read:"), " ", doc.Short(l)))
	}
	return all
}

// next suggests follow-up commands.
func next(failed []group, from typed.Source) doc.Block {
	t := doc.Table{Prose: true}
	if len(failed) > 0 {
		t.Add(doc.Typed("vperf explain "+failed[0][0].Rule.ID), "why it matters and how to fix it")
	}
	t.Add(doc.Typed(from.Command("audit", "--details")), "every finding with its evidence")
	t.Add(doc.Typed(from.Command("advise")), "what to do first, by measured counters")
	return doc.Section("Next:", t.Block())
}
