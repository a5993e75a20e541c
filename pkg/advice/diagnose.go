package advice

import (
	"context"
	"slices"

	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/inventory"
)

// diagnosing evaluates diagnoses against the objects that show one of their symptoms, and no others. Without symptoms
// it costs nothing.
type diagnosing struct {
	*evaluation

	explains map[string][]*compiled // by symptom
	verdicts *verdicts
}

// diagnose finds the causes of symptoms among the findings. The diagnoses point at the findings, which stay in their
// list.
func (e *evaluation) diagnose(ctx context.Context) error {
	explains := explained(e.rules)
	e.out.explained, e.out.only, e.out.Diagnoses = map[string]bool{}, calledFor(e.rules), nil
	for symptom := range explains {
		e.out.explained[symptom] = true
	}
	e.out.shown = e.shown()
	if len(e.out.shown) == 0 {
		return nil
	}
	d := &diagnosing{evaluation: e, explains: explains, verdicts: e.verdictsOf(e.rules)}
	for _, o := range e.out.shown {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.out.Diagnoses = append(e.out.Diagnoses, d.object(o)...)
	}
	return nil
}

// explained maps a symptom to the diagnoses that explain it.
func explained(rules []*compiled) map[string][]*compiled {
	by := map[string][]*compiled{}
	for _, r := range rules {
		for _, symptom := range r.Explains {
			by[symptom] = append(by[symptom], r)
		}
	}
	return by
}

// calledFor maps a rule to the diagnoses that alone call for its findings.
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

// shown lists the objects with symptoms that some diagnosis explains, in the order of the findings.
func (e *evaluation) shown() []*shown {
	if len(e.out.explained) == 0 {
		return nil
	}
	var all []*shown
	by := map[inventory.Object]*shown{}
	for _, f := range e.out.Findings {
		if f.Outcome != Fail || !e.out.explained[f.Rule.ID] {
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

// object evaluates each diagnosis of the object's symptoms once. It returns those that are not ruled out.
func (d *diagnosing) object(o *shown) []*Diagnosis {
	o.by = d
	s := new(subject)
	d.subjectOf(s, o.symptoms[0])
	var all []*Diagnosis
	at := map[*compiled]*Diagnosis{}
	for _, f := range o.symptoms {
		for _, r := range d.explains[f.Rule.ID] {
			x, held := at[r]
			if !held {
				x = d.evaluate(r, s, o)
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

// subjectOf makes the object of a symptom or diagnosis the subject of diagnoses.
func (d *diagnosing) subjectOf(s *subject, f *Finding) {
	*s = subject{choice: d.profiles.ofFinding(f), object: f.object, of: f.Evaluated, memo: d.memo, current: s.current}
	s.place()
	s.failed = func(rule string) ref.Val { return d.verdicts.of(s, rule) }
}

// evaluate evaluates one diagnosis against the subject. It returns nil if the diagnosis does not apply or is ruled out.
func (d *diagnosing) evaluate(r *compiled, s *subject, o *shown) *Diagnosis {
	f := r.judge(s, false)
	switch f.Outcome {
	case NotApplicable:
		return nil
	case Pass:
		o.ruledOut = append(o.ruledOut, r)
		return nil
	}
	x := &Diagnosis{Finding: new(f)}
	if f.Outcome == Fail {
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

// cause returns the object where the cause is: the subject or an object it belongs to; else the first object of the
// scope that has something to fix; else, for a VM and scope pool, the VM's pool. If none was read, it returns the
// subject.
func (d *diagnosing) cause(at inventory.Scope, s *subject, fixes []*Finding) inventory.Object {
	if o, ok := s.vars.Get(at).(inventory.Object); ok {
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
	if vm, ok := s.vars.Get(inventory.ScopeVM).(*inventory.VM); ok && at == inventory.ScopePool {
		if pools, _ := d.verdicts.poolsOf(vm); len(pools) > 0 {
			return pools[0]
		}
	}
	return s.object
}

// verdictsOf collects the findings of the rules that diagnoses refer to.
func (e *evaluation) verdictsOf(rules []*compiled) *verdicts {
	v := &verdicts{
		rules: map[string]*compiled{}, keeps: e.keeps, by: map[string]map[inventory.Object][]*Finding{},
		pools: map[*inventory.VCenter]map[string]*inventory.Pool{},
	}
	for _, r := range rules {
		v.rules[r.ID] = r
		for _, id := range r.asks {
			v.by[id] = map[inventory.Object][]*Finding{}
		}
	}
	v.add(e.out.Findings)
	v.add(e.limited)
	return v
}
