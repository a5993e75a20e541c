package view

import (
	"fmt"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Text returns the advice as text for a ticket.
func (v *View) Text() Text {
	w := &writer{View: v}
	return w.write([]Section{
		w.todo(), w.harmless(), w.unexplained(), w.configurationAdds(), w.latent(), w.figures(), w.spots(), w.accepted(), w.unread(),
	})
}

func (w *writer) write(parts []Section) Text {
	lines := w.verdictLines()
	s := Text{Verdict: lines[0], Counts: lines[1:], About: aboutText(w.View)}
	for _, part := range parts {
		if len(part.Entries) > 0 || part.Grid != nil {
			s.Sections = append(s.Sections, part)
		}
	}
	return s
}

// sameTime is the maximum difference of two times of which only one is shown.
const sameTime = time.Hour

func aboutText(v *View) string {
	r := v.Result
	s := fmt.Sprintf("%s: %s, %s", v.Source, plural.Count(r.Hosts, "host"), plural.Count(r.VMs, "VM"))
	if v.Measured() {
		s += fmt.Sprintf(", counters of %s to %s", wording.Span(v.From, v.To), v.To.UTC().Format(time.RFC3339)) + v.ReplayNote()
	} else {
		s += ", without counters"
	}
	s += ", profile " + v.ProfileName()
	if at := wording.Taken(v.TakenAt); !v.Measured() || v.To.Sub(v.TakenAt).Abs() > sameTime {
		s += ", as of " + at
	}
	return s
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

func (w *writer) recommendation(r *Recommendation) Entry {
	e := Entry{Rank: r.Rank, Severity: r.Severity, Rule: r.Rule, Title: r.Title, Lines: joined(append([]string{whereText(r)}, w.impact(r)...))}
	e.Fields = filled([]Field{
		{Label: "shows", Lines: w.shows(r)},
		{Label: "also", Lines: w.otherSigns(r)},
		{Label: "because", Lines: w.proofByObject(r)},
		{Label: "found", Lines: w.found(r)},
		{Label: "do", Lines: w.actions(r)},
		{Label: "type", Lines: r.Commands, Typed: true},
		{Label: "brings", Lines: w.brings(r)},
		{Label: "here", Lines: w.measuredHere(r)},
		{Label: "effort", Lines: w.takes(r)},
		{Label: "next", Lines: w.next(r)},
		{Label: "is not", Lines: w.ruledOut(r)},
		{Label: "unseen", Lines: w.unseen(r.Unseen)},
		{Label: "waived", Lines: w.waived(r)},
		{Label: "note", Lines: w.notes(r)},
	})
	return e
}

// actions returns the manual action and the settings to change.
func (w *writer) actions(r *Recommendation) []string {
	var all []string
	if action := wording.OneLine(r.Rule.Action); action != "" {
		all = append(all, action)
	}
	return append(all, w.some(w.changes(r), mostChanges)...)
}

// changes returns the settings to change, each with its object, and marks those that vperf never changes as manual.
func (w *writer) changes(r *Recommendation) []string {
	var all []string
	for _, f := range r.Findings {
		for _, c := range f.Remedies {
			if w.brief && c.Consent == advice.ConsentNamed { // the command names the rule
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

// next lists other proven causes, which show once the first is fixed.
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

// unseen lists facts that the diagnoses could not read, by reason. Section adds covers facts missing from captures.
func (w *writer) unseen(gaps []advice.Gap) []string {
	var by collect.ByKey[string, unreadFacts]
	for _, g := range gaps {
		if wantsConfiguration(g.Reason) && !w.Whole {
			continue
		}
		l := by.At(g.Reason)
		l.facts.Add(g.Fact)
		if g.Object.Name != "" {
			l.objects.Add(g.Object.Name)
		}
	}
	return w.some(collect.Each(by, func(reason string, l *unreadFacts) string {
		s := w.few(l.facts.Words, mostGaps, ", ")
		if len(l.objects.Words) > 0 {
			s += " of " + w.few(l.objects.Words, mostAffected, ", ")
		}
		return s + ": " + reason
	}), mostGaps)
}

// notes returns all notes with --all; otherwise only the conditional notes of this object about changes that vperf makes only
// with --rule or --set.
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

// latent lists faults in the configuration that have no visible effect now: a line each on a screen that has others above, names and
// commands elsewhere.
func (w *writer) latent() Section {
	s := Section{Title: latentTitle(w.View)}
	var all []*Recommendation
	all, s.More = fewer(w, w.Latent(), mostLatent)
	if len(all) == 0 || !w.brief || len(w.Showing()) == 0 {
		s.Entries = collect.Map(all, w.latentEntry)
		return s
	}
	s.Entries = collect.Map(all, latentLine)
	s.More = append(s.More, w.Typed.Command("audit", "--rule", "RULE")+" lists the objects; "+w.Typed.Command("plan", "--rule", "RULE")+" shows the change")
	return s
}

func latentLine(r *Recommendation) Entry {
	what := whereText(r)
	if r.ByLoad {
		what += "; " + byLoadBriefly
	}
	return inOneLine(Entry{Rank: r.Rank, Severity: r.Severity, Rule: r.Rule, Title: r.Rule.Title}, what)
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
