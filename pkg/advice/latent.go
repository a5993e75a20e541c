package advice

import (
	"slices"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// configuration returns one recommendation for each rule with failed findings that have no symptom. It omits findings
// with a written change that is pending.
func (a *adviser) configuration() []*Recommendation {
	used, load := a.used(), a.loads()
	by := map[*Rule]*Recommendation{}
	var all []*Recommendation
	for _, f := range a.result.Findings {
		if f.Outcome != Fail || !f.Severity.AtLeast(Medium) || f.Pending != "" || used[f] || a.result.isSymptom(f.Rule) || load.idle(f) {
			continue
		}
		if by[f.Rule] == nil {
			by[f.Rule] = &Recommendation{Rule: f.Rule}
			all = append(all, by[f.Rule])
		}
		by[f.Rule].Findings = append(by[f.Rule].Findings, f)
		by[f.Rule].ByLoad = by[f.Rule].ByLoad || load.dark(f)
	}
	for _, r := range all {
		if len(r.Findings) == 1 {
			r.Object = r.Findings[0].Object
		}
		var promise expectations
		for _, f := range r.Findings {
			promise.add(f)
		}
		r.Severity, r.Impact, r.Benefits = worst(r.Findings), a.fleet.impact(r.Findings, nil), promise.all()
		r.Effort, r.Risk = effortOf(r.Findings, ""), riskOf(r.Findings)
	}
	return all
}

// used returns the findings that existing recommendations include: those that proofs name, and those that remove
// causes.
func (a *adviser) used() map[*Finding]bool {
	used := map[*Finding]bool{}
	for _, c := range a.causes {
		for _, d := range c.diagnoses.list {
			for _, f := range d.named {
				used[f] = true
			}
		}
		for _, d := range c.follow {
			for _, f := range d.named {
				used[f] = used[f] || c.has(f)
			}
		}
	}
	return used
}

// loads holds the rules whose findings matter only if a diagnosis is proven, and the results of those diagnoses.
type loads struct {
	rules map[*Rule]bool
	open  map[ruleAt]bool // where one of them is proven or unknown
}

// ruleAt is a rule at a host.
type ruleAt struct {
	rule *Rule
	host inventory.Ref
}

func (a *adviser) loads() *loads {
	l := &loads{rules: map[*Rule]bool{}, open: map[ruleAt]bool{}}
	only := a.result.only
	for rule := range only {
		l.rules[rule] = true
	}
	for _, d := range a.result.Diagnoses {
		if d.Finding.Outcome == Pass || len(d.Symptoms) == 0 { // its symptoms are waived
			continue
		}
		for rule, ids := range only {
			if slices.Contains(ids, d.Finding.Rule.ID) {
				l.open[ruleAt{rule, d.Finding.Host}] = true
			}
		}
	}
	return l
}

// idle reports whether no diagnosis calls for a finding: counters were measured there, and no diagnosis is proven or
// unknown.
func (l *loads) idle(f *Finding) bool {
	return l.rules[f.Rule] && measured(f.object) && !l.open[ruleAt{f.Rule, f.Host}]
}

// dark reports whether it is unknown if a diagnosis calls for a finding.
func (l *loads) dark(f *Finding) bool { return l.rules[f.Rule] && !measured(f.object) }

// measured reports whether the object or its owner has live counters.
func measured(o inventory.Object) bool {
	switch x := mark.OwnerOf(o).(type) {
	case *inventory.Host:
		return len(x.Live) > 0
	case *inventory.VM:
		return len(x.Live) > 0
	}
	return false
}
