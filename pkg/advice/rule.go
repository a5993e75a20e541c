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
	High     *Grave               `yaml:"high"`     // why a finding may be high or critical; a rule of vperf's own that can be either has it
	// Judges lists the VMs that do not run and are judged all the same: a rule of scope vm, vnic or vdisk skips powered-off VMs
	// and templates, since nothing runs slowly there.
	Judges  []VMState `yaml:"judges"`
	Applies Expr      `yaml:"applies"` // the objects it is meant for; empty: all of the scope
	Want    Expr      `yaml:"want"`    // true when all is well
	// Manual is how a person looks, where no API can show it: the rule is then a check for a person, never a pass or a fail.
	Manual string `yaml:"manual"`
	// Explains are the symptoms, rules over live counters of the same scope, that this rule is a cause of. Such a rule is a
	// diagnosis: it is held only against objects that show one of them, and has because in the place of want.
	Explains []string `yaml:"explains"`
	Because  Expr     `yaml:"because"` // true when this is the cause; findings["RULE"] says whether another rule fails for the object or what it belongs to
	Verdict  Verdict  `yaml:"verdict"` // of a diagnosis: fault, the default, or harmless: the symptom is explained and needs no change
	Order    int      `yaml:"order"`   // of a diagnosis: of several causes of one symptom that are proven the lowest is named first
	// At is the kind of object that the cause lies at: the rule's own scope, the default, what it belongs to, or a device of
	// that which is to be fixed. Symptoms of many VMs with one cause at their host are one thing to do.
	At     inventory.Scope `yaml:"at"`
	Fixes  []string        `yaml:"fixes"`  // of a diagnosis: the rules whose findings at these objects, with their remedies, take the cause away
	Action string          `yaml:"action"` // of a diagnosis: what a person does, in a sentence or two
	Effort Effort          `yaml:"effort"` // of a diagnosis that no remedy fixes: low, medium or high
	// Follows are, of a diagnosis, those of which it is the consequence, the likeliest first. Where one of them lies at the same
	// object, at its host or at a part of it, they are one thing to do, which is named after the other.
	Follows []string `yaml:"follows"`
	// Only says of a diagnosis that what it has in fixes is called for where it is proven, and nowhere else: where counters were
	// measured and it is not, nobody is advised to change anything.
	Only bool `yaml:"only"`
	// Task names what a person does, of a diagnosis: causes at one object whose rules have the same task are one thing to do.
	Task string `yaml:"task"`
	// Possible says of a diagnosis that because makes the cause possible and does not prove it: some of what decides is in no
	// counter that vperf reads. It ranks behind causes that are proven.
	Possible bool `yaml:"possible"`
	// Lost is, of a rule over live counters, how many seconds VMs lose to the symptom in a second; empty where nobody can say.
	Lost     Expr             `yaml:"lost"`
	Evidence Evidence         `yaml:"evidence"` // what a finding shows: names and what was measured
	Params   map[string]Param `yaml:"params"`   // numbers and words that users may change; expressions know them as params.NAME
	// Covers lists rules that look at the same cause. Where this rule fails, their findings on the same object, on its host or
	// VM, or on its devices are folded into this one.
	Covers []Cover `yaml:"covers"`
	// Once is, of a check for a person, a text: objects of a cluster with the same text need one check.
	Once     Expr      `yaml:"once"`
	Remedy   []Remedy  `yaml:"remedy"` // the settings to change; of several for one setting the first that certainly holds
	Notes    []Note    `yaml:"notes"`
	Why      string    `yaml:"why"`      // why it matters, for who has not heard of it
	Tradeoff string    `yaml:"tradeoff"` // what the change costs
	Benefit  []Benefit `yaml:"benefit"`
	Sources  []string  `yaml:"sources"`  // where the claim comes from
	Examples []Example `yaml:"examples"` // every answer the rule can give, with the facts that lead to it

	file strictyaml.File
	node *yaml.Node
	user bool // not one of ours: evaluated with a cost limit

	vendors *vendor.List // of the library
}

// Case overrides the severity of a finding while its condition holds, whatever the profile. The first one counts.
type Case struct {
	When     Expr     `yaml:"when"`
	Severity Severity `yaml:"severity"`
	About    string   `yaml:"about"` // why, in a sentence
}

// Grave is why a finding of a rule may be high: a measured effect of 10 % or more, an outage, or a VM that does not start.
type Grave struct {
	Because GraveReason `yaml:"because"`
	Text    string      `yaml:"text"` // the effect in a sentence
}

// Param is a number or word of a rule that users may change.
type Param struct {
	Value any    `yaml:"value"` // int, float64, bool or string
	About string `yaml:"about"` // what it means, with its unit
	Given bool   `yaml:"-"`     // the value is the user's (see Library.Set)
}

// Cover is a rule whose findings another one stands for.
type Cover struct {
	Rule string `yaml:"rule"` // the rule's id
	When Expr   `yaml:"when"` // only then; empty: always
}

// Remedy is one setting to change, and to what.
type Remedy struct {
	Set        strictyaml.Scalar    `yaml:"set"`        // KIND, or KIND/KEY
	To         Expr                 `yaml:"to"`         // the value; a text needs quotes of its own
	When       Expr                 `yaml:"when"`       // only then; empty: always
	Each       Expr                 `yaml:"each"`       // a list of keys; the setting's key is then * and stands for each of them
	Activation inventory.Activation `yaml:"activation"` // empty: the setting's own; a rule may ask for more, never for less
	Consent    Consent              `yaml:"consent"`    // empty: the setting's own; a rule may raise it, never lower it

	setting inventory.Setting
}

// Note is a sentence that a finding carries while its condition holds.
type Note struct {
	When Expr   `yaml:"when"` // empty: always
	Text string `yaml:"text"`
}

// Benefit is what the change was measured to bring, where, and by whom.
type Benefit struct {
	// Figure is the figure of an article that is quoted, as ARTICLE/FIGURE. It gives text, when, source, metric, and change.
	// A text beside it says what was not measured; the figure then follows it, and its change is no promise.
	Figure string   `yaml:"figure"`
	Metric string   `yaml:"metric"` // what changed
	Change *float64 `yaml:"change"` // as a ratio: -0.20 is 20 % less; left out where only words are known
	Text   string   `yaml:"text"`   // the same in words; or that none was measured
	When   string   `yaml:"when"`   // the conditions it was measured under
	Source string   `yaml:"source"` // who measured it
	Holds  Expr     `yaml:"holds"`  // true where the object is like what it was measured on; empty: nobody can tell

	own string // the words of the rule before the figure
}

// Example is a proof: facts, and what the rule says of them.
type Example struct {
	Name    string    `yaml:"name"`
	Profile Profile   `yaml:"profile"` // empty: the automatic one
	Facts   yaml.Node `yaml:"facts"`   // objects by the words of scopes; what is left out is unread
	// Findings is, of a diagnosis, what became of other rules there, by id; a rule that is left out could not be told.
	Findings map[string]Outcome `yaml:"findings"`
	Expect   Outcome            `yaml:"expect"`
	Severity Severity           `yaml:"severity"` // of a fail; empty: not looked at
	To       map[string]string  `yaml:"to"`       // setting address → value proposed, of all remedies; left out: not looked at
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

// ValueType is the type of the values of the map that evidence is written as.
func (Evidence) ValueType() reflect.Type { return reflect.TypeFor[Expr]() }

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

// ParamNames lists the rule's parameters.
func (r *Rule) ParamNames() []string { return slices.Sorted(maps.Keys(r.Params)) }

// Setting is what the remedy changes.
func (r Remedy) Setting() inventory.Setting { return r.setting }

// FromUser reports a rule that is not vperf's own.
func (r *Rule) FromUser() bool { return r.user }

// File is the file the rule was read from, as messages name it.
func (r *Rule) File() string { return r.file.Name }

// liveCall is a counter that an expression reads; its name is in quotes, which is checked when the rule is compiled.
var liveCall = regexp.MustCompile(`\.live\(["']([^"']+)["']\)`)

// paramRead is a parameter that an expression reads.
var paramRead = regexp.MustCompile(`\bparams\.([A-Za-z_][A-Za-z0-9_]*)`)

// params lists the rule's parameters that the remedy's value is made of.
func (r Remedy) params() []string {
	var names []string
	for _, m := range paramRead.FindAllStringSubmatch(r.To.Source, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// Live lists the live counters the rule judges by.
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

// placeIn is where an offset in bytes is, as CEL counts: lines from 1, columns from 0.
func placeIn(source string, offset int) (line, column int) {
	before := source[:offset]
	return 1 + strings.Count(before, "\n"), len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
}

// optionRead is a host option that an expression reads.
var optionRead = regexp.MustCompile(`\.option(?:Text|Bool)?\("([^"]+)"\)`)

// optionsRead lists the host options that a rule judges by.
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

// Mistake is a problem at a part of the rule, given by the names of its fields and the indices of its lists; where there is no such
// part, it is at the rule.
func (r *Rule) Mistake(message string, path ...any) strictyaml.Problem {
	n := r.node
	for _, p := range path {
		switch p := p.(type) {
		case string:
			n = strictyaml.Child(n, p)
		case int:
			n = element(n, p)
		}
	}
	if n == nil {
		n = r.node
	}
	return r.file.At(n, message)
}

// element is one element of a list, or nil.
func element(n *yaml.Node, i int) *yaml.Node {
	if n == nil || i >= len(n.Content) {
		return nil
	}
	return n.Content[i]
}

// MistakeIn is a problem at an offset of an expression of the rule, in bytes.
func (r *Rule) MistakeIn(e Expr, offset int, message string) strictyaml.Problem {
	line, column := placeIn(e.Source, offset)
	return r.file.InExpr(e.node, line, column, message)
}

// findingsOf is another rule that an expression asks for; its id is in quotes, which is checked when the rule is compiled.
var findingsOf = regexp.MustCompile(`\bfindings\s*\[\s*["']([^"']+)["']\s*\]`)

// expressions are those that can ask for other rules.
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

// refers lists the rules that a diagnosis asks for, and those whose remedies take its cause away, each once.
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

// Skips lists the VMs that do not run and that the rule judges only when the user asks for them. Counters show by themselves
// whether a VM ran, and a diagnosis follows its symptom.
func (r *Rule) Skips() []VMState {
	if !slices.Contains(vmScopes, r.Scope) || len(r.Explains) > 0 || len(r.Live()) > 0 {
		return nil
	}
	return slices.DeleteFunc(VMStates(), func(s VMState) bool { return slices.Contains(r.Judges, s) })
}
