package advice

import (
	"context"
	"slices"
	"unsafe"

	"github.com/vperf/vperf/pkg/advice/internal/memo"
	"github.com/vperf/vperf/pkg/inventory"
)

// Options configure an evaluation.
type Options struct {
	Profile Profile // for every object; empty: each object has its own
	// Assignments give objects a profile; the first match counts. A profile set on the object itself takes precedence.
	Assignments []Assignment
	// Include lists states of VMs that every rule evaluates, although rules skip them by default.
	Include []VMState
	All     bool // keep passes and not-applicables among the findings
	// Rest lets Result.Rest evaluate passes and not-applicables later. The snapshot has to stay as it is.
	Rest bool
	// OutcomesOnly omits evidence, remedies, benefits and notes from findings. These take most of the memory of a result,
	// and consumers that count and name findings do not need them. Outcomes, severities and gaps are the same.
	OutcomesOnly bool
	// Keep reports whether an object is evaluated; nil means all. Rules about other objects still see skipped objects,
	// such as the VMs of a host.
	Keep func(inventory.Ref) bool
	// Waiting are changes that were written and may not be in force yet: their findings remain, marked as pending.
	Waiting []Waiting
	// OptionTable describes the host options of each release; nil: ShippedOptions. A user's table can have more releases.
	OptionTable *inventory.OptionTable
	// Fill is called at most once, with facts that need a call to each host, if an outcome is unknown or evidence is
	// incomplete without them. It adds them to the snapshot, and returns an error only if the context ends. If it is
	// nil, no hosts are asked.
	Fill func(ctx context.Context, unread []Gap) error
}

type evaluation struct {
	options   Options
	snapshot  *inventory.Snapshot
	rules     []*compiled
	profiles  *chooser
	waiting   map[string][]Waiting // by rule
	memo      *memo.Memo
	withdrawn map[*compiled]bool // rules whose findings are unknown because of their cost
	limited   []*Finding         // findings that are unknown because of the selected scope
	found     pile
	out       *Result
}

func newEvaluation(s *inventory.Snapshot, rules *Ruleset, o Options) *evaluation {
	if o.OptionTable == nil {
		o.OptionTable = inventory.ShippedOptions()
	}
	e := &evaluation{
		options: o, snapshot: s, rules: rules.rules, profiles: newChooser(o.Profile, o.Assignments), waiting: map[string][]Waiting{}, memo: memo.New(objectsIn(s)),
		withdrawn: map[*compiled]bool{},
		out:       &Result{Counts: map[Outcome]int{}, Rules: map[string]*RuleCount{}, worst: map[string]Severity{}, watched: map[*Rule]bool{}, include: o.Include, setAside: map[place]string{}},
	}
	for _, w := range o.Waiting {
		e.waiting[w.Rule] = append(e.waiting[w.Rule], w)
	}
	return e
}

// objectsIn returns the number of objects in a snapshot, without their devices.
func objectsIn(s *inventory.Snapshot) (n int) {
	for _, v := range s.VCenters {
		n += 1 + len(v.Clusters) + len(v.Pools) + len(v.Hosts) + len(v.VMs) + len(v.Switches) + len(v.Datastores)
	}
	return n
}

// evaluate evaluates a rule against an object, and counts the result.
func (e *evaluation) evaluate(r *compiled, s *subject) Finding {
	s.brief = e.brief(r)
	f := r.judge(s, false)
	if waiting := e.waiting[r.ID]; len(waiting) > 0 {
		r.pend(&f, s, waiting)
	}
	e.limit(&f)
	e.count(&f, 1)
	e.strip(&f)
	return f
}

// strip removes what OutcomesOnly omits.
func (e *evaluation) strip(f *Finding) {
	if e.options.OutcomesOnly {
		f.Evidence, f.Remedies, f.Notes, f.Benefits, f.Lost = nil, nil, nil, nil, inventory.Absent[float64]()
	}
}

// brief reports whether only the outcomes and severities of a rule's findings are evaluated. The details of users' rules are, because
// their cost counts. Those of a rule whose change waits for a restart are, because the change is compared with the remedies.
func (e *evaluation) brief(r *compiled) bool {
	return e.options.OutcomesOnly && r.budget == nil && len(e.waiting[r.ID]) == 0
}

// listed reports whether a finding is kept, and not only counted.
func listed(f *Finding) bool { return f.Outcome != Pass && f.Outcome != NotApplicable }

// limit makes a finding not applicable if it is unknown only because of the selected scope. Diagnoses still treat it as
// unknown.
func (e *evaluation) limit(f *Finding) {
	if f.Outcome != Unknown || len(f.Gaps) == 0 || slices.ContainsFunc(f.Gaps, func(g Gap) bool { return !inventory.NotInScope(g.Reason) }) {
		return
	}
	limited := *f
	e.limited = append(e.limited, &limited)
	e.out.setAside[place{f.Rule, f.object}] = f.Gaps[0].Reason
	f.Outcome, f.Reason, f.Gaps = NotApplicable, f.Gaps[0].Reason, nil
}

// keeps reports whether an object is evaluated.
func (e *evaluation) keeps(o inventory.Object) bool {
	return e.options.Keep == nil || e.options.Keep(o.Ref())
}

// count adds n to the counts for a finding; n is negative to remove it.
func (e *evaluation) count(f *Finding, n int) {
	e.out.Checks += n
	if e.out.Counts[f.Outcome] += n; e.out.Counts[f.Outcome] == 0 {
		delete(e.out.Counts, f.Outcome)
	}
	c := e.out.Rules[f.Rule.ID]
	c.Checked += n
	switch f.Outcome {
	case Pass:
		c.Pass += n
	case Unknown:
		c.Unknown += n
		if f.planned() {
			c.Planned += n
		}
	case NotApplicable:
		c.Skipped += n
	}
}

// pile collects findings. There may be a hundred thousand, so many are allocated together.
type pile struct {
	list  []*Finding
	space []Finding
}

func (p *pile) add(f Finding) {
	const together = (32 << 10) / int(unsafe.Sizeof(Finding{}))
	if len(p.space) == 0 {
		p.space = make([]Finding, together)
	}
	p.space[0] = f
	p.list = append(p.list, &p.space[0])
	p.space = p.space[1:]
}

// drop removes findings. They share the memory of those that stay, so they must keep no facts.
func (e *evaluation) drop(which func(*Finding) bool) {
	e.out.Findings = slices.DeleteFunc(e.out.Findings, func(f *Finding) bool {
		gone := which(f)
		if gone {
			*f = Finding{}
		}
		return gone
	})
}
