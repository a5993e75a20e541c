package advice

import (
	"context"
	"errors"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/inventory"
)

// Options say how to evaluate.
type Options struct {
	Profile Profile // for every object; empty: the automatic one
	All     bool    // keep passes and not-applicables among the findings
}

// Evaluate holds every rule against every object of its scope. It ends early, with the context's error, only when the
// context ends; a rule that cannot be evaluated is an unknown outcome, never an error.
func Evaluate(ctx context.Context, s *inventory.Snapshot, rules *Ruleset, o Options) (*Result, error) {
	e := &evaluation{options: o, out: &Result{Counts: map[Outcome]int{}, Rules: map[string]*RuleCount{}}}
	for _, r := range rules.rules {
		e.out.Rules[r.ID] = new(RuleCount)
	}
	for _, v := range s.VCenters {
		e.out.Hosts += len(v.Hosts)
		e.out.VMs += len(v.VMs)
		for _, scope := range Scopes() {
			of := slices.DeleteFunc(slices.Clone(rules.rules), func(r *compiled) bool { return r.Scope != scope })
			if err := e.scope(ctx, v, scope, of); err != nil {
				return nil, err
			}
		}
	}
	e.finish(s)
	return e.out, nil
}

type evaluation struct {
	options Options
	out     *Result
}

func (e *evaluation) scope(ctx context.Context, v *inventory.VCenter, scope inventory.Scope, rules []*compiled) error {
	if len(rules) == 0 {
		return nil
	}
	for _, s := range subjectsOf(v, scope) {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.prepare(e.options.Profile)
		for _, r := range rules {
			e.count(r.judge(s, e.options.All))
		}
	}
	return nil
}

func (e *evaluation) count(f Finding) {
	e.out.Checks++
	e.out.Counts[f.Outcome]++
	c := e.out.Rules[f.Rule.ID]
	c.Checked++
	switch f.Outcome {
	case Unknown:
		c.Unknown++
	case NotApplicable:
		c.Skipped++
	}
	if e.options.All || f.Outcome != Pass && f.Outcome != NotApplicable {
		e.out.Findings = append(e.out.Findings, f)
	}
}

// finish sorts, and collects what could not be read: an object that is wholly unread stands once, not fact by fact.
func (e *evaluation) finish(s *inventory.Snapshot) {
	slices.SortStableFunc(e.out.Findings, compareFindings)
	blind := map[inventory.Ref]bool{}
	for _, v := range s.VCenters {
		e.blind(blind, v.Unread, v) // a list that could not be read to its end
		for _, h := range v.Hosts {
			e.blind(blind, h.Unread, h)
		}
		for _, vm := range v.VMs {
			e.blind(blind, vm.Unread, vm)
		}
	}
	e.out.Unread = slices.Clone(e.out.Blind)
	for _, f := range e.out.Findings {
		for _, g := range f.Gaps {
			if !blind[g.Object] {
				e.out.Unread = append(e.out.Unread, g)
			}
		}
	}
	slices.SortFunc(e.out.Unread, compareGaps)
	e.out.Unread = slices.Compact(e.out.Unread)
}

// wholeObject is the fact of a gap that covers everything about its object.
const wholeObject = "all facts"

func (e *evaluation) blind(seen map[inventory.Ref]bool, reason string, o inventory.Object) {
	if reason == "" {
		return
	}
	seen[o.Ref()] = true
	e.out.Blind = append(e.out.Blind, Gap{Object: o.Ref(), Fact: wholeObject, Reason: reason})
}

// judge holds one rule against one subject. A pass is measured only when somebody will read it.
func (r *compiled) judge(s *subject, all bool) Finding {
	f := Finding{
		Rule: r.Rule, Object: s.object.Ref(), Host: s.on,
		Profile: s.profile, ProfileWhy: s.profileWhy, Severity: r.severity(s.profile),
	}
	if s.blind != nil {
		f.unknown(s.blind)
		return f
	}
	a := activation{s, r.params}
	if r.applies != nil {
		if yes, decided := f.decide(r.applies, a); !decided {
			return f
		} else if !yes {
			f.Outcome = NotApplicable
			return f
		}
	}
	if r.Manual != "" {
		f.Outcome, f.Reason = Manual, oneLine(r.Manual)
		f.Evidence = r.measure(a)
		return f
	}
	yes, decided := f.decide(r.want, a)
	switch {
	case !decided:
	case yes:
		f.Outcome = Pass
		if all {
			f.Evidence = r.measure(a)
		}
	default:
		f.Outcome = Fail
		r.explain(&f, a)
	}
	return f
}

// decide evaluates a condition. When it has no answer the finding's outcome says why, and decided is false.
func (f *Finding) decide(p cel.Program, a activation) (yes, decided bool) {
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
	if errors.Is(err, errAbsent) {
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
	f.Outcome, f.Gaps = Unknown, gapsOf(u)
	f.Reason = "not everything it takes was read"
}

func run(p cel.Program, a activation) (ref.Val, error) {
	v, _, err := p.Eval(a)
	return v, err
}

func (r *Rule) severity(p Profile) Severity {
	if s, ok := r.Profiles[p]; ok {
		return s
	}
	return r.Severity
}

// explain adds to a fail all that a person needs to judge it.
func (r *compiled) explain(f *Finding, a activation) {
	for i, p := range r.cases {
		if isTrue(p, a) {
			f.Severity = r.Cases[i].Severity
			if r.Cases[i].About != "" {
				f.Notes = append(f.Notes, oneLine(r.Cases[i].About))
			}
			break
		}
	}
	f.Evidence = r.measure(a)
	f.Remedies = r.changes(a)
	for i, p := range r.notes {
		if p == nil || isTrue(p, a) {
			f.Notes = append(f.Notes, oneLine(r.Notes[i].Text))
		}
	}
}

// oneLine undoes the line breaks that keep rule files readable.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// isTrue takes an unknown for no: what is not sure is not said.
func isTrue(p cel.Program, a activation) bool {
	v, err := run(p, a)
	return err == nil && v == types.True
}

func (r *compiled) measure(a activation) []Measured {
	out := make([]Measured, len(r.evidence))
	for i, p := range r.evidence {
		out[i] = Measured{r.Evidence[i].Name, factOf(run(p, a))}
	}
	return out
}

// factOf turns a result back into the three states.
func factOf(v ref.Val, err error) inventory.Fact[any] {
	if u, ok := v.(*types.Unknown); ok {
		gaps := gapsOf(u)
		return inventory.Unread[any](gaps[0].Fact + ": " + gaps[0].Reason)
	}
	switch {
	case errors.Is(err, errAbsent):
		return inventory.Absent[any]()
	case err != nil:
		return inventory.Unread[any](err.Error())
	}
	return inventory.Known(goValue(v))
}

// changes works the remedies out. Of several for one setting the first whose condition is true counts, so that a rule
// can ask for more consent when it is not sure of the milder case.
func (r *compiled) changes(a activation) []Change {
	var out []Change
	for i, m := range r.remedies {
		rule := r.Remedy[i]
		taken := slices.ContainsFunc(out, func(c Change) bool { return c.Setting.String() == rule.Set.setting.String() })
		if taken || m.when != nil && !isTrue(m.when, a) {
			continue
		}
		target, ok := a.vars[rule.Set.setting.Kind.Scope].(inventory.Object)
		if !ok {
			continue // the object that carries the setting was not read
		}
		for _, s := range m.settings(rule.Set.setting, a) {
			from := s.Current(target)
			out = append(out, Change{
				Object: target.Ref(), Setting: s, From: from, To: settingValue(s, from, factOf(run(m.to, a))),
				Activation: rule.Activation, Consent: rule.Consent,
			})
		}
	}
	return out
}

// settings is the setting itself, or one for each key of the list.
func (m compiledRemedy) settings(s inventory.Setting, a activation) []inventory.Setting {
	if m.each == nil {
		return []inventory.Setting{s}
	}
	keys, _ := factOf(run(m.each, a)).Value()
	list, _ := keys.([]any)
	var out []inventory.Setting
	for _, k := range list {
		key, _ := k.(string)
		out = append(out, inventory.Setting{Kind: s.Kind, Key: key})
	}
	return out
}

// settingValue gives a result the wire type that the setting has now, or should have.
func settingValue(s inventory.Setting, from inventory.Fact[inventory.Value], to inventory.Fact[any]) inventory.Fact[inventory.Value] {
	v, state, reason := to.Get()
	switch state {
	case inventory.StateAbsent:
		return inventory.Absent[inventory.Value]()
	case inventory.StateUnread:
		return inventory.Unread[inventory.Value](reason)
	}
	switch x := v.(type) {
	case bool:
		return inventory.Known(inventory.BoolValue(x))
	case string:
		return inventory.Known(inventory.StringValue(x))
	case int64:
		value := inventory.LongValue(x)
		if now, ok := from.Value(); ok && now.Type == inventory.TypeInt {
			value.Type = inventory.TypeInt
		}
		return inventory.Known(value)
	}
	return inventory.Unread[inventory.Value]("the rule proposes no value that " + s.String() + " can have")
}
