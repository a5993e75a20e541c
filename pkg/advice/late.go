package advice

import (
	"slices"

	"cel.dev/cel-go/common/types"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
)

// lateEvidence evaluates the evidence of a rule's findings when it is read. A large fleet has half a million values, and advice
// shows a few hundred.
type lateEvidence struct {
	rule    *compiled
	place   func(*subject, *Finding)
	subject subject // of the last finding: its items are read one after the other
	of      *Finding
}

// Measurements returns the evidence of the finding: Evidence, or with Options.LateEvidence the values that its rule reads now. With
// LateEvidence it is not safe for concurrent use: findings of a rule share what they read with.
func (f *Finding) Measurements() []Measured {
	if f.late == nil {
		return f.Evidence
	}
	all := make([]Measured, len(f.late.rule.evidence))
	a := f.late.activation(f)
	for i := range all {
		all[i] = f.late.measure(i, a)
	}
	return all
}

// Measurement returns one item of Measurements.
func (f *Finding) Measurement(i int) Measured {
	if f.late == nil {
		return f.Evidence[i]
	}
	return f.late.measure(i, f.late.activation(f))
}

// MeasurementNames returns the names of Measurements, without evaluating them.
func (f *Finding) MeasurementNames() []string {
	if f.late != nil {
		return f.late.rule.evidenceNames
	}
	names := make([]string, len(f.Evidence))
	for i, m := range f.Evidence {
		names[i] = m.Name
	}
	return names
}

func (l *lateEvidence) activation(f *Finding) *activation {
	if l.of != f {
		l.place(&l.subject, f)
		l.of = f
		l.subject.activation(l.rule)
	}
	return l.subject.current
}

func (l *lateEvidence) measure(i int, a *activation) Measured {
	return Measured{l.rule.Evidence[i].Name, expr.FactOf(run(l.rule.evidence[i], a))}
}

// lateOf returns how the evidence of a rule's findings is read later; nil: it is kept. That of users' rules is kept, because their
// cost is limited.
func (e *evaluation) lateOf(r *compiled, place func(*subject, *Finding)) *lateEvidence {
	if !e.options.LateEvidence || r.budget != nil {
		return nil
	}
	if e.late[r] == nil {
		e.late[r] = &lateEvidence{rule: r, place: place}
	}
	return e.late[r]
}

// subjectOf makes the object of a finding the subject.
func (e *evaluation) subjectOf(s *subject, f *Finding) {
	*s = subject{
		choice: e.profiles.ofFinding(f), object: f.object, of: f.Evaluated, memo: e.memo, include: e.options.Include, table: e.options.OptionTable,
		current: s.current,
	}
	s.place()
}

// measureLate collects only the parts of the evidence that need a call to the host. Counters need none.
func (r *compiled) measureLate(f *Finding, a *activation) {
	f.late = a.late
	if !a.calls {
		return
	}
	for _, p := range r.evidence {
		if p.ReadsOnlyCounters() {
			continue
		}
		v, _ := run(p, a)
		if u, ok := v.(*types.Unknown); ok {
			f.unreadEvidence = append(f.unreadEvidence, perHost(expr.GapsOf(u))...)
		}
	}
}

// evidenceNamesOf returns the names of a rule's evidence.
func evidenceNamesOf(r *Rule) []string {
	names := make([]string, 0, len(r.Evidence))
	for _, x := range r.Evidence {
		names = append(names, x.Name)
	}
	return slices.Clip(names)
}
