package advice

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice/internal/examplefleet"
	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/inventory"
)

// doubleDigit is the minimum change, as a ratio, for which a published measurement justifies severity high.
const doubleDigit = 0.10

// checkHigh checks the reasons for severity high. It runs after quote, because a quoted figure can be the reason.
func (l *Library) checkHigh() strictyaml.Errors {
	var bad strictyaml.Errors
	for _, r := range l.rules {
		c := newChecker(r)
		c.high()
		bad = append(bad, c.Bad...)
	}
	return bad
}

// high checks the reason that a rule gives for severity high; grounded reports missing reasons.
func (c *checker) high() {
	r, n := c.rule, strictyaml.Child(c.rule.node, "high")
	if n == nil {
		return
	}
	if !slices.Contains(highReasonKinds(), r.High.Kind) {
		oneOfAt(c, n, "reason", r.High.Kind, highReasonKinds())
		return
	}
	switch {
	case r.High.Text == "":
		c.Add(n, "high needs text: the effect in a sentence")
	case r.High.Kind == HighCounter && len(r.Live()) == 0:
		c.Add(n, "the reason counter is only for rules over live counters, and this rule reads none")
	case r.High.Kind == HighBenchmark && !slices.ContainsFunc(r.Benefit, Benefit.doubleDigit):
		c.Add(n, "the reason benchmark needs a benefit with a source and a change of 10 % or more")
	}
}

func (b Benefit) doubleDigit() bool {
	return b.Source != "" && b.Change != nil && math.Abs(*b.Change) >= doubleDigit
}

// CheckID returns an error if id is not a valid rule id.
func CheckID(id string) error {
	if strictyaml.ID.MatchString(id) {
		return nil
	}
	return fmt.Errorf("id %q: write %s", id, strictyaml.WantedID)
}

// judges checks that the field lists states of VMs, and that the rule would skip VMs without it.
func (c *checker) judges() {
	n := strictyaml.Child(c.rule.node, "judges")
	for i, s := range c.rule.Judges {
		oneOfAt(c, n.Content[i], "state of VMs", s, VMStates())
	}
	switch {
	case n == nil:
	case len(c.rule.Explains) > 0:
		c.Add(n, "judges is not valid in a diagnosis, which evaluates every object that has its symptom")
	case !slices.Contains(vmScopes, c.rule.Scope):
		c.Add(n, "judges is only for rules of scope "+joinWords(vmScopes)+": all other rules evaluate every object")
	}
}

// verdict checks that a rule has either an expression or a text for a manual check. Diagnoses have neither.
func (c *checker) verdict() {
	switch r := c.rule; {
	case len(r.Explains) > 0:
	case r.Want.Empty() && r.Manual == "":
		c.Missing("want", "the expression that is true if there is no problem")
	case !r.Want.Empty() && r.Manual != "":
		c.Add(strictyaml.Child(r.node, "manual"), "a rule has either want or manual: a check by an expression is not manual")
	case r.Manual != "" && len(r.Covers) > 0:
		c.Add(strictyaml.Child(r.node, "covers"), "a manual rule cannot cover others: its outcome is unknown")
	case r.Manual == "" && !r.Once.Empty():
		c.Add(strictyaml.Child(r.node, "once"), "once is only for manual rules: all other rules evaluate each object separately")
	case r.Manual != "" && len(r.Remedy) > 0:
		c.Add(strictyaml.Child(r.node, "remedy"), "a manual rule cannot have a remedy: it is unknown whether one is needed")
	}
}

type checker struct {
	strictyaml.Fields

	rule *Rule
}

func newChecker(r *Rule) checker {
	return checker{strictyaml.Fields{File: r.file, Node: r.node, Of: reflect.TypeFor[Rule]()}, r}
}

func oneOf[T ~string](c *checker, field string, have T, all []T) {
	n := strictyaml.Child(c.rule.node, field)
	if n == nil {
		c.Missing(field, "one of "+joinWords(all))
		return
	}
	oneOfAt(c, n, field, have, all)
}

func oneOfAt[T ~string](c *checker, n *yaml.Node, kind string, have T, all []T) {
	if _, err := parseWord(kind, string(have), all); err != nil {
		c.Add(n, err.Error())
	}
}

func (c *checker) profiles() {
	n := strictyaml.Child(c.rule.node, "profiles")
	for i := 0; n != nil && i+1 < len(n.Content); i += 2 {
		oneOfAt(c, n.Content[i], "profile", Profile(n.Content[i].Value), Profiles())
		oneOfAt(c, n.Content[i+1], "severity", Severity(n.Content[i+1].Value), Severities())
	}
}

// item returns the node of one element of a list field.
func (c *checker) item(field string, i int) *yaml.Node {
	return element(strictyaml.Child(c.rule.node, field), i)
}

func (c *checker) caseSeverity(i int) {
	n := c.item("cases", i)
	oneOfAt(c, strictyaml.Child(n, "severity"), "severity", c.rule.Cases[i].Severity, Severities())
	if c.rule.Cases[i].When.Empty() {
		c.Add(n, "a case needs when: the condition under which its severity holds")
	}
}

func (c *checker) remedy(i int) {
	r, n := &c.rule.Remedy[i], c.item("remedy", i)
	if r.To.Empty() {
		c.Add(n, "a remedy needs to: the value to set")
	}
	s, err := inventory.LookupSetting(r.Set.Text)
	r.setting = s
	if err != nil {
		at := r.Set.Node
		if at == nil {
			at = n
		}
		c.Add(at, err.Error())
		return
	}
	if star := s.Key == "*"; star == r.Each.Empty() {
		c.Add(r.Set.Node, "the key * and each go together: each lists the values of *")
	}
	if !slices.Contains(expr.Chain[c.rule.Scope], s.Kind.Scope) {
		c.Add(r.Set.Node, fmt.Sprintf("%s is a setting of a %s, which a rule of scope %s cannot reach", s, s.Kind.Scope, c.rule.Scope))
	}
	c.activation(r, n)
	c.consent(r, n)
}

func (c *checker) consent(r *Remedy, n *yaml.Node) {
	s := r.setting
	switch least := s.Consent(); {
	case r.Consent == "":
		r.Consent = least
	case !slices.Contains(inventory.Consents(), r.Consent):
		oneOfAt(c, strictyaml.Child(n, "consent"), "consent", r.Consent, inventory.Consents())
	case r.Consent.EasierThan(least):
		c.Add(strictyaml.Child(n, "consent"), fmt.Sprintf("rule %s has consent %s for %s, which needs %s: a rule may require more consent, never less",
			c.rule.ID, r.Consent, s, least))
	}
}

func (c *checker) activation(r *Remedy, n *yaml.Node) {
	least := r.setting.Activation()
	switch {
	case r.Activation == "":
		r.Activation = least
	case !slices.Contains(inventory.Activations(), r.Activation):
		oneOfAt(c, strictyaml.Child(n, "activation"), "activation", r.Activation, inventory.Activations())
	case r.Activation.MilderThan(least):
		c.Add(strictyaml.Child(n, "activation"), fmt.Sprintf("%s needs at least %s; a rule may require more, never less", r.setting, least))
	}
}

// trialUnits are the kinds of objects that a trial changes as one.
var trialUnits = []inventory.Scope{
	inventory.ScopeHost, inventory.ScopeVM, inventory.ScopeLUN, inventory.ScopePool, inventory.ScopeCluster, inventory.ScopeSwitch,
}

// experiment checks that the rule's own design of a trial is slower than that of each setting, as for the activation. If
// a setting's key depends on the finding, its own design is unknown here.
func (c *checker) experiment() {
	e, n := c.rule.Experiment, strictyaml.Child(c.rule.node, "trial")
	if e == nil {
		return
	}
	oneOfAt(c, strictyaml.Child(n, "design"), "design", e.Design, inventory.SettingDesigns())
	if e.Unit != "" {
		oneOfAt(c, strictyaml.Child(n, "unit"), "unit of trials", e.Unit, trialUnits)
	}
	if e.Reason == "" {
		c.Add(n, "trial needs reason: why the rule has this design, in a sentence")
	}
	if len(c.rule.Remedy) == 0 {
		c.Add(n, "trial is for rules with a remedy: the others change nothing that a trial could measure")
		return
	}
	needed := false
	for _, r := range c.rule.Remedy {
		if r.setting.Kind.Name == "" {
			return // LookupSetting reports why
		}
		own, rule := inventory.Trial{Design: r.setting.Trial(r.Activation, r.Consent).Design}, inventory.Trial{Design: e.Design}
		needed = needed || r.setting.AnyKey() || rule.SlowerThan(own)
		if !r.setting.AnyKey() && own.SlowerThan(rule) {
			c.Add(n, fmt.Sprintf("%s has design %s; a rule may give a slower one, never a quicker one", r.setting, own.Design))
			return
		}
	}
	if !needed {
		c.Add(n, fmt.Sprintf("the settings of this rule have design %s themselves", e.Design))
	}
}

func (c *checker) example(i int) {
	e, n := c.rule.Examples[i], c.item("examples", i)
	if e.Name == "" {
		c.Add(n, "an example needs a name")
	}
	if facts := strictyaml.Child(n, "facts"); facts != nil {
		c.Bad = append(c.Bad, examplefleet.Check(c.rule.file, facts)...)
	}
	oneOfAt(c, strictyaml.Child(n, "expect"), "outcome", e.Expect, Outcomes())
	if e.Profile != "" {
		oneOfAt(c, strictyaml.Child(n, "profile"), "profile", e.Profile, Profiles())
	}
	if e.Severity != "" {
		oneOfAt(c, strictyaml.Child(n, "severity"), "severity", e.Severity, Severities())
	}
}
