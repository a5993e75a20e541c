package advice

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/inventory"
)

// diagnosing holds the rules that explain against the objects that show one of their symptoms, and against no others:
// where nothing shows it costs nothing.
type diagnosing struct {
	*evaluation

	explains map[string][]*compiled // by symptom
	verdicts *verdicts
}

// shown is an object and the symptoms it shows.
type shown struct {
	object   inventory.Object
	symptoms []*Finding
}

// diagnose looks for the causes of what the findings show. It points at them: where they stand they stay.
func (e *evaluation) diagnose(ctx context.Context) error {
	e.out.explained, e.out.only, e.out.Diagnoses = explained(e.rules), calledFor(e.rules), nil
	objects := e.shown()
	if len(objects) == 0 {
		return nil
	}
	d := &diagnosing{evaluation: e, explains: e.out.explained, verdicts: e.verdictsOf(e.rules)}
	for _, o := range objects {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.out.Diagnoses = append(e.out.Diagnoses, d.object(o)...)
	}
	return nil
}

// explained are the rules that explain, by symptom.
func explained(rules []*compiled) map[string][]*compiled {
	by := map[string][]*compiled{}
	for _, r := range rules {
		for _, symptom := range r.Explains {
			by[symptom] = append(by[symptom], r)
		}
	}
	return by
}

// calledFor are the diagnoses without which nobody needs what a rule found, by that rule.
func calledFor(rules []*compiled) map[*Rule][]string {
	by := map[*Rule][]string{}
	for _, d := range rules {
		for _, r := range rules {
			if d.Only && slices.Contains(d.Fixes, r.ID) {
				by[r.Rule] = append(by[r.Rule], d.ID)
			}
		}
	}
	return by
}

// shown lists the objects with symptoms that something explains, in the order of the findings.
func (e *evaluation) shown() []*shown {
	if len(e.out.explained) == 0 {
		return nil
	}
	var all []*shown
	by := map[inventory.Object]*shown{}
	for i := range e.out.Findings {
		f := &e.out.Findings[i]
		if f.Outcome != Fail || e.out.explained[f.Rule.ID] == nil {
			continue
		}
		o := by[f.object]
		if o == nil {
			o = &shown{object: f.object}
			by[f.object] = o
			all = append(all, o)
		}
		o.symptoms = append(o.symptoms, f)
	}
	return all
}

// object holds each rule that explains one of the object's symptoms against it, once.
func (d *diagnosing) object(o *shown) []*Diagnosis {
	s := &subject{object: o.object, profile: o.symptoms[0].Profile, profileWhy: o.symptoms[0].ProfileWhy}
	s.shared = d.shared
	s.place()
	s.failed = func(rule string) ref.Val { return d.verdicts.of(s, rule) }
	var all []*Diagnosis
	at := map[*compiled]*Diagnosis{}
	for _, f := range o.symptoms {
		for _, r := range d.explains[f.Rule.ID] {
			x, held := at[r]
			if !held {
				x = d.hold(r, s)
				at[r] = x
				if x != nil {
					all = append(all, x)
				}
			}
			if x != nil {
				x.Symptoms = append(x.Symptoms, f)
			}
		}
	}
	for _, f := range o.symptoms {
		if first := firstOf(all, f); first != nil {
			first.First = true
		}
	}
	return all
}

// hold is what one rule says of the subject; nil where it does not apply.
func (d *diagnosing) hold(r *compiled, s *subject) *Diagnosis {
	f := r.judge(s, false)
	if f.Outcome == NotApplicable {
		return nil
	}
	x := &Diagnosis{Finding: &f}
	switch f.Outcome {
	case Pass:
		x.Against = r.against(s)
	case Fail:
		for _, id := range r.Fixes {
			x.Fixes = append(x.Fixes, d.verdicts.fails(s, id)...)
		}
		for _, id := range r.asks {
			x.named = append(x.named, d.verdicts.fails(s, id)...)
		}
	}
	x.at = d.cause(r.At, s, x.Fixes)
	x.Cause = x.at.Ref()
	return x
}

// cause is the object that the cause lies at: what the subject is or belongs to; else the first of its kind at which
// something is to be fixed; else, of a VM, its pool. Where none was read the object with the symptoms stands for it.
func (d *diagnosing) cause(at inventory.Scope, s *subject, fixes []*Finding) inventory.Object {
	if o, ok := s.vars[at].(inventory.Object); ok {
		return o
	}
	var first *Finding
	for _, f := range fixes {
		if f.Object.Kind == at && (first == nil || f.Object.Compare(first.Object) < 0) {
			first = f
		}
	}
	if first != nil {
		return first.object
	}
	if vm, ok := s.vars[inventory.ScopeVM].(*inventory.VM); ok && at == inventory.ScopePool {
		if pools, _ := d.verdicts.poolsOf(vm); len(pools) > 0 {
			return pools[0]
		}
	}
	return s.object
}

// firstOf is the cause to name first of those that are proven for a symptom; nil where there is none.
func firstOf(all []*Diagnosis, symptom *Finding) *Diagnosis {
	var first *Diagnosis
	for _, d := range all {
		if d.Finding.Outcome != Fail && d.Finding.Outcome != Waived || !slices.Contains(d.Symptoms, symptom) {
			continue
		}
		if first == nil || compareCauses(d, first) < 0 {
			first = d
		}
	}
	return first
}

func compareDiagnoses(a, b *Diagnosis) int { return compareFindings(a.Finding, b.Finding) }

// compareCauses puts the cause that is to be named first before others: one that is proven before one that is only possible.
func compareCauses(a, b *Diagnosis) int {
	return cmp.Or(compareBools(a.Finding.Rule.Possible, b.Finding.Rule.Possible), cmp.Compare(a.Finding.Rule.Order, b.Finding.Rule.Order), strings.Compare(a.Finding.Rule.ID, b.Finding.Rule.ID))
}
