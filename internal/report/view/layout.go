package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
)

// Text is advice as readable text, most important first. It has no markup, and its strings are not yet escaped for any
// format.
type Text struct {
	Verdict  string
	Counts   []string // counts of other results, and of unread data
	About    string   // source and time of the data
	Sections []Section
}

// Section is a part of a text, with a title of its own.
type Section struct {
	Title   string
	Entries []Entry
	Grid    *Grid
	More    []string // the number of omitted entries, and hints
}

// Entry is one item of a section.
type Entry struct {
	Rank     int // 0: not ranked
	Severity advice.Severity
	Rule     *advice.Rule // nil: no rule
	Title    string
	Lines    []string
	Fields   []Field
	Commands []string // commands to type, for entries that show no other fix
}

// Field is a labelled part of an entry.
type Field struct {
	Label string
	Lines []string
	Typed bool // the lines are commands
}

// Grid is a table of comparable figures.
type Grid struct {
	Head  []string
	Rows  [][]string
	Spare []string // heads of columns to drop, in this order, when the screen is too narrow
}

// Drop removes a column.
func (g *Grid) Drop(column int) {
	g.Head = slices.Delete(g.Head, column, column+1)
	for i := range g.Rows {
		g.Rows[i] = slices.Delete(g.Rows[i], column, column+1)
	}
}

// Maximum lengths of lists without --all. Lists have the most important entries first.
const (
	mostAdvice        = 10
	mostFull          = 5  // things to do with their evidence, on a screen
	mostShort         = 20 // further things to do, a line each
	mostAffected      = 2  // objects with one symptom
	mostOtherSymptoms = 4  // further symptoms of them
	mostProofs        = 1  // objects that prove a cause
	mostShown         = 4  // figures of one of them
	mostFound         = 2  // figures of another rule's finding
	mostMeasured      = 2  // figures beside the counters that a symptom was judged by
	mostBenefits      = 2
	mostNext          = 2
	mostChanges       = 4
	mostGaps          = 4
	mostLatent        = 6
	mostAdds          = 6
	mostHosts         = 6
	mostHotSpots      = 16
	mostLiveHot       = 5
)

// writer turns a view into text.
type writer struct {
	*View

	brief bool // for a screen: only the deciding facts
}

// some returns the first lines, and a line with the number of the others.
func (w *writer) some(lines []string, most int) []string {
	if w.Whole || len(lines) <= most+1 {
		return lines
	}
	return append(slices.Clone(lines[:most]), fmt.Sprintf("… and %d more", len(lines)-most))
}

// few joins the first parts into one line.
func (w *writer) few(parts []string, most int, between string) string {
	if w.Whole {
		most = len(parts)
	}
	return wording.FewOf(parts, most, between)
}

// fewer returns the first entries of a long list, and a line with the number of the others.
func fewer[T any](w *writer, all []T, most int) (few []T, more []string) {
	if w.Whole || len(all) <= most+1 {
		return all, nil
	}
	return all[:most], []string{fmt.Sprintf("… and %d more; --all shows them, and -o json has all", len(all)-most)}
}

// filled removes empty fields.
func filled(all []Field) []Field {
	return slices.DeleteFunc(all, func(f Field) bool { return len(f.Lines) == 0 })
}

// joined joins parts into one line; it returns nil if there are none.
func joined(parts []string) []string {
	if len(parts) == 0 {
		return nil
	}
	return []string{strings.Join(parts, "; ")}
}

// nameAnd returns a name followed by a description, if any.
func nameAnd(name, what string) string {
	if what == "" {
		return name
	}
	return name + ": " + what
}

func first(lines []string) []string { return lines[:min(1, len(lines))] }

// inOneLine reduces an entry to one line.
func inOneLine(e Entry, what string) Entry {
	e.Title, e.Lines, e.Commands, e.Fields = nameAnd(wording.OneLine(e.Title), what), nil, nil, nil
	return e
}

// ruleText returns the title and id of a rule.
func ruleText(r *advice.Rule) string { return wording.OneLine(r.Title) + " (" + r.ID + ")" }

// unreadFacts is the unread facts with one reason, and their objects.
type unreadFacts struct{ facts, objects collect.Distinct }

// names returns the first names, on a screen only one.
func (w *writer) names(all []string) string {
	if w.brief && len(all) > 2 {
		return fmt.Sprintf("%s and %d more", all[0], len(all)-1)
	}
	return wording.SomeNames(all)
}
