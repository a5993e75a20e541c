package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// harmless lists symptoms that are not faults, by explanation.
func (w *writer) harmless() Section {
	title := "explained, no fault"
	if slices.ContainsFunc(w.Advice.Advice.Harmless, func(d *advice.Diagnosis) bool { return d.Finding.Outcome == advice.Waived }) {
		title = "explained, no fault or waived"
	}
	var by collect.ByKey[*advice.Rule, collect.Distinct]
	for _, d := range w.Advice.Advice.Harmless {
		lines := by.At(d.Finding.Rule)
		if w.brief {
			lines.Add(harmlessName(d.Finding))
		} else {
			lines.Add(w.harmlessLine(d))
		}
	}
	return Section{Title: title, Entries: collect.Each(by, func(r *advice.Rule, lines *collect.Distinct) Entry {
		if w.brief {
			return inOneLine(Entry{Rule: r, Title: r.Title}, wording.SomeNames(lines.Words))
		}
		return Entry{Rule: r, Title: r.Title, Lines: w.some(lines.Words, mostAffected)}
	})}
}

// harmlessName returns the object of an explained symptom, and its waiver.
func harmlessName(f *advice.Finding) string {
	if f.Outcome == advice.Waived {
		return f.Object.Name + " (waived, " + acceptedText(f) + ")"
	}
	return f.Object.Name
}

// harmlessLine returns the object, its symptoms, and the evidence that they are harmless.
func (w *writer) harmlessLine(d *advice.Diagnosis) string {
	var what []string
	for _, s := range d.Symptoms {
		what = collect.AddOnce(what, s.Rule.ID)
	}
	var evidence []string
	for _, p := range Chain(&advice.Recommendation{Findings: []*advice.Finding{d.Finding}}) {
		l := p.Link()
		if l.Name != "" && !w.notInCapture(l) {
			evidence = append(evidence, l.phrase())
		}
	}
	who := d.Finding.Object.Name + " (" + strings.Join(what, ", ") + ")"
	if d.Finding.Outcome == advice.Waived {
		evidence = append([]string{"waived, " + acceptedText(d.Finding)}, evidence...)
	}
	return nameAnd(who, w.few(evidence, mostShown, ", "))
}

// unexplained lists symptoms without a proven cause: possible causes, the data needed to decide, and excluded causes.
func (w *writer) unexplained() Section {
	s := Section{Title: "not explained"}
	var alike [][]*Unexplained
	alike, s.More = fewer(w, unexplainedGroups(w.Unexplained), mostAdvice)
	s.Entries = collect.Map(alike, w.unexplainedEntry)
	return s
}

func (w *writer) unexplainedEntry(group []*Unexplained) Entry {
	group = worstGroup(group)
	first := group[0].Symptom
	e := Entry{Severity: first.Severity, Rule: first.Rule, Title: first.Rule.Title, Lines: w.unexplainedObjects(group)}
	may, not, most := w.possible(group), ruledOut(group), mostGaps
	if len(may)+len(not) == 0 {
		may = []string{"no rule explains it here"}
	}
	if len(not) > 0 {
		not = []string{w.few(not, mostAdvice, "; ")}
	}
	if w.brief {
		most, not = mostMay, w.briefRuledOut(group)
	}
	e.Fields = filled([]Field{{Label: "may be", Lines: w.some(may, most)}, {Label: "is not", Lines: not}})
	return e
}

// unexplainedObjects returns the objects with a symptom, the worst first, and on a screen only that.
func (w *writer) unexplainedObjects(group []*Unexplained) []string {
	if !w.brief {
		return w.some(collect.Map(group, func(u *Unexplained) string { return nameAnd(u.Symptom.Object.Name, w.symptomText(u.Symptom, true)) }), mostAffected)
	}
	worst := group[0].Symptom
	who := worst.Object.Name
	if n := len(group); n > 1 {
		who = fmt.Sprintf("worst of %d: %s", n, who)
	}
	return []string{nameAnd(who, w.briefSymptom(worst))}
}

// worstGroup sorts symptoms of one rule, worst first.
func worstGroup(group []*Unexplained) []*Unexplained {
	return slices.SortedStableFunc(slices.Values(group), func(a, b *Unexplained) int { return worseFirst(a.Symptom, b.Symptom) })
}

// unexplainedGroups groups symptoms by rule and severity, in input order.
func unexplainedGroups(all []*Unexplained) [][]*Unexplained {
	type key struct {
		rule     *advice.Rule
		severity advice.Severity
	}
	var by collect.ByKey[key, []*Unexplained]
	for _, u := range all {
		g := by.At(key{u.Symptom.Rule, u.Symptom.Severity})
		*g = append(*g, u)
	}
	return by.Values()
}

// possible lists undecided causes, and the data needed to decide.
func (w *writer) possible(group []*Unexplained) []string {
	var by collect.ByKey[*advice.Rule, []*advice.Finding]
	for _, u := range group {
		for _, d := range u.Possible {
			of := by.At(d.Finding.Rule)
			*of = append(*of, d.Finding)
		}
	}
	return collect.Each(by, func(r *advice.Rule, of *[]*advice.Finding) string { return ruleText(r) + w.undecided(*of) })
}

// undecided returns the unread facts, or the reasons why the cause is undecided.
func (w *writer) undecided(findings []*advice.Finding) string {
	var facts, reasons collect.Distinct
	for _, f := range findings {
		for _, g := range f.Gaps {
			if wantsConfiguration(g.Reason) && !w.Whole {
				facts.Add(g.Fact) // section adds has the reason
				continue
			}
			facts.Add(g.Fact + " (" + g.Reason + ")")
		}
		if len(f.Gaps) == 0 && f.Reason != "" {
			reasons.Add(wording.OneLine(f.Reason))
		}
	}
	s := ""
	if len(facts.Words) > 0 {
		s += "; needs " + w.few(facts.Words, mostGaps, ", ")
	}
	if len(reasons.Words) > 0 {
		s += "; not decided: " + w.few(reasons.Words, mostGaps, ", ")
	}
	return s
}

// ruledOut lists excluded causes, with the number of symptoms if they are not excluded for all.
func ruledOut(group []*Unexplained) []string {
	var by collect.ByKey[*advice.Rule, int]
	for _, u := range group {
		for _, d := range u.RuledOut {
			*by.At(d.Finding.Rule)++
		}
	}
	return collect.Each(by, func(r *advice.Rule, n *int) string {
		if *n < len(group) {
			return ruleText(r) + fmt.Sprintf("; ruled out for %d of %d", *n, len(group))
		}
		return ruleText(r)
	})
}

// unread lists unread facts by reason, because an unread fact is not a pass. Section adds covers facts missing from captures.
func (w *writer) unread() Section {
	s := Section{Title: "could not be read"}
	var by collect.ByKey[string, unreadFacts]
	for _, g := range w.Result.Unread {
		if wantsConfiguration(g.Reason) && !w.Whole {
			continue
		}
		l := by.At(g.Reason)
		l.facts.Add(g.Fact)
		l.objects.Add(wording.Object(g.Object))
	}
	all := collect.Each(by, func(reason string, l *unreadFacts) Entry {
		return Entry{Title: reason, Lines: []string{w.few(l.facts.Words, mostGaps, ", ") + " of " + w.names(l.objects.Words)}}
	})
	s.Entries, s.More = fewer(w, all, mostAdvice)
	return s
}

// configurationAdds lists, for counters without a configuration, the possible causes that a configuration would decide.
func (w *writer) configurationAdds() Section {
	s := Section{Title: "missing configuration"}
	i := slices.IndexFunc(w.Result.Unread, func(g advice.Gap) bool { return wantsConfiguration(g.Reason) })
	if i < 0 || w.Whole {
		return s
	}
	lines := w.causesToAdd()
	if len(lines) == 0 {
		lines = []string{"all rules that check settings"}
	} else {
		lines = append([]string{plural.Are(len(lines), "possible cause") + " undecided without it:"}, w.some(lines, mostAdds)...)
	}
	if figures := w.figuresToAdd(); len(figures) > 0 {
		lines = append(lines, "figures of efficiency: "+strings.Join(figures, ", "))
	}
	s.Entries = []Entry{{Title: w.Result.Unread[i].Reason, Lines: lines}}
	return s
}

// causesToAdd returns the causes that the configuration would decide, with the facts they read and the symptoms they would explain.
func (w *writer) causesToAdd() []string {
	type undecided struct{ reads, explains collect.Distinct }
	var by collect.ByKey[*advice.Rule, undecided]
	for _, d := range w.undecidedCauses() {
		for _, g := range d.Finding.Gaps {
			if !wantsConfiguration(g.Reason) {
				continue
			}
			of := by.At(d.Finding.Rule)
			of.reads.Add(g.Fact)
			for _, f := range d.Symptoms {
				of.explains.Add(f.Rule.ID)
			}
		}
	}
	return collect.Each(by, func(r *advice.Rule, of *undecided) string {
		return ruleText(r) + ": reads " + w.few(of.reads.Words, mostGaps, ", ") + "; would explain " + w.few(of.explains.Words, mostGaps, ", ")
	})
}

// undecidedCauses returns the undecided diagnoses, even if another cause was proven.
func (w *writer) undecidedCauses() []*advice.Diagnosis {
	var all []*advice.Diagnosis
	seen := map[*advice.Diagnosis]bool{}
	add := func(d *advice.Diagnosis) {
		if d.Finding.Outcome == advice.Unknown && !seen[d] {
			seen[d], all = true, append(all, d)
		}
	}
	for _, u := range w.Advice.Advice.Unexplained {
		for _, d := range u.Possible {
			add(d)
		}
	}
	for _, d := range w.Result.Diagnoses {
		add(d)
	}
	return all
}

// figuresToAdd returns the titles of efficiency figures that need the configuration.
func (w *writer) figuresToAdd() []string {
	var titles collect.Distinct
	for _, f := range w.Efficiency {
		if _, state, reason := f.Value.Get(); state == inventory.StateUnread && wantsConfiguration(reason) {
			titles.Add(f.Title)
		}
	}
	return titles.Words
}
