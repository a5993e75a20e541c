package advice

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// Parts evaluates the endpoints of a fleet separately, so that the facts of all of them need not be in memory together.
// The result is that of one snapshot of all endpoints, because no rule reads objects of two endpoints.
type Parts struct {
	rules    *Ruleset
	options  Options
	waivers  *Waivers
	baseline *Baseline

	mu  sync.Mutex
	all map[int]*endpoint
}

// endpoint has the result of one endpoint, without its facts.
type endpoint struct {
	result   *Result
	waiving  *waiving
	compared *compared
}

// NewParts returns parts for rules. No finding is waived if w is nil, and all are new if b is nil.
func NewParts(rules *Ruleset, o Options, w *Waivers, b *Baseline) *Parts {
	return &Parts{rules: rules, options: o, waivers: w, baseline: b, all: map[int]*endpoint{}}
}

// Add evaluates a part of the fleet; at is its place in the order of endpoints. fill is the part's Options.Fill. Add keeps
// no facts of the part, and may be called concurrently for several parts. It returns an error only if ctx ends.
func (p *Parts) Add(ctx context.Context, at int, s *inventory.Snapshot, fill func(context.Context, []Gap) error) error {
	o := p.options
	o.Fill = fill
	r, err := Evaluate(ctx, s, p.rules, o)
	if err != nil {
		return err
	}
	x := &endpoint{result: r}
	if p.waivers != nil {
		x.waiving = p.waivers.apply(r, s, p.rules)
	}
	if p.baseline != nil {
		x.compared = p.baseline.mark(r, s, p.rules)
	}
	x.release()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all[at] = x
	return nil
}

// Result returns the result of all parts. Advise cannot use it: the facts of its objects are gone. The parts cannot be
// used afterwards.
func (p *Parts) Result(ctx context.Context) (*Result, error) {
	out, err := Evaluate(ctx, &inventory.Snapshot{}, p.rules, p.options)
	if err != nil {
		return nil, err
	}
	var results []*Result
	var waived []*waiving
	var marked []*compared
	for _, at := range slices.Sorted(maps.Keys(p.all)) {
		x := p.all[at]
		results, waived, marked = append(results, x.result), append(waived, x.waiving), append(marked, x.compared)
	}
	p.all = nil
	for _, r := range results {
		out.add(r)
	}
	out.join(results)
	for _, c := range out.complaints {
		out.Warnings = append(out.Warnings, c.Warnings()...)
	}
	if p.waivers != nil {
		out.Warnings = append(out.Warnings, p.waivers.warnings(waived)...)
	}
	if p.baseline != nil {
		out.Baseline = p.baseline.count(marked)
	}
	return out, nil
}

// add adds the numbers of another result, and what it could not read.
func (r *Result) add(o *Result) {
	r.Hosts, r.VMs, r.Off, r.Templates, r.Checks = r.Hosts+o.Hosts, r.VMs+o.VMs, r.Off+o.Off, r.Templates+o.Templates, r.Checks+o.Checks
	for outcome, n := range o.Counts {
		r.Counts[outcome] += n
	}
	for id, c := range o.Rules {
		sum := r.Rules[id]
		sum.Checked, sum.Unknown, sum.Skipped = sum.Checked+c.Checked, sum.Unknown+c.Unknown, sum.Skipped+c.Skipped
		sum.Pass, sum.Planned = sum.Pass+c.Pass, sum.Planned+c.Planned
	}
	r.Unread, r.UnreadEvidence = append(r.Unread, o.Unread...), append(r.UnreadEvidence, o.UnreadEvidence...)
	r.UnreadObjects = append(r.UnreadObjects, o.UnreadObjects...)
	for i, c := range o.complaints {
		r.complaints[i].Join(c)
	}
}

// join adds the findings and diagnoses of the results in their common order.
func (r *Result) join(results []*Result) {
	r.Unread, r.UnreadEvidence = inventory.DistinctGaps(r.Unread), inventory.DistinctGaps(r.UnreadEvidence)
	for _, o := range results {
		r.Findings, r.Diagnoses = append(r.Findings, o.Findings...), append(r.Diagnoses, o.Diagnoses...)
	}
	r.sort()
}

// released takes the place of an object whose facts are gone: it says only which one it was.
type released struct{ ref inventory.Ref }

// Ref implements inventory.Object.
func (r *released) Ref() inventory.Ref { return r.ref }

// Gap implements inventory.Object.
func (*released) Gap() string { return "" }

// TagsAndAttributes implements mark.Tagged.
func (*released) TagsAndAttributes() (tags inventory.Fact[[]string], attributes inventory.Fact[map[string]string]) {
	return inventory.Unread[[]string](""), inventory.Unread[map[string]string]("")
}

// release drops the pointers to facts.
func (p *endpoint) release() {
	all := map[inventory.Object]*released{}
	of := func(o inventory.Object) inventory.Object {
		if _, done := o.(*released); done {
			return o // findings of one object share it
		}
		if all[o] == nil {
			all[o] = &released{o.Ref()}
		}
		return all[o]
	}
	r := p.result
	r.setAside, r.rest = nil, nil
	for _, f := range r.Findings {
		f.object, f.once = of(f.object), nil
	}
	for _, d := range r.Diagnoses {
		d.at, d.Finding.object, d.Finding.once = of(d.at), of(d.Finding.object), nil
	}
	r.shown = nil
	if p.waiving == nil {
		return
	}
	p.waiving.snapshot, p.waiving.result = nil, nil
	for _, c := range p.waiving.all {
		if c.pick.On != nil {
			c.pick.On = &released{c.pick.On.Ref()}
		}
	}
}

// warnings returns the warnings for the authors of waivers that were applied to one or several snapshots.
func (w *Waivers) warnings(all []*waiving) []string {
	var out, servers []string
	claims, partly := make([]*claim, len(w.list)), false
	for _, g := range all {
		servers, partly = append(servers, g.servers...), partly || g.partly
		for i := range claims {
			claims[i] = claims[i].join(g.all[i])
		}
	}
	var wrong mark.Complaints
	for _, scope := range Scopes() {
		for _, g := range all {
			wrong.Join(g.wrong[scope])
			for _, c := range g.all[len(w.list):] {
				if c.scope == scope {
					claims = append(claims, c)
				}
			}
		}
	}
	out = wrong.Warnings()
	for _, c := range claims {
		if c != nil { // it is nil where there is no snapshot
			out = append(out, c.warnings(strings.Join(servers, ", "), !partly)...)
		}
	}
	return out
}

// join adds up the matches of a waiver in two snapshots; c may be nil.
func (c *claim) join(o *claim) *claim {
	if c == nil {
		return o
	}
	c.used, c.reported, c.unread = c.used || o.used, c.reported+o.reported, append(c.unread, o.unread...)
	c.search = search{c.found || o.found, c.evaluated || o.evaluated, c.undecided || o.undecided}
	slices.SortStableFunc(c.unread, untagged.compare)
	return c
}

// compare orders findings as a result does, and before diagnoses.
func (u untagged) compare(o untagged) int {
	if u.rule == nil || o.rule == nil {
		return compareBools(u.rule == nil, o.rule == nil)
	}
	return cmp.Or(
		cmp.Compare(slices.Index(Severities(), u.severity), slices.Index(Severities(), o.severity)),
		strings.Compare(u.rule.ID, o.rule.ID), u.of.Compare(o.of),
	)
}
