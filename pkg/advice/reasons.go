package advice

import (
	"cmp"
	"slices"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// adviser turns a result into advice.
type adviser struct {
	result      *Result
	fleet       *fleet
	explains    map[*Finding][]*Diagnosis // by symptom
	first       distinct[*Diagnosis]      // to be named first, for a symptom at least
	by          map[cause]*reasons
	causes      []*reasons // as they came
	harmless    distinct[*Diagnosis]
	unexplained []*Unexplained
}

// cause is one thing that is wrong at one object, whatever shows it.
type cause struct {
	rule *Rule
	at   inventory.Ref
}

// reasons are what speaks for taking a cause away.
type reasons struct {
	cause

	object          inventory.Object // what it lies at
	diagnoses, also distinct[*Diagnosis]
	considered      distinct[*Diagnosis] // for the same symptoms: undecided, or ruled out
	follow          []*Diagnosis         // the consequences, which have causes of their own
	symptoms        []*Finding           // for which it, or a consequence, is the one to name first
	around          map[*Finding]bool    // those of a consequence at what it is a part of: not all that is there suffers from it
	unseen          []Gap
	lead            *reasons // of which this is the consequence; nil where it stands for itself
}

func (r *reasons) add(a *adviser, first *Diagnosis, symptom *Finding) {
	r.diagnoses.add(first)
	r.symptoms = append(r.symptoms, symptom)
	for _, d := range a.explains[symptom] {
		switch {
		case d.Finding.Outcome == Fail && !a.first.has[d]:
			r.also.add(d)
		case d.Finding.Outcome == Unknown:
			r.considered.add(d)
			r.unseen = append(r.unseen, d.Finding.Gaps...)
		case d.Finding.Outcome == Pass:
			r.considered.add(d)
		}
	}
}

// withOutcome are the diagnoses of one outcome, in the order of compare.
func withOutcome(all []*Diagnosis, o Outcome, compare func(x, y *Diagnosis) int) []*Diagnosis {
	some := slices.DeleteFunc(slices.Clone(all), func(d *Diagnosis) bool { return d.Finding.Outcome != o })
	slices.SortStableFunc(some, compare)
	return some
}

// fixes are what takes the cause away, of one outcome. Of what its consequences would have changed only what is at the cause,
// or at a part of it: no more is known to be in the way.
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
	slices.SortStableFunc(fixes.list, compareFindings)
	return fixes.list
}

// waived is what of the symptoms and of the way out somebody accepted.
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
	slices.SortStableFunc(all.list, compareFindings)
	return all.list
}

// has reports a finding of the object that the cause lies at, or of a part of that.
func (r *reasons) has(f *Finding) bool {
	return f.object == r.object || mark.OwnerOf(f.object) == r.object
}

// byHand is the most work that a person has with one of the causes; empty where no rule says.
func byHand(causes []*Diagnosis) Effort {
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

// others are the further causes that were considered, of one outcome.
func (r *reasons) others(o Outcome) []*Diagnosis {
	return withOutcome(r.considered.list, o, func(x, y *Diagnosis) int { return cmp.Or(compareCauses(x, y), compareDiagnoses(x, y)) })
}
