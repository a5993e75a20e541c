package advice

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/inventory"
)

// links checks references between rules after all rules are loaded.
type links struct {
	rules map[string]*Rule
	ids   []string
	bad   strictyaml.Errors
}

// checkLinks checks every rule that explains or covers other rules.
func (l *Library) checkLinks() strictyaml.Errors {
	c := &links{rules: make(map[string]*Rule, len(l.rules)), ids: l.IDs()}
	for _, r := range l.rules {
		c.rules[r.ID] = r
	}
	for _, r := range l.rules {
		if len(r.Explains) > 0 && expr.Chain[r.Scope] != nil {
			c.diagnosis(r)
		}
		of := newChecker(r)
		for i, x := range r.Covers {
			c.add(r, strictyaml.Child(of.item("covers", i), "rule"), c.covered(r, x.Rule))
		}
	}
	return c.bad
}

func (c *links) diagnosis(r *Rule) {
	of := newChecker(r)
	for i, id := range r.Explains {
		c.add(r, of.item("explains", i), c.symptom(r, id))
	}
	for i, id := range r.Fixes {
		c.add(r, of.item("fixes", i), c.other(r, id))
	}
	for i, id := range r.Follows {
		c.add(r, of.item("follows", i), c.followed(r, id))
	}
	for _, e := range r.expressions() {
		c.expression(r, e)
	}
	for i := range r.Examples {
		c.example(r, strictyaml.Child(of.item("examples", i), "findings"))
	}
}

func (c *links) add(r *Rule, n *yaml.Node, message string) {
	if message != "" {
		c.bad = append(c.bad, r.file.At(n, message))
	}
}

// symptom returns why a rule cannot be explained, or "".
func (c *links) symptom(r *Rule, id string) string {
	x := c.rules[id]
	switch {
	case x == nil:
		return c.unknown(id)
	case len(x.Explains) > 0:
		return id + " is a diagnosis: explains must list rules over live counters"
	case len(x.Live()) == 0:
		return id + " reads no live counter, so it is not a symptom: explains must list rules that do"
	case x.Scope != r.Scope:
		return fmt.Sprintf("%s evaluates each %s, this rule each %s: a diagnosis must have the scope of its symptoms", id, x.Scope, r.Scope)
	case len(slices.DeleteFunc(slices.Clone(r.Explains), func(s string) bool { return s != id })) > 1:
		return id + " is listed twice"
	}
	return ""
}

// other returns why a diagnosis cannot read the outcome of a rule, or "".
func (c *links) other(r *Rule, id string) string {
	x := c.rules[id]
	switch {
	case x == nil:
		return c.unknown(id)
	case len(x.Explains) > 0:
		return id + " is a diagnosis, which is evaluated after all other rules"
	case !reaches(r.Scope, x.Scope):
		return fmt.Sprintf("%s evaluates each %s, which is neither a %s, nor a part of it, nor an object it belongs to", id, x.Scope, r.Scope)
	}
	return ""
}

// followed returns why a diagnosis cannot be the consequence of another, or "".
func (c *links) followed(r *Rule, id string) string {
	x := c.rules[id]
	switch {
	case x == nil:
		return c.unknown(id)
	case len(x.Explains) == 0:
		return id + " is not a diagnosis: follows must list the diagnoses of which this one is a consequence"
	case x.Verdict == VerdictHarmless:
		return id + " reports no fault, so this rule cannot be part of its recommendation"
	case len(slices.DeleteFunc(slices.Clone(r.Follows), func(s string) bool { return s != id })) > 1:
		return id + " is listed twice"
	case c.leads(id, r.ID, map[string]bool{}):
		return id + " follows this rule, directly or indirectly: only one of two can be the consequence"
	}
	return ""
}

// covered returns why a rule cannot be covered by another, or "".
func (c *links) covered(r *Rule, id string) string {
	x := c.rules[id]
	switch {
	case x == nil:
		return c.unknown(id)
	case len(x.Explains) > 0:
		return id + " is a diagnosis, which has no finding of its own"
	case x.Scope != r.Scope && ownerScope[x.Scope] != r.Scope && ownerScope[r.Scope] != x.Scope:
		return fmt.Sprintf("%s evaluates each %s, which is neither a %s, nor a device of it, nor the owner of that device", id, x.Scope, r.Scope)
	case len(slices.DeleteFunc(slices.Clone(r.Covers), func(y Cover) bool { return y.Rule != id })) > 1:
		return id + " is listed twice"
	case c.coversInTheEnd(id, r.ID, map[string]bool{}):
		return id + " covers this rule, directly or indirectly: only one of two rules can cover the other"
	}
	return ""
}

// ownerScope maps the scope of a device to that of its owner.
var ownerScope = map[inventory.Scope]inventory.Scope{
	inventory.ScopePNIC: inventory.ScopeHost, inventory.ScopeVMKNIC: inventory.ScopeHost, inventory.ScopeHBA: inventory.ScopeHost,
	inventory.ScopeLUN: inventory.ScopeHost, inventory.ScopeVNIC: inventory.ScopeVM, inventory.ScopeVDisk: inventory.ScopeVM,
}

// coversInTheEnd reports whether one rule covers another, directly or through others; seen are the visited rules.
func (c *links) coversInTheEnd(from, to string, seen map[string]bool) bool {
	if from == to {
		return true
	}
	if c.rules[from] == nil || seen[from] {
		return false
	}
	seen[from] = true
	return slices.ContainsFunc(c.rules[from].Covers, func(x Cover) bool { return c.coversInTheEnd(x.Rule, to, seen) })
}

// leads reports whether one diagnosis follows another, directly or through others; seen are the visited rules.
func (c *links) leads(from, to string, seen map[string]bool) bool {
	if from == to {
		return true
	}
	if c.rules[from] == nil || seen[from] {
		return false
	}
	seen[from] = true
	return slices.ContainsFunc(c.rules[from].Follows, func(id string) bool { return c.leads(id, to, seen) })
}

func (c *links) unknown(id string) string {
	return fmt.Sprintf("no rule %q%s", id, inventory.DidYouMean(id, c.ids))
}

func (c *links) expression(r *Rule, e Expr) {
	for _, m := range findingsOf.FindAllStringSubmatchIndex(e.Source, -1) {
		if message := c.other(r, e.Source[m[2]:m[3]]); message != "" {
			c.bad = append(c.bad, r.MistakeIn(e, m[2], message))
		}
	}
}

// example refuses findings of rules that no expression reads: they would have no effect.
func (c *links) example(r *Rule, findings *yaml.Node) {
	for i := 0; findings != nil && i+1 < len(findings.Content); i += 2 {
		n := findings.Content[i]
		if !slices.ContainsFunc(r.expressions(), func(e Expr) bool { return asks(e, n.Value) }) {
			c.add(r, n, fmt.Sprintf("no expression of this rule has findings[%q]%s", n.Value, inventory.DidYouMean(n.Value, r.refers())))
		}
	}
}

func asks(e Expr, id string) bool {
	return slices.ContainsFunc(findingsOf.FindAllStringSubmatch(e.Source, -1), func(m []string) bool { return m[1] == id })
}
