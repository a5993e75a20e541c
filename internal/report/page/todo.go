package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// todos is what to do, in order, and what is explained or unexplained beside it.
type todos struct {
	List        []todo
	Brief       []todo // those after them: a line each
	More        string
	Harmless    []harmless
	Unexplained []*unexplained
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
	all := s.Advice.Advice.Recommendations
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
	for _, d := range s.Advice.Advice.Harmless {
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
func (s *show) brief(i int, r *advice.Recommendation) todo {
	t := todo{
		ID: "do-" + strconv.Itoa(i+1), N: whole(i + 1), Mark: markOf(r.Severity), Title: titleOf(r), Rule: clean(r.Rule.ID),
		Now: now(r), Bad: len(r.Diagnoses) > 0, Expect: expect(r), Open: i < openTodos,
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

// titleOf is what is wrong, and that it is only possible where it is not proven.
func titleOf(r *advice.Recommendation) string {
	if r.Possible {
		return "Possible: " + prose(r.Rule.Title)
	}
	return prose(r.Rule.Title)
}

// manyWords are the objects at which one thing is to be done, or how many have the same finding.
func manyWords(r *advice.Recommendation) string {
	if len(r.Parts) == 0 {
		return counted(r.Impact.Objects, kindWord(r.Rule.Scope))
	}
	var names []string
	for _, o := range r.Objects() {
		names = append(names, clean(o.Name))
	}
	return counted(len(r.Parts), kindWord(r.Parts[0].Object.Kind)) + ": " + someOf(names, 4)
}

func (s *show) todo(i int, r *advice.Recommendation) todo {
	t := s.brief(i, r)
	t.Why, t.Tradeoff = prose(r.Rule.Why), prose(r.Rule.Tradeoff)
	more := 0
	t.Symptoms, more = s.symptoms(symptomsOf(r))
	t.MoreSeen = moreWords(more, "symptom")
	chain := view.Chain(r)
	t.Causes, more = s.proofs(chain, view.LinkCause)
	t.MoreWhy = moreWords(more, "object")
	t.Settings, more = s.proofs(chain, view.LinkConfiguration)
	t.MoreSet = moreWords(more, "object")
	t.Notes = notesOf(r)
	t.Fixes, more = first(s.fixes(r.Findings), s.limit(mostFixes))
	t.MoreFix = moreWords(more, "change")
	t.Commands = commands(r)
	for _, e := range r.Benefits {
		t.Benefits = append(t.Benefits, benefitOf(e))
	}
	t.Unseen = gapWords(r.Unseen, s.limit(mostUnseen))
	t.Accepted = acceptedWords(r.Waived, s.limit(mostAccepted))
	return t
}

func moreWords(n int, what string) string {
	if n == 0 {
		return ""
	}
	return "and " + whole(n) + " more " + plural(n, what)
}

// symptomsOf are the symptoms of all diagnoses, each once.
func symptomsOf(r *advice.Recommendation) []*advice.Finding {
	var out []*advice.Finding
	seen := map[*advice.Finding]bool{}
	for _, d := range r.Diagnoses {
		for _, f := range d.Symptoms {
			if !seen[f] {
				seen[f], out = true, append(out, f)
			}
		}
	}
	return out
}

// now says what it costs at the moment.
func now(r *advice.Recommendation) string {
	if len(r.Diagnoses) == 0 {
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
func expect(r *advice.Recommendation) string {
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
func (s *show) do(r *advice.Recommendation) string {
	if action := prose(r.Rule.Action); action != "" {
		return action
	}
	fixes := s.fixes(r.Findings)
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
	at := map[key]int{}
	for _, l := range chain {
		if _, state, _ := l.Value.Get(); l.Kind != kind || l.Name == "" || state == inventory.StateUnread {
			continue
		}
		k := keyOf(l.Object)
		i, ok := at[k]
		switch {
		case !ok && len(out) >= s.limit(mostCauses):
			at[k] = -1
			more++
			continue
		case !ok:
			i = len(out)
			at[k], out = i, append(out, proof{At: s.object(l.Object)})
		case i < 0:
			continue
		}
		e := s.piece(l)
		if !slices.Contains(out[i].Evidence, e) {
			out[i].Evidence = append(out[i].Evidence, e)
		}
	}
	return out, more
}

// notesOf are what diagnoses have to say, each once.
func notesOf(r *advice.Recommendation) []string {
	var notes []string
	for _, d := range r.Diagnoses {
		for _, n := range d.Finding.Notes {
			notes = append(notes, prose(n))
		}
	}
	if r.ByLoad {
		notes = append(notes, prose(view.ByLoadText))
	}
	notes, _ = first(distinct(notes), mostNotes)
	return notes
}

func (s *show) evidence(f *advice.Finding) []named {
	links := view.Evidence(f)
	out := make([]named, len(links))
	for i, l := range links {
		out[i] = s.piece(l)
	}
	return out
}

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
	who := map[lack][]string{}
	var order []lack
	for _, g := range gaps {
		l := lack{g.Fact, g.Reason}
		if who[l] == nil {
			order = append(order, l)
		}
		who[l] = append(who[l], clean(g.Object.Name))
	}
	var out []string
	for _, l := range order {
		out = append(out, clean(l.fact)+" of "+someOf(distinct(who[l]), 3)+": "+prose(cmp.Or(l.reason, "not read")))
	}
	return firstOf(out, most)
}

// acceptedWords is what somebody waived, by which waiver.
func acceptedWords(waived []*advice.Finding, most int) []string {
	var out []string
	for _, f := range waived {
		out = append(out, clean(f.Rule.ID)+" of "+clean(f.Object.Name)+": "+prose(f.Reason))
	}
	return firstOf(out, most)
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

	list []symptom
}

func (s *show) allUnexplained() (out []*unexplained, more string) {
	shown, left := first(s.Advice.Advice.Unexplained, s.limit(mostBrief))
	by := map[string]*unexplained{}
	for _, u := range shown {
		x := s.unexplained(u)
		same := clean(u.Symptom.Rule.ID) + "\x00" + strings.Join(x.Possible, "\x00") + "\x00" + x.RuledOut
		if by[same] == nil {
			by[same], out = x, append(out, x)
		}
		by[same].list = append(by[same].list, s.symptom(u.Symptom))
	}
	for _, x := range out {
		x.Symptoms = grouped(x.list)
	}
	if left > 0 {
		more = whole(left) + " more: vperf advise -o json has them all"
	}
	return out, more
}

func (s *show) unexplained(u *advice.Unexplained) *unexplained {
	out := new(unexplained)
	for _, d := range u.Possible {
		text := prose(d.Finding.Rule.Title)
		if lacks := gapWords(d.Finding.Gaps, 3); len(lacks) > 0 {
			text += " (not seen: " + strings.Join(lacks, "; ") + ")"
		}
		out.Possible = append(out.Possible, text)
	}
	var no []string
	for _, d := range u.RuledOut {
		no = append(no, prose(d.Finding.Rule.Title))
	}
	out.RuledOut = strings.Join(no, " · ")
	return out
}
