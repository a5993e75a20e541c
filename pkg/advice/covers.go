package advice

import (
	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// cover merges findings with one cause: findings of rules that another rule covers, and manual checks that need to be
// made only once for many objects. A merged finding becomes not applicable and names the finding that covers it.
func (e *evaluation) cover() {
	sortStable(e.out.Findings, compareFindings) // the check of the first object covers those of the others
	leads := e.coverRules()
	e.coverChecks(leads)
	if len(leads) == 0 {
		return
	}
	for i := range e.out.Findings {
		if lead, folded := leads[i]; folded {
			e.fold(e.out.Findings[i], e.out.Findings[last(leads, lead)])
		}
	}
	e.drop(func(f *Finding) bool { return f.Outcome == NotApplicable })
}

// leads maps the index of a finding to the index of the finding that covers it.
type leads map[int]int

// last returns the index of the finding at the end of a chain of covering findings.
func last(of leads, i int) int {
	for {
		next, folded := of[i]
		if !folded {
			return i
		}
		i = next
	}
}

// fold makes f not applicable and adds it to the finding that covers it.
func (e *evaluation) fold(f, lead *Finding) {
	e.count(f, -1)
	lead.Covers = append(lead.Covers, Covered{f.Rule.ID, f.Object})
	reason := "covered by " + lead.Rule.ID
	switch {
	case lead.Rule == f.Rule:
		reason = "covered by the check of " + lead.Object.Name
	case lead.Object != f.Object:
		reason += " of " + lead.Object.Name
	}
	e.out.setAside[place{f.Rule, f.object}] = reason
	*f = Finding{Evaluated: f.Evaluated, Rule: f.Rule, Severity: f.Severity, Outcome: NotApplicable, Reason: reason}
	e.count(f, 1)
}

// coverRules finds the findings of covered rules.
func (e *evaluation) coverRules() leads {
	by := e.standing()
	found := leads{}
	if len(by) == 0 {
		return found
	}
	for i, f := range e.out.Findings {
		if f.Outcome != Fail && f.Outcome != Unknown && f.Outcome != Manual {
			continue
		}
		for _, lead := range by[coverKey{f.Rule.ID, mark.OwnerOf(f.object)}] {
			if covers(e.out.Findings[lead], f) {
				found[i] = lead
				break
			}
		}
	}
	return found
}

// coverKey is a covered rule, and the host or VM at which another rule covers it.
type coverKey struct {
	rule  string
	owner inventory.Object
}

// standing returns the indexes of failed findings that cover other rules.
func (e *evaluation) standing() map[coverKey][]int {
	rules := map[*Rule]*compiled{}
	for _, r := range e.rules {
		if len(r.Covers) > 0 {
			rules[r.Rule] = r
		}
	}
	by := map[coverKey][]int{}
	for i, f := range e.out.Findings {
		r := rules[f.Rule]
		if r == nil || f.Outcome != Fail {
			continue
		}
		s := &subject{choice: e.profiles.ofFinding(f), object: f.object, memo: e.memo}
		s.place()
		for k, c := range r.Covers {
			if r.covers[k] == nil || isTrue(r.covers[k], &activation{subject: s, params: r.params}) {
				key := coverKey{c.Rule, mark.OwnerOf(f.object)}
				by[key] = append(by[key], i)
			}
		}
	}
	return by
}

// covers reports whether a finding covers another one of the same host or VM. A device does not cover another device,
// and no finding covers a more severe one.
func covers(lead, f *Finding) bool {
	if !lead.Severity.AtLeast(f.Severity) {
		return false
	}
	return lead.object == f.object || lead.Object.Kind != f.Object.Kind && (lead.object == mark.OwnerOf(f.object) || f.object == mark.OwnerOf(lead.object))
}

// checkKey identifies manual checks that need to be made only once.
type checkKey struct {
	rule     *Rule
	severity Severity
	group    checkGroup
}

// coverChecks finds the manual checks that another check of the same rule covers.
func (e *evaluation) coverChecks(found leads) {
	first := map[checkKey]int{}
	for i, f := range e.out.Findings {
		if _, folded := found[i]; folded || f.Outcome != Manual || f.once == nil {
			continue
		}
		key := checkKey{f.Rule, f.Severity, *f.once}
		if lead, there := first[key]; there {
			found[i] = lead
		} else {
			first[key] = i
		}
	}
}
