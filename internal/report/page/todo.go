package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// todos is what to do, in order, and what is explained or unexplained beside it.
type todos struct {
	List        []todo
	Brief       []todo // those after them: a line each
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
	Many   string // objects, where there is no one
	Do     string // in a sentence
	Now    string
	Bad    bool // something shows now
	Expect string
	Open   bool

	Why      string
	Symptoms []*symptomGroup
	MoreSeen string
	Causes   []proof // by counters
	MoreWhy  string
	Settings []proof // by what is set
	MoreSet  string
	Notes    []string
	Fixes    []fix
	MoreFix  string
	Commands []string
	Effort   string
	Risk     string
	Tradeoff string
	Benefits []benefit
	Unseen   []string
	Accepted []string // of its symptoms and of the way out
}

// How much of a recommendation is shown: its first symptoms tell what the rest would.
const (
	mostTodos    = 30
	mostBrief    = 100
	mostSymptoms = 5 // of one rule
	mostCauses   = 6
	mostFixes    = 6
	mostUnseen   = 8
	mostAccepted = 8
	openTodos    = 3
)

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
		t.More = whole(more) + " more, each with less to gain than these: vperf advise -o json has them all"
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

// brief is what fits in a line.
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

// manyWords are the objects at which one thing is to be done, or how many have the same finding.
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
	t.Causes, more = s.proofs(r.Chain, view.LinkCause)
	t.MoreWhy = moreWords(more, "object")
	t.Settings, more = s.proofs(r.Chain, view.LinkConfiguration)
	t.MoreSet = moreWords(more, "object")
	t.Notes = notesOf(r)
	t.Fixes, more = first(s.fixes(r.Changes), s.limit(mostFixes))
	t.MoreFix = moreWords(more, "change")
	t.Commands = commands(r.Commands)
	t.Benefits = collect.Map(r.Benefits, benefitOf)
	t.Unseen = gapWords(r.Unseen, s.limit(mostUnseen))
	t.Accepted = acceptedWords(r.Waived, s.limit(mostAccepted))
	return t
}

func moreWords(n int, what string) string {
	if n == 0 {
		return ""
	}
	return "and " + whole(n) + " more " + plural.Noun(n, what)
}

// now says what it costs at the moment.
func now(r *view.Recommendation) string {
	if !r.Showing() {
		return "nothing shows at the moment"
	}
	im := r.Impact
	who := counted(im.VMs, "VM")
	if im.VMs == 0 {
		who = counted(im.Objects, "object")
	}
	text := who + " with symptoms"
	if lost, ok := im.Lost.Value(); ok && lost > 0 {
		text = who + " " + map[bool]string{true: "loses ", false: "lose "}[who == "1 VM" || who == "1 object"] + figure(lost) + " s of work every second"
	}
	if share, ok := im.Share.Value(); ok && share > 0 {
		text += ", " + howOften(share)
	}
	return text
}

// howOften is a part of the samples in words.
func howOften(share float64) string {
	if share >= 0.995 {
		return "all the time"
	}
	return "in " + part(share) + " of the time"
}

// expect is the first benefit that says something of a figure, or the first.
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

// benefit is what was measured elsewhere, and whether that was like here.
type benefit struct {
	Text, When, Source string
	Holds              string
	Class              string
}

func benefitOf(e advice.Expected) benefit {
	b := benefit{Text: prose(e.Text), When: prose(e.When), Source: prose(e.Source)}
	if b.Text == "" {
		b.Text = clean(e.Metric)
		if e.Change != nil {
			b.Text += " " + signed(*e.Change)
		}
	}
	holds, state, _ := e.Holds.Get()
	switch {
	case e.When == "":
		return b
	case state == inventory.StateKnown && holds:
		b.Holds, b.Class = "conditions here are comparable", "good"
	case state == inventory.StateKnown:
		b.Holds, b.Class = "conditions here differ: expect something else", "warn"
	case state == inventory.StateUnread:
		b.Holds, b.Class = "comparability unknown: not read", "faint"
	default:
		b.Holds, b.Class = "comparability unknown", "faint"
	}
	return b
}

func signed(change float64) string {
	if change > 0 {
		return "+" + part(change)
	}
	return "−" + part(-change)
}

var effortWords = map[advice.Effort]string{
	advice.EffortLow:    "low: in force at once",
	advice.EffortMedium: "medium: a VM is powered off, or moved",
	advice.EffortHigh:   "high: a host is restarted, or hardware changed",
}

var consentWords = map[advice.Consent]string{
	advice.ConsentFree:  "small: may be applied with everything else",
	advice.ConsentNamed: "some: applied only when you name the rule",
	advice.ConsentValue: "some: applied only with a value you give",
	advice.ConsentNever: "a person decides and makes the change",
}

// do says what to do in a sentence.
func (s *show) do(r *view.Recommendation) string {
	if action := prose(r.Rule.Action); action != "" {
		return action
	}
	fixes := s.fixes(r.Changes)
	if len(fixes) == 0 {
		return "A person decides: vperf explain " + clean(r.Rule.ID) + " says what to look at."
	}
	text := "Set " + fixes[0].Setting + " from " + fixes[0].From + " to " + fixes[0].To + " on " + fixes[0].Few
	if more := len(fixes) - 1; more > 0 {
		text += ", and " + counted(more, "more change")
	}
	return text + "."
}

// named is something and its value.
type named struct{ Name, Value string }

// proof is what proves a cause of one object: what was measured, or what is set.
type proof struct {
	At       object
	Evidence []named
}

// proofs are links of a chain by the object that they are of, as far as there is room, and how many more there are. What was not
// read proves nothing.
func (s *show) proofs(chain []view.Link, kind view.LinkKind) (out []proof, more int) {
	var by collect.ByKey[key, proof]
	for _, l := range chain {
		if _, state, _ := l.Value.Get(); l.Kind != kind || l.Name == "" || state == inventory.StateUnread {
			continue
		}
		p := by.At(keyOf(l.Object))
		p.At, p.Evidence = s.object(l.Object), collect.AddOnce(p.Evidence, s.piece(l))
	}
	all := by.Values()
	shown := min(len(all), s.limit(mostCauses))
	return all[:shown], len(all) - shown
}

// notesOf are what diagnoses have to say, each once.
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

func (s *show) evidence(f *advice.Finding) []named { return collect.Map(view.Evidence(f), s.piece) }

// piece is a piece of evidence. Why it was not read is left out where it is for the same reason as all of its object: that stands
// once, where the page says what was not read.
func (s *show) piece(l view.Link) named {
	name, value := l.Said()
	if _, state, _ := l.Value.Get(); state == inventory.StateUnread && s.allUnread(l.Object) {
		value = "not read"
	}
	return named{clean(name), clean(value)}
}

// allUnread reports whether nothing could be read of an object, or of the host that it is on.
func (s *show) allUnread(o inventory.Ref) bool {
	k := ownerOf(o)
	if vm := s.vms[k]; vm != nil {
		return vm.Unread != ""
	}
	h := s.hosts[k]
	return h != nil && h.Unread != ""
}

// gapWords are facts that were not read, those of one reason together.
func gapWords(gaps []advice.Gap, most int) []string {
	type lack struct{ fact, reason string }
	var by collect.ByKey[lack, collect.Distinct]
	for _, g := range gaps {
		by.At(lack{g.Fact, g.Reason}).Add(clean(g.Object.Name))
	}
	return firstOf(collect.Each(by, func(l lack, who *collect.Distinct) string {
		return clean(l.fact) + " of " + someOf(who.Words, 3) + ": " + prose(cmp.Or(l.reason, "not read"))
	}), most)
}

// acceptedWords is what somebody waived, by which waiver.
func acceptedWords(waived []*advice.Finding, most int) []string {
	return firstOf(collect.Map(waived, func(f *advice.Finding) string {
		return clean(f.Rule.ID) + " of " + clean(f.Object.Name) + ": " + prose(f.Reason)
	}), most)
}

// firstOf is the first of a list, and how many there are beyond.
func firstOf(list []string, most int) []string {
	shown, more := first(list, most)
	if more > 0 {
		shown = append(slices.Clone(shown), "and "+whole(more)+" more")
	}
	return shown
}

// unexplained is symptoms without a cause, those that may have the same causes together.
type unexplained struct {
	Symptoms []*symptomGroup
	Possible []string // causes that could not be told, and what they lack
	RuledOut string
}

func (s *show) allUnexplained() (out []unexplained, more string) {
	type same struct{ rule, possible, ruledOut string }
	type alike struct {
		unexplained

		list []symptom
	}
	shown, left := first(s.Unexplained, s.limit(mostBrief))
	var by collect.ByKey[same, alike]
	for _, u := range shown {
		possible, no := collect.Map(u.Possible, possibleCause), strings.Join(collect.Map(u.RuledOut, titleOf), " · ")
		x := by.At(same{u.Symptom.Rule.ID, strings.Join(possible, "\x00"), no})
		x.Possible, x.RuledOut, x.list = possible, no, append(x.list, s.symptom(u.Symptom))
	}
	if left > 0 {
		more = whole(left) + " more: vperf advise -o json has them all"
	}
	return collect.Each(by, func(_ same, x *alike) unexplained {
		x.Symptoms = grouped(x.list)
		return x.unexplained
	}), more
}

func titleOf(d *advice.Diagnosis) string { return prose(d.Finding.Rule.Title) }

// possibleCause is a cause that could not be told, and what it lacks.
func possibleCause(d *advice.Diagnosis) string {
	if lacks := gapWords(d.Finding.Gaps, 3); len(lacks) > 0 {
		return titleOf(d) + " (not seen: " + strings.Join(lacks, "; ") + ")"
	}
	return titleOf(d)
}
