package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
)

// Text is advice as people read it, in the order in which they want to know it. It has no markup, and is not yet safe for
// any format.
type Text struct {
	Verdict  string
	Counts   []string // what else there is, and what could not be seen
	About    string   // of what it is, and when
	Sections []Section
}

// Section is a part of a text, with a title of its own.
type Section struct {
	Title   string
	Entries []Entry
	Grid    *Grid
	More    []string // what was left out, and what to know of the rest
}

// Entry is one thing that a section tells.
type Entry struct {
	Rank     int // 0: it has no place in an order
	Severity advice.Severity
	Rule     *advice.Rule // nil: none is behind it
	Title    string
	Lines    []string
	Fields   []Field
	Commands []string // what to type, where that is all that is said of the way out
}

// Field is a part of an entry with a word before it.
type Field struct {
	Label string
	Lines []string
	Typed bool // the lines are commands
}

// Grid is figures that are compared with each other.
type Grid struct {
	Head  []string
	Rows  [][]string
	Spare []string // heads of columns that may be left out where there is no room for them, the first one first
}

// Drop leaves a column out.
func (g *Grid) Drop(column int) {
	g.Head = slices.Delete(g.Head, column, column+1)
	for i := range g.Rows {
		g.Rows[i] = slices.Delete(g.Rows[i], column, column+1)
	}
}

// How much of a list is shown unless somebody asks for the whole: what is first matters most.
const (
	mostAdvice   = 10
	mostFull     = 5  // things to do with their evidence, on a screen
	mostShort    = 20 // further things to do, a line each
	mostSuffer   = 2  // objects with one symptom
	mostBeside   = 4  // further symptoms of them
	mostProofs   = 1  // objects that prove a cause
	mostShown    = 4  // figures of one of them
	mostFound    = 2  // figures of what another rule found
	mostMeasured = 2  // figures beside the counters that a symptom was judged by
	mostBenefits = 2
	mostNext     = 2
	mostChanges  = 4
	mostGaps     = 4
	mostLatent   = 6
	mostAdds     = 6
	mostHosts    = 6
	mostHotSpots = 16
	mostLiveHot  = 5
)

// writer puts a view into words.
type writer struct {
	*View

	brief bool // there is room for what decides, and no more
}

// some are the first few of lines, and a line that says how many more there are.
func (w *writer) some(lines []string, most int) []string {
	if w.Whole || len(lines) <= most+1 {
		return lines
	}
	return append(slices.Clone(lines[:most]), fmt.Sprintf("… and %d more", len(lines)-most))
}

// few are parts of one line, as many as there is room for.
func (w *writer) few(parts []string, most int, between string) string {
	if w.Whole {
		most = len(parts)
	}
	return wording.FewOf(parts, most, between)
}

// fewer are the first of a long list, and a line that says how many more there are.
func fewer[T any](w *writer, all []T, most int) (few []T, more []string) {
	if w.Whole || len(all) <= most+1 {
		return all, nil
	}
	return all[:most], []string{fmt.Sprintf("… and %d more; --all shows them, and -o json has all", len(all)-most)}
}

// filled are the fields that have something to say.
func filled(all []Field) []Field {
	return slices.DeleteFunc(all, func(f Field) bool { return len(f.Lines) == 0 })
}

// joined is what stands on one line; nothing is no line.
func joined(parts []string) []string {
	if len(parts) == 0 {
		return nil
	}
	return []string{strings.Join(parts, "; ")}
}

// nameAnd is a name and what is said of it.
func nameAnd(name, what string) string {
	if what == "" {
		return name
	}
	return name + ": " + what
}

func first(lines []string) []string { return lines[:min(1, len(lines))] }

// inOneLine is an entry of which a line says all.
func inOneLine(e Entry, what string) Entry {
	e.Title, e.Lines, e.Commands, e.Fields = nameAnd(wording.OneLine(e.Title), what), nil, nil, nil
	return e
}

// ruleText is a rule by title and id.
func ruleText(r *advice.Rule) string { return wording.OneLine(r.Title) + " (" + r.ID + ")" }

// lacking is what nobody knows for one reason, and of which objects.
type lacking struct{ what, objects collect.Distinct }

// names are the first of many; a screen has room for one.
func (w *writer) names(all []string) string {
	if w.brief && len(all) > 2 {
		return fmt.Sprintf("%s and %d more", all[0], len(all)-1)
	}
	return wording.SomeNames(all)
}
