package advice

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice/strictyaml"
)

// Article is a published article that rules quote, with the figures it measured. These figures are written only in the
// article's file: rules refer to them by ARTICLE/FIGURE.
type Article struct {
	ID        string   `yaml:"-"`         // the name of its file without .yaml
	Name      string   `yaml:"name"`      // the short name that the guide uses
	Publisher string   `yaml:"publisher"` // the publisher, such as VMware VROOM!
	Title     string   `yaml:"title"`     // the title as published; omitted if unknown
	Subject   string   `yaml:"subject"`   // the topic of the article, if the title is not known
	Address   string   `yaml:"address"`   // the URL of its page; omitted if unknown
	Date      string   `yaml:"date"`      // the date of publication, as YYYY or YYYY-MM; omitted if unknown
	Figures   []Figure `yaml:"figures"`   // its measurements and claims
}

// Figure is one measurement or claim of an article.
type Figure struct {
	ID     string    `yaml:"id"`     // two to four words in kebab case; rules refer to ARTICLE/ID
	Values []float64 `yaml:"values"` // all numbers in says, in the same order; omitted for a claim without numbers
	Unit   string    `yaml:"unit"`   // the unit of the values
	Metric string    `yaml:"metric"` // the changed quantity; see Benefit
	Change *float64  `yaml:"change"` // as a ratio; see Benefit
	Says   string    `yaml:"says"`   // the claim in our own words, as the article makes it
	When   string    `yaml:"when"`   // the conditions under which it was measured
}

// articleFolder is the folder of the library that holds articles instead of rules.
const articleFolder = "sources"

// cite names the article in the same form as the sources of rules.
func (a *Article) cite() string {
	if a.Title == "" {
		return a.Publisher + ", article on " + a.Subject
	}
	return a.Publisher + ", " + a.Title
}

// quote fills the benefit from a figure. A text of the benefit itself comes first: it states an effect that was not
// measured, so the figure is only context.
func (b *Benefit) quote(a *Article, f *Figure) {
	b.When, b.Source = strictyaml.OneLine(f.When), a.cite()
	if b.Text != "" {
		b.own = strictyaml.OneLine(b.Text)
		b.Text = b.own + "; " + strictyaml.OneLine(f.Says)
		return
	}
	b.Text, b.Metric, b.Change = strictyaml.OneLine(f.Says), f.Metric, f.Change
}

// Own returns the rule's own text before the quoted figure; it is empty if there is no figure or no text.
func (b Benefit) Own() string { return b.own }

// parseArticle reads one file of the folder; it returns a nil article if the file's structure is invalid.
func parseArticle(name, id string, text []byte) (*Article, strictyaml.Errors) {
	a := &Article{}
	f := strictyaml.NewFile(name, text)
	root, bad := f.Decode(a)
	if root == nil {
		return nil, bad
	}
	a.ID = id
	c := &articleChecker{strictyaml.Fields{File: f, Node: root, Of: reflect.TypeFor[Article]()}, a}
	c.check()
	return a, append(bad, c.Bad...)
}

type articleChecker struct {
	strictyaml.Fields

	article *Article
}

// figureID matches an id in kebab case that may begin with a digit, such as 40g-nics.
var figureID = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

var articleDate = regexp.MustCompile(`^(19|20)\d\d(-(0[1-9]|1[0-2]))?$`)

func (c *articleChecker) check() {
	a := c.article
	if !figureID.MatchString(a.ID) {
		c.Add(nil, fmt.Sprintf("the file name %s.yaml is not an id in kebab case", a.ID))
	}
	c.Word("name", a.Name != "", "the short name that the guide uses")
	c.Word("publisher", a.Publisher != "", "the publisher")
	c.Word("date", a.Date == "" || articleDate.MatchString(a.Date), "YYYY or YYYY-MM")
	if (a.Title == "") == (a.Subject == "") {
		c.Add(nil, "an article has either a title, or a subject where its title is not known")
	}
	list := strictyaml.Child(c.Node, "figures")
	for i := range a.Figures {
		c.figure(&a.Figures[i], list.Content[i])
	}
}

func (c *articleChecker) figure(f *Figure, n *yaml.Node) {
	switch {
	case !figureID.MatchString(f.ID):
		c.Add(n, fmt.Sprintf("id %q: write an id in kebab case, such as receive-throughput", f.ID))
	case c.first(f.ID) != f:
		c.Add(n, "figure "+f.ID+" is defined twice")
	case f.Says == "" || f.When == "":
		c.Add(n, "figure "+f.ID+" needs says and when: the claim, and the conditions under which it was measured")
	case len(f.Values) > 0 && f.Unit == "":
		c.Add(n, "figure "+f.ID+" needs the unit of its values")
	case !slices.Equal(numbersIn(f.Says), f.Values):
		c.Add(n, fmt.Sprintf("figure %s says %v but the values are %v: write the same numbers in the same order", f.ID, numbersIn(f.Says), f.Values))
	}
}

// first returns the first figure with an id.
func (c *articleChecker) first(id string) *Figure {
	i := slices.IndexFunc(c.article.Figures, func(o Figure) bool { return o.ID == id })
	return &c.article.Figures[i]
}

var numberWord = regexp.MustCompile(`^\d[\d,]*(\.\d+)?$`)

// numbersIn lists the numbers of a sentence. A word that merely contains digits, such as 10GbE, is not a number.
func numbersIn(sentence string) []float64 {
	var found []float64
	for word := range strings.FieldsSeq(sentence) {
		word = strings.TrimRight(strings.TrimLeft(word, "("), ".,;:)")
		if !numberWord.MatchString(word) {
			continue
		}
		if v, err := strconv.ParseFloat(strings.ReplaceAll(word, ",", ""), 64); err == nil && !math.IsInf(v, 0) {
			found = append(found, v)
		}
	}
	return found
}
