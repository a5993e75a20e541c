// Package view works out advice once, as data and as text, for all formats to render. Its texts are not yet safe for any of them.
package view

import (
	"slices"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// View is advice worked out once, as data, for all formats.
type View struct {
	Advice

	Recommendations []*Recommendation
	Harmless        []*Harmless
	Unexplained     []*Unexplained
	Waived          []*advice.Finding // everything that is waived
	Explained       int               // symptoms with a cause

	Counters Counters
}

// Recommendation is one thing to do, with everything that a format may say of it.
type Recommendation struct {
	*advice.Recommendation

	Rank      int
	Title     string // what is wrong; it says so where that is only possible
	Symptoms  []*Symptom
	Chain     []Link // the evidence
	Changes   []Change
	Commands  []string
	Tradeoffs []string
	Notes     []string
}

// Symptom is a finding that something shows in the counters, and the counters that it was judged by.
type Symptom struct {
	*advice.Finding

	Counters []Counter
}

// Unexplained is a symptom for which no cause was proven.
type Unexplained struct {
	*advice.Unexplained

	Symptom *Symptom
}

// Harmless is what shows and is no fault, with the diagnosis that says so.
type Harmless struct {
	*advice.Diagnosis

	Symptoms []*Symptom
	Chain    []Link
	Notes    []string
}

// Change is a change of a setting that cures a finding.
type Change struct {
	advice.Change

	Finding *advice.Finding
	Command string // what makes it, or shows it where its object cannot be named; "" where only a person makes it
}

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
		v.Harmless = append(v.Harmless, &Harmless{d, v.symptoms(d.Symptoms), Chain(of), notesOf(of)})
		for _, s := range d.Symptoms {
			explained[s] = true
		}
	}
	v.Explained = len(explained)
	for _, u := range a.Advice.Unexplained {
		v.Unexplained = append(v.Unexplained, &Unexplained{u, v.symptom(u.Symptom)})
	}
	for i := range a.Result.Findings {
		if f := &a.Result.Findings[i]; f.Outcome == advice.Waived {
			v.Waived = append(v.Waived, f)
		}
	}
	return v
}

// fill gives what is missing its empty value.
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
		Recommendation: r, Rank: rank, Title: r.Rule.Title, Symptoms: v.symptoms(symptoms(r)), Chain: Chain(r), Changes: changesOf(r),
		Commands: Commands(r), Tradeoffs: tradeoffs(r), Notes: notesOf(r),
	}
	if r.Possible {
		out.Title = "Possible: " + out.Title
	}
	return out
}

func changesOf(r *advice.Recommendation) []Change {
	var all []Change
	for _, f := range r.Findings {
		command := commandOf(f)
		for _, c := range f.Remedies {
			change := Change{Change: c, Finding: f}
			if !byHand(c) {
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

func (v *View) symptom(f *advice.Finding) *Symptom { return &Symptom{f, v.Counters.of(f)} }

// Showing are the things to do of which something shows in the counters now.
func (v *View) Showing() []*Recommendation { return v.recommended(true) }

// Latent are the things that are wrong in the configuration, while nothing shows of them now.
func (v *View) Latent() []*Recommendation { return v.recommended(false) }

func (v *View) recommended(showing bool) []*Recommendation {
	return slices.DeleteFunc(slices.Clone(v.Recommendations), func(r *Recommendation) bool { return r.Showing() != showing })
}

// Showing reports whether something shows in the counters now.
func (r *Recommendation) Showing() bool { return len(r.Diagnoses) > 0 }
