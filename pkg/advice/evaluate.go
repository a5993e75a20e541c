package advice

import (
	"context"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
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

// Evaluate holds every rule against every object of its scope, and then those that explain symptoms against the objects
// that show them. It ends early, with the context's error, only when the
// context ends; a rule that cannot be evaluated is an unknown outcome, never an error.
func Evaluate(ctx context.Context, s *inventory.Snapshot, rules *Ruleset, o Options) (*Result, error) {
	e := newEvaluation(s, rules, o)
	if err := e.judge(ctx); err != nil {
		return nil, err
	}
	if o.Fill != nil {
		if err := e.fill(ctx); err != nil {
			return nil, err
		}
	}
	e.cover()
	sortFindings(e.out.Findings)
	if err := e.diagnose(ctx); err != nil {
		return nil, err
	}
	slices.SortStableFunc(e.out.Diagnoses, compareDiagnoses)
	e.finish()
	return e.out, nil
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
		options: o, snapshot: s, rules: rules.rules, profiles: newChooser(o), waiting: map[string][]Waiting{}, shared: shared{},
		out: &Result{Counts: map[Outcome]int{}, Rules: map[string]*RuleCount{}, worst: map[string]Severity{}, watched: map[*Rule]bool{}, include: o.Include, aside: map[place]bool{}},
	}
	for _, w := range o.Waiting {
		e.waiting[w.Rule] = append(e.waiting[w.Rule], w)
	}
	return e
}

// judge holds the rules that judge for themselves against every object.
func (e *evaluation) judge(ctx context.Context) error {
	judging := slices.DeleteFunc(slices.Clone(e.rules), func(r *compiled) bool { return r.because != nil })
	for _, r := range judging {
		e.out.Rules[r.ID] = new(RuleCount)
		e.out.worst[r.ID] = r.Worst()
		e.out.watched[r.Rule] = r.live && r.Category == categoryMonitoring
	}
	for _, v := range e.snapshot.VCenters {
		e.out.Hosts += kept(e, v.Hosts)
		e.out.VMs += kept(e, v.VMs)
		e.countSkipped(v.VMs)
		for _, scope := range Scopes() {
			of := slices.DeleteFunc(slices.Clone(judging), func(r *compiled) bool { return r.Scope != scope })
			if err := e.scope(ctx, v, scope, of); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill has hosts asked for what findings and causes lack.
func (e *evaluation) fill(ctx context.Context) error {
	if err := e.diagnose(ctx); err != nil {
		return err
	}
	e.finish()
	lacking := perHost(slices.Concat(e.out.Unread, e.out.Wanting))
	if len(lacking) == 0 {
		return nil
	}
	if err := e.options.Fill(ctx, lacking); err != nil {
		return err
	}
	return e.again(ctx)
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
		s.shared, s.include = e.shared, e.options.Include
		for _, r := range rules {
			e.hold(r, s)
		}
	}
	return nil
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

// again holds rules again where hosts were asked for what a finding was left open for. All others, and those that are no
// findings, rest on what was known: more of it changes nothing there.
func (e *evaluation) again(ctx context.Context) error {
	by := make(map[*Rule]*compiled, len(e.rules))
	for _, r := range e.rules {
		by[r.Rule] = r
	}
	all := e.out.Findings
	e.out.Findings = all[:0] // each takes the place of one that was looked at
	for i := range all {
		f := all[i]
		if !f.open {
			e.out.Findings = append(e.out.Findings, f)
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		e.count(&f, -1)
		s := &subject{object: f.object, profile: f.Profile, profileWhy: f.ProfileWhy, shared: e.shared, include: e.options.Include}
		s.place()
		e.hold(by[f.Rule], s)
	}
	clear(all[len(e.out.Findings):])
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

// countSkipped counts the VMs that do not run and that rules skip.
func (e *evaluation) countSkipped(vms []*inventory.VM) {
	skips := func(s VMState) bool {
		return !slices.Contains(e.options.Include, s) && slices.ContainsFunc(e.rules, func(r *compiled) bool { return slices.Contains(r.passes, s) })
	}
	off, templates := skips(VMOff), skips(VMTemplate)
	for _, vm := range vms {
		template, _ := vm.Template.Value()
		power, known := vm.PowerState.Value()
		switch {
		case !e.keeps(vm):
		case template:
			if templates {
				e.out.Templates++
			}
		case off && known && power != poweredOn:
			e.out.Off++
		}
	}
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

// finish collects what could not be read: an object that is wholly unread stands once, not fact by fact.
func (e *evaluation) finish() {
	e.out.Warnings, e.out.Blind, e.out.Wanting = append(e.profiles.wrong.warnings(), e.newer()...), nil, nil
	blind := map[inventory.Ref]bool{}
	for _, v := range e.snapshot.VCenters {
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
	e.out.Unread, e.out.Wanting = inventory.DistinctGaps(e.out.Unread), inventory.DistinctGaps(e.out.Wanting)
}

// lacking collects the facts that a finding lacks. A rule that it lacks is no fact: what that one lacks is collected there.
func (e *evaluation) lacking(f *Finding, blind map[inventory.Ref]bool) {
	for _, g := range f.Gaps {
		if !blind[g.Object] && !strings.HasPrefix(g.Fact, expr.RuleFact) {
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
