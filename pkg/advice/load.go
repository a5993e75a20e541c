package advice

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice/internal/examplefleet"
	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/advice/vendor"
	"github.com/vperf/vperf/pkg/inventory"
)

// Source is a tree of rule files: every *.yaml in it is one rule, but for those in a folder vendors, each of which is a Vendor,
// and those in the folder sources of vperf's own tree, each of which is an article that rules quote.
type Source struct {
	FS   fs.FS
	Name string // what messages put before file names; may be ""
	// User marks rules that are not vperf's own: they run under a cost limit.
	User bool
	// Lean leaves the examples out, which are most of a rule's text: only who proves rules needs them. It holds for
	// vperf's own rules, whose examples are the last field.
	Lean bool
}

// Library is rules that were read and whose shape is right; their expressions are compiled by Select.
type Library struct {
	rules    []*Rule    // sorted by id
	articles []*Article // sorted by id
	whole    bool       // no file was too wrong to know which rule it has

	vendors vendor.List
}

// Load reads rules. All mistakes in all files are returned together, as RuleErrors.
func Load(sources ...Source) (*Library, error) {
	l := &Library{whole: true}
	var bad strictyaml.Errors
	for _, s := range sources {
		problems, err := l.loadSource(s)
		if err != nil {
			return nil, err
		}
		bad = append(bad, problems...)
	}
	slices.SortStableFunc(l.rules, func(a, b *Rule) int { return strings.Compare(a.ID, b.ID) })
	slices.SortStableFunc(l.articles, func(a, b *Article) int { return strings.Compare(a.ID, b.ID) })
	for _, r := range l.rules {
		r.vendors = &l.vendors
	}
	for i := 1; i < len(l.rules); i++ {
		if a, b := l.rules[i-1], l.rules[i]; a.ID == b.ID {
			bad = append(bad, b.file.At(strictyaml.Child(b.node, "id"), fmt.Sprintf("rule %s is already defined in %s", b.ID, a.file.Name)))
		}
	}
	bad = append(bad, l.quote()...)
	bad = append(bad, l.checkHigh()...)
	if l.whole {
		bad = append(bad, l.checkLinks()...)
	}
	if len(bad) > 0 { // tell all mistakes at once: those in expressions too, where a scope says what they can speak of
		for _, r := range l.rules {
			if slices.Contains(Scopes(), r.Scope) {
				_, more := compile(r)
				bad = append(bad, more...)
			}
		}
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	return l, nil
}

// Rules lists the rules by id.
func (l *Library) Rules() []*Rule { return slices.Clone(l.rules) }

// Vendors are the published settings that the rules ask.
func (l *Library) Vendors() *vendor.List { return &l.vendors }

// IDs lists the rules' ids.
func (l *Library) IDs() []string {
	ids := make([]string, len(l.rules))
	for i, r := range l.rules {
		ids[i] = r.ID
	}
	return ids
}

func (l *Library) loadSource(s Source) (strictyaml.Errors, error) {
	var bad strictyaml.Errors
	err := fs.WalkDir(s.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".yaml" {
			return err
		}
		text, err := fs.ReadFile(s.FS, name)
		if err != nil {
			return err
		}
		if !s.User && path.Dir(name) == articleFolder {
			a, problems := parseArticle(path.Join(s.Name, name), strings.TrimSuffix(path.Base(name), ".yaml"), text)
			bad = append(bad, problems...)
			if a != nil {
				l.articles = append(l.articles, a)
			}
			return nil
		}
		if vendor.IsFile(name) {
			v, problems := vendor.Parse(path.Join(s.Name, name), text)
			bad = append(bad, problems...)
			if v != nil {
				l.vendors.Add(v)
			}
			return nil
		}
		if s.Lean {
			text, _, _ = bytes.Cut(text, []byte("\nexamples:\n"))
		}
		r, problems := parseRule(path.Join(s.Name, name), text)
		if problems == nil && !s.User {
			problems = r.checkPlace(name)
		}
		bad = append(bad, problems...)
		if r == nil || r.ID == "" {
			l.whole = false
		}
		if r != nil {
			r.user = s.User
			l.rules = append(l.rules, r)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading rules from %s: %w", s.Name, err)
	}
	return bad, nil
}

// parseRule reads one file; the rule is nil when its shape is too wrong to go on.
func parseRule(name string, text []byte) (*Rule, strictyaml.Errors) {
	r := &Rule{file: strictyaml.NewFile(name, text)}
	root, bad := r.file.Decode(text, r)
	if root == nil {
		return nil, bad
	}
	r.node = root
	r.unwrap()
	return r, append(bad, r.checkWords()...)
}

// unwrap undoes the line breaks that keep rule files readable, in what findings say.
func (r *Rule) unwrap() {
	r.Manual, r.Action = strictyaml.OneLine(r.Manual), strictyaml.OneLine(r.Action)
	for i := range r.Cases {
		r.Cases[i].About = strictyaml.OneLine(r.Cases[i].About)
	}
	for i := range r.Notes {
		r.Notes[i].Text = strictyaml.OneLine(r.Notes[i].Text)
	}
}

// CheckID refuses what cannot be the id of a rule.
func CheckID(id string) error {
	if strictyaml.ID.MatchString(id) {
		return nil
	}
	return fmt.Errorf("id %q: want %s", id, strictyaml.WantedID)
}

// checkPlace holds for our own rules: power/power-policy.yaml is rule power-policy of category power.
func (r *Rule) checkPlace(name string) strictyaml.Errors {
	if want := path.Join(string(r.Category), r.ID+".yaml"); name != want {
		return strictyaml.Errors{r.file.At(strictyaml.Child(r.node, "id"), fmt.Sprintf("the file of this rule is %s, not %s", want, name))}
	}
	return nil
}

// checkWords looks at everything but the expressions.
func (r *Rule) checkWords() strictyaml.Errors {
	c := newChecker(r)
	c.Word("id", strictyaml.ID.MatchString(r.ID), strictyaml.WantedID)
	c.Word("schema", r.Schema == "" || r.Schema == RuleSchema, RuleSchema)
	c.Word("title", r.Title != "", "one line that says what is wrong")
	c.Word("why", r.Why != "", "why it matters")
	oneOf(&c, "category", r.Category, Categories())
	oneOf(&c, "scope", r.Scope, Scopes())
	oneOf(&c, "severity", r.Severity, Severities())
	c.profiles()
	c.judges()
	c.verdict()
	c.diagnosis()
	for i := range r.Cases {
		c.caseSeverity(i)
	}
	for i := range r.Remedy {
		c.remedy(i)
	}
	for i := range r.Examples {
		c.example(i)
	}
	return c.Bad
}

// judges wants states of VMs, of a rule that would skip them.
func (c *checker) judges() {
	n := strictyaml.Child(c.rule.node, "judges")
	for i, s := range c.rule.Judges {
		oneOfAt(c, n.Content[i], "state of VMs", s, VMStates())
	}
	switch {
	case n == nil:
	case len(c.rule.Explains) > 0:
		c.Add(n, "judges is for rules that judge by themselves: a diagnosis looks at every object that shows its symptom")
	case !slices.Contains(vmScopes, c.rule.Scope):
		c.Add(n, "judges is for rules of scope "+joinWords(vmScopes)+": all others judge every object")
	}
}

// verdict wants the one or the other: an expression that judges, or words for a person who does. Of a diagnosis see there.
func (c *checker) verdict() {
	switch r := c.rule; {
	case len(r.Explains) > 0:
	case r.Want.Empty() && r.Manual == "":
		c.Missing("want", "the expression that is true when all is well")
	case !r.Want.Empty() && r.Manual != "":
		c.Add(strictyaml.Child(r.node, "manual"), "a rule has either want or manual: what an expression can judge needs no person")
	case r.Manual != "" && len(r.Covers) > 0:
		c.Add(strictyaml.Child(r.node, "covers"), "a manual rule covers nothing: nobody knows whether it fails")
	case r.Manual == "" && !r.Once.Empty():
		c.Add(strictyaml.Child(r.node, "once"), "once is for manual rules: all others judge each object by itself")
	case r.Manual != "" && len(r.Remedy) > 0:
		c.Add(strictyaml.Child(r.node, "remedy"), "a manual rule has no remedy: nobody knows whether it is needed")
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

// item is the node of one element of a list field.
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
	if err != nil {
		at := r.Set.Node
		if at == nil {
			at = n
		}
		c.Add(at, err.Error())
		return
	}
	r.setting = s
	if star := s.Key == "*"; star == r.Each.Empty() {
		c.Add(r.Set.Node, "the key * and each go together: each lists what * stands for")
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
	case !slices.Contains(Consents(), r.Consent):
		oneOfAt(c, strictyaml.Child(n, "consent"), "consent", r.Consent, Consents())
	case r.Consent.EasierThan(least):
		c.Add(strictyaml.Child(n, "consent"), fmt.Sprintf("rule %s has consent %s for %s, which takes %s: a rule may raise it, never lower it",
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
		c.Add(strictyaml.Child(n, "activation"), fmt.Sprintf("%s needs %s at least; a rule may ask for more, never for less", r.setting, least))
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
