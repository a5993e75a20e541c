package guide

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice"
)

// Founding holds the recommendations and warnings of the articles that vperf is based on, each with the rules that implement
// it. It is read from founding.yaml.
type Founding struct {
	Recommendations []FoundingEntry
	Warnings        []FoundingEntry
}

// FoundingEntry is one recommendation or warning in our own words.
type FoundingEntry struct {
	Number   int      // from 1, in order
	Articles []string // their names
	Text     string
	Figures  []string // the related figures of the articles
	Rules    []string // the rules that implement it
	Reason   string   // why no rule does, or which part rules cannot check
	Today    string   // how newer releases changed it
}

// readFounding reads the table; an unknown key is an error.
func readFounding() (Founding, error) {
	var f Founding
	b, err := texts.ReadFile("founding.yaml")
	if err != nil {
		return f, fmt.Errorf("reading the founding articles: %w", err)
	}
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("reading founding.yaml: %w", err)
	}
	return f, nil
}

func (g *writer) founding(f Founding) {
	titles := make([]string, len(g.articles))
	for i, a := range g.articles {
		titles[i] = articleText(a)
	}
	g.list(titles)
	g.heading(3, "Recommendations")
	g.entries(f.Recommendations)
	g.heading(3, "Warnings")
	g.entries(f.Warnings)
	g.heading(3, "Measurements")
	g.results()
}

// articleText returns an article's title or subject, its date, and its address.
func articleText(a *advice.Article) string {
	text := a.Name + ": " + a.Subject
	if a.Title != "" {
		text += "*" + a.Title + "*"
	}
	if a.Date != "" {
		text += " (" + a.Date + ")"
	}
	if a.Address != "" {
		text += ", <" + a.Address + ">"
	}
	return text
}

func (g *writer) entries(all []FoundingEntry) {
	for _, e := range all {
		fmt.Fprintf(&g.w, "%d. %s\n", e.Number, oneLine(e.Text))
		for _, id := range e.Figures {
			g.under("Measured", sentence(g.figure(id)))
		}
		g.under("Today", sentence(e.Today))
		g.under("Rules", strings.Join(ruleLinks(e.Rules), ", "))
		g.under(e.reasonIs(), sentence(e.Reason))
		g.under("From", strings.Join(e.Articles, ", "))
	}
	g.w.WriteByte('\n')
}

// reasonIs introduces the reason of an entry: why no rule implements it, or the part that rules do not cover.
func (e FoundingEntry) reasonIs() string {
	if len(e.Rules) == 0 {
		return "No rule"
	}
	return "Beyond the rules"
}

func (g *writer) under(what, text string) {
	if text != "" {
		fmt.Fprintf(&g.w, "    - %s: %s\n", what, text)
	}
}

// figure returns a figure with its conditions, or "" if the library does not have it.
func (g *writer) figure(id string) string {
	if f := g.lookup(id); f != nil {
		return oneLine(f.Says) + " (" + oneLine(f.When) + ")"
	}
	return ""
}

func (g *writer) lookup(id string) *advice.Figure {
	for _, a := range g.articles {
		for i := range a.Figures {
			if a.ID+"/"+a.Figures[i].ID == id {
				return &a.Figures[i]
			}
		}
	}
	return nil
}

// quoted matches a figure reference in a handwritten text: {{ARTICLE/FIGURE}}.
var quoted = regexp.MustCompile(`\{\{[a-z0-9-]+/[a-z0-9-]+\}\}`)

// quoting replaces figure references in a text. References that are not in the library stay unchanged.
func (g *writer) quoting(text string) string {
	return quoted.ReplaceAllStringFunc(text, func(place string) string {
		if f := g.lookup(strings.Trim(place, "{}")); f != nil {
			return prose(f.Says)
		}
		return place
	})
}

// results lists all figures of all articles, with the rules that quote them.
func (g *writer) results() {
	quoting := map[string][]string{}
	for _, r := range g.rules {
		for _, b := range r.Benefit {
			if !slices.Contains(quoting[b.Figure], r.ID) {
				quoting[b.Figure] = append(quoting[b.Figure], r.ID)
			}
		}
	}
	fmt.Fprintln(&g.w, "| article | result | measured on | quoted by |\n|---|---|---|---|")
	for _, a := range g.articles {
		for _, f := range a.Figures {
			fmt.Fprintf(&g.w, "| %s | %s | %s | %s |\n", a.Name, prose(f.Says), prose(f.When),
				strings.Join(ruleLinks(quoting[a.ID+"/"+f.ID]), ", "))
		}
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
