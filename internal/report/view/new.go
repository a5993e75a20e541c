package view

import (
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// New works out advice.
func New(a Advice) *View {
	a.fill()
	v := &View{Advice: a, Counters: countersOf(a.Snapshot)}
	explained := map[*advice.Finding]bool{}
	for i, r := range a.Advice.Recommendations {
		x := v.recommendation(i+1, r)
		v.Recommendations = append(v.Recommendations, x)
		for _, s := range x.Symptoms {
			explained[s.Finding] = true
		}
	}
	for _, d := range a.Advice.Harmless {
		of := &advice.Recommendation{Diagnoses: []*advice.Diagnosis{d}}
		v.Harmless = append(v.Harmless, &Harmless{d, v.symptoms(d.Symptoms), notesOf(of)})
		for _, s := range d.Symptoms {
			explained[s] = true
		}
	}
	v.Explained = len(explained)
	for _, u := range a.Advice.Unexplained {
		v.Unexplained = append(v.Unexplained, &Unexplained{u, v.symptom(u.Symptom)})
	}
	for _, f := range a.Result.Findings {
		if f.Outcome == advice.Waived {
			v.Waived = append(v.Waived, f)
		}
	}
	return v
}

// fill replaces nil fields with empty values.
func (a *Advice) fill() {
	if a.Snapshot == nil {
		a.Snapshot = new(inventory.Snapshot)
	}
	if a.Result == nil {
		a.Result = new(advice.Result)
	}
	if a.Advice == nil {
		a.Advice = new(advice.Advice)
	}
}

func (v *View) recommendation(rank int, r *advice.Recommendation) *Recommendation {
	out := &Recommendation{
		Recommendation: r, Rank: rank, Title: r.Rule.Title, Symptoms: v.symptoms(symptoms(r)), Changes: changesOf(v.Typed, r),
		Commands: Commands(v.Typed, r), Tradeoffs: tradeoffs(r), Notes: notesOf(r),
	}
	out.MeasuredHere = v.measuredFor(out)
	if r.Possible {
		out.Title = "Possible: " + out.Title
	}
	return out
}

func changesOf(from typed.Source, r *advice.Recommendation) []Change {
	var all []Change
	for _, f := range r.Findings {
		command := commandOf(from, f)
		for _, c := range f.Remedies {
			change := Change{Change: c, Finding: f}
			if !isManual(c) {
				change.Command = command
			}
			all = append(all, change)
		}
	}
	return all
}

// symptoms are findings with the counters that they were judged by.
func (v *View) symptoms(all []*advice.Finding) []*Symptom {
	return collect.Map(all, v.symptom)
}

func (v *View) symptom(f *advice.Finding) *Symptom { return &Symptom{f, v.Counters.judging(f)} }
