package report

import (
	"strings"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Details returns the audit worst first: findings grouped by rule, with fixes and links.
func Details(a Audit) doc.Document {
	return func(yield func(doc.Block) bool) {
		d := details{unreadObjects: unreadObjectsOf(a), whole: a.Whole}
		for _, b := range []doc.Block{doc.Title("vperf audit of ", a.Source, ": "+fails(a.Result)), header(a)} {
			if !yield(b) {
				return
			}
		}
		for _, g := range groups(a.Result.Findings) {
			if !g.onlyFor(d.unreadObjects) && !yield(d.group(g)) {
				return
			}
		}
		yield(doc.Group(summary(a)...))
	}
}

type details struct {
	unreadObjects map[inventory.Ref]bool // completely unread objects
	whole         bool                   // long lists are complete
}

func header(a Audit) doc.Block {
	r := a.Result
	return doc.P(a.Source, ": ", strings.Join([]string{plural.Count(r.Hosts, "host"), plural.Count(r.VMs, "VM"), plural.Count(r.Checks, "check"),
		"profile " + a.profile(), "as of " + a.TakenAt.UTC().Format(time.RFC3339)}, ", "))
}

func (d details) group(g group) doc.Block {
	first := g[0]
	head := doc.Apart(heading(first), doc.Span{Text: first.Rule.ID, Style: doc.Strong, Link: wording.Docs(first.Rule)}, first.Rule.Title)
	if first.Outcome == advice.Unknown {
		return doc.Part(head, d.unknowns(g))
	}
	alike := g.profilesAlike()
	rows := collect.Map(g.rows(d.whole), func(r Row) doc.Block { return r.block(!alike) })
	profile, look, more := "", "", ""
	if alike {
		profile = profileText(first)
	}
	if first.Outcome == advice.Manual {
		look = wording.OneLine(first.Reason)
	}
	if !first.Rule.FromUser() {
		more = "vperf explain " + first.Rule.ID
	}
	waived := g.shared(func(f *advice.Finding) []string {
		if f.Outcome != advice.Waived {
			return nil
		}
		return []string{whyText(f)}
	})
	return doc.Part(head, append(rows, doc.Fields(doc.F("profile", profile), doc.F("look", look), doc.Lines("waived", waived...), doc.Lines("note", g.shared(noteTexts)...), doc.F("more", more)))...)
}

// heading returns the severity of a failure, or any other outcome.
func heading(f *advice.Finding) doc.Span {
	if f.Outcome != advice.Fail {
		return doc.S(doc.Warn, strings.ToUpper(string(f.Outcome)))
	}
	return severityWord(f.Severity)
}

// severityWord returns a severity in its colour.
func severityWord(of advice.Severity) doc.Span {
	var style doc.Style
	switch {
	case of.AtLeast(advice.High):
		style = doc.Bad
	case of == advice.Medium:
		style = doc.Warn
	}
	return doc.S(style, strings.ToUpper(string(of)))
}

// block returns a row with what belongs to it; profiles says whether the profiles of its objects do.
func (r Row) block(profiles bool) doc.Block {
	known, waits := r.marks()
	names := r.Names()
	if r.Many() {
		names += " (--all, JSON and CSV list them)"
	}
	under := append(doc.Items(waits), doc.Fields(doc.Lines("fix", r.Fixes()...)))
	if !r.Many() {
		for _, f := range r {
			under = append(under, doc.Items(coverTexts(f)...)...)
		}
	}
	if profiles {
		under = append(under, doc.Fields(doc.F("profile", r.profileText())))
	}
	return doc.Item(doc.Apart(names+known, r.evidenceOrReason()), under...)
}

func (r Row) evidenceOrReason() string {
	if r[0].Outcome == advice.NotApplicable {
		return whyText(r[0])
	}
	return r.Evidence()
}

// profileText returns the profiles of the row's objects other than general.
func (r Row) profileText() string {
	if r.Many() {
		return r.profiles()
	}
	return profileText(r[0])
}

// profileText returns the profile of an object and its reason, or "" if it is general.
func profileText(f *advice.Finding) string {
	if f.Profile == advice.ProfileGeneral {
		return ""
	}
	return string(f.Profile) + ": " + f.ProfileWhy
}

// shared returns the common texts of a group's findings once, with the objects if a text does not apply to all.
func (g group) shared(texts func(*advice.Finding) []string) []string {
	var of collect.ByKey[string, []string]
	for _, f := range g {
		for _, n := range texts(f) {
			names := of.At(n)
			*names = append(*names, f.Object.Name)
		}
	}
	return collect.Each(of, func(text string, names *[]string) string {
		if len(*names) < len(g) {
			text += " (" + wording.SomeNames(*names) + ")"
		}
		return text
	})
}

// unknowns returns the missing facts with a count of the affected objects.
func (d details) unknowns(g group) doc.Block {
	return doc.Item(doc.T(plural.Count(len(g), "object"), " could not be judged:"), doc.Items(collect.Map(unreadFacts(g, d.unreadObjects), func(l unreadFact) string {
		return l.what() + " (" + wording.SomeNames(l.names) + ")"
	})...)...)
}

func summary(a Audit) []doc.Block {
	r := a.Result
	all := []doc.Block{doc.P(doc.Bold(fails(r)), ", ", others(r))}
	for _, line := range []string{baseline(r), skippedVMs(r)} {
		if line != "" {
			all = append(all, doc.P(line))
		}
	}
	return append(all, collect.Map(notRead(r), func(line string) doc.Block { return doc.Item(doc.T("not read: ", line)) })...)
}
