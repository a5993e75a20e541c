package advice

import (
	"slices"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// adviser converts a result to advice.
type adviser struct {
	result      *Result
	fleet       *fleet
	explains    map[*Finding][]*Diagnosis // by symptom
	at          map[inventory.Object]*shown
	first       distinct[*Diagnosis] // first for at least one symptom
	by          map[cause]*reasons
	causes      []*reasons // in the order in which they were found
	harmless    distinct[*Diagnosis]
	unexplained []*Unexplained
}

// cause is one fault of one object, with any symptoms.
type cause struct {
	rule *Rule
	at   inventory.Ref
}

// reasons are the diagnoses and symptoms for removing a cause.
type reasons struct {
	cause

	object          inventory.Object // where the cause is
	diagnoses, also distinct[*Diagnosis]
	undecided       distinct[*Diagnosis] // other causes of the same symptoms
	ruledOut        distinct[ruledOut]   // and those that are ruled out
	follow          []*Diagnosis         // consequences, which are diagnoses of their own
	symptoms        []*Finding           // symptoms for which this cause, or a consequence, is named first
	around          map[*Finding]bool    // symptoms of a consequence at a larger object: not all of its VMs are affected
	unseen          []Gap
	lead            *reasons // the cause of which this is a consequence; nil if there is none
}

func (r *reasons) add(a *adviser, first *Diagnosis, symptom *Finding) {
	r.diagnoses.add(first)
	r.symptoms = append(r.symptoms, symptom)
	for _, d := range a.explains[symptom] {
		switch {
		case d.Finding.Outcome == Fail && !a.first.contains(d):
			r.also.add(d)
		case d.Finding.Outcome == Unknown:
			r.undecided.add(d)
			r.unseen = append(r.unseen, d.Finding.Gaps...)
		}
	}
	for _, x := range a.ruledOut(symptom) {
		r.ruledOut.add(x)
	}
}

// ruledOut returns the causes that are ruled out for a symptom.
func (a *adviser) ruledOut(symptom *Finding) []ruledOut {
	o := a.at[symptom.object]
	if o == nil {
		return nil
	}
	var all []ruledOut
	for _, rule := range o.ruledOut {
		if x := (ruledOut{rule, o}); x.explains(symptom) {
			all = append(all, x)
		}
	}
	return all
}

// withOutcome returns the diagnoses with an outcome, in the order of compare.
func withOutcome(all []*Diagnosis, o Outcome, compare func(x, y *Diagnosis) int) []*Diagnosis {
	some := slices.DeleteFunc(slices.Clone(all), func(d *Diagnosis) bool { return d.Finding.Outcome != o })
	sortStable(some, compare)
	return some
}

// fixes returns the findings with an outcome whose remedies remove the cause. Of the consequences' fixes, it includes
// only those at the cause's object or a part of it.
func (r *reasons) fixes(of Outcome) []*Finding {
	var fixes distinct[*Finding]
	for _, d := range r.diagnoses.list {
		for _, f := range d.Fixes {
			if f.Outcome == of {
				fixes.add(f)
			}
		}
	}
	for _, d := range r.follow {
		for _, f := range d.Fixes {
			if f.Outcome == of && r.has(f) {
				fixes.add(f)
			}
		}
	}
	sortStable(fixes.list, compareFindings)
	return fixes.list
}

// waived returns the symptoms and fixes that are waived.
func (r *reasons) waived() []*Finding {
	var all distinct[*Finding]
	for _, d := range slices.Concat(r.diagnoses.list, r.follow) {
		for _, f := range d.Waived {
			all.add(f)
		}
	}
	for _, f := range r.fixes(Waived) {
		all.add(f)
	}
	sortStable(all.list, compareFindings)
	return all.list
}

// has reports whether a finding is about the cause's object or a device of it.
func (r *reasons) has(f *Finding) bool {
	return f.object == r.object || mark.OwnerOf(f.object) == r.object
}

// manualEffort returns the largest effort of a manual fix of the causes; empty if no rule gives one.
func manualEffort(causes []*Diagnosis) Effort {
	most := Effort("")
	for _, d := range causes {
		if e := d.Finding.Rule.Effort; e != "" && (most == "" || effortIndex(e) > effortIndex(most)) {
			most = e
		}
	}
	return most
}

func worst(findings []*Finding) Severity {
	w := Info
	for _, f := range findings {
		if f.Severity.AtLeast(w) {
			w = f.Severity
		}
	}
	return w
}
