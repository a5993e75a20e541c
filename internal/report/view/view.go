// Package view works out advice once, as data and as text, for all formats to render. Its texts are not yet safe for any of them.
package view

import (
	"slices"

	"github.com/vperf/vperf/pkg/advice"
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

// Showing are the things to do of which something shows in the counters now.
func (v *View) Showing() []*Recommendation { return v.recommended(true) }

// Latent are the things that are wrong in the configuration, while nothing shows of them now.
func (v *View) Latent() []*Recommendation { return v.recommended(false) }

func (v *View) recommended(showing bool) []*Recommendation {
	return slices.DeleteFunc(slices.Clone(v.Recommendations), func(r *Recommendation) bool { return r.Showing() != showing })
}

// Showing reports whether something shows in the counters now.
func (r *Recommendation) Showing() bool { return len(r.Diagnoses) > 0 }
