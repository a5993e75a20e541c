package report

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Founding is what the articles that vperf grew from ask for, what they warn of and what they measured, each with the
// rules that honour it. It is read from guide/founding.yaml.
type Founding struct {
	Articles        []FoundingArticle
	Recommendations []FoundingEntry
	Warnings        []FoundingEntry
	Results         []FoundingResult
}

// FoundingArticle is one of the articles: the short name that entries use, and its title, or what it is about.
type FoundingArticle struct{ Name, Title, Subject string }

// FoundingEntry is one recommendation or warning in our own words.
type FoundingEntry struct {
	Number   int      // from 1, in order
	Articles []string // short names
	Text     string
	Rules    []string // the rules that honour it
	Reason   string   // why no rule does, or what rules cannot see of it
	Today    string   // where newer releases changed it
}

// FoundingResult is one measurement that rules quote.
type FoundingResult struct {
	Article, Result, When string
	Rules                 []string
}

// readFounding reads the table; a key it does not know is a mistake.
func readFounding() (Founding, error) {
	var f Founding
	b, err := guideTexts.ReadFile("guide/founding.yaml")
	if err != nil {
		return f, fmt.Errorf("reading the founding articles: %w", err)
	}
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("reading guide/founding.yaml: %w", err)
	}
	return f, nil
}

func (g *guidePage) founding(f Founding) {
	titles := make([]string, len(f.Articles))
	for i, a := range f.Articles {
		titles[i] = a.Name + ": " + a.Subject
		if a.Title != "" {
			titles[i] += "*" + a.Title + "*"
		}
	}
	g.list(titles)
	g.heading(3, "What they recommend")
	g.entries(f.Recommendations)
	g.heading(3, "What they warn of")
	g.entries(f.Warnings)
	g.heading(3, "What they measured")
	g.results(f)
}

func (g *guidePage) entries(all []FoundingEntry) {
	for _, e := range all {
		fmt.Fprintf(&g.w, "%d. %s\n", e.Number, oneLine(e.Text))
		g.under("Today", sentence(e.Today))
		g.under("Rules", strings.Join(ruleLinks(e.Rules), ", "))
		g.under(e.reasonIs(), sentence(e.Reason))
		g.under("From", strings.Join(e.Articles, ", "))
	}
	g.w.WriteByte('\n')
}

// reasonIs says what the reason of an entry explains: that no rule honours it, or what is left beside the rules.
func (e FoundingEntry) reasonIs() string {
	if len(e.Rules) == 0 {
		return "No rule"
	}
	return "Beyond the rules"
}

func (g *guidePage) under(what, said string) {
	if said != "" {
		fmt.Fprintf(&g.w, "    - %s: %s\n", what, said)
	}
}

// sentence is one line that ends as a sentence does.
func sentence(s string) string {
	if s = oneLine(s); s != "" && !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

func (g *guidePage) results(f Founding) {
	fmt.Fprintln(&g.w, "| result | measured on | article | rules |\n|---|---|---|---|")
	for _, r := range f.Results {
		fmt.Fprintf(&g.w, "| %s | %s | %s | %s |\n", oneLine(r.Result), oneLine(r.When), r.Article,
			strings.Join(ruleLinks(r.Rules), ", "))
	}
	g.w.WriteByte('\n')
}

func ruleLinks(ids []string) []string {
	links := make([]string, len(ids))
	for i, id := range ids {
		links[i] = linkTo(id)
	}
	return links
}
