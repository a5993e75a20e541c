package advice

import (
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/inventory"
)

// RuleSchema is the version of the rule format.
const RuleSchema = "vperf.rule/v1alpha1"

// Rule is one rule as its file has it. Severity, why, evidence and remedies are all in the file: the program adds no
// knowledge of its own.
type Rule struct {
	Schema   string               `yaml:"schema"`   // may be left out; RuleSchema
	ID       string               `yaml:"id"`       // two to four words in kebab case, never used again for another rule
	Title    string               `yaml:"title"`    // what is wrong, as a finding's headline
	Category Category             `yaml:"category"` // the chapter of the guide
	Scope    inventory.Scope      `yaml:"scope"`    // the kind of object that is judged; expressions know it and its owners by these words
	Severity Severity             `yaml:"severity"` // unless the profile or a case says otherwise
	Profiles map[Profile]Severity `yaml:"profiles"` // severity by the profile of the object
	Cases    []Case               `yaml:"cases"`    // severity by a condition; the first that holds counts
	Applies  Expr                 `yaml:"applies"`  // the objects it is meant for; empty: all of the scope
	Want     Expr                 `yaml:"want"`     // true when all is well
	// Manual is how a person looks, where no API can show it: the rule is then a check for a person, never a pass or a fail.
	Manual   string           `yaml:"manual"`
	Evidence Evidence         `yaml:"evidence"` // what a finding shows: names and what was measured
	Params   map[string]Param `yaml:"params"`   // numbers and words that users may change; expressions know them as params.NAME
	Remedy   []Remedy         `yaml:"remedy"`   // the settings to change; of several for one setting the first that certainly holds
	Notes    []Note           `yaml:"notes"`
	Why      string           `yaml:"why"`      // why it matters, for who has not heard of it
	Tradeoff string           `yaml:"tradeoff"` // what the change costs
	Benefit  []Benefit        `yaml:"benefit"`
	Sources  []string         `yaml:"sources"`  // where the claim comes from
	Examples []Example        `yaml:"examples"` // every answer the rule can give, with the facts that lead to it

	file file
	node *yaml.Node
	user bool // not one of ours: evaluated with a cost limit
}

// Case overrides the severity of a finding while its condition holds, whatever the profile. The first one counts.
type Case struct {
	When     Expr     `yaml:"when"`
	Severity Severity `yaml:"severity"`
	About    string   `yaml:"about"` // why, in a sentence
}

// Param is a number or word of a rule that users may change.
type Param struct {
	Value any    `yaml:"value"` // int, float64, bool or string
	About string `yaml:"about"` // what it means, with its unit
	Given bool   `yaml:"-"`     // the value is the user's (see Library.Set)
}

// Remedy is one setting to change, and to what.
type Remedy struct {
	Set        Address              `yaml:"set"`        // KIND, or KIND/KEY
	To         Expr                 `yaml:"to"`         // the value; a text needs quotes of its own
	When       Expr                 `yaml:"when"`       // only then; empty: always
	Each       Expr                 `yaml:"each"`       // a list of keys; the setting's key is then * and stands for each of them
	Activation inventory.Activation `yaml:"activation"` // empty: the setting's own; a rule may ask for more, never for less
	Consent    Consent              `yaml:"consent"`    // empty: any
}

// Note is a sentence that a finding carries while its condition holds.
type Note struct {
	When Expr   `yaml:"when"` // empty: always
	Text string `yaml:"text"`
}

// Benefit is what the change was measured to bring, where, and by whom.
type Benefit struct {
	Metric string   `yaml:"metric"` // what changed
	Change *float64 `yaml:"change"` // as a ratio: -0.20 is 20 % less; left out where only words are known
	Text   string   `yaml:"text"`   // the same in words; or that none was measured
	When   string   `yaml:"when"`   // the conditions it was measured under
	Source string   `yaml:"source"` // who measured it
}

// Example is a proof: facts, and what the rule says of them.
type Example struct {
	Name     string            `yaml:"name"`
	Profile  Profile           `yaml:"profile"` // empty: the automatic one
	Facts    yaml.Node         `yaml:"facts"`   // objects by the words of scopes; what is left out is unread
	Expect   Outcome           `yaml:"expect"`
	Severity Severity          `yaml:"severity"` // of a fail; empty: not looked at
	To       map[string]string `yaml:"to"`       // setting address → value proposed, of all remedies; left out: not looked at
	// Consent is setting address → consent that its remedy asks for.
	Consent map[string]Consent `yaml:"consent"`
}

// Evidence is named expressions in the order of the file.
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

// Expr is a CEL expression and where it stands.
type Expr struct {
	Source string
	node   *yaml.Node
}

// UnmarshalYAML keeps the position of the expression.
func (e *Expr) UnmarshalYAML(n *yaml.Node) error {
	e.Source, e.node = n.Value, n
	return nil
}

// Empty reports an expression that was left out.
func (e Expr) Empty() bool { return e.node == nil }

// Address is a setting's address and where it stands.
type Address struct {
	Text    string
	setting inventory.Setting
	node    *yaml.Node
}

// UnmarshalYAML keeps the position of the address.
func (a *Address) UnmarshalYAML(n *yaml.Node) error {
	a.Text, a.node = n.Value, n
	return nil
}

// ParamNames lists the rule's parameters.
func (r *Rule) ParamNames() []string { return sortedKeys(r.Params) }

// Setting is what the remedy changes.
func (r Remedy) Setting() inventory.Setting { return r.Set.setting }

// FromUser reports a rule that is not vperf's own.
func (r *Rule) FromUser() bool { return r.user }

// File is the file the rule was read from, as messages name it.
func (r *Rule) File() string { return r.file.name }

// liveCall is a counter that an expression reads; its name is in quotes, which is checked when the rule is compiled.
var liveCall = regexp.MustCompile(`\.live\(["']([^"']+)["']\)`)

// paramRead is a parameter that an expression reads.
var paramRead = regexp.MustCompile(`\bparams\.([A-Za-z_][A-Za-z0-9_]*)`)

// Params lists the rule's parameters that the remedy's value is made of.
func (r Remedy) Params() []string {
	var names []string
	for _, m := range paramRead.FindAllStringSubmatch(r.To.Source, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// Live lists the live counters the rule judges by.
func (r *Rule) Live() []string {
	var names []string
	for _, m := range liveCall.FindAllStringSubmatch(r.Applies.Source+" "+r.Want.Source, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}
