package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
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

// How much of a list is shown unless somebody asks for the whole: what is first matters most.
const (
	mostAdvice   = 10
	mostShort    = 15 // further things to do, in short
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

// Text is the advice as a ticket has it.
func (v *View) Text() Text {
	w := &writer{View: v}
	return w.tell([]Section{
		w.todo(), w.harmless(), w.unexplained(w.unexplainedEntry), w.adds(), w.latent(), w.figures(), w.spots(), w.accepted(), w.unread(),
	})
}

func (w *writer) tell(parts []Section) Text {
	lines := w.verdictLines()
	s := Text{Verdict: lines[0], Counts: lines[1:], About: aboutText(w.View)}
	for _, part := range parts {
		if len(part.Entries) > 0 || part.Grid != nil {
			s.Sections = append(s.Sections, part)
		}
	}
	return s
}

// sameTime is how far apart times may be that nobody has to be told both of.
const sameTime = time.Hour

func aboutText(v *View) string {
	r := v.Result
	s := fmt.Sprintf("%s: %s, %s", v.Source, plural.Count(r.Hosts, "host"), plural.Count(r.VMs, "VM"))
	if v.Measured() {
		s += fmt.Sprintf(", counters of %s to %s", wording.Span(v.From, v.To), v.To.UTC().Format(time.RFC3339))
	} else {
		s += ", without counters"
	}
	s += ", profile " + v.ProfileName()
	if at := v.TakenAt.UTC().Format(time.RFC3339); !v.Measured() || v.To.Sub(v.TakenAt).Abs() > sameTime {
		s += ", as of " + at
	}
	return s
}

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
	if w.Whole || len(parts) <= most+1 {
		return strings.Join(parts, between)
	}
	return strings.Join(parts[:most], between) + fmt.Sprintf(" and %d more", len(parts)-most)
}

func (w *writer) todo() Section {
	s := Section{Title: "what to do"}
	var all []*Recommendation
	all, s.More = fewer(w, w.Showing(), mostAdvice)
	s.Entries = collect.Map(all, w.recommendation)
	if len(all) > 0 {
		s.More = append(s.More, "vperf explain RULE has the reasons, the figures and the sources of each")
	}
	return s
}

// fewer are the first of a long list, and a line that says how many more there are.
func fewer[T any](w *writer, all []T, most int) (few []T, more []string) {
	if w.Whole || len(all) <= most+1 {
		return all, nil
	}
	return all[:most], []string{fmt.Sprintf("… and %d more; --all shows them, and -o json has all", len(all)-most)}
}

func (w *writer) recommendation(r *Recommendation) Entry {
	e := Entry{Rank: r.Rank, Severity: r.Severity, Rule: r.Rule, Title: r.Title, Lines: joined(append([]string{whereText(r)}, w.impact(r)...))}
	e.Fields = filled([]Field{
		{Label: "shows", Lines: w.shows(r)},
		{Label: "also", Lines: w.also(r)},
		{Label: "because", Lines: w.because(r)},
		{Label: "found", Lines: w.found(r)},
		{Label: "do", Lines: w.do(r)},
		{Label: "type", Lines: r.Commands, Typed: true},
		{Label: "brings", Lines: w.brings(r)},
		{Label: "takes", Lines: w.takes(r)},
		{Label: "next", Lines: w.next(r)},
		{Label: "is not", Lines: w.ruledOut(r)},
		{Label: "unseen", Lines: w.unseen(r.Unseen)},
		{Label: "waived", Lines: w.waived(r)},
		{Label: "note", Lines: w.notes(r)},
	})
	return e
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

// do tells what a person does, and the settings to change.
func (w *writer) do(r *Recommendation) []string {
	var all []string
	if action := wording.OneLine(r.Rule.Action); action != "" {
		all = append(all, action)
	}
	return append(all, w.some(w.changes(r), mostChanges)...)
}

// changes are the settings to change, each with its object; by hand is said of those that vperf never makes.
func (w *writer) changes(r *Recommendation) []string {
	var all []string
	for _, f := range r.Findings {
		for _, c := range f.Remedies {
			if w.brief && c.Consent == advice.ConsentNamed { // what is to be typed names the rule
				c.Consent = advice.ConsentFree
			}
			s := wording.Remedy(f, c)
			if c.Object == f.Object {
				s = w.before(r, f.Object) + s
			}
			if f.Pending != "" {
				s += "; " + wording.PendingText(f)
			}
			all = append(all, s)
		}
	}
	return all
}

// next tells which causes are proven too, and show when the first is gone.
func (w *writer) next(r *Recommendation) []string {
	var all collect.Distinct
	for _, d := range r.Also {
		if d.Finding.Rule != r.Rule {
			all.Add(d.Finding.Rule.ID)
		}
	}
	if len(all.Words) == 0 {
		return nil
	}
	return []string{w.few(all.Words, mostNext, ", ")}
}

// unseen tells what the diagnoses could not see, by the reason. What a capture cannot have is told once, for all of them.
func (w *writer) unseen(gaps []advice.Gap) []string {
	var by collect.ByKey[string, lacking]
	for _, g := range gaps {
		if wantsConfiguration(g.Reason) && !w.Whole {
			continue
		}
		l := by.At(g.Reason)
		l.what.Add(g.Fact)
		if g.Object.Name != "" {
			l.objects.Add(g.Object.Name)
		}
	}
	return w.some(collect.Each(by, func(reason string, l *lacking) string {
		s := w.few(l.what.Words, mostGaps, ", ")
		if len(l.objects.Words) > 0 {
			s += " of " + w.few(l.objects.Words, mostSuffer, ", ")
		}
		return s + ": " + reason
	}), mostGaps)
}

// lacking is what nobody knows for one reason, and of which objects.
type lacking struct{ what, objects collect.Distinct }

// notes tells what a person has to know beside it: all where all is asked for, else what rules say of this object alone about
// a change that vperf makes only when somebody has decided on it.
func (w *writer) notes(r *Recommendation) []string {
	if w.Whole {
		return r.Notes
	}
	var all []string
	for _, f := range r.Findings {
		if !slices.ContainsFunc(f.Remedies, func(c advice.Change) bool {
			return c.Consent == advice.ConsentNamed || c.Consent == advice.ConsentValue
		}) {
			continue
		}
		for _, n := range f.Rule.Notes {
			if n.When.Source != "" && slices.Contains(f.Notes, n.Text) {
				all = collect.AddOnce(all, wording.OneLine(n.Text))
			}
		}
	}
	return all
}

// latent tells what is wrong in the configuration in a line each: nothing shows that it hurts now.
func (w *writer) latent() Section {
	s := Section{Title: latentTitle(w.View)}
	var all []*Recommendation
	all, s.More = fewer(w, w.Latent(), mostLatent)
	s.Entries = collect.Map(all, w.latentEntry)
	return s
}

func (w *writer) latentEntry(r *Recommendation) Entry {
	e := Entry{Rank: r.Rank, Severity: r.Severity, Rule: r.Rule, Title: r.Rule.Title, Lines: []string{whereText(r)}, Commands: r.Commands}
	if names := namesOf(r.Findings); r.Object == (inventory.Ref{}) && len(names) > 0 {
		e.Lines[0] += ": " + wording.SomeNames(names)
	}
	if r.ByLoad {
		e.Lines = append(e.Lines, ByLoadText)
	}
	return e
}

func namesOf(findings []*advice.Finding) []string {
	var names collect.Distinct
	for _, f := range findings {
		names.Add(f.Object.Name)
	}
	return names.Words
}
