package report

import (
	"strings"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/report/wording"
)

// Advice returns advice for a person: what to do first, why, and the expected effect. It is brief unless the user asks for everything.
// On an interactive terminal it takes one screen.
func Advice(v *view.View, t Terminal) doc.Document {
	switch {
	case v.Whole:
		return advised(v, v.Text())
	case t.TTY && len(v.Showing()) > 0:
		return adviceScreen(v.Brief(), t)
	}
	return advised(v, v.Brief())
}

// AdviceTicket returns advice for a ticket: what Advice has, with further proof, tradeoffs, efficiency and hot spots.
func AdviceTicket(v *view.View) doc.Document { return advised(v, v.Text()) }

func advised(v *view.View, s view.Text) doc.Document {
	all := []doc.Block{doc.Title("vperf advice for ", v.Source), doc.P(doc.Bold(s.Verdict))}
	all = append(append(all, doc.Items(append(s.Counts, s.About)...)...), doc.Fields(doc.Lines("note", v.Notes...)))
	for i, part := range s.Sections {
		if i == 0 && len(v.Showing()) > 0 { // the line above introduces it
			all = append(append(all, adviceEntries(part, true)...), doc.Group(doc.Items(part.More...)...))
			continue
		}
		all = append(all, doc.Section(part.Title, append(adviceEntries(part, false), doc.Items(part.More...)...)...))
	}
	return doc.Of(all...)
}

// adviceEntries returns the entries and the table of a section. With parts, entries that have more than a line have room around them.
func adviceEntries(s view.Section, parts bool) []doc.Block {
	all := collect.Map(s.Entries, func(e view.Entry) doc.Block {
		switch {
		case e.Rule == nil && len(e.Lines) == 1:
			return doc.Item(doc.T(e.Title, ": ", e.Lines[0]))
		case parts && len(e.Lines) > 0:
			return doc.Part(entryHead(e), entryRest(e, false)...).Numbered(e.Rank)
		}
		return doc.Item(entryHead(e), entryRest(e, false)...).Numbered(e.Rank)
	})
	if s.Grid != nil {
		all = append(all, figures(s.Grid))
	}
	return all
}

func entryHead(e view.Entry) doc.Text {
	if e.Rule == nil {
		return doc.Apart(severityWord(e.Severity), e.Title)
	}
	return doc.Apart(severityWord(e.Severity), doc.Span{Text: e.Rule.ID, Style: doc.Strong, Link: wording.Docs(e.Rule)}, wording.OneLine(e.Title))
}

// entryRest returns what belongs to an entry; on a screen, its reason is one line.
func entryRest(e view.Entry, screen bool) []doc.Block {
	all := append(doc.Items(e.Lines...), doc.Fields(collect.Map(e.Fields, func(f view.Field) doc.Field {
		if screen && f.Label == "because" {
			return doc.F(f.Label, doc.Short(f.Lines[0]))
		}
		return adviceField(f)
	})...))
	if len(e.Commands) > 0 {
		all = append(all, doc.Line(e.Commands[0]))
	}
	return all
}

func adviceField(f view.Field) doc.Field {
	if !f.Typed {
		return doc.Lines(f.Label, f.Lines...)
	}
	return doc.Field{Label: f.Label, Lines: collect.Map(f.Lines, func(l string) doc.Text { return doc.T(doc.Typed(l)) })}
}

func figures(g *view.Grid) doc.Block {
	t := doc.Table{Head: g.Head, Spare: g.Spare}
	for _, row := range g.Rows {
		t.Add(collect.Map(row, func(cell string) any { return wording.OneLine(cell) })...)
	}
	return t.Block()
}

// The first screen of advice has 40 lines, as that of an audit, and one of them is a message on stderr. Three recommendations with
// evidence and fix leave room for others.
const (
	screenLines = 39
	screenFull  = 3
)

// adviceScreen has the counts, the first recommendations with their evidence and fix, and as many others in one line each as fit a
// screen.
func adviceScreen(s view.Text, t Terminal) doc.Document {
	all := []doc.Block{doc.P(doc.S(doc.Strong|doc.Cut, s.Verdict))}
	for _, l := range append(s.Counts, s.About) {
		all = append(all, doc.P(doc.Short(l)))
	}
	entries := s.Sections[0].Entries
	full := min(len(entries), screenFull)
	for _, e := range entries[:full] {
		all = append(all, doc.Part(entryHead(e), entryRest(e, true)...).Numbered(e.Rank))
	}
	rest := collect.Map(entries[full:], func(e view.Entry) doc.Block {
		title := strings.Join(append([]string{wording.OneLine(e.Title)}, e.Lines[:min(1, len(e.Lines))]...), ": ")
		e.Title = ""
		return doc.Item(doc.Apart(entryHead(e), doc.Short(title))).Numbered(e.Rank)
	})
	return doc.Of(append(all, doc.Screenful(screenLines, rest, doc.Group(doc.Items(
		"--all shows everything: misconfigurations, explained symptoms, missing data",
		t.Typed.Command("explain", "RULE")+": reasons and sources; "+t.Typed.Command("plan", "--rule", "RULE")+": the change")...)))...)
}
