package advice

import (
	"errors"
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/inventory"
)

// judge holds one rule against one subject. A pass is measured only when somebody will read it.
func (r *compiled) judge(s *subject, all bool) Finding {
	f := Finding{
		Rule: r.Rule, Object: s.object.Ref(), Host: s.on, object: s.object,
		Profile: s.profile, ProfileWhy: s.profileWhy, Severity: r.severity(s.profile),
	}
	skip, lack := r.skips(vmOf(s.object), s.include)
	if skip != "" {
		f.Outcome, f.Reason = NotApplicable, skip
		return f
	}
	if s.blind != nil {
		f.unknown(s.blind)
		return f
	}
	if r.live && !s.measured && r.because == nil { // the same for all of a fleet that nobody measured, so it is not worked out for each
		f.Outcome, f.Reason = NotApplicable, inventory.NoLiveCounters
		return f
	}
	a := &activation{subject: s, params: r.params, vendors: r.vendors}
	r.hold(&f, a, all, lack)
	r.doubt(&f, a)
	f.open = a.open
	return f
}

// hold works out what becomes of a rule. The unknown is set where nobody knows whether the VM runs: no more can then be
// said than that the rule does not apply.
func (r *compiled) hold(f *Finding, a *activation, all bool, power *types.Unknown) {
	if r.applies != nil {
		if yes, decided := f.decide(r.applies, a); !decided {
			return
		} else if !yes {
			f.Outcome = NotApplicable
			return
		}
	}
	if power != nil {
		f.unknown(power)
		return
	}
	if r.Manual != "" {
		f.Outcome, f.Reason = Manual, r.Manual
		r.together(f, a)
		r.measure(f, a)
		r.leaveToProvider(f, a.subject)
		return
	}
	yes, decided := f.decide(r.verdict(), a)
	switch {
	case !decided:
	case yes == (r.because == nil):
		f.Outcome = Pass
		if all {
			r.measure(f, a)
		}
	default:
		f.Outcome = Fail
		r.explain(f, a)
		r.leaveToProvider(f, a.subject)
	}
}

// verdict is the expression that judges: of a diagnosis it is true when there is something to say.
func (r *compiled) verdict() cel.Program {
	if r.because != nil {
		return r.because
	}
	return r.want
}

// decide evaluates a condition. When it has no answer the finding's outcome says why, and decided is false.
func (f *Finding) decide(p cel.Program, a *activation) (yes, decided bool) {
	v, err := run(p, a)
	switch x := v.(type) {
	case types.Bool:
		if err == nil {
			return bool(x), true
		}
	case *types.Unknown:
		f.unknown(x)
		return false, false
	}
	if not, ok := errors.AsType[expr.NoLiveCountersError](err); ok && len(f.Rule.Explains) > 0 {
		// Something was measured, or nobody would ask: the cause may be there, and could not be seen.
		f.unknown(expr.Unread(not.Of, "live counters", inventory.NoLiveCounters))
		return false, false
	}
	if errors.Is(err, expr.ErrAbsent) {
		f.Outcome, f.Reason = NotApplicable, err.Error()
		return false, false
	}
	f.Outcome, f.Reason = Unknown, "the rule cannot be evaluated"
	if err != nil {
		f.Reason += ": " + err.Error()
	}
	return false, false
}

func (f *Finding) unknown(u *types.Unknown) {
	f.Outcome, f.Gaps = Unknown, expr.GapsOf(u)
	f.Reason = "not everything it takes was read"
}

// run evaluates an expression. One that has an answer has it whatever else is not known; where an answer takes a call to the
// host the finding is left open.
func run(p cel.Program, a *activation) (ref.Val, error) {
	v, _, err := p.Eval(a)
	if u, ok := v.(*types.Unknown); ok && expr.TakesACall(u) {
		a.open = true
	}
	return v, err
}

func (r *Rule) severity(p Profile) Severity {
	if s, ok := r.Profiles[p]; ok {
		return s
	}
	return r.Severity
}

// Worst is the severity of the worst finding that the rule can have, of whatever profile and case.
func (r *Rule) Worst() Severity {
	w := r.Severity
	for _, s := range r.Profiles {
		if s.AtLeast(w) {
			w = s
		}
	}
	for _, c := range r.Cases {
		if c.Severity.AtLeast(w) {
			w = c.Severity
		}
	}
	return w
}

// explain adds to a fail all that a person needs to judge it.
func (r *compiled) explain(f *Finding, a *activation) {
	for i, p := range r.cases {
		if isTrue(p, a) {
			f.Severity = r.Cases[i].Severity
			if r.Cases[i].About != "" {
				f.Notes = append(f.Notes, r.Cases[i].About)
			}
			break
		}
	}
	r.measure(f, a)
	f.Remedies = r.changes(a)
	f.Lost = r.lose(a)
	f.Benefits = r.expect(a)
	for i, p := range r.notes {
		if p == nil || isTrue(p, a) {
			f.Notes = append(f.Notes, r.Notes[i].Text)
		}
	}
}

// lose is how many seconds VMs lose to a symptom in a second.
func (r *compiled) lose(a *activation) inventory.Fact[float64] {
	if r.lost == nil {
		return inventory.Absent[float64]()
	}
	return expr.Typed[float64](expr.FactOf(run(r.lost, a)))
}

// expect are the rule's benefits, and whether the object is like what they were measured on.
func (r *compiled) expect(a *activation) []Expected {
	if !slices.ContainsFunc(r.holds, func(p cel.Program) bool { return p != nil }) {
		return r.expected // the same for all, so it is shared
	}
	all := slices.Clone(r.expected)
	for i, p := range r.holds {
		if p != nil {
			all[i].Holds = expr.Typed[bool](expr.FactOf(run(p, a)))
		}
	}
	return all
}

// isTrue takes an unknown for no: what is not sure is not said.
func isTrue(p cel.Program, a *activation) bool {
	v, err := run(p, a)
	return err == nil && v == types.True
}

// measure adds the evidence, and notes what of it a call to the host would give.
func (r *compiled) measure(f *Finding, a *activation) {
	f.Evidence = make([]Measured, len(r.evidence))
	for i, p := range r.evidence {
		key, share := r.key(i, a)
		if fact, known := a.shared[key]; share && known {
			f.Evidence[i] = Measured{r.Evidence[i].Name, fact}
			continue
		}
		v, err := run(p, a)
		f.Evidence[i] = Measured{r.Evidence[i].Name, expr.FactOf(v, err)}
		if u, ok := v.(*types.Unknown); ok {
			f.wanting = append(f.wanting, perHost(expr.GapsOf(u))...)
		} else if share {
			a.shared[key] = f.Evidence[i].Value
		}
	}
}

// perHost are the gaps that a call to the host would fill.
func perHost(gaps []Gap) []Gap {
	return slices.DeleteFunc(gaps, func(g Gap) bool { return g.Reason != inventory.PerHost })
}
