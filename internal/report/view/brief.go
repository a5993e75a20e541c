package view

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// What a screen has room for: of each thing to do what somebody needs to decide on it, in a few lines. The rest is under --all,
// and in the formats that nobody reads at night.

// Brief is the advice as a screen has it.
func (v *View) Brief() Text {
	w := &writer{View: v, brief: true}
	return w.tell([]Section{
		w.briefTodo(), w.briefHarmless(), w.unexplained(w.briefUnexplainedEntry), w.adds(), w.briefLatent(), w.figures(), w.spots(), w.unread(),
	})
}

func (w *writer) briefTodo() Section {
	s := Section{Title: "what to do"}
	var all []*Recommendation
	all, s.More = fewer(w, w.Showing(), mostAdvice+mostShort)
	if len(all) == 0 {
		return s
	}
	whole := min(len(all), mostAdvice)
	s.Entries = append(collect.Map(all[:whole], w.briefRecommendation), collect.Map(all[whole:], w.shortRecommendation)...)
	s.More = append(s.More, "--all adds prices, further proof and what else shows it; vperf explain RULE has reasons and sources")
	for _, e := range s.Entries {
		for _, f := range e.Fields {
			if f.Typed {
				s.More = append(s.More, "vperf plan shows a change and makes none; vperf apply shows it too, asks, and makes it")
				return s
			}
		}
	}
	return s
}

// briefRecommendation says where and how bad, the proof that decides, what to do and to type, and what it brings.
func (w *writer) briefRecommendation(r *Recommendation) Entry {
	e := Entry{Rank: r.Rank, Severity: r.Severity, Rule: r.Rule, Title: r.Title}
	e.Lines = joined(append([]string{whereText(r)}, w.briefImpact(r)...))
	why := w.decides(r)
	if len(why) == 0 {
		why = w.found(r)
	}
	e.Fields = filled([]Field{
		{Label: "shows", Lines: w.briefShows(r)},
		{Label: "because", Lines: first(why)},
		{Label: "do", Lines: w.briefDo(r)},
		{Label: "type", Lines: w.briefCommands(r), Typed: true},
		{Label: "brings", Lines: []string{w.briefBrings(r)}},
		{Label: "unseen", Lines: w.briefUnseen(r)},
		{Label: "waived", Lines: w.waived(r)},
		{Label: "note", Lines: first(w.notes(r))},
	})
	return e
}

// shortRecommendation says where, and what to do: of what ranks behind those that are told at length.
func (w *writer) shortRecommendation(r *Recommendation) Entry {
	e := Entry{Rank: r.Rank, Severity: r.Severity, Rule: r.Rule, Title: r.Title}
	e.Lines = joined(append([]string{whereText(r)}, w.briefImpact(r)[:min(1, len(w.briefImpact(r)))]...))
	do := w.briefDo(r)
	e.Fields = filled([]Field{{Label: "do", Lines: do[max(0, len(do)-1):]}})
	return e
}

// briefImpact is what it costs and how long it was there: of what is known, and what is not known by that word alone.
func (w *writer) briefImpact(r *Recommendation) []string {
	var all []string
	switch lost, state, reason := r.Impact.Lost.Get(); {
	case state == inventory.StateKnown && lost > 0:
		all = append(all, lossText(lost)+partLosses(r, mostParts))
	case state == inventory.StateKnown:
		all = append(all, "VMs lose no time")
	case state == inventory.StateUnread && reason != "":
		all = append(all, "time lost is not known")
	}
	if s := w.shareText(r, ""); s != "" {
		all = append(all, s)
	}
	return all
}

// briefShows is the symptom that costs most, of who has it worst, and which others there are.
func (w *writer) briefShows(r *Recommendation) []string {
	all := r.shownBy()
	if len(all) == 0 {
		return nil
	}
	s := all[0]
	worst := s.of[0]
	who := s.rule.ID
	switch n := len(s.of); {
	case n > 1:
		who += fmt.Sprintf(", worst of %d at %s", n, worst.Object.Name)
	case worst.Object != r.Object:
		who += " of " + worst.Object.Name
	}
	var also collect.Distinct
	for _, s := range all[1:] {
		also.Add(s.rule.ID)
	}
	said := nameAnd(who, w.briefSymptom(worst))
	if len(also.Words) > 0 {
		said += "; also " + w.few(also.Words, mostNext, ", ")
	}
	return []string{said}
}

// decides is the evidence of the cause at the object that suffers most, as its rule orders it: what decides between causes comes
// first. What the line above shows is not repeated.
func (w *writer) decides(r *Recommendation) []string {
	d := w.leading(r)
	if d == nil {
		return nil
	}
	f := d.Finding
	var all []string
	var of []inventory.Ref // which each of them is of
	for _, m := range f.Evidence {
		source := sourceOf(f.Rule, m.Name)
		l := Link{Rule: f.Rule, Object: f.Object, Name: m.Name, Value: m.Value}
		l.Unit, l.Stat = unitOf(source)
		if !w.silent(l) && !w.nothing(l) && !shownAbove(r, f, source) {
			all, of = append(all, w.said(l)), append(of, whose(source, f, d.Cause))
		}
	}
	if len(all) == 0 {
		return nil
	}
	n := min(len(all), mostShown)
	s := strings.Join(all[:n], ", ")
	if !slices.ContainsFunc(of[:n], func(o inventory.Ref) bool { return o != r.Object }) {
		return []string{s}
	}
	return []string{nameAnd(f.Object.Name, s)}
}

// leading is the diagnosis, of the rule that the recommendation is named after, of who has the worst symptom.
func (w *writer) leading(r *Recommendation) *advice.Diagnosis {
	own := slices.DeleteFunc(slices.Clone(r.Diagnoses), func(d *advice.Diagnosis) bool { return d.Finding.Rule != r.Rule })
	for _, s := range r.shownBy() {
		for _, f := range s.of {
			if i := slices.IndexFunc(own, func(d *advice.Diagnosis) bool { return slices.Contains(d.Symptoms, f.Finding) }); i >= 0 {
				return own[i]
			}
		}
	}
	if len(own) == 0 {
		return nil
	}
	return own[0]
}

// shownAbove reports a counter that the line of the symptom shows.
func shownAbove(r *Recommendation, f *advice.Finding, source string) bool {
	all := r.shownBy()
	if len(all) == 0 || all[0].of[0].Object != f.Object {
		return false
	}
	judged := all[0].of[0].Counters
	return tells(judged[:min(1, len(judged))], source)
}

// mostParts are as many objects as a line has room for.
const mostParts = 3

// briefSymptom is the first counter that a symptom was judged by, else the first figures that its rule shows.
func (w *writer) briefSymptom(f *Symptom) string {
	for _, m := range f.Counters {
		if m.Worst != 0 || m.Median != 0 || m.Metric.Below {
			return m.brief(w.To)
		}
	}
	return w.symptomText(f, false)
}

// brief is how it was in the middle of the samples, and how bad it got and when.
func (c Counter) brief(to time.Time) string {
	c.P95 = c.Worst // nothing is said of what is alike
	return c.text(to)
}

// briefDo is what a person does, in as many sentences as a line or two have room for, and the first settings to change.
func (w *writer) briefDo(r *Recommendation) []string {
	var all []string
	if action := Sentences(wording.OneLine(r.Rule.Action), mostAction); action != "" {
		all = append(all, action)
	}
	changes := w.changes(r)
	if more := len(changes) - 1; more > 1 {
		changes = append(changes[:1:1], plural.Count(more, "more change"))
	}
	return append(all, joined(changes)...)
}

// mostAction is how long what to do may be, in characters.
const mostAction = 90

var endOfSentence = regexp.MustCompile(`[.!?] [\p{Lu}\d]`)

// Sentences are the first of a text, as many as there is room for; one at least.
func Sentences(text string, room int) string {
	if len([]rune(text)) <= room {
		return text
	}
	kept := text
	for _, at := range endOfSentence.FindAllStringIndex(text, -1) {
		if s := text[:at[0]+1]; kept == text || len([]rune(s)) <= room {
			kept = s
		}
	}
	return kept
}

// briefCommands are what to type to see the changes: whoever has seen them knows what else to type.
func (w *writer) briefCommands(r *Recommendation) []string {
	var all []string
	for _, c := range r.Commands {
		if strings.HasPrefix(c, "vperf plan ") {
			all = append(all, c)
		}
	}
	return all
}

// briefBrings is what was measured elsewhere, whether it is known to be like here, and what it takes.
func (w *writer) briefBrings(r *Recommendation) string {
	brings := noMeasurement
	if all := w.brings(r); len(all) > 0 {
		brings = all[0]
	}
	if effort := briefEfforts[r.Effort]; effort != "" {
		brings += "; takes " + effort
	}
	switch {
	case len(r.Commands) == 0:
		brings += "; done by hand"
	case r.Risk == advice.ConsentNever:
		brings += "; in part by hand"
	}
	return brings
}

var briefEfforts = map[advice.Effort]string{
	advice.EffortLow: "little work", advice.EffortMedium: "some work (a VM off, or moved)", advice.EffortHigh: "much work (a host restart, or hardware)",
}

// briefUnseen is what could not be seen, by the first reason, and how many more there are.
func (w *writer) briefUnseen(r *Recommendation) []string {
	all := w.unseen(r.Unseen)
	if len(all) > 1 {
		return []string{all[0] + fmt.Sprintf(" (and more, for %s)", plural.Count(len(all)-1, "other reason"))}
	}
	return all
}

// briefHarmless is what shows and is no fault, a line for each explanation.
func (w *writer) briefHarmless() Section {
	s := w.harmless()
	of := map[*advice.Rule]*collect.Distinct{}
	for _, d := range w.Advice.Advice.Harmless {
		r := d.Finding.Rule
		if of[r] == nil {
			of[r] = new(collect.Distinct)
		}
		name := d.Finding.Object.Name
		if d.Finding.Outcome == advice.Waived {
			name += " (waived, " + acceptedText(d.Finding) + ")"
		}
		of[r].Add(name)
	}
	for i, e := range s.Entries {
		s.Entries[i] = inOneLine(e, wording.SomeNames(of[e.Rule].Words))
	}
	return s
}

// briefUnexplainedEntry is a symptom without a cause: who has it worst, and what it may be and is not.
func (w *writer) briefUnexplainedEntry(group []*Unexplained) Entry {
	group = worstGroup(group)
	worst := group[0].Symptom
	e := Entry{Severity: worst.Severity, Rule: worst.Rule, Title: worst.Rule.Title}
	who := worst.Object.Name
	if n := len(group); n > 1 {
		who = fmt.Sprintf("worst of %d: %s", n, who)
	}
	e.Lines = []string{nameAnd(who, w.briefSymptom(worst))}
	may := w.possible(group)
	if len(may)+len(ruledOut(group)) == 0 {
		may = []string{"no rule explains it here"}
	}
	e.Fields = []Field{{Label: "may be", Lines: w.some(may, mostMay)}}
	if not := w.briefRuledOut(group); not != "" {
		e.Fields = append(e.Fields, Field{Label: "is not", Lines: []string{not}})
	}
	e.Fields = filled(e.Fields)
	return e
}

// briefRuledOut names the causes that it is not at any of the objects.
func (w *writer) briefRuledOut(group []*Unexplained) string {
	of := map[string]int{}
	var ids collect.Distinct
	for _, u := range group {
		for _, d := range u.RuledOut {
			ids.Add(d.Finding.Rule.ID)
			of[d.Finding.Rule.ID]++
		}
	}
	return w.few(slices.DeleteFunc(ids.Words, func(id string) bool { return of[id] < len(group) }), mostBeside, ", ")
}

const mostMay = 2

// briefLatent is what is wrong in the configuration, a line for each; where nothing shows it is all there is to do, and told
// with names and commands.
func (w *writer) briefLatent() Section {
	if len(w.Showing()) == 0 {
		return w.latent()
	}
	s := Section{Title: latentTitle(w.View)}
	var all []*Recommendation
	all, s.More = fewer(w, w.Latent(), mostLatent)
	s.Entries = collect.Map(all, func(r *Recommendation) Entry {
		what := whereText(r)
		if r.ByLoad {
			what += "; " + byLoadBriefly
		}
		return inOneLine(Entry{Rank: r.Rank, Severity: r.Severity, Rule: r.Rule, Title: r.Rule.Title}, what)
	})
	if len(all) > 0 {
		s.More = append(s.More, "vperf audit --rule RULE names them, vperf plan --rule RULE shows what would be changed")
	}
	return s
}

const byLoadBriefly = "pays only under load, which was not measured"
