package advice

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/advice/vendor"
	"github.com/vperf/vperf/pkg/inventory"
)

// RuleSchema is the version of the rule format.
const RuleSchema = "vperf.rule/v1alpha1"

// Rule is one rule as written in its file. Severity, explanation, evidence and remedies are all in the file: the
// program adds no knowledge of its own.
type Rule struct {
	Schema   string               `yaml:"schema"`   // optional; RuleSchema
	ID       string               `yaml:"id"`       // two to four words in kebab case; ids are never reused
	Title    string               `yaml:"title"`    // the fault, as a finding's headline
	Category Category             `yaml:"category"` // the chapter of the guide
	Scope    inventory.Scope      `yaml:"scope"`    // the kind of object that is evaluated; expressions refer to it and its owners by these words
	Severity Severity             `yaml:"severity"` // unless the profile or a case says otherwise
	Profiles map[Profile]Severity `yaml:"profiles"` // severity by the profile of the object
	Cases    []Case               `yaml:"cases"`    // severity by a condition; the first that holds counts
	High     *HighReason          `yaml:"high"`     // why a finding may be high or critical; required for such rules of vperf's own
	// Judges lists the VMs that are evaluated although they are not running: by default, a rule of scope vm, vnic or
	// vdisk skips powered-off VMs and templates, because nothing runs slowly there.
	Judges  []VMState `yaml:"judges"`
	Applies Expr      `yaml:"applies"` // the objects the rule is for; empty: all of the scope
	Want    Expr      `yaml:"want"`    // true if there is no fault
	// Manual is the text of a manual check, if no API provides the facts: the outcome is then manual, never pass or
	// fail.
	Manual string `yaml:"manual"`
	// Explains are the symptoms that this rule is a cause of: rules over live counters of the same scope. Such a rule
	// is a diagnosis: it is evaluated only against objects that show one of them, and has because instead of want.
	Explains []string `yaml:"explains"`
	Because  Expr     `yaml:"because"` // true if this is the cause; findings["RULE"] is true if another rule fails for the object or an object it belongs to
	Verdict  Verdict  `yaml:"verdict"` // of a diagnosis: fault, the default, or harmless: the symptom is explained and needs no change
	Order    int      `yaml:"order"`   // of a diagnosis: of several proven causes of one symptom, the lowest is named first
	// At is the kind of object where the cause is: the rule's own scope, the default, an object it belongs to, or a
	// device of that which has to be fixed. Symptoms of many VMs with one cause at their host are one recommendation.
	At     inventory.Scope `yaml:"at"`
	Fixes  []string        `yaml:"fixes"`  // of a diagnosis: the rules whose findings at these objects, with their remedies, remove the cause
	Action string          `yaml:"action"` // of a diagnosis: the manual fix, in one or two sentences
	Effort Effort          `yaml:"effort"` // of a diagnosis without a remedy: low, medium or high
	// Follows lists the diagnoses that this one is a consequence of, the likeliest first. If one of them is at the same
	// object, at its host or at a part of it, both are one recommendation, named after the other.
	Follows []string `yaml:"follows"`
	// Only is true for a diagnosis whose fixes are needed only if it is proven: if counters were measured and it is not
	// proven, they are not recommended.
	Only bool `yaml:"only"`
	// Task identifies the manual fix of a diagnosis: causes at one object whose rules have the same task are one
	// recommendation.
	Task string `yaml:"task"`
	// Possible is true for a diagnosis whose because makes the cause possible but does not prove it, because vperf
	// reads no counter that decides. It ranks behind proven causes.
	Possible bool `yaml:"possible"`
	// Lost is, for a rule over live counters, the time that VMs lose to the symptom, in seconds per second; empty if
	// unknown.
	Lost     Expr             `yaml:"lost"`
	Evidence Evidence         `yaml:"evidence"` // names and measured values that a finding shows
	Params   map[string]Param `yaml:"params"`   // numbers and words that users may change; expressions read them as params.NAME
	// Covers lists rules with the same cause. If this rule fails, their findings on the same object, on its host or VM,
	// or on its devices are merged into this one.
	Covers []Cover `yaml:"covers"`
	// Once is a text, for a manual check: objects of a cluster with the same text need only one check.
	Once   Expr     `yaml:"once"`
	Remedy []Remedy `yaml:"remedy"` // the settings to change; of several remedies for one setting, the first whose condition is true
	// Experiment is how a trial can measure the change, where the settings' own design is wrong for this rule.
	Experiment *Experiment `yaml:"trial"`
	Notes      []Note      `yaml:"notes"`
	Why        string      `yaml:"why"`      // why it matters, for readers new to the subject
	Tradeoff   string      `yaml:"tradeoff"` // the cost of the change
	Benefit    []Benefit   `yaml:"benefit"`
	Questions  []string    `yaml:"questions"` // open questions that the rule rests on: headings of docs/open-questions.md
	Sources    []string    `yaml:"sources"`   // the sources of the claim
	Examples   []Example   `yaml:"examples"`  // every possible outcome of the rule, with facts that lead to it

	file strictyaml.File
	node *yaml.Node // nil after loading: root has it
	user bool       // not built in: evaluated with a cost limit

	vendors *vendor.List // of the library
}

// Case overrides the severity of a finding if its condition is true, whatever the profile. The first one counts.
type Case struct {
	When     Expr     `yaml:"when"`
	Severity Severity `yaml:"severity"`
	About    string   `yaml:"about"` // why, in a sentence
}

// HighReason is why a finding of a rule may be high: a measured effect of 10 % or more, an outage, or a VM that does not
// start.
type HighReason struct {
	Kind HighReasonKind `yaml:"because"`
	Text string         `yaml:"text"` // the effect in a sentence
}

// Param is a number or word of a rule that users may change.
type Param struct {
	Value any    `yaml:"value"` // int, float64, bool or string
	About string `yaml:"about"` // its meaning, with its unit
	Given bool   `yaml:"-"`     // the value is the user's (see Library.Set)
}

// Cover is a rule whose findings another rule covers.
type Cover struct {
	Rule string `yaml:"rule"` // the rule's id
	When Expr   `yaml:"when"` // only then; empty: always
}

// Remedy is one setting to change, and its new value.
type Remedy struct {
	Set        strictyaml.Scalar    `yaml:"set"`        // KIND, or KIND/KEY
	To         Expr                 `yaml:"to"`         // the value; a text needs its own quotes
	When       Expr                 `yaml:"when"`       // only then; empty: always
	Each       Expr                 `yaml:"each"`       // a list of keys; the setting's key is then *, and each of them is set
	Activation inventory.Activation `yaml:"activation"` // empty: the setting's own; a rule may require more, never less
	Consent    Consent              `yaml:"consent"`    // empty: the setting's own; a rule may require more consent, never less

	setting inventory.Setting
}

// Experiment is how a trial can measure the change that a rule wants.
type Experiment struct {
	Design inventory.Design `yaml:"design"` // switchback, slow-switchback, randomised or none
	Unit   inventory.Scope  `yaml:"unit"`   // the kind of object that is changed as one; empty: the setting's own
	Reason string           `yaml:"reason"` // why, in sentences
}

// Note is a sentence added to a finding if its condition is true.
type Note struct {
	When Expr   `yaml:"when"` // empty: always
	Text string `yaml:"text"`
}

// Benefit is a measured benefit of the change, with its conditions and source.
type Benefit struct {
	// Figure is the figure of an article that is quoted, as ARTICLE/FIGURE. It gives text, when, source, metric, and
	// change. An additional text states an effect that was not measured; the figure then follows it, and its change is
	// not expected.
	Figure string   `yaml:"figure"`
	Metric string   `yaml:"metric"` // the measured quantity
	Change *float64 `yaml:"change"` // as a ratio: -0.20 is 20 % less; omitted if there is no number
	Text   string   `yaml:"text"`   // the same in words; or that it was not measured
	When   string   `yaml:"when"`   // the conditions of the measurement
	Source string   `yaml:"source"` // the publisher of the measurement
	Holds  Expr     `yaml:"holds"`  // true if the object is similar to those it was measured on; empty: unknown

	own string // the rule's own text before the figure
}

// Example is a test of the rule: facts, and the expected finding.
type Example struct {
	Name    string    `yaml:"name"`
	Profile Profile   `yaml:"profile"` // empty: the automatic one
	Facts   yaml.Node `yaml:"facts"`   // objects by the words of scopes; omitted facts are unread
	// Findings has, for a diagnosis, the outcomes of other rules by id; omitted rules are unknown.
	Findings map[string]Outcome `yaml:"findings"`
	Expect   Outcome            `yaml:"expect"`
	Severity Severity           `yaml:"severity"` // of a fail; empty: not checked
	To       map[string]string  `yaml:"to"`       // setting address → proposed value, of all remedies; omitted: not checked
	// Consent is the approval that each remedy needs, by setting address.
	Consent map[string]Consent `yaml:"consent"`
}

// Evidence is a list of named expressions in the order of the file.
type Evidence []EvidenceItem

// EvidenceItem is one named measurement of a finding.
type EvidenceItem struct {
	Name string
	Expr Expr
}

// UnmarshalYAML keeps the order that a map would lose.
func (e *Evidence) UnmarshalYAML(n *yaml.Node) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		item := EvidenceItem{Name: n.Content[i].Value}
		if err := item.Expr.UnmarshalYAML(n.Content[i+1]); err != nil {
			return err
		}
		*e = append(*e, item)
	}
	return nil
}

// ValueType is the type of the values of the map that evidence is written as.
func (Evidence) ValueType() reflect.Type { return reflect.TypeFor[Expr]() }

// Expr is a CEL expression with its position.
type Expr struct {
	Source string
	node   *yaml.Node
}

// UnmarshalYAML keeps the position of the expression.
func (e *Expr) UnmarshalYAML(n *yaml.Node) error {
	e.Source, e.node = n.Value, n
	return nil
}

// Empty reports whether the expression is missing.
func (e Expr) Empty() bool { return e.node == nil }

// ParamNames lists the rule's parameters.
func (r *Rule) ParamNames() []string { return slices.Sorted(maps.Keys(r.Params)) }

// Setting returns the setting that the remedy changes.
func (r Remedy) Setting() inventory.Setting { return r.setting }

// FromUser reports whether the rule is not built in.
func (r *Rule) FromUser() bool { return r.user }

// File returns the name of the rule's file, as in messages.
func (r *Rule) File() string { return r.file.Name }

// liveCall matches a counter that an expression reads. Compiling the rule checks that its name is in quotes.
var liveCall = regexp.MustCompile(`\.live\(["']([^"']+)["']\)`)

// paramRead matches a parameter that an expression reads.
var paramRead = regexp.MustCompile(`\bparams\.([A-Za-z_][A-Za-z0-9_]*)`)

// params lists the rule's parameters that the remedy's value uses.
func (r Remedy) params() []string {
	var names []string
	for _, m := range paramRead.FindAllStringSubmatch(r.To.Source, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// Live lists the live counters that decide the rule's outcome.
func (r *Rule) Live() []string { return liveIn(r.Applies, r.Want, r.Because) }

func liveIn(expressions ...Expr) []string {
	var names []string
	for _, e := range expressions {
		for _, m := range liveCall.FindAllStringSubmatch(e.Source, -1) {
			if !slices.Contains(names, m[1]) {
				names = append(names, m[1])
			}
		}
	}
	return names
}

// placeIn returns the position of an offset in bytes, as CEL counts: lines from 1, columns from 0.
func placeIn(source string, offset int) (line, column int) {
	before := source[:offset]
	return 1 + strings.Count(before, "\n"), len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
}

// optionRead matches a host option that an expression reads.
var optionRead = regexp.MustCompile(`\.option(?:Text|Bool)?\("([^"]+)"\)`)

// optionsRead lists the host options that decide the rule's outcome.
func (r *Rule) optionsRead() []string {
	var keys []string
	for _, e := range []Expr{r.Applies, r.Want} {
		for _, m := range optionRead.FindAllStringSubmatch(e.Source, -1) {
			if !slices.Contains(keys, m[1]) {
				keys = append(keys, m[1])
			}
		}
	}
	return keys
}

// root returns the rule's file as YAML. After loading, the text is parsed again: mistakes are rare then, and nodes take ten times the
// memory of the text.
func (r *Rule) root() *yaml.Node {
	if r.node != nil {
		return r.node
	}
	root, _ := r.file.Root()
	return root
}

// Mistake returns a problem at a part of the rule, given by the names of its fields and the indices of its lists; if
// there is no such part, the problem is at the rule.
func (r *Rule) Mistake(message string, path ...any) strictyaml.Problem {
	root := r.root()
	n := root
	for _, p := range path {
		switch p := p.(type) {
		case string:
			n = strictyaml.Child(n, p)
		case int:
			n = element(n, p)
		}
	}
	if n == nil {
		n = root
	}
	return r.file.At(n, message)
}

// element returns one element of a list, or nil.
func element(n *yaml.Node, i int) *yaml.Node {
	if n == nil || i >= len(n.Content) {
		return nil
	}
	return n.Content[i]
}

// MistakeIn returns a problem at an offset, in bytes, of an expression of the rule.
func (r *Rule) MistakeIn(e Expr, offset int, message string) strictyaml.Problem {
	line, column := placeIn(e.Source, offset)
	return r.file.InExpr(e.node, line, column, message)
}

// findingsOf matches a reference to another rule. Compiling the rule checks that its id is in quotes.
var findingsOf = regexp.MustCompile(`\bfindings\s*\[\s*["']([^"']+)["']\s*\]`)

// expressions lists the expressions that can refer to other rules.
func (r *Rule) expressions() []Expr {
	all := []Expr{r.Applies, r.Because}
	for _, c := range r.Cases {
		all = append(all, c.When)
	}
	for _, e := range r.Evidence {
		all = append(all, e.Expr)
	}
	for _, n := range r.Notes {
		all = append(all, n.When)
	}
	for _, b := range r.Benefit {
		all = append(all, b.Holds)
	}
	return all
}

// refers lists the rules that a diagnosis refers to, and those whose remedies remove its cause, each once.
func (r *Rule) refers() []string {
	ids := slices.Clone(r.Fixes)
	for _, e := range r.expressions() {
		for _, m := range findingsOf.FindAllStringSubmatch(e.Source, -1) {
			ids = append(ids, m[1])
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// vmScopes are the scopes whose objects are VMs or devices of VMs.
var vmScopes = []inventory.Scope{inventory.ScopeVM, inventory.ScopeVNIC, inventory.ScopeVDisk}

// Skips lists the states of VMs that are not running and that the rule evaluates only if the user asks for it. Rules
// over counters skip none, because counters show whether a VM ran; diagnoses skip none, because they follow a symptom.
func (r *Rule) Skips() []VMState {
	if !slices.Contains(vmScopes, r.Scope) || len(r.Explains) > 0 || len(r.Live()) > 0 {
		return nil
	}
	return slices.DeleteFunc(VMStates(), func(s VMState) bool { return slices.Contains(r.Judges, s) })
}
