package view

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// LinkKind is the kind of a link in a chain of evidence.
type LinkKind string

// The kinds of links, in the order of a chain.
const (
	LinkSymptom       LinkKind = "symptom"       // a measurement of an affected object
	LinkCause         LinkKind = "cause"         // a measurement that proves the cause
	LinkConfiguration LinkKind = "configuration" // a setting that proves the cause
	LinkFinding       LinkKind = "finding"       // a finding of another rule there, with a fix
)

// Link is one piece of evidence for a recommendation. Its texts are not yet safe for any format.
type Link struct {
	Kind   LinkKind
	Rule   *advice.Rule  // the rule that shows the evidence
	Object inventory.Ref // the object that was read or measured
	Name   string        // the rule's name for the evidence; "" if the rule shows only its verdict
	Value  inventory.Fact[any]
	Unit   string // of the value; "" if the name or the value includes it
	Stat   string // the statistic over the samples, such as p95; "" for values that are not measured
}

// Text returns the link as text.
func (l Link) Text() string {
	if l.Name == "" {
		return l.Rule.Title
	}
	s := l.Name + " " + l.ValueText()
	if _, known := l.Value.Value(); known && l.Stat != "" && !strings.Contains(strings.ToLower(l.Name), l.Stat) {
		s += " (" + l.Stat + ")"
	}
	return s
}

// ValueText returns the value with its unit, or states that it is absent or why it was not read.
func (l Link) ValueText() string {
	return wording.FactText(l.Value, func(v any) string { return wording.FigureOf(v, l.Unit) })
}

// Chain returns the evidence for a recommendation in this order: the symptoms, the measurements and then the settings that prove
// the cause, and the findings of other rules there. A counter that both a symptom and a cause show appears once.
func Chain(r *advice.Recommendation) []Link {
	c := chain{seen: map[linkKey]bool{}, listed: map[valueKey]bool{}, set: map[valueKey]bool{}}
	for _, s := range symptoms(r) {
		c.add(s, inventory.Ref{}, LinkSymptom, LinkSymptom)
	}
	for _, d := range r.Diagnoses {
		c.add(d.Finding, d.Cause, LinkCause, LinkConfiguration)
	}
	for _, f := range r.Findings {
		c.add(f, inventory.Ref{}, LinkFinding, LinkFinding)
	}
	slices.SortStableFunc(c.links, func(a, b Link) int { return slices.Index(linkKinds, a.Kind) - slices.Index(linkKinds, b.Kind) })
	return c.links
}

var linkKinds = []LinkKind{LinkSymptom, LinkCause, LinkConfiguration, LinkFinding}

// symptoms returns the findings that the diagnoses of a recommendation explain, each once.
func symptoms(r *advice.Recommendation) []*advice.Finding {
	var all []*advice.Finding
	seen := map[*advice.Finding]bool{}
	for _, d := range r.Diagnoses {
		for _, s := range d.Symptoms {
			if !seen[s] {
				seen[s] = true
				all = append(all, s)
			}
		}
	}
	return all
}

type chain struct {
	links  []Link
	seen   map[linkKey]bool
	listed map[valueKey]bool
	set    map[valueKey]bool // of settings that prove a cause
}

// linkKey identifies a link: two diagnoses of one host show the same counter of it.
type linkKey struct {
	kind       LinkKind
	rule, name string
	object     inventory.Ref
}

// valueKey identifies a value of an object by the expression that reads it.
type valueKey struct {
	object inventory.Ref
	source string
}

// add adds the evidence of a finding: counters get the kind measured, other values the kind set. Every finding without evidence,
// and every finding with a fix, has its link.
func (c *chain) add(f *advice.Finding, cause inventory.Ref, measured, set LinkKind) {
	if len(f.Evidence) == 0 {
		c.link(Link{Kind: set, Rule: f.Rule, Object: f.Object}, "")
	}
	for _, m := range f.Evidence {
		source := sourceOf(f.Rule, m.Name)
		l := Link{Kind: set, Rule: f.Rule, Object: f.Object, Name: m.Name, Value: m.Value}
		if set == LinkConfiguration { // of a diagnosis: its evidence may belong to its host
			l.Object = objectOf(source, f, cause)
		}
		if counted.MatchString(source) {
			l.Kind = measured
			l.Unit, l.Stat = unitOf(source)
		}
		c.link(l, source)
	}
}

// link adds a link unless it is a duplicate, a counter that a symptom already shows, or a setting that another cause shows.
func (c *chain) link(l Link, source string) {
	key, what := linkKey{l.Kind, l.Rule.ID, l.Name, l.Object}, valueKey{l.Object, source}
	if c.seen[key] || l.Kind == LinkCause && c.listed[what] || l.Kind == LinkConfiguration && c.set[what] {
		return
	}
	c.seen[key] = true
	if source != "" && !strings.Contains(source, "params.") { // parameters differ between rules
		c.listed[what] = true
		c.set[what] = c.set[what] || l.Kind == LinkConfiguration
	}
	c.links = append(c.links, l)
}

// sourceOf returns the expression of a piece of evidence.
func sourceOf(r *advice.Rule, name string) string {
	for _, e := range r.Evidence {
		if e.Name == name {
			return strings.TrimSpace(e.Expr.Source)
		}
	}
	return ""
}

var (
	counted = regexp.MustCompile(`\.live\(`)
	// statistic is evidence that is one figure of one counter: only of such a value is the unit the counter's.
	statistic = regexp.MustCompile(`^(\w+)\.live\(["']([^"']+)["']\)\.(\w+)$`)
	partOf    = regexp.MustCompile(`^\w+\.live\(["'][^"']+["']\)\.beyond(\(.*\))$`)
	// owner is an object whose facts an expression reads.
	owner = regexp.MustCompile(`\b([a-z]+)\.`)
)

// closesLast reports whether the last parenthesis of an expression closes the first.
func closesLast(expr string) bool {
	open := 0
	for i, r := range expr {
		switch r {
		case '(':
			open++
		case ')':
			open--
		}
		if open == 0 {
			return i == len(expr)-1
		}
	}
	return false
}

// unitOf returns the unit of an expression's value, and its statistic over the samples, such as p95.
func unitOf(source string) (unit, stat string) {
	if part := partOf.FindStringSubmatch(source); part != nil && closesLast(part[1]) {
		return wording.UnitPart, ""
	}
	m := statistic.FindStringSubmatch(source)
	if m == nil {
		return "", ""
	}
	metric, ok := inventory.LookupLive(inventory.Scope(m[1]), m[2])
	if !ok || m[3] == "samples" {
		return "", ""
	}
	return metric.Unit, m[3]
}

// objectOf returns the object that an expression reads: the finding's object, or else the cause or host that the expression names.
func objectOf(source string, f *advice.Finding, cause inventory.Ref) inventory.Ref {
	var kinds []inventory.Scope
	for _, m := range owner.FindAllStringSubmatch(source, -1) {
		kinds = append(kinds, inventory.Scope(m[1]))
	}
	switch {
	case slices.Contains(kinds, f.Object.Kind):
	case slices.Contains(kinds, cause.Kind):
		return cause
	case slices.Contains(kinds, inventory.ScopeHost) && f.Host != inventory.Ref{}:
		return f.Host
	}
	return f.Object
}

// Evidence returns the evidence of a finding as links.
func Evidence(f *advice.Finding) []Link {
	links := make([]Link, len(f.Evidence))
	for i, m := range f.Evidence {
		links[i] = Link{Rule: f.Rule, Object: f.Object, Name: m.Name, Value: m.Value}
		if source := sourceOf(f.Rule, m.Name); counted.MatchString(source) {
			links[i].Unit, links[i].Stat = unitOf(source)
		}
	}
	return links
}

// NameAndValue returns the name and value of a link for display. The value has its unit and its statistic, or states that it is absent
// or why it was not read.
func (l Link) NameAndValue() (name, value string) {
	name, unit := wording.Name(l.Name)
	if l.Unit != "" && unit != "/s" {
		unit = l.Unit
	}
	value = wording.FactText(l.Value, func(v any) string { return wording.ShortValue(v, name, unit) })
	if _, known := l.Value.Value(); known && l.Stat != "" && !strings.Contains(name, l.Stat) {
		value += " (" + l.Stat + ")"
	}
	return name, value
}

// phrase returns a link as one phrase for a screen.
func (l Link) phrase() string {
	name, value := l.NameAndValue()
	return strings.TrimSpace(name + " " + value)
}
