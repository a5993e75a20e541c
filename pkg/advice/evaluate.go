package advice

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// Evaluate evaluates every rule against every object of its scope, and then diagnoses against the objects that show
// their symptoms. It returns an error only if ctx ends. A rule that cannot be evaluated gives an unknown outcome, not
// an error.
func Evaluate(ctx context.Context, s *inventory.Snapshot, rules *Ruleset, o Options) (*Result, error) {
	return newEvaluation(s, rules, o).run(ctx)
}

func (e *evaluation) run(ctx context.Context) (*Result, error) {
	if err := e.judge(ctx); err != nil {
		return nil, err
	}
	if e.options.Fill != nil {
		if err := e.fill(ctx); err != nil {
			return nil, err
		}
	}
	if err := e.withdraw(ctx); err != nil {
		return nil, err
	}
	e.cover()
	sortStable(e.out.Findings, compareFindings)
	e.found = pile{}
	if err := e.diagnose(ctx); err != nil {
		return nil, err
	}
	sortStable(e.out.Diagnoses, compareDiagnoses)
	e.finish()
	if e.options.Rest {
		e.out.rest = e
	}
	return e.out, e.keepAll(ctx)
}

// judge evaluates the rules that are not diagnoses against every object.
func (e *evaluation) judge(ctx context.Context) error {
	judging := slices.DeleteFunc(slices.Clone(e.rules), func(r *compiled) bool { return r.because != nil })
	for _, r := range judging {
		e.out.Rules[r.ID] = &RuleCount{Rule: r.Rule}
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
	e.out.Findings = e.found.list
	return nil
}

// fill asks hosts for facts that findings and diagnoses need.
func (e *evaluation) fill(ctx context.Context) error {
	if err := e.diagnose(ctx); err != nil {
		return err
	}
	e.finish()
	unread := perHost(slices.Concat(e.out.Unread, e.out.UnreadEvidence))
	if len(unread) == 0 {
		return nil
	}
	if err := e.options.Fill(ctx, unread); err != nil {
		return err
	}
	e.memo.Forget() // the facts have changed
	return e.reevaluate(ctx)
}

func (e *evaluation) scope(ctx context.Context, v *inventory.VCenter, scope inventory.Scope, rules []*compiled) error {
	if len(rules) == 0 {
		return nil
	}
	return e.subjects(ctx, v, scope, func(s *subject) {
		for _, r := range rules {
			if f := e.evaluate(r, s); listed(&f) {
				e.found.add(f)
			}
		}
	})
}

// subjects calls visit for each object of a scope. It has one subject for all of them.
func (e *evaluation) subjects(ctx context.Context, v *inventory.VCenter, scope inventory.Scope, visit func(*subject)) error {
	s := new(subject)
	for o, unread := range objectsOf(v, scope) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !e.keeps(o) {
			continue
		}
		*s = subject{object: o, unreadDevices: unread, memo: e.memo, include: e.options.Include, table: e.options.OptionTable, current: s.current}
		e.profiles.prepare(s)
		visit(s)
	}
	return nil
}

// reevaluate evaluates rules again for findings that were open until hosts were asked. Other outcomes do not change with
// more facts.
func (e *evaluation) reevaluate(ctx context.Context) error {
	by := make(map[*Rule]*compiled, len(e.rules))
	for _, r := range e.rules {
		by[r.Rule] = r
	}
	for _, f := range e.out.Findings {
		if !f.open {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		e.count(f, -1)
		s := &subject{choice: e.profiles.ofFinding(f), object: f.object, memo: e.memo, include: e.options.Include, table: e.options.OptionTable}
		s.place()
		*f = e.evaluate(by[f.Rule], s)
	}
	e.drop(func(f *Finding) bool { return !listed(f) })
	return nil
}

// withdraw makes the findings of rules that exceed their cost limit unknown on all objects: a part of the results would look
// like all of them.
func (e *evaluation) withdraw(ctx context.Context) error {
	for _, r := range e.rules {
		if r.because != nil || !e.memo.Spent(r.budget) {
			continue
		}
		e.withdrawn[r] = true
		e.forget(r)
		e.found.list = e.out.Findings
		for _, v := range e.snapshot.VCenters {
			if err := e.scope(ctx, v, r.Scope, []*compiled{r}); err != nil {
				return err
			}
		}
		e.out.Findings = e.found.list
	}
	return nil
}

// forget removes the findings of a rule.
func (e *evaluation) forget(r *compiled) {
	c := e.out.Rules[r.ID]
	of := map[Outcome]int{Pass: c.Pass, Unknown: c.Unknown, NotApplicable: c.Skipped}
	e.drop(func(f *Finding) bool {
		if f.Rule == r.Rule && (f.Outcome == Fail || f.Outcome == Manual) {
			of[f.Outcome]++
		}
		return f.Rule == r.Rule
	})
	e.limited = slices.DeleteFunc(e.limited, func(f *Finding) bool { return f.Rule == r.Rule })
	maps.DeleteFunc(e.out.setAside, func(p place, _ string) bool { return p.rule == r.Rule })
	for outcome, n := range of {
		e.count(&Finding{Rule: r.Rule, Outcome: outcome}, -n)
	}
	c.Planned = 0
}

func kept[O inventory.Object](e *evaluation, objects []O) (n int) {
	for _, o := range objects {
		if e.keeps(o) {
			n++
		}
	}
	return n
}

// countSkipped counts the VMs that rules skip because they are not running.
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

// finish collects the gaps. An object that is wholly unread is listed once, not fact by fact.
func (e *evaluation) finish() {
	e.out.complaints = [2]*mark.Complaints{&e.profiles.wrong, e.newer()}
	e.out.UnreadObjects, e.out.UnreadEvidence, e.out.Warnings = nil, nil, nil
	for _, c := range e.out.complaints {
		e.out.Warnings = append(e.out.Warnings, c.Warnings()...)
	}
	unreadObjects := map[inventory.Ref]bool{}
	for _, v := range e.snapshot.VCenters {
		e.addUnreadObject(unreadObjects, v.Unread, v) // a list that could not be read completely
		if v.NoTime != "" && e.keeps(v) {
			e.out.UnreadObjects = append(e.out.UnreadObjects, Gap{Object: v.Ref(), Fact: "VCenter.takenAt", Reason: v.NoTime})
		}
		for _, h := range v.Hosts {
			e.addUnreadObject(unreadObjects, h.Unread, h)
		}
		for _, vm := range v.VMs {
			e.addUnreadObject(unreadObjects, vm.Unread, vm)
		}
	}
	e.out.Unread = slices.Clone(e.out.UnreadObjects)
	for i := range e.out.Findings {
		e.addUnreadFacts(e.out.Findings[i], unreadObjects)
	}
	for _, d := range e.out.Diagnoses {
		e.addUnreadFacts(d.Finding, unreadObjects)
	}
	e.out.Unread, e.out.UnreadEvidence = inventory.DistinctGaps(e.out.Unread), inventory.DistinctGaps(e.out.UnreadEvidence)
}

// addUnreadFacts collects the facts that a finding needs and that are unread. It ignores gaps that are rules, because their
// facts are collected with their own findings.
func (e *evaluation) addUnreadFacts(f *Finding, unreadObjects map[inventory.Ref]bool) {
	for _, g := range f.Gaps {
		if !unreadObjects[g.Object] && !strings.HasPrefix(g.Fact, expr.RuleFact) {
			e.out.Unread = append(e.out.Unread, g)
		}
	}
	if f.unsettled || f.Outcome == Fail && f.worst() != f.Severity {
		e.out.Unread = append(e.out.Unread, slices.DeleteFunc(slices.Clone(f.unread), func(g Gap) bool { return !isMark(g) })...)
	}
	e.out.UnreadEvidence = append(e.out.UnreadEvidence, f.unreadEvidence...)
}

// wholeObject is the fact of a gap that covers all facts of its object.
const wholeObject = "all facts"

func (e *evaluation) addUnreadObject(seen map[inventory.Ref]bool, reason string, o inventory.Object) {
	if reason == "" || !e.keeps(o) {
		return
	}
	seen[o.Ref()] = true
	e.out.UnreadObjects = append(e.out.UnreadObjects, Gap{Object: o.Ref(), Fact: wholeObject, Reason: reason})
}

// newer returns the releases that are newer than the option table.
func (e *evaluation) newer() *mark.Complaints {
	all := new(mark.Complaints)
	look := func(of inventory.Fact[inventory.Version], o inventory.Object) {
		if version, known := of.Value(); known && e.options.OptionTable.Newer(version) && e.keeps(o) {
			all.Add(fmt.Sprintf("release %s is newer than vperf's tables, which end at %s: the host's own definitions decide", version,
				e.options.OptionTable.Newest()), o)
		}
	}
	for _, v := range e.snapshot.VCenters {
		for _, h := range v.Hosts {
			look(h.Version, h)
		}
		look(v.Version, v)
	}
	return all
}
