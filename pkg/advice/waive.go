package advice

import (
	"fmt"
	"slices"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// accept moves waived symptoms to Waived, where they do not count.
func (d *Diagnosis) accept() {
	counts := d.Symptoms[:0]
	for _, f := range d.Symptoms {
		if f.Outcome == Waived {
			d.Waived = append(d.Waived, f)
		} else {
			counts = append(counts, f)
		}
	}
	d.Symptoms = counts
}

// claim is a waiver with its matches.
type claim struct {
	*Waiver

	scope    inventory.Scope // of a waiver in a custom attribute: the scope at which its object was found
	used     bool            // it matches a fail, or a finding that may be one
	reported int             // fails that are reported again because it has ended
	unread   []untagged
	search
}

// untagged is a failed finding to which a waiver does not apply because tags are unread.
type untagged struct {
	of       inventory.Ref
	severity Severity
	rule     *Rule // of a finding; nil for a diagnosis
}

// search is the result of the search for an object of a waiver that no finding needs.
type search struct {
	found     bool // one of its rules evaluated such an object
	evaluated bool // one of its rules evaluated any object
	undecided bool // an object may be one, or its rules did not evaluate it
}

// waiving applies waivers to the result of one snapshot.
type waiving struct {
	today    Date
	snapshot *inventory.Snapshot
	rules    *Ruleset
	result   *Result
	all      []*claim // those of files first, in their order
	wrong    map[inventory.Scope]*mark.Complaints
	servers  []string
	partly   bool // not all objects of the servers were selected
	fails    map[mark.Tagged]bool
}

// collect adds waivers in custom attributes of the rules' objects, and the complaints about invalid ones.
func (g *waiving) collect(w *Waivers) {
	seen := map[mark.Tagged]bool{}
	g.each(func(*Rule) bool { return true }, func(scope inventory.Scope, o inventory.Object) bool {
		b := mark.TaggedOf(o)
		if b == nil || seen[b] {
			return true
		}
		seen[b] = true
		if g.wrong[scope] == nil {
			g.wrong[scope] = new(mark.Complaints)
		}
		if _, read := mark.Attribute(b, waiveMark); !read && g.failing()[b] {
			g.wrong[scope].Add(fmt.Sprintf("it could not be checked whether a custom attribute %s waives findings: %s", waiveMark, mark.Unread(b, mark.FactAttributes).Reason), b)
		}
		for _, x := range w.attributeWaivers(b, g.wrong[scope]) {
			g.all = append(g.all, &claim{Waiver: &x, scope: scope})
		}
		return true
	})
}

// failing returns the objects that, or whose devices, have a failed finding.
func (g *waiving) failing() map[mark.Tagged]bool {
	if g.fails == nil {
		g.fails = map[mark.Tagged]bool{}
		for _, f := range g.result.Findings {
			if f.Outcome == Fail {
				g.fails[mark.TaggedOf(f.object)] = true
			}
		}
	}
	return g.fails
}

// each calls visit with the objects of the rules for which of is true, until visit returns false.
func (g *waiving) each(of func(*Rule) bool, visit func(inventory.Scope, inventory.Object) bool) {
	for _, scope := range Scopes() {
		if !slices.ContainsFunc(g.rules.rules, func(r *compiled) bool { return r.Scope == scope && of(r.Rule) }) {
			continue
		}
		for _, v := range g.snapshot.VCenters {
			for o := range objectsOf(v, scope) {
				if !visit(scope, o) {
					return
				}
			}
		}
	}
}

// judge waives a finding and reports whether it did. The first valid waiver counts. For an unknown finding it only
// records that a waiver may be needed. rule is nil for the finding of a diagnosis.
func (g *waiving) judge(f *Finding, rule *Rule) bool {
	if f.Outcome != Fail && f.Outcome != Unknown {
		return false
	}
	b := mark.TaggedOf(f.object)
	if b != nil {
		if _, read := mark.Attribute(b, waiveMark); !read {
			f.unchecked = mark.Unread(b, mark.FactAttributes)
		}
	}
	var holds, ended *claim
	for _, c := range g.all {
		switch {
		case !c.covers(f, rule, b, g.today) || f.Outcome == Unknown:
		case c.Until < g.today:
			ended = c
		case holds == nil:
			holds = c
		}
	}
	switch {
	case holds != nil:
		f.Outcome, f.Waiver, f.Reason = Waived, holds.Waiver, holds.accepted()
	case ended != nil:
		ended.reported++
		f.Notes = append(f.Notes, fmt.Sprintf("The waiver for this (%s) ended on %s.", ended.From, ended.Until))
	}
	return holds != nil
}

func (c *claim) covers(f *Finding, rule *Rule, b mark.Tagged, today Date) bool {
	if !c.rules.Matches(f.Rule.ID) {
		return false
	}
	fits, unread := c.pick.Fits(f.object)
	if unread && f.Outcome == Fail {
		if b != nil && c.Until >= today {
			f.unchecked = mark.Unread(b, mark.FactTags)
		}
		c.unread = append(c.unread, untagged{f.Object, f.Severity, rule})
		f.Notes = append(f.Notes, fmt.Sprintf("It could not be checked whether %s applies: it selects by tag, and the tags were not read.", c.Waiver))
	}
	c.used = c.used || fits
	return fits
}

// warnings returns the warnings about a waiver for its author. whole is true if all objects of the servers were selected.
func (c *claim) warnings(servers string, whole bool) []string {
	var out []string
	if c.reported > 0 {
		out = append(out, fmt.Sprintf("%s ended on %s: %s", c.Waiver, c.Until, reportedAgain(c.reported)))
	}
	if len(c.unread) > 0 {
		of := make([]inventory.Ref, len(c.unread))
		for i, f := range c.unread {
			of[i] = f.of
		}
		out = append(out, fmt.Sprintf("%s selects by tag, but the tags of %s were not read: it does not apply there", c.Waiver, mark.SomeOf(of)))
	}
	switch {
	case c.used:
	case c.found:
		out = append(out, fmt.Sprintf("%s is not needed: no finding that it waives fails", c.Waiver))
	case c.evaluated && !c.undecided && whole: // a waiver for objects that were not selected is not superfluous
		out = append(out, fmt.Sprintf("%s matches no object of %s", c.Waiver, servers))
	}
	return out
}

// seek looks for an object of the waiver among those that its rules evaluated.
func (g *waiving) seek(c *claim) {
	g.each(func(r *Rule) bool { return c.rules.Matches(r.ID) }, func(_ inventory.Scope, o inventory.Object) bool {
		c.evaluated = true
		fits, unread := c.pick.Fits(o)
		c.found = fits && g.judged(c, o)
		c.undecided = c.undecided || unread || fits && !c.found
		return !c.found
	})
}

// judged reports whether a rule of the waiver was evaluated against the object.
func (g *waiving) judged(c *claim, o inventory.Object) bool {
	return slices.ContainsFunc(g.rules.rules, func(r *compiled) bool {
		return r.Scope == o.Ref().Kind && c.rules.Matches(r.ID) && g.result.judged(r, o)
	})
}

func reportedAgain(n int) string {
	if n == 1 {
		return "1 finding is back"
	}
	return fmt.Sprintf("%d findings are back", n)
}

// Needs lists the facts needed to know which waivers apply.
func (w *Waivers) Needs(rules *Ruleset) inventory.Needs {
	var n inventory.Needs
	rules.addMarkNeeds(&n, mark.FactAttributes)
	if slices.ContainsFunc(w.list, func(x Waiver) bool { return x.Tag != "" }) {
		rules.addMarkNeeds(&n, mark.FactTags)
	}
	return n
}

// Apply turns failed findings and diagnoses with a valid waiver into waived ones. A fail whose waiver has ended remains
// a fail, with a note. Warnings about invalid, ended or unused waivers are added to the result's warnings.
func (w *Waivers) Apply(r *Result, s *inventory.Snapshot, rules *Ruleset) {
	r.Warnings = append(r.Warnings, w.warnings([]*waiving{w.apply(r, s, rules)})...)
}

// apply is Apply for one of several snapshots, without the warnings.
func (w *Waivers) apply(r *Result, s *inventory.Snapshot, rules *Ruleset) *waiving {
	g := &waiving{today: w.today, snapshot: s, rules: rules, result: r, wrong: map[inventory.Scope]*mark.Complaints{}}
	for i := range w.list {
		g.all = append(g.all, &claim{Waiver: &w.list[i]})
	}
	for _, v := range s.VCenters {
		g.servers, g.partly = append(g.servers, v.Name), g.partly || !v.Whole
	}
	g.collect(w)
	g.judgeAll()
	for _, c := range g.all {
		if !c.used {
			g.seek(c)
		}
	}
	return g
}

// judgeAll waives findings and diagnoses.
func (g *waiving) judgeAll() {
	r, waived := g.result, 0
	for i := range r.Findings {
		if g.judge(r.Findings[i], r.Findings[i].Rule) {
			waived++
		}
	}
	if waived > 0 {
		r.Counts[Fail] -= waived
		r.Counts[Waived] += waived
	}
	for _, d := range r.Diagnoses {
		if g.judge(d.Finding, nil) {
			waived++
		}
	}
	if waived > 0 {
		r.sort()
	}
	for _, d := range r.Diagnoses {
		d.accept()
	}
}
