// Package guide writes the guide to best practices: texts written by hand, and a section for each rule.
package guide

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
)

// Page is a file of the guide.
type Page struct {
	Path string // below docs/
	Text []byte
}

// Pages are the guide as docs/ has it: the front page says how to read it, accounts for the founding articles and has an
// index of all rules; each category has a page with an introduction and its rules. Of rules they say nothing that the
// rules do not say. origins are the properties or the method that each fact comes from.
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

// Write writes the guide as one file.
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

// onOwnSheet writes a chapter on a page of its own and goes back to the page before.
func (g *writer) onOwnSheet(c chapter) {
	front := g.sheet
	g.begin(&sheet{path: report.GuidePage(c.category), raise: 1})
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
