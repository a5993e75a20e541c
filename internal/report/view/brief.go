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

// Brief returns the advice for a screen: the first recommendations in five lines each, the others in one. --all, -o md and -o json
// have the rest: tradeoffs, further proof, notes, efficiency and hot spots.
func (v *View) Brief() Text {
	w := &writer{View: v, brief: true}
	return w.write([]Section{
		w.briefTodo(), w.harmless(), w.unexplained(), w.configurationAdds(), w.latent(), w.unread(),
	})
}

func (w *writer) briefTodo() Section {
	s := Section{Title: "what to do"}
	var all []*Recommendation
	all, s.More = fewer(w, w.Showing(), mostFull+mostShort)
	if len(all) == 0 {
		return s
	}
	whole := min(len(all), mostFull)
	s.Entries = append(collect.Map(all[:whole], w.briefRecommendation), collect.Map(all[whole:], w.shortRecommendation)...)
	s.More = append(s.More, "--all adds evidence, benefits, efficiency and hot spots; vperf explain RULE gives reasons and sources")
	for _, e := range s.Entries {
		for _, f := range e.Fields {
			if f.Typed {
				s.More = append(s.More, w.Typed.Command("plan")+" shows a change; "+w.Typed.Command("apply")+" shows it, asks, and makes it")
				return s
			}
		}
	}
	return s
}

// briefRecommendation returns five lines: title, place and impact, proof of the cause, action, and commands; and a sixth if a
// trial measured the effect on these hosts.
func (w *writer) briefRecommendation(r *Recommendation) Entry {
	e := Entry{Rank: r.Rank, Severity: r.Severity, Rule: r.Rule, Title: r.Title}
	e.Lines = joined(slices.Concat([]string{whereText(r)}, w.impact(r), w.briefGaps(r)))
	why := w.decides(r)
	if len(why) == 0 {
		why = w.found(r)
	}
	if len(why) == 0 {
		why = w.briefShows(r)
	}
	e.Fields = filled([]Field{
		{Label: "because", Lines: first(why)},
		{Label: "do", Lines: first(w.briefDo(r))},
		{Label: "type", Lines: first(w.briefCommands(r)), Typed: true},
		{Label: "here", Lines: first(w.measuredHere(r))},
	})
	return e
}

// shortRecommendation returns one line, for recommendations after the first few.
func (w *writer) shortRecommendation(r *Recommendation) Entry {
	return inOneLine(Entry{Rank: r.Rank, Severity: r.Severity, Rule: r.Rule, Title: r.Title}, whereText(r))
}

// briefGaps counts the unread facts and waived findings, which --all lists.
func (w *writer) briefGaps(r *Recommendation) []string {
	var all []string
	if n := len(r.Unseen); n > 0 {
		all = append(all, plural.Count(n, "fact")+" not read")
	}
	if n := len(w.waived(r)); n > 0 {
		all = append(all, plural.Count(n, "finding")+" waived")
	}
	return all
}

// briefShows returns the symptom with the largest loss at its worst object, and the names of the others.
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
	text := nameAnd(who, w.briefSymptom(worst))
	if len(also.Words) > 0 {
		text += "; also " + w.few(also.Words, mostNext, ", ")
	}
	return []string{text}
}

// decides returns the evidence of the cause at the most affected object, in the order of its rule: evidence that distinguishes
// causes comes first. It does not repeat the line above.
func (w *writer) decides(r *Recommendation) []string {
	d := w.leading(r)
	if d == nil {
		return nil
	}
	f := d.Finding
	var all []string
	var of []inventory.Ref // the object of each
	for _, m := range f.Evidence {
		source := sourceOf(f.Rule, m.Name)
		l := Link{Rule: f.Rule, Object: f.Object, Name: m.Name, Value: m.Value}
		l.Unit, l.Stat = unitOf(source)
		if !w.notInCapture(l) && !w.isEmptyEvidence(l) && !shownAbove(r, f, source) {
			all, of = append(all, w.linkText(l)), append(of, *objectOf(readBy(source), f, &d.Cause))
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

// leading returns the diagnosis, by the recommendation's own rule, of the object with the worst symptom.
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

// shownAbove reports whether the line of the symptom shows a counter.
func shownAbove(r *Recommendation, f *advice.Finding, source string) bool {
	all := r.shownBy()
	if len(all) == 0 || all[0].of[0].Object != f.Object {
		return false
	}
	judged := all[0].of[0].Counters
	return hasCounter(judged[:min(1, len(judged))], source)
}

// mostParts is the maximum number of objects on a line.
const mostParts = 3

// briefSymptom returns the first counter that a symptom was judged by, or else the first figures of its rule.
func (w *writer) briefSymptom(f *Symptom) string {
	for _, m := range f.Counters {
		if m.Worst != 0 || m.Median != 0 || m.Metric.Below {
			return m.brief(w.To)
		}
	}
	return w.symptomText(f, false)
}

// brief returns the median of the samples, the worst value and its time.
func (c Counter) brief(to time.Time) string {
	c.P95 = c.Worst // do not show equal figures
	return c.text(to)
}

// briefDo returns the manual action, as many sentences as fit on a line or two, and the first settings to change.
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

// mostAction is the maximum length of an action, in characters.
const mostAction = 90

var endOfSentence = regexp.MustCompile(`[.!?] [\p{Lu}\d]`)

// Sentences returns the first sentences of a text, as many as fit, at least one.
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

// briefCommands returns the commands that show the changes, without the commands that make them.
func (w *writer) briefCommands(r *Recommendation) []string {
	var all []string
	for _, c := range r.Commands {
		if strings.HasPrefix(c, "vperf plan ") {
			all = append(all, c)
		}
	}
	return all
}

// briefRuledOut names the causes that are excluded for all objects.
func (w *writer) briefRuledOut(group []*Unexplained) []string {
	of := map[string]int{}
	var ids collect.Distinct
	for _, u := range group {
		for _, d := range u.RuledOut {
			id := d.Finding.Rule.ID
			ids.Add(id)
			of[id]++
		}
	}
	all := slices.DeleteFunc(ids.Words, func(id string) bool { return of[id] < len(group) })
	if len(all) == 0 {
		return nil
	}
	return []string{w.few(all, mostOtherSymptoms, ", ")}
}

const mostMay = 2

const byLoadBriefly = "helps only under load, which was not measured"
