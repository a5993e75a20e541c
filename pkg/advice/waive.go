package advice

import (
	"fmt"
	"slices"
	"strings"

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
	Waiver

	used     bool // it matches a fail, or a finding that may be one
	reported int  // fails that are reported again because it has ended
	unread   []inventory.Ref
}

type waiving struct {
	today    Date
	snapshot *inventory.Snapshot
	rules    *Ruleset
	result   *Result
	all      []*claim
}

// collect adds waivers in custom attributes of the rules' objects, and returns warnings about invalid ones.
func (g *waiving) collect(w *Waivers) []string {
	var wrong mark.Complaints
	seen := map[mark.Tagged]bool{}
	g.each(func(*Rule) bool { return true }, func(o inventory.Object) bool {
		b := mark.TaggedOf(o)
		if b == nil || seen[b] {
			return true
		}
		seen[b] = true
		for _, x := range w.attributeWaivers(b, &wrong) {
			g.all = append(g.all, &claim{Waiver: x})
		}
		return true
	})
	return wrong.Warnings()
}

// each calls visit with the objects of the rules for which of is true, until visit returns false.
func (g *waiving) each(of func(*Rule) bool, visit func(inventory.Object) bool) {
	for _, scope := range Scopes() {
		if !slices.ContainsFunc(g.rules.rules, func(r *compiled) bool { return r.Scope == scope && of(r.Rule) }) {
			continue
		}
		for _, v := range g.snapshot.VCenters {
			for o := range objectsOf(v, scope) {
				if !visit(o) {
					return
				}
			}
		}
	}
}

// judge waives a finding and reports whether it did. The first valid waiver counts. For an unknown finding it only
// records that a waiver may be needed.
func (g *waiving) judge(f *Finding) bool {
	if f.Outcome != Fail && f.Outcome != Unknown {
		return false
	}
	var holds, ended *claim
	for _, c := range g.all {
		switch {
		case !c.covers(f) || f.Outcome == Unknown:
		case c.Until < g.today:
			ended = c
		case holds == nil:
			holds = c
		}
	}
	switch {
	case holds != nil:
		f.Outcome, f.Waiver, f.Reason = Waived, &holds.Waiver, holds.accepted()
	case ended != nil:
		ended.reported++
		f.Notes = append(f.Notes, fmt.Sprintf("The waiver for this (%s) ended on %s.", ended.From, ended.Until))
	}
	return holds != nil
}

func (c *claim) covers(f *Finding) bool {
	if !c.rules.Matches(f.Rule.ID) {
		return false
	}
	fits, unread := c.pick.Fits(f.object)
	if unread && f.Outcome == Fail {
		c.unread = append(c.unread, f.Object)
	}
	c.used = c.used || fits
	return fits
}

// warnings returns the warnings about a waiver for its author.
func (g *waiving) warnings(c *claim) []string {
	var out []string
	if c.reported > 0 {
		out = append(out, fmt.Sprintf("%s ended on %s: %s", &c.Waiver, c.Until, reportedAgain(c.reported)))
	}
	if len(c.unread) > 0 {
		out = append(out, fmt.Sprintf("%s selects by tag, but the tags of %s were not read: it does not apply there", &c.Waiver, mark.SomeOf(c.unread)))
	}
	if c.used {
		return out
	}
	switch found, missing := g.seek(c); {
	case found:
		out = append(out, fmt.Sprintf("%s is not needed: no finding that it waives fails", &c.Waiver))
	case missing:
		out = append(out, fmt.Sprintf("%s matches no object of %s", &c.Waiver, g.servers()))
	}
	return out
}

// seek looks for an object of the waiver among those that its rules evaluated. missing is true only if all objects were
// read: a waiver for objects outside the selected scope is not superfluous.
func (g *waiving) seek(c *claim) (found, missing bool) {
	evaluated, unread := false, false
	g.each(func(r *Rule) bool { return c.rules.Matches(r.ID) }, func(o inventory.Object) bool {
		evaluated = true
		fits, undecided := c.pick.Fits(o)
		judged := fits && g.judged(c, o)
		found, unread = judged, unread || undecided || fits && !judged
		return !found
	})
	partly := slices.ContainsFunc(g.snapshot.VCenters, func(v *inventory.VCenter) bool { return !v.Whole })
	return found, evaluated && !found && !unread && !partly
}

// judged reports whether a rule of the waiver was evaluated against the object.
func (g *waiving) judged(c *claim, o inventory.Object) bool {
	return slices.ContainsFunc(g.rules.rules, func(r *compiled) bool {
		return r.Scope == o.Ref().Kind && c.rules.Matches(r.ID) && g.result.judged(r, o)
	})
}

func (g *waiving) servers() string {
	var names []string
	for _, v := range g.snapshot.VCenters {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
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
	g := &waiving{today: w.today, snapshot: s, rules: rules, result: r}
	for _, x := range w.list {
		g.all = append(g.all, &claim{Waiver: x})
	}
	r.Warnings = append(r.Warnings, g.collect(w)...)
	waived := 0
	for i := range r.Findings {
		if g.judge(r.Findings[i]) {
			waived++
		}
	}
	if waived > 0 {
		r.Counts[Fail] -= waived
		r.Counts[Waived] += waived
	}
	for _, d := range r.Diagnoses {
		if g.judge(d.Finding) {
			waived++
		}
	}
	if waived > 0 {
		r.sort()
	}
	for _, d := range r.Diagnoses {
		d.accept()
	}
	for _, c := range g.all {
		r.Warnings = append(r.Warnings, g.warnings(c)...)
	}
}
