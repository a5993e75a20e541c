// Package guide writes the guide to best practices: handwritten texts, and a section for each rule.
package guide

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Page is a file of the guide.
type Page struct {
	Path string // below docs/
	Text []byte
}

// Pages returns the guide for docs/. The front page explains how to read the guide, covers the founding articles and has an
// index of all rules. Each category has a page with an introduction and its rules. The text about a rule comes only from the
// rule. origins maps each fact to its properties or method.
func Pages(l *advice.Library, origins map[string][]string) ([]Page, error) {
	g, err := newWriter(l, origins)
	if err != nil {
		return nil, err
	}
	if err := g.compose(g.onOwnSheet); err != nil {
		return nil, fmt.Errorf("writing the guide: %w", err)
	}
	pages := make([]Page, len(g.sheets))
	for i, text := range linked(g.sheets) {
		pages[i] = Page{g.sheets[i].path, text}
	}
	return pages, nil
}

// Write writes the guide as a single file.
func Write(w io.Writer, l *advice.Library, origins map[string][]string) error {
	g, err := newWriter(l, origins)
	if err != nil {
		return err
	}
	if err := g.compose(g.chapter); err != nil {
		return fmt.Errorf("writing the guide: %w", err)
	}
	if _, err := w.Write(linked(g.sheets)[0]); err != nil {
		return fmt.Errorf("writing the guide: %w", err)
	}
	return nil
}

// Section returns the section of one rule, with its id as the title.
func Section(l *advice.Library, origins map[string][]string, id string) (string, error) {
	g, err := newWriter(l, origins)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(g.rules, func(r *advice.Rule) bool { return r.ID == id })
	if i < 0 {
		return "", &advice.UnknownRuleError{ID: id, Near: inventory.Near(id, l.IDs())}
	}
	g.raise = 2 // from the third level, below a chapter
	g.rule(g.rules[i])
	return string(linked(g.sheets)[0]), nil
}

// compose writes the guide; write writes a chapter.
func (g *writer) compose(write func(chapter)) error {
	chapters, err := g.chapters()
	if err != nil {
		return err
	}
	top, how, origins := hand("top"), hand("reading"), hand("founding")
	founded, err := readFounding()
	if err != nil {
		return err
	}
	g.heading(1, top.title)
	g.say("%s", top.body)
	g.contents(chapters, how, origins)
	g.heading(2, how.title)
	g.say("%s", how.body)
	for _, c := range chapters {
		write(c)
	}
	g.heading(2, origins.title)
	g.say("%s", origins.body)
	g.founding(founded)
	g.index()
	return nil
}

// chapter is a category that has rules.
type chapter struct {
	handText

	category advice.Category
	rules    []*advice.Rule
}

func (g *writer) chapters() ([]chapter, error) {
	var all []chapter
	for _, c := range advice.Categories() {
		of := slices.DeleteFunc(slices.Clone(g.rules), func(r *advice.Rule) bool { return r.Category != c })
		if len(of) == 0 {
			continue
		}
		t := hand(string(c))
		if t.title == "" {
			return nil, fmt.Errorf("category %s has rules and no introduction: write internal/report/guide/%s.md", c, c)
		}
		all = append(all, chapter{t, c, of})
	}
	return all, nil
}

func (g *writer) contents(chapters []chapter, how, origins handText) {
	g.heading(2, contentsTitle)
	items := []string{linkTo(how.title)}
	for _, c := range chapters {
		items = append(items, fmt.Sprintf("%s (%d)", linkTo(c.title), len(c.rules)))
	}
	g.list(append(items, linkTo(origins.title), linkTo(indexTitle)))
}

const (
	contentsTitle = "Contents"
	indexTitle    = "Index of rules"
)

// onOwnSheet writes a chapter on a separate page and then returns to the previous page.
func (g *writer) onOwnSheet(c chapter) {
	front := g.sheet
	g.begin(&sheet{path: wording.GuidePage(c.category), raise: 1})
	g.heading(2, c.title)
	g.say("A chapter of %s. That page says how to read this one, and has an index of all rules.", linkTo(hand("top").title))
	g.content(c)
	g.sheet = front
}

func (g *writer) chapter(c chapter) {
	g.heading(2, c.title)
	g.content(c)
}

func (g *writer) content(c chapter) {
	g.say("%s", g.quoting(c.body))
	g.say("Rules of this chapter: %s.", strings.Join(ruleLinks(idsOf(c.rules)), ", "))
	for _, r := range c.rules {
		g.rule(r)
	}
}

func idsOf(rules []*advice.Rule) []string {
	list := make([]string, len(rules))
	for i, r := range rules {
		list[i] = r.ID
	}
	return list
}

func (g *writer) index() {
	g.heading(2, indexTitle)
	fmt.Fprintln(&g.w, "| rule | looks at each | severity | what it takes |\n|---|---|---|---|")
	for _, r := range g.rules {
		fmt.Fprintf(&g.w, "| %s | %s | %s | %s |\n", linkTo(r.ID), scopeName(r.Scope), bySeverity(r), takes(r))
	}
}
