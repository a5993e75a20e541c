// Package view computes advice once, as data and as text, for all formats to render. Its texts are not yet escaped for any format.
package view

import (
	"slices"

	"github.com/vperf/vperf/pkg/advice"
)

// View is advice as data, computed once for all formats.
type View struct {
	Advice

	Recommendations []*Recommendation
	Harmless        []*Harmless
	Unexplained     []*Unexplained
	Waived          []*advice.Finding // all waived findings
	Explained       int               // symptoms with a cause

	Counters Counters
}

// Recommendation is one thing to do, with all data that a format may show.
type Recommendation struct {
	*advice.Recommendation

	Rank      int
	Title     string // the fault; starts with "Possible:" if it is not proven
	Symptoms  []*Symptom
	Changes   []Change
	Commands  []string
	Tradeoffs []string
	Notes     []string
	// MeasuredHere are the trials of its changes, newest first.
	MeasuredHere []MeasuredHere
}

// Symptom is a finding that is visible in the counters, with the counters that its rule judges.
type Symptom struct {
	*advice.Finding

	Counters []Counter
}

// Unexplained is a symptom for which no cause was proven.
type Unexplained struct {
	*advice.Unexplained

	Symptom *Symptom
}

// Harmless is a diagnosis that explains symptoms that are not faults.
type Harmless struct {
	*advice.Diagnosis

	Symptoms []*Symptom
	Notes    []string
}

// Change is a setting change that fixes a finding.
type Change struct {
	advice.Change

	Finding *advice.Finding
	Command string // makes the change, or shows it if its object has no usable name; "" for a manual change
}

// Showing returns the recommendations with an effect in the counters now.
func (v *View) Showing() []*Recommendation { return v.recommended(true) }

// Latent returns the recommendations for misconfigurations without an effect in the counters now.
func (v *View) Latent() []*Recommendation { return v.recommended(false) }

func (v *View) recommended(showing bool) []*Recommendation {
	return slices.DeleteFunc(slices.Clone(v.Recommendations), func(r *Recommendation) bool { return r.Showing() != showing })
}

// Chain returns the evidence. It is computed anew each time: most formats show that of a few recommendations only, and that of all
// takes more memory than the rest of the view.
func (r *Recommendation) Chain() []Piece { return Chain(r.Recommendation) }

// Showing reports whether the fault has an effect in the counters now.
func (r *Recommendation) Showing() bool { return len(r.Diagnoses) > 0 }
