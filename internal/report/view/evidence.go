package view

import (
	"regexp"
	"strings"
	"sync"

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
	// statistic is evidence that is one figure of one counter: only of such a value is the unit the counter's.
	statistic = regexp.MustCompile(`^(\w+)\.live\(["']([^"']+)["']\)\.(\w+)$`)
	partOf    = regexp.MustCompile(`^\w+\.live\(["'][^"']+["']\)\.beyond(\(.*\))$`)
)

// isCounted reports whether an expression reads a counter.
func isCounted(source string) bool { return strings.Contains(source, ".live(") }

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
	if known, ok := units.Load(source); ok {
		u := known.([2]string)
		return u[0], u[1]
	}
	unit, stat = parseUnit(source)
	units.Store(source, [2]string{unit, stat})
	return unit, stat
}

// units are the results of unitOf: a few hundred expressions of rules have a hundred thousand values.
var units sync.Map

func parseUnit(source string) (unit, stat string) {
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

// Evidence returns the evidence of a finding as links.
func Evidence(f *advice.Finding) []Link { return Links(f, f.Evidence) }

// Links returns the measurements of a finding as links.
func Links(f *advice.Finding, all []advice.Measured) []Link {
	links := make([]Link, len(all))
	for i, m := range all {
		links[i] = Link{Rule: f.Rule, Object: f.Object, Name: m.Name, Value: m.Value}
		if source := sourceOf(f.Rule, m.Name); isCounted(source) {
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
