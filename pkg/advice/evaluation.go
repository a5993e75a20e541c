package advice

import (
	"context"
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// Options say how to evaluate.
type Options struct {
	Profile Profile // for every object; empty: each object's own
	// Assignments give objects a profile, the first that fits. What objects carry themselves comes before them.
	Assignments []Assignment
	// Include lists VMs that do not run and are judged by every rule, not just by those that always judge them.
	Include []VMState
	All     bool // keep passes and not-applicables among the findings
	// Keep says which objects are judged; nil: all. Those that are left out are still seen by the rules that judge others, as
	// a host's VMs are.
	Keep func(inventory.Ref) bool
	// Waiting are changes that were written and may not be in force yet: their findings stay, marked as pending.
	Waiting []Waiting
	// Fill is asked, once, for facts of the snapshot that take a call to each host, where an outcome is unknown for want of them
	// or evidence incomplete; what could then be told is in the result. It fails when the context ends. Nil: nobody is asked.
	Fill func(ctx context.Context, lacking []Gap) error
}

type evaluation struct {
	options  Options
	snapshot *inventory.Snapshot
	rules    []*compiled
	profiles *chooser
	waiting  map[string][]Waiting // by rule
	shared   shared
	limited  []Finding // what the scope that the user asked for leaves unknown
	out      *Result
}

func newEvaluation(s *inventory.Snapshot, rules *Ruleset, o Options) *evaluation {
	e := &evaluation{
		options: o, snapshot: s, rules: rules.rules, profiles: newChooser(o.Profile, o.Assignments), waiting: map[string][]Waiting{}, shared: shared{},
		out: &Result{Counts: map[Outcome]int{}, Rules: map[string]*RuleCount{}, worst: map[string]Severity{}, watched: map[*Rule]bool{}, include: o.Include, aside: map[place]bool{}},
	}
	for _, w := range o.Waiting {
		e.waiting[w.Rule] = append(e.waiting[w.Rule], w)
	}
	return e
}

// hold holds a rule against an object.
func (e *evaluation) hold(r *compiled, s *subject) {
	f := r.judge(s, e.options.All)
	if waiting := e.waiting[r.ID]; len(waiting) > 0 {
		r.pend(&f, s, waiting)
	}
	e.limit(&f)
	e.count(&f, 1)
	if e.options.All || f.Outcome != Pass && f.Outcome != NotApplicable {
		e.out.Findings = append(e.out.Findings, f)
	}
}

// limit makes a finding not applicable that only a wider scope could decide. Diagnoses still take it for unknown.
func (e *evaluation) limit(f *Finding) {
	if f.Outcome != Unknown || len(f.Gaps) == 0 || slices.ContainsFunc(f.Gaps, func(g Gap) bool { return !inventory.NotInScope(g.Reason) }) {
		return
	}
	e.limited = append(e.limited, *f)
	e.out.aside[place{f.Rule, f.object}] = true
	f.Outcome, f.Reason, f.Gaps = NotApplicable, f.Gaps[0].Reason, nil
}

// keeps reports an object that is judged.
func (e *evaluation) keeps(o inventory.Object) bool {
	return e.options.Keep == nil || e.options.Keep(o.Ref())
}

// count adds n of a finding, or takes it back.
func (e *evaluation) count(f *Finding, n int) {
	e.out.Checks += n
	if e.out.Counts[f.Outcome] += n; e.out.Counts[f.Outcome] == 0 {
		delete(e.out.Counts, f.Outcome)
	}
	c := e.out.Rules[f.Rule.ID]
	c.Checked += n
	switch f.Outcome {
	case Unknown:
		c.Unknown += n
	case NotApplicable:
		c.Skipped += n
	}
}
