package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// findings are the findings of rules, by severity and by object.
type findings struct {
	Gist       string
	Severities []severityOf
	Hosts      []hostFindings
	MoreHosts  string
	Manual     []check
	Waived     []check
	Pending    []check
}

// severityOf is the rules that failed with a severity.
type severityOf struct {
	Mark  mark
	Count string
	Open  bool
	Rules []ruleFindings
}

// ruleFindings is one rule's findings.
type ruleFindings struct {
	Rule     string
	Title    string
	Count    string
	Open     bool
	Why      string
	Tradeoff string
	Benefits []benefit
	Notes    []string
	Rows     []finding
	More     string
	Commands []string
}

// finding is a row.
type finding struct {
	Mark     mark
	At       object
	Rule     string
	Title    string
	Evidence []named
	Fix      []string
	Extra    string // profile, baseline, pending
}

// check is a finding that asks for no change now.
type check struct {
	Rule, Title, Text, Objects string
}

// How much of a list is shown.
const (
	mostObjects   = 12 // of one rule; more become one row
	mostAlike     = 4  // of one rule on one host; more become one row
	mostOfHost    = 40 // findings of one host and its VMs
	mostHosts     = 128
	fewRules      = 3 // that are open from the start
	openRules     = 8 // of the worst severity, listed from the start
	mostNotes     = 6
	evidenceItems = 8
)

func (s *show) findings() findings {
	all := s.failing()
	out := findings{Gist: counted(len(all), "finding"), Severities: s.bySeverity(all)}
	out.Hosts, out.MoreHosts = s.byObject(all)
	out.Manual = s.checks(advice.Manual, func(f *advice.Finding) string { return prose(f.Reason) })
	out.Waived = s.checks(advice.Waived, func(f *advice.Finding) string { return prose(f.Reason) })
	out.Pending = s.checks(advice.Fail, func(f *advice.Finding) string { return prose(f.Pending) })
	return out
}

func (s *show) bySeverity(all []*advice.Finding) []severityOf {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *advice.Finding) int {
		return cmp.Or(rank(a.Severity)-rank(b.Severity), strings.Compare(a.Rule.ID, b.Rule.ID))
	})
	var out []severityOf
	for _, of := range runs(all, func(f *advice.Finding) advice.Severity { return f.Severity }) {
		x := severityOf{Mark: markOf(of[0].Severity), Count: counted(len(of), "finding")}
		groups := runs(of, func(f *advice.Finding) string { return f.Rule.ID })
		x.Open = len(out) == 0 && len(groups) <= openRules
		for _, g := range groups {
			x.Rules = append(x.Rules, s.ruleFindings(g, len(groups) <= fewRules && len(out) == 0))
		}
		out = append(out, x)
	}
	return out
}

func (s *show) ruleFindings(group []*advice.Finding, open bool) ruleFindings {
	r := group[0].Rule
	x := ruleFindings{
		Rule: clean(r.ID), Title: prose(r.Title), Count: counted(len(group), "object"), Open: open,
		Why: prose(r.Why), Tradeoff: prose(r.Tradeoff), Commands: commands(view.Commands(s.Typed, &advice.Recommendation{Findings: group})),
	}
	for _, row := range s.findingRows(group, mostObjects) {
		x.Rows = append(x.Rows, s.findingRow(row))
		if row.Many() {
			x.More = s.Typed.Command("audit", "-o", "json", "--rule", r.ID) + " lists them all"
		}
	}
	x.Benefits = collect.Map(group[0].Benefits, benefitOf)
	if len(x.Benefits) == 0 {
		x.Benefits = collect.Map(r.Benefit, func(b advice.Benefit) benefit { return benefitOf(advice.Expected{Benefit: b}) })
	}
	var notes collect.Distinct
	for _, f := range group {
		for _, n := range f.Notes {
			notes.Add(prose(n))
		}
	}
	x.Notes, _ = first(notes.Words, mostNotes)
	return x
}

// findingRows folds findings of one rule, unless the page shows everything.
func (s *show) findingRows(group []*advice.Finding, most int) []report.Row {
	if !s.Whole {
		return report.Rows(group, most)
	}
	return collect.Map(group, func(f *advice.Finding) report.Row { return report.Row{f} })
}

// findingRow is one finding, or several with a count.
func (s *show) findingRow(r report.Row) finding {
	x := s.finding(r[0])
	if len(r) == 1 {
		return x
	}
	x.At.Name = r.Names()
	if !r.Many() {
		return x
	}
	x.At = object{Name: r.Names()}
	x.Fix, x.Extra = r.Fixes(), ""
	x.Evidence = collect.Map(r.SpansOf(s.evidenceTexts), func(s report.Span) named { return named{prose(s.Name), prose(s.Text)} })
	return x
}

func (s *show) evidenceTexts(f *advice.Finding, all []advice.Measured) []report.Span {
	return collect.Map(collect.Map(view.Links(f, all), s.piece), func(n named) report.Span { return report.Span{Name: n.Name, Text: n.Value} })
}

func (s *show) finding(f *advice.Finding) finding {
	x := finding{Mark: markOf(f.Severity), At: s.object(f.Object), Rule: clean(f.Rule.ID), Title: prose(f.Rule.Title)}
	x.Evidence, _ = first(s.evidence(f), evidenceItems)
	for _, c := range f.Remedies {
		text := clean(c.Setting.String()) + " " + setting(c.From) + " → " + target(c)
		if keyOf(c.Object) != keyOf(f.Object) {
			text = clean(c.Object.Name) + " " + text
		}
		how := []string{takesWords[c.Activation]}
		if by := byWords(c); by != "" && by != how[0] {
			how = append(how, by)
		}
		x.Fix = append(x.Fix, text+" ("+strings.Join(how, "; ")+")")
	}
	var extra []string
	if f.Profile != "" && f.Profile != advice.ProfileGeneral {
		extra = append(extra, "profile "+clean(string(f.Profile))+": "+prose(f.ProfileWhy))
	}
	if f.Pending != "" {
		extra = append(extra, "pending: "+prose(f.Pending))
	}
	if f.Known() {
		extra = append(extra, "in the baseline")
	}
	x.Extra = strings.Join(extra, "; ")
	return x
}

// hostFindings holds the findings of a host and its VMs, or of objects without a host.
type hostFindings struct {
	ID     string // its anchor
	Name   string
	Counts []countedMark
	Rows   []finding
	More   string
	Open   bool
}

// byObject groups findings by host; objects above hosts come first.
func (s *show) byObject(all []*advice.Finding) (list []hostFindings, more string) {
	byHost := map[*inventory.Host][]*advice.Finding{}
	for _, f := range all {
		h := s.hostOf(f.Object)
		byHost[h] = append(byHost[h], f)
	}
	if above := byHost[nil]; len(above) > 0 {
		list = append(list, s.hostFindings("above-hosts", "Clusters, switches, datastores and other objects above hosts", above))
	}
	for _, v := range s.Snapshot.VCenters {
		for _, h := range v.Hosts {
			if len(byHost[h]) > 0 {
				list = append(list, s.hostFindings("of-"+s.linkTo(h), clean(h.Name), byHost[h]))
			}
		}
	}
	list, left := first(list, s.limit(mostHosts))
	if left > 0 {
		more = whole(left) + " more hosts have findings: " + s.Typed.Command("audit", "-o", "json") + " lists them all"
	}
	for i := range list {
		list[i].Open = len(list) <= 2
	}
	return list, more
}

func (s *show) hostFindings(id, name string, of []*advice.Finding) hostFindings {
	t := tally{}
	for _, f := range of {
		t[f.Severity]++
	}
	x := hostFindings{ID: id, Name: name, Counts: t.marks()}
	of = slices.Clone(of)
	slices.SortStableFunc(of, func(a, b *advice.Finding) int {
		return cmp.Or(scopeRank(a.Object.Kind)-scopeRank(b.Object.Kind), strings.Compare(a.Object.Name, b.Object.Name), rank(a.Severity)-rank(b.Severity))
	})
	shown, more := s.alike(of), 0
	if most := s.limit(mostOfHost); len(shown) > most {
		slices.SortStableFunc(shown, func(a, b report.Row) int { return rank(a[0].Severity) - rank(b[0].Severity) })
		shown, more = first(shown, most)
	}
	for _, row := range shown {
		x.Rows = append(x.Rows, s.findingRow(row))
	}
	if more > 0 {
		x.More = "The worst are shown; " + whole(more) + " more: " + s.Typed.Command("audit", "-o", "json") + " lists them all"
	}
	return x
}

// alike folds the findings of a host's VMs by rule where many VMs have the same, and keeps the order of all else.
func (s *show) alike(of []*advice.Finding) []report.Row {
	type same struct {
		rule     *advice.Rule
		severity advice.Severity
	}
	by := map[same][]*advice.Finding{}
	for _, f := range of {
		k := same{f.Rule, f.Severity}
		by[k] = append(by[k], f)
	}
	var rows []report.Row
	for _, f := range of {
		switch group := by[same{f.Rule, f.Severity}]; {
		case s.Whole || len(group) <= mostAlike:
			rows = append(rows, report.Row{f})
		case group[0] == f:
			rows = append(rows, s.findingRows(group, mostAlike)...)
		}
	}
	return rows
}

// scopeRank puts a host before its devices and those before its VMs.
func scopeRank(k inventory.Scope) int {
	switch k {
	case inventory.ScopeVM, inventory.ScopeVNIC, inventory.ScopeVDisk:
		return 2
	case inventory.ScopeHost, inventory.ScopeVCenter, inventory.ScopeCluster:
		return 0
	}
	return 1
}

// checks groups the findings of an outcome by rule and text; it omits those without text.
func (s *show) checks(o advice.Outcome, text func(*advice.Finding) string) []check {
	var by collect.ByKey[check, collect.Distinct]
	for _, f := range s.Result.Findings {
		if f.Outcome != o || text(f) == "" {
			continue
		}
		who := by.At(check{Rule: clean(f.Rule.ID), Title: prose(f.Rule.Title), Text: text(f)})
		who.Add(clean(f.Object.Name))
		for _, c := range f.Covers {
			if c.Rule == f.Rule.ID { // the same check
				who.Add(clean(c.Object.Name))
			}
		}
	}
	return collect.Each(by, func(c check, who *collect.Distinct) check {
		c.Objects = someOf(who.Words, 3)
		return c
	})
}

// runs cuts a sorted list where a key changes.
func runs[T any, K comparable](list []T, of func(T) K) [][]T {
	var out [][]T
	for len(list) > 0 {
		n := 1
		for n < len(list) && of(list[n]) == of(list[0]) {
			n++
		}
		out, list = append(out, list[:n]), list[n:]
	}
	return out
}
