package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// story is advice as people read it, in the order in which they want to know it. It has no markup, and is not yet safe for
// any format.
type story struct {
	verdict  string
	counts   []string // what else there is, and what could not be seen
	about    string   // of what it is, and when
	sections []section
}

type section struct {
	title   string
	entries []entry
	grid    *grid
	more    []string // what was left out, and what to know of the rest
}

type entry struct {
	rank     int // 0: it has no place in an order
	severity advice.Severity
	rule     *advice.Rule // nil: none is behind it
	title    string
	lines    []string
	fields   []field
	commands []string // what to type, where that is all that is said of the way out
}

// field is a part of an entry with a word before it.
type field struct {
	label string
	lines []string
	typed bool // the lines are commands
}

// grid is figures that are compared with each other.
type grid struct {
	head  []string
	rows  [][]string
	spare []string // heads of columns that may be left out where there is no room for them, the first one first
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

func storyOf(a Advice) story {
	w := newTeller(a)
	return w.tell([]section{
		w.todo(), w.harmless(), w.unexplained(w.unexplainedEntry), w.adds(), w.latent(), w.figures(), w.spots(), w.accepted(), w.unread(),
	})
}

func newTeller(a Advice) *teller {
	w := &teller{a: a, counters: countersOf(a.Snapshot), rank: map[*advice.Recommendation]int{}}
	for i, r := range a.Advice.Recommendations {
		w.rank[r] = i + 1
	}
	return w
}

func (w *teller) tell(parts []section) story {
	lines := verdictLines(w.a)
	s := story{verdict: lines[0], counts: lines[1:], about: aboutText(w.a)}
	for _, part := range parts {
		if len(part.entries) > 0 || part.grid != nil {
			s.sections = append(s.sections, part)
		}
	}
	return s
}

// sameTime is how far apart times may be that nobody has to be told both of.
const sameTime = time.Hour

func aboutText(a Advice) string {
	r := a.Result
	s := fmt.Sprintf("%s: %s, %s", a.Source, count(r.Hosts, "host"), count(r.VMs, "VM"))
	if a.measured() {
		s += fmt.Sprintf(", counters of %s to %s", span(a.From, a.To), a.To.UTC().Format(time.RFC3339))
	} else {
		s += ", without counters"
	}
	s += ", profile " + a.profile()
	if at := a.TakenAt.UTC().Format(time.RFC3339); !a.measured() || a.To.Sub(a.TakenAt).Abs() > sameTime {
		s += ", as of " + at
	}
	return s
}

// teller tells the parts of a story.
type teller struct {
	a        Advice
	counters counters
	rank     map[*advice.Recommendation]int
	brief    bool // there is room for what decides, and no more
}

// some are the first few of lines, and a line that says how many more there are.
func (w *teller) some(lines []string, most int) []string {
	if w.a.Whole || len(lines) <= most+1 {
		return lines
	}
	return append(slices.Clone(lines[:most]), fmt.Sprintf("… and %d more", len(lines)-most))
}

// few are parts of one line, as many as there is room for.
func (w *teller) few(parts []string, most int, between string) string {
	if w.a.Whole || len(parts) <= most+1 {
		return strings.Join(parts, between)
	}
	return strings.Join(parts[:most], between) + fmt.Sprintf(" and %d more", len(parts)-most)
}

func (w *teller) todo() section {
	s := section{title: "what to do"}
	var all []*advice.Recommendation
	all, s.more = fewer(w, w.a.Showing(), mostAdvice)
	s.entries = mapped(all, w.recommendation)
	if len(all) > 0 {
		s.more = append(s.more, "vperf explain RULE has the reasons, the figures and the sources of each")
	}
	return s
}

// fewer are the first of a long list, and a line that says how many more there are.
func fewer[T any](w *teller, all []T, most int) (few []T, more []string) {
	if w.a.Whole || len(all) <= most+1 {
		return all, nil
	}
	return all[:most], []string{fmt.Sprintf("… and %d more; --all shows them, and -o json has all", len(all)-most)}
}

func (w *teller) recommendation(r *advice.Recommendation) entry {
	e := entry{rank: w.rank[r], severity: r.Severity, rule: r.Rule, title: titleOf(r), lines: joined(append([]string{whereText(r)}, w.impact(r)...))}
	e.fields = filled([]field{
		{label: "shows", lines: w.shows(r)},
		{label: "also", lines: w.also(r)},
		{label: "because", lines: w.because(r)},
		{label: "found", lines: w.found(r)},
		{label: "do", lines: w.do(r)},
		{label: "type", lines: Commands(r), typed: true},
		{label: "brings", lines: w.brings(r)},
		{label: "takes", lines: w.takes(r)},
		{label: "next", lines: w.next(r)},
		{label: "is not", lines: w.ruledOut(r)},
		{label: "unseen", lines: w.unseen(r.Unseen)},
		{label: "waived", lines: w.waived(r)},
		{label: "note", lines: w.notes(r)},
	})
	return e
}

// filled are the fields that have something to say.
func filled(all []field) []field {
	return slices.DeleteFunc(all, func(f field) bool { return len(f.lines) == 0 })
}

// joined is what stands on one line; nothing is no line.
func joined(parts []string) []string {
	if len(parts) == 0 {
		return nil
	}
	return []string{strings.Join(parts, "; ")}
}

// do tells what a person does, and the settings to change.
func (w *teller) do(r *advice.Recommendation) []string {
	var all []string
	if action := OneLine(r.Rule.Action); action != "" {
		all = append(all, action)
	}
	return append(all, w.some(w.changes(r), mostChanges)...)
}

// changes are the settings to change, each with its object; by hand is said of those that vperf never makes.
func (w *teller) changes(r *advice.Recommendation) []string {
	var all []string
	for _, f := range r.Findings {
		for _, c := range f.Remedies {
			if w.brief && c.Consent == advice.ConsentNamed { // what is to be typed names the rule
				c.Consent = advice.ConsentFree
			}
			s := remedy(f, c)
			if c.Object == f.Object {
				s = w.before(r, f.Object) + s
			}
			if f.Pending != "" {
				s += "; " + pendingText(f)
			}
			all = append(all, s)
		}
	}
	return all
}

// next tells which causes are proven too, and show when the first is gone.
func (w *teller) next(r *advice.Recommendation) []string {
	var all distinct
	for _, d := range r.Also {
		if d.Finding.Rule != r.Rule {
			all.add(d.Finding.Rule.ID)
		}
	}
	if len(all.words) == 0 {
		return nil
	}
	return []string{w.few(all.words, mostNext, ", ")}
}

// unseen tells what the diagnoses could not see, by the reason. What a capture cannot have is told once, for all of them.
func (w *teller) unseen(gaps []advice.Gap) []string {
	var by byKey[string, lacking]
	for _, g := range gaps {
		if wantsConfiguration(g.Reason) && !w.a.Whole {
			continue
		}
		l := by.at(g.Reason)
		l.what.add(g.Fact)
		if g.Object.Name != "" {
			l.objects.add(g.Object.Name)
		}
	}
	return w.some(eachKey(by, func(reason string, l *lacking) string {
		s := w.few(l.what.words, mostGaps, ", ")
		if len(l.objects.words) > 0 {
			s += " of " + w.few(l.objects.words, mostSuffer, ", ")
		}
		return s + ": " + reason
	}), mostGaps)
}

// lacking is what nobody knows for one reason, and of which objects.
type lacking struct{ what, objects distinct }

// notes tells what a person has to know beside it: all where all is asked for, else what rules say of this object alone about
// a change that vperf makes only when somebody has decided on it.
func (w *teller) notes(r *advice.Recommendation) []string {
	if w.a.Whole {
		return notesOf(r)
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
				all = addOnce(all, OneLine(n.Text))
			}
		}
	}
	return all
}

// latent tells what is wrong in the configuration in a line each: nothing shows that it hurts now.
func (w *teller) latent() section {
	s := section{title: latentTitle(w.a)}
	var all []*advice.Recommendation
	all, s.more = fewer(w, w.a.Latent(), mostLatent)
	s.entries = mapped(all, w.latentEntry)
	return s
}

func (w *teller) latentEntry(r *advice.Recommendation) entry {
	e := entry{rank: w.rank[r], severity: r.Severity, rule: r.Rule, title: r.Rule.Title, lines: []string{whereText(r)}, commands: Commands(r)}
	if names := namesOf(r.Findings); r.Object == (inventory.Ref{}) && len(names) > 0 {
		e.lines[0] += ": " + someNames(names)
	}
	if r.ByLoad {
		e.lines = append(e.lines, ByLoadText)
	}
	return e
}

func namesOf(findings []*advice.Finding) []string {
	var names distinct
	for _, f := range findings {
		names.add(f.Object.Name)
	}
	return names.words
}
