package advice

import (
	"context"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// Options say how to evaluate.
type Options struct {
	Profile Profile // for every object; empty: each object's own
	// Assignments give objects a profile, the first that fits. What objects carry themselves comes before them.
	Assignments []Assignment
	All         bool // keep passes and not-applicables among the findings
	// Keep says which objects are judged; nil: all. Those that are left out are still seen by the rules that judge others, as
	// a host's VMs are.
	Keep func(inventory.Ref) bool
	// Waiting are changes that were written and may not be in force yet: their findings stay, marked as pending.
	Waiting []Waiting
}

// Evaluate holds every rule against every object of its scope, and then those that explain symptoms against the objects
// that show them. It ends early, with the context's error, only when the
// context ends; a rule that cannot be evaluated is an unknown outcome, never an error.
func Evaluate(ctx context.Context, s *inventory.Snapshot, rules *Ruleset, o Options) (*Result, error) {
	e := &evaluation{
		options: o, profiles: newChooser(o), waiting: map[string][]Waiting{}, shared: shared{},
		out: &Result{Counts: map[Outcome]int{}, Rules: map[string]*RuleCount{}, worst: map[string]Severity{}},
	}
	for _, w := range o.Waiting {
		e.waiting[w.Rule] = append(e.waiting[w.Rule], w)
	}
	judging := slices.DeleteFunc(slices.Clone(rules.rules), func(r *compiled) bool { return r.because != nil })
	for _, r := range judging {
		e.out.Rules[r.ID] = new(RuleCount)
		e.out.worst[r.ID] = r.worst()
	}
	for _, v := range s.VCenters {
		e.out.Hosts += kept(e, v.Hosts)
		e.out.VMs += kept(e, v.VMs)
		for _, scope := range Scopes() {
			of := slices.DeleteFunc(slices.Clone(judging), func(r *compiled) bool { return r.Scope != scope })
			if err := e.scope(ctx, v, scope, of); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(e.out.Findings, compareFindings)
	if err := e.diagnose(ctx, rules.rules); err != nil {
		return nil, err
	}
	e.finish(s)
	return e.out, nil
}

type evaluation struct {
	options  Options
	profiles *chooser
	waiting  map[string][]Waiting // by rule
	shared   shared
	out      *Result
}

func (e *evaluation) scope(ctx context.Context, v *inventory.VCenter, scope inventory.Scope, rules []*compiled) error {
	if len(rules) == 0 {
		return nil
	}
	for _, s := range subjectsOf(v, scope) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !e.keeps(s.object) {
			continue
		}
		s.prepare(e.profiles)
		s.shared = e.shared
		for _, r := range rules {
			f := r.judge(s, e.options.All)
			if waiting := e.waiting[r.ID]; len(waiting) > 0 {
				r.pend(&f, s, waiting)
			}
			e.count(f)
		}
	}
	return nil
}

// keeps reports an object that is judged.
func (e *evaluation) keeps(o inventory.Object) bool {
	return e.options.Keep == nil || e.options.Keep(o.Ref())
}

func kept[O inventory.Object](e *evaluation, objects []O) (n int) {
	for _, o := range objects {
		if e.keeps(o) {
			n++
		}
	}
	return n
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

// finish collects what could not be read: an object that is wholly unread stands once, not fact by fact.
func (e *evaluation) finish(s *inventory.Snapshot) {
	e.out.Warnings = e.profiles.wrong.warnings()
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
	for i := range e.out.Findings {
		e.lacking(&e.out.Findings[i], blind)
	}
	for _, d := range e.out.Diagnoses {
		e.lacking(d.Finding, blind)
	}
	e.out.Unread, e.out.Wanting = distinctGaps(e.out.Unread), distinctGaps(e.out.Wanting)
}

// lacking collects the facts that a finding lacks. A rule that it lacks is no fact: what that one lacks is collected there.
func (e *evaluation) lacking(f *Finding, blind map[inventory.Ref]bool) {
	for _, g := range f.Gaps {
		if !blind[g.Object] && !strings.HasPrefix(g.Fact, ruleFact) {
			e.out.Unread = append(e.out.Unread, g)
		}
	}
	e.out.Wanting = append(e.out.Wanting, f.wanting...)
}

// wholeObject is the fact of a gap that covers everything about its object.
const wholeObject = "all facts"

func (e *evaluation) blind(seen map[inventory.Ref]bool, reason string, o inventory.Object) {
	if reason == "" || !e.keeps(o) {
		return
	}
	seen[o.Ref()] = true
	e.out.Blind = append(e.out.Blind, Gap{Object: o.Ref(), Fact: wholeObject, Reason: reason})
}

func distinctGaps(gaps []Gap) []Gap {
	slices.SortFunc(gaps, compareGaps)
	return slices.Compact(gaps)
}
