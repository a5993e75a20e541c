package report

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// guideTexts is what is written by hand: how to read the guide, an introduction a category, and the founding articles.
//
//go:embed guide
var guideTexts embed.FS

// guideFact is how the guide speaks of a fact: in words that follow its name, and where vSphere has it.
type guideFact struct {
	Words string   // such as "counts virtual CPUs"
	Paths []string // properties of its managed object, or the method that is called
}

// Guide writes docs/best-practices.md: an introduction to each category, then every rule of it with why it matters, what
// it was measured to bring, what vperf reads and how to fix it. Of rules it says nothing that they do not say.
// origins are the properties or the method that each fact comes from.
func Guide(w io.Writer, l *advice.Library, origins map[string][]string) error {
	set, err := l.Select(advice.Selection{Diagnoses: true})
	if err != nil {
		return fmt.Errorf("compiling the rules of the guide: %w", err)
	}
	facts, err := guideFacts(origins)
	if err != nil {
		return err
	}
	g := &guidePage{rules: l.Rules(), articles: l.Articles(), reads: set.Reads(), facts: facts, anchors: map[string]bool{}}
	if err := g.all(); err != nil {
		return fmt.Errorf("writing the guide: %w", err)
	}
	if _, err := w.Write(g.linked()); err != nil {
		return fmt.Errorf("writing the guide: %w", err)
	}
	return nil
}

type guidePage struct {
	w        bytes.Buffer
	rules    []*advice.Rule
	articles []*advice.Article
	reads    map[string]inventory.Needs
	facts    map[string]guideFact
	anchors  map[string]bool // headings so far, as links name them
}

func (g *guidePage) all() error {
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
		g.chapter(c)
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

	rules []*advice.Rule
}

func (g *guidePage) chapters() ([]chapter, error) {
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
		all = append(all, chapter{t, of})
	}
	return all, nil
}

func (g *guidePage) contents(chapters []chapter, how, origins handText) {
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

func (g *guidePage) chapter(c chapter) {
	g.heading(2, c.title)
	g.say("%s", g.quoting(c.body))
	links := make([]string, len(c.rules))
	for i, r := range c.rules {
		links[i] = linkTo(r.ID)
	}
	g.say("Rules of this chapter: %s.", strings.Join(links, ", "))
	for _, r := range c.rules {
		g.rule(r)
	}
}

func (g *guidePage) index() {
	g.heading(2, indexTitle)
	fmt.Fprintln(&g.w, "| rule | looks at each | severity | what it takes |\n|---|---|---|---|")
	for _, r := range g.rules {
		fmt.Fprintf(&g.w, "| %s | %s | %s | %s |\n", linkTo(r.ID), scopeName(r.Scope), bySeverity(r), takes(r))
	}
}

// handText is a text written by hand: its first line is a heading, the rest its body.
type handText struct{ title, body string }

// hand is one of the hand-written texts; the zero value where there is none.
func hand(name string) handText {
	b, err := guideTexts.ReadFile("guide/" + name + ".md")
	if err != nil {
		return handText{}
	}
	first, rest, _ := strings.Cut(string(b), "\n")
	return handText{strings.TrimPrefix(first, "# "), strings.TrimSpace(rest)}
}

func (g *guidePage) heading(level int, title string) {
	g.anchors[anchor(title)] = true
	g.say("%s %s", strings.Repeat("#", level), title)
}

// say writes one paragraph.
func (g *guidePage) say(format string, args ...any) {
	fmt.Fprintf(&g.w, format+"\n\n", args...)
}

func (g *guidePage) list(items []string) {
	for _, i := range items {
		fmt.Fprintf(&g.w, "- %s\n", i)
	}
	if len(items) > 0 {
		g.w.WriteByte('\n')
	}
}

// titled writes a list of what a rule says under a title of its own, or nothing.
func (g *guidePage) titled(title string, items []string) {
	if len(items) == 0 {
		return
	}
	g.say("**%s**", title)
	g.prose(items)
}

func (g *guidePage) prose(items []string) {
	safe := make([]string, len(items))
	for i, item := range items {
		safe[i] = prose(item)
	}
	g.list(safe)
}

var markup = strings.NewReplacer("<", "&lt;", "*", `\*`)

// prose is a rule's text as one line of Markdown. Rules are plain text, in which <device> and sched.* mean themselves;
// what they put between backquotes stays.
func prose(s string) string {
	parts := strings.Split(oneLine(s), "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = markup.Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

func linkTo(title string) string { return "[" + title + "](#" + anchor(title) + ")" }

var notInAnchors = regexp.MustCompile(`[^a-z0-9 _-]`)

// anchor is what a heading is linked by on GitHub.
func anchor(title string) string {
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}

var innerLink = regexp.MustCompile(`\[([^\]\n]+)\]\(#([a-z0-9_-]+)\)`)

// linked is the page with links to headings it does not have turned into code: hand-written texts may name a rule that
// somebody left out of the library.
func (g *guidePage) linked() []byte {
	return innerLink.ReplaceAllFunc(g.w.Bytes(), func(link []byte) []byte {
		m := innerLink.FindSubmatch(link)
		if g.anchors[string(m[2])] {
			return link
		}
		return []byte("`" + string(m[1]) + "`")
	})
}

func severities(r *advice.Rule) string {
	var parts []string
	for _, p := range advice.Profiles() {
		if s, ok := r.Profiles[p]; ok {
			parts = append(parts, fmt.Sprintf("%s for %s", s, p))
		}
	}
	if len(parts) == 0 {
		return string(r.Severity)
	}
	return strings.Join(parts, ", ") + ", otherwise " + string(r.Severity)
}

func benefits(r *advice.Rule) []string {
	items := make([]string, len(r.Benefit))
	for i, b := range r.Benefit {
		items[i] = b.Text
		if b.When != "" {
			items[i] += " (" + b.When + ")"
		}
		if b.Source != "" {
			items[i] += " — " + b.Source
		}
	}
	return items
}

func fixes(r *advice.Rule) []string {
	items := make([]string, len(r.Remedy))
	for i, m := range r.Remedy {
		s := m.Setting()
		items[i] = fmt.Sprintf("set `%s` to `%s`", s, oneLine(m.To.Source))
		if !m.When.Empty() {
			items[i] += fmt.Sprintf(" when `%s`", oneLine(m.When.Source))
		}
		if !s.Kind.Applicable() {
			items[i] += "; by hand, vperf never does it"
			continue
		}
		items[i] += fmt.Sprintf("; takes effect: %s; way back: %s%s", m.Activation, s.Kind.Inverse, wording.Consent(m.Consent))
	}
	return items
}

func notes(r *advice.Rule) []string {
	var items []string
	for _, n := range r.Notes {
		text := oneLine(n.Text)
		if !n.When.Empty() {
			text = fmt.Sprintf("when `%s`: %s", oneLine(n.When.Source), text)
		}
		items = append(items, text)
	}
	for _, c := range r.Cases {
		if c.About != "" {
			items = append(items, fmt.Sprintf("%s Severity is then %s.", oneLine(c.About), c.Severity))
		}
	}
	return items
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
