package page

import (
	"strconv"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// todos is the ordered list of things to do, with the explained and unexplained symptoms.
type todos struct {
	Gist        string
	List        []todo
	Brief       []todo // the others, one line each
	More        string
	Harmless    []harmless
	Unexplained []unexplained
	MoreOpen    string // of the unexplained
}

// todo is one thing to do.
type todo struct {
	ID, N  string
	Mark   mark
	Title  string
	Rule   string
	At     object
	Many   string // objects, if there are several
	Do     string // in a sentence
	Now    string
	Bad    bool // it has an effect now
	Expect string
	Open   bool

	Why      string
	Symptoms []*symptomGroup
	MoreSeen string
	Causes   []proof // by counters
	MoreWhy  string
	Settings []proof // by settings
	MoreSet  string
	Notes    []string
	Fixes    []fix
	MoreFix  string
	Commands []string
	Effort   string
	Risk     string
	Tradeoff string
	Benefits []benefit
	Here     []string // trials of its changes
	Unseen   []string
	Accepted []string // of its symptoms and of the way out
}

func (s *show) todos() todos {
	var t todos
	all := s.Recommendations
	for i, r := range all {
		switch {
		case i < s.limit(mostTodos):
			t.List = append(t.List, s.todo(i, r))
		case i < mostTodos+mostBrief:
			t.Brief = append(t.Brief, s.brief(i, r))
		}
	}
	if more := len(all) - len(t.List) - len(t.Brief); more > 0 {
		t.More = whole(more) + " more with less to gain: " + s.Typed.Command("advise", "-o", "json") + " lists all"
	}
	if len(all) > 0 {
		t.Gist = counted(len(all), "recommendation") + ", most valuable first"
	}
	t.Harmless = s.harmless()
	t.Unexplained, t.MoreOpen = s.allUnexplained()
	return t
}

// harmless is a symptom that is explained and needs no change.
type harmless struct {
	symptom

	Because string
}

func (s *show) harmless() []harmless {
	var out []harmless
	for _, d := range s.Harmless {
		for _, f := range d.Symptoms {
			if len(out) == s.limit(mostTodos) {
				return out
			}
			out = append(out, harmless{s.symptom(f), prose(d.Finding.Rule.Title)})
		}
	}
	return out
}

// brief returns a todo reduced to one line.
func (s *show) brief(i int, r *view.Recommendation) todo {
	t := todo{
		ID: "do-" + strconv.Itoa(i+1), N: whole(i + 1), Mark: markOf(r.Severity), Title: prose(r.Title), Rule: clean(r.Rule.ID),
		Now: now(r), Bad: r.Showing(), Expect: expect(r), Open: i < openTodos,
		Effort: effortWords[r.Effort], Risk: consentWords[r.Risk],
	}
	if r.Object.Name != "" || r.Object.ID != "" {
		t.At = s.object(r.Object)
	} else {
		t.Many = manyWords(r)
	}
	t.Do = s.do(r)
	return t
}

// manyWords names the objects of one thing to do, or the number of objects with the same finding.
func manyWords(r *view.Recommendation) string {
	if len(r.Parts) == 0 {
		return counted(r.Impact.Objects, wording.PageKind(r.Rule.Scope))
	}
	names := collect.Map(r.Objects(), func(o inventory.Ref) string { return clean(o.Name) })
	return counted(len(r.Parts), wording.PageKind(r.Parts[0].Object.Kind)) + ": " + someOf(names, 4)
}

func (s *show) todo(i int, r *view.Recommendation) todo {
	t := s.brief(i, r)
	t.Why, t.Tradeoff = prose(r.Rule.Why), prose(r.Rule.Tradeoff)
	more := 0
	t.Symptoms, more = s.symptoms(r.Symptoms)
	t.MoreSeen = moreWords(more, "symptom")
	chain := r.Chain()
	t.Causes, more = s.proofs(chain, view.LinkCause)
	t.MoreWhy = moreWords(more, "object")
	t.Settings, more = s.proofs(chain, view.LinkConfiguration)
	t.MoreSet = moreWords(more, "object")
	t.Notes = notesOf(r)
	t.Fixes, more = first(s.fixes(r.Changes), s.limit(mostFixes))
	t.MoreFix = moreWords(more, "change")
	t.Commands = commands(r.Commands)
	t.Benefits = collect.Map(r.Benefits, benefitOf)
	t.Here = collect.Map(r.MeasuredHere, func(m view.MeasuredHere) string { return prose(m.Words()) })
	t.Unseen = gapWords(r.Unseen, s.limit(mostUnseen))
	t.Accepted = acceptedWords(r.Waived, s.limit(mostAccepted))
	return t
}

// now describes the current cost.
func now(r *view.Recommendation) string {
	if !r.Showing() {
		return "no visible effect during this measurement"
	}
	im := r.Impact
	who := counted(im.VMs, "VM")
	if im.VMs == 0 {
		who = counted(im.Objects, "object")
	}
	text := who + " with symptoms"
	if lost, ok := im.Lost.Value(); ok && lost > 0 {
		text = who + " " + map[bool]string{true: "loses ", false: "lose "}[who == "1 VM" || who == "1 object"] + figure(lost) + " vCPU-seconds per second"
	}
	if share, ok := im.Share.Value(); ok && share > 0 {
		text += ", " + howOften(share)
	}
	return text
}

// howOften describes a share of the samples.
func howOften(share float64) string {
	if share >= 0.995 {
		return "all the time"
	}
	return "in " + part(share) + " of the time"
}

// expect returns the first benefit with a figure, or else the first benefit.
func expect(r *view.Recommendation) string {
	if len(r.Benefits) == 0 {
		return ""
	}
	best := r.Benefits[0]
	for _, b := range r.Benefits {
		if b.Change != nil {
			best = b
			break
		}
	}
	return benefitOf(best).Text
}

var effortWords = map[advice.Effort]string{
	advice.EffortLow:    "low: takes effect at once",
	advice.EffortMedium: "medium: power off or migrate a VM",
	advice.EffortHigh:   "high: reboot a host or change hardware",
}

var consentWords = map[advice.Consent]string{
	advice.ConsentFree:  "small: may be applied with everything else",
	advice.ConsentNamed: "some: needs --rule",
	advice.ConsentValue: "some: needs --set",
	advice.ConsentNever: "manual change",
}

// do returns the action in one sentence.
func (s *show) do(r *view.Recommendation) string {
	if action := prose(r.Rule.Action); action != "" {
		return action
	}
	fixes := s.fixes(r.Changes)
	if len(fixes) == 0 {
		return "Needs a manual decision: vperf explain " + clean(r.Rule.ID) + " describes what to check."
	}
	text := "Set " + fixes[0].Setting + " from " + fixes[0].From + " to " + fixes[0].To + " on " + fixes[0].Few
	if more := len(fixes) - 1; more > 0 {
		text += ", and " + counted(more, "more change")
	}
	return text + "."
}

// notesOf returns the notes of diagnoses, each once.
func notesOf(r *view.Recommendation) []string {
	var notes collect.Distinct
	for _, d := range r.Diagnoses {
		for _, n := range d.Finding.Notes {
			notes.Add(prose(n))
		}
	}
	if r.ByLoad {
		notes.Add(prose(view.ByLoadText))
	}
	shown, _ := first(notes.Words, mostNotes)
	return shown
}
