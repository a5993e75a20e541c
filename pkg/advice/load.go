package advice

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/advice/vendor"
	"github.com/vperf/vperf/pkg/inventory"
)

// Source is a tree of rule files. Every *.yaml file in it is one rule, except files in a folder vendors, which are
// vendors, and, in vperf's own tree, files in the folder sources, which are articles that rules quote, and in the folder
// outcomes, which are outcomes of trials.
type Source struct {
	FS   fs.FS
	Name string // a prefix for file names in messages; may be ""
	// User marks rules that are not vperf's own: they run under a cost limit.
	User bool
	// Lean skips the examples, which are most of a rule's text and needed only for testing rules. It applies to vperf's
	// own rules, whose examples are the last field.
	Lean bool
}

// Load reads rules. It returns all mistakes in all files together, as RuleErrors.
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
	if len(bad) > 0 { // report all mistakes at once, also those in expressions if the scope is valid
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
	for _, r := range l.rules {
		r.node = nil
	}
	return l, nil
}

func (l *Library) loadSource(s Source) (strictyaml.Errors, error) {
	var bad strictyaml.Errors
	err := fs.WalkDir(s.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".yaml" {
			return err
		}
		text, err := fs.ReadFile(s.FS, name)
		if err == nil {
			bad = append(bad, l.loadFile(s, name, text)...)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading rules from %s: %w", s.Name, err)
	}
	return bad, nil
}

// outcomeFolder is the folder of the library that holds outcomes of trials.
const outcomeFolder = "outcomes"

// loadFile reads one file: an article, a vendor or a rule, depending on its folder.
func (l *Library) loadFile(s Source, name string, text []byte) strictyaml.Errors {
	switch {
	case !s.User && path.Dir(name) == outcomeFolder:
		return nil // package trial reads them
	case !s.User && path.Dir(name) == articleFolder:
		a, bad := parseArticle(path.Join(s.Name, name), strings.TrimSuffix(path.Base(name), ".yaml"), text)
		if a != nil {
			l.articles = append(l.articles, a)
		}
		return bad
	case vendor.IsFile(name):
		v, bad := vendor.Parse(path.Join(s.Name, name), text)
		if v != nil {
			l.vendors.Add(v)
		}
		return bad
	}
	if s.Lean {
		text, _, _ = bytes.Cut(text, []byte("\nexamples:\n"))
	}
	r, bad := parseRule(path.Join(s.Name, name), text)
	if bad == nil && !s.User {
		bad = r.checkPlace(name)
	}
	if r == nil || r.ID == "" {
		l.whole = false
	}
	if r != nil {
		r.user = s.User
		l.rules = append(l.rules, r)
	}
	return bad
}

// parseRule reads one file; it returns a nil rule if the structure is invalid.
func parseRule(name string, text []byte) (*Rule, strictyaml.Errors) {
	r := &Rule{file: strictyaml.NewFile(name, text)}
	root, bad := r.file.Decode(r)
	if root == nil {
		return nil, bad
	}
	r.node = root
	r.unwrap()
	return r, append(bad, r.checkWords()...)
}

// unwrap removes the line breaks in texts of findings.
func (r *Rule) unwrap() {
	r.Manual, r.Action = strictyaml.OneLine(r.Manual), strictyaml.OneLine(r.Action)
	for i := range r.Cases {
		r.Cases[i].About = strictyaml.OneLine(r.Cases[i].About)
	}
	for i := range r.Notes {
		r.Notes[i].Text = strictyaml.OneLine(r.Notes[i].Text)
	}
}

// checkPlace checks the path of vperf's own rules: power/power-policy.yaml is rule power-policy of category power.
func (r *Rule) checkPlace(name string) strictyaml.Errors {
	if want := path.Join(string(r.Category), r.ID+".yaml"); name != want {
		return strictyaml.Errors{r.file.At(strictyaml.Child(r.node, "id"), fmt.Sprintf("the file of this rule is %s, not %s", want, name))}
	}
	return nil
}

// checkWords checks everything except the expressions.
func (r *Rule) checkWords() strictyaml.Errors {
	c := newChecker(r)
	c.Word("id", strictyaml.ID.MatchString(r.ID), strictyaml.WantedID)
	c.Word("schema", r.Schema == "" || r.Schema == RuleSchema, RuleSchema)
	c.Word("title", r.Title != "", "one line that names the fault")
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
	c.experiment()
	for i := range r.Examples {
		c.example(i)
	}
	return c.Bad
}

// quote fills in the text, conditions and source of each benefit that refers to a figure.
func (l *Library) quote() strictyaml.Errors {
	var bad strictyaml.Errors
	for _, r := range l.rules {
		c := newChecker(r)
		for i := range r.Benefit {
			if r.Benefit[i].Figure != "" {
				bad = append(bad, l.quoteIn(r, i, c.item("benefit", i))...)
			}
		}
	}
	return bad
}

// figureFields are the fields of a benefit that come from its figure.
var figureFields = []string{"metric", "change", "when", "source"}

func (l *Library) quoteIn(r *Rule, i int, n *yaml.Node) strictyaml.Errors {
	b := &r.Benefit[i]
	a, f := l.figure(b.Figure)
	if f == nil {
		message := fmt.Sprintf("no figure %q%s; rules/%s has them as ARTICLE/FIGURE", b.Figure, inventory.DidYouMean(b.Figure, l.figureIDs()), articleFolder)
		return strictyaml.Errors{r.file.At(strictyaml.Child(n, "figure"), message)}
	}
	for _, field := range figureFields {
		if own := strictyaml.Child(n, field); own != nil {
			return strictyaml.Errors{r.file.At(own, fmt.Sprintf("the figure %s has its own %s: set it in the benefit only if the benefit has no figure", b.Figure, field))}
		}
	}
	b.quote(a, f)
	return nil
}
