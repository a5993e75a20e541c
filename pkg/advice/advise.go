package advice

import (
	"github.com/vperf/vperf/pkg/inventory"
)

// Advise ranks the findings of r by their present impact, by the expected benefit of a change, and by its effort. If r
// has no failed findings, the advice is empty. Waived findings lead to no recommendation.
func Advise(s *inventory.Snapshot, r *Result) *Advice {
	a := &adviser{result: r, fleet: fleetOf(s), by: map[cause]*reasons{}, explains: map[*Finding][]*Diagnosis{}, at: map[inventory.Object]*shown{}}
	for _, o := range r.shown {
		a.at[o.object] = o
	}
	for _, d := range r.Diagnoses {
		for _, f := range d.Symptoms {
			a.explains[f] = append(a.explains[f], d)
		}
	}
	symptoms := a.symptoms()
	for _, f := range symptoms {
		if first := firstOf(a.explains[f], f); first != nil {
			a.first.add(first)
		}
	}
	for _, f := range symptoms {
		a.file(f)
	}
	return a.advice()
}

// symptoms returns the failed findings about performance, not configuration: findings of monitoring rules, and those
// that diagnoses explain.
func (a *adviser) symptoms() []*Finding {
	var all []*Finding
	for _, f := range a.result.Findings {
		if f.Outcome == Fail && a.result.isSymptom(f.Rule) {
			all = append(all, f)
		}
	}
	return all
}

// file adds a symptom to the cause that is named first for it.
func (a *adviser) file(f *Finding) {
	all := a.explains[f]
	first := firstOf(all, f)
	switch {
	case first == nil:
		a.unexplained = append(a.unexplained, &Unexplained{Symptom: f, Possible: withOutcome(all, Unknown, compareCauses), RuledOut: considered(a.ruledOut(f))})
	case first.Finding.Outcome == Waived || first.Finding.Rule.Verdict == VerdictHarmless:
		a.harmless.add(first)
	default:
		c := cause{first.Finding.Rule, first.Cause}
		if a.by[c] == nil {
			a.by[c] = &reasons{cause: c, object: first.at, around: map[*Finding]bool{}}
			a.causes = append(a.causes, a.by[c])
		}
		a.by[c].add(a, first, f)
	}
}

// advice returns all recommendations, ranked.
func (a *adviser) advice() *Advice {
	out := &Advice{Harmless: a.harmless.list, Unexplained: a.unexplained}
	a.fold()
	out.Recommendations = a.mergeCauses()
	out.Recommendations = append(out.Recommendations, a.configuration()...)
	rank(out)
	return out
}
