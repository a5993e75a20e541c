package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// harmless tells what shows and is no fault, each explanation once.
func (w *teller) harmless() section {
	s := section{title: "explained, and no fault"}
	if slices.ContainsFunc(w.a.Advice.Harmless, func(d *advice.Diagnosis) bool { return d.Finding.Outcome == advice.Waived }) {
		s.title = "explained, and no fault or accepted"
	}
	at := map[*advice.Rule]int{}
	for _, d := range w.a.Advice.Harmless {
		r := d.Finding.Rule
		i, seen := at[r]
		if !seen {
			i = len(s.entries)
			at[r] = i
			s.entries = append(s.entries, entry{rule: r, title: r.Title})
		}
		s.entries[i].lines = append(s.entries[i].lines, w.harmlessLine(d))
	}
	for i := range s.entries {
		s.entries[i].lines = w.some(s.entries[i].lines, mostSuffer)
	}
	return s
}

// harmlessLine is who shows what, and the evidence that it is harmless.
func (w *teller) harmlessLine(d *advice.Diagnosis) string {
	var what []string
	for _, s := range d.Symptoms {
		what = addOnce(what, s.Rule.ID)
	}
	var evidence []string
	for _, l := range Chain(&advice.Recommendation{Findings: []*advice.Finding{d.Finding}}) {
		if l.Name != "" && !w.silent(l) {
			evidence = append(evidence, l.said())
		}
	}
	who := d.Finding.Object.Name + " (" + strings.Join(what, ", ") + ")"
	if d.Finding.Outcome == advice.Waived {
		evidence = append([]string{"waived, " + acceptedText(d.Finding)}, evidence...)
	}
	return nameAnd(who, w.few(evidence, mostShown, ", "))
}

// unexplained tells symptoms for which no cause was proven: what may be the cause, what to read to decide, and what it is not.
func (w *teller) unexplained() section {
	s := section{title: "not explained"}
	var groups [][]*advice.Unexplained
	groups, s.more = fewer(w, unexplainedGroups(w.a.Advice.Unexplained), mostAdvice)
	s.entries = mapped(groups, w.unexplainedEntry)
	return s
}

func (w *teller) unexplainedEntry(group []*advice.Unexplained) entry {
	group = w.worstGroup(group)
	first := group[0].Symptom
	e := entry{severity: first.Severity, rule: first.Rule, title: first.Rule.Title}
	e.lines = w.some(mapped(group, func(u *advice.Unexplained) string {
		return nameAnd(u.Symptom.Object.Name, w.symptomText(u.Symptom, true))
	}), mostSuffer)
	may, not := w.possible(group), ruledOut(group)
	if len(may)+len(not) == 0 {
		may = []string{"no rule explains it here"}
	}
	if len(not) > 0 {
		not = []string{w.few(not, mostAdvice, "; ")}
	}
	e.fields = filled([]field{{label: "may be", lines: w.some(may, mostGaps)}, {label: "is not", lines: not}})
	return e
}

// worstGroup is symptoms of one rule, the worst first.
func (w *teller) worstGroup(group []*advice.Unexplained) []*advice.Unexplained {
	of := map[*advice.Finding]*advice.Unexplained{}
	findings := mapped(group, func(u *advice.Unexplained) *advice.Finding {
		of[u.Symptom] = u
		return u.Symptom
	})
	w.worstFirst(findings)
	return mapped(findings, func(f *advice.Finding) *advice.Unexplained { return of[f] })
}

// unexplainedGroups puts symptoms of one rule and severity together, in the order in which they come.
func unexplainedGroups(all []*advice.Unexplained) [][]*advice.Unexplained {
	type key struct {
		rule     *advice.Rule
		severity advice.Severity
	}
	at := map[key]int{}
	var groups [][]*advice.Unexplained
	for _, u := range all {
		k := key{u.Symptom.Rule, u.Symptom.Severity}
		i, seen := at[k]
		if !seen {
			i = len(groups)
			at[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], u)
	}
	return groups
}

// possible tells the causes that nobody could tell, and what has to be read to decide.
func (w *teller) possible(group []*advice.Unexplained) []string {
	var rules []*advice.Rule
	of := map[*advice.Rule][]*advice.Finding{}
	for _, u := range group {
		for _, d := range u.Possible {
			r := d.Finding.Rule
			if of[r] == nil {
				rules = append(rules, r)
			}
			of[r] = append(of[r], d.Finding)
		}
	}
	return mapped(rules, func(r *advice.Rule) string { return ruleText(r) + w.undecided(of[r]) })
}

// undecided says what nobody could read, or why nobody could tell.
func (w *teller) undecided(findings []*advice.Finding) string {
	var lacks, reasons distinct
	for _, f := range findings {
		for _, g := range f.Gaps {
			if wantsConfiguration(g.Reason) && !w.a.Whole {
				lacks.add(g.Fact) // why, is said once for all of them
				continue
			}
			lacks.add(g.Fact + " (" + g.Reason + ")")
		}
		if len(f.Gaps) == 0 && f.Reason != "" {
			reasons.add(oneLine(f.Reason))
		}
	}
	s := ""
	if len(lacks.words) > 0 {
		s += "; to decide, read " + w.few(lacks.words, mostGaps, ", ")
	}
	if len(reasons.words) > 0 {
		s += "; could not be told: " + w.few(reasons.words, mostGaps, ", ")
	}
	return s
}

// ruledOut tells the causes that it is not, and of how many of the symptoms where it is not of all.
func ruledOut(group []*advice.Unexplained) []string {
	var rules []*advice.Rule
	of := map[*advice.Rule]int{}
	for _, u := range group {
		for _, d := range u.RuledOut {
			if of[d.Finding.Rule] == 0 {
				rules = append(rules, d.Finding.Rule)
			}
			of[d.Finding.Rule]++
		}
	}
	lines := make([]string, len(rules))
	for i, r := range rules {
		lines[i] = ruleText(r)
		if of[r] < len(group) {
			lines[i] += fmt.Sprintf("; ruled out for %d of %d", of[r], len(group))
		}
	}
	return lines
}

// unread tells what could not be read, by the reason: silence about it is no pass. What a capture cannot have was told.
func (w *teller) unread() section {
	s := section{title: "could not be read"}
	at := map[string]int{}
	type group struct{ facts, objects distinct }
	var groups []*group
	for _, g := range w.a.Result.Unread {
		if wantsConfiguration(g.Reason) && !w.a.Whole {
			continue
		}
		i, seen := at[g.Reason]
		if !seen {
			i = len(groups)
			at[g.Reason] = i
			groups = append(groups, new(group))
			s.entries = append(s.entries, entry{title: g.Reason})
		}
		groups[i].facts.add(g.Fact)
		groups[i].objects.add(objectText(g.Object))
	}
	for i, g := range groups {
		s.entries[i].lines = []string{w.few(g.facts.words, mostGaps, ", ") + " of " + w.names(g.objects.words)}
	}
	s.entries, s.more = fewer(w, s.entries, mostAdvice)
	return s
}

// names are the first of many; a screen has room for one.
func (w *teller) names(all []string) string {
	if w.brief && len(all) > 2 {
		return fmt.Sprintf("%s and %d more", all[0], len(all)-1)
	}
	return someNames(all)
}

// adds tells, of counters alone, what a configuration beside them would add: which causes of what shows it would decide.
func (w *teller) adds() section {
	s := section{title: "what the configuration would add"}
	reason := ""
	for _, g := range w.a.Result.Unread {
		if wantsConfiguration(g.Reason) {
			reason = g.Reason
			break
		}
	}
	if reason == "" || w.a.Whole {
		return s
	}
	var rules []*advice.Rule
	facts, shown := map[*advice.Rule]*distinct{}, map[*advice.Rule]*distinct{}
	for _, d := range w.undecidedCauses() {
		r := d.Finding.Rule
		for _, g := range d.Finding.Gaps {
			if !wantsConfiguration(g.Reason) {
				continue
			}
			if facts[r] == nil {
				rules = append(rules, r)
				facts[r], shown[r] = new(distinct), new(distinct)
			}
			facts[r].add(g.Fact)
		}
		if shown[r] != nil {
			for _, f := range d.Symptoms {
				shown[r].add(f.Rule.ID)
			}
		}
	}
	lines := mapped(rules, func(r *advice.Rule) string {
		return ruleText(r) + ": reads " + w.few(facts[r].words, mostGaps, ", ") + "; would explain " + w.few(shown[r].words, mostGaps, ", ")
	})
	if len(lines) == 0 {
		lines = []string{"all that is judged by how things are set"}
	} else {
		lines = append([]string{are(len(lines), "possible cause") + " undecided without it:"}, w.some(lines, mostAdds)...)
	}
	if figures := w.figuresToAdd(); len(figures) > 0 {
		lines = append(lines, "figures of efficiency: "+strings.Join(figures, ", "))
	}
	s.entries = []entry{{title: reason, lines: lines}}
	return s
}

// undecidedCauses are the diagnoses that nobody could tell, whether another cause was proven or not.
func (w *teller) undecidedCauses() []*advice.Diagnosis {
	var all []*advice.Diagnosis
	seen := map[*advice.Diagnosis]bool{}
	add := func(d *advice.Diagnosis) {
		if d.Finding.Outcome == advice.Unknown && !seen[d] {
			seen[d], all = true, append(all, d)
		}
	}
	for _, u := range w.a.Advice.Unexplained {
		for _, d := range u.Possible {
			add(d)
		}
	}
	for _, d := range w.a.Result.Diagnoses {
		add(d)
	}
	return all
}

const mostAdds = 6

// figuresToAdd are the figures of efficiency that wait for the configuration.
func (w *teller) figuresToAdd() []string {
	var titles distinct
	for _, f := range w.a.Efficiency {
		if _, state, reason := f.Value.Get(); state == inventory.StateUnread && wantsConfiguration(reason) {
			titles.add(f.Title)
		}
	}
	return titles.words
}
