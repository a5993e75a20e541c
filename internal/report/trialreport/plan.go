package trialreport

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
)

// PlanInput is a trial that could be made.
type PlanInput struct {
	Registration *trial.Registration // of a switching design; nil: How says why the change of Rule cannot be switched
	Conditions   trials.Conditions
	Prospects    []trial.Prospect // by outcome; the first is the one that decides
	Lasts        time.Duration
	Started      bool // the trial begins now: what to type next is left out
	Rule         string
	How          inventory.Trial
	Manual       bool            // without Registration: vperf does not make the change
	Outcomes     []trial.Outcome // without Registration: those that suit the rule
	Hosts        []string        // without Registration: as the user typed them
	Params       []string        // without Registration: of the rule, as the user set them, or with a placeholder
}

// rule returns the rule of the trial.
func (p *PlanInput) rule() string {
	if p.Registration != nil {
		return p.Registration.Rule
	}
	return p.Rule
}

// Plan returns what a trial would measure: what is switched, the design with its reason, each outcome with its noise and the time
// it takes, the guards, and what to type next. If whole, it has every note.
func Plan(in PlanInput, whole bool) doc.Document {
	all := []doc.Block{doc.Title("Plan of a trial of ", in.rule())}
	if in.Registration == nil {
		return doc.Of(append(all, noTrial(&in)...)...)
	}
	return doc.Of(append(all, prospective(&in, whole)...)...)
}

// noTrial says why a change cannot be switched on and off, and what is possible instead.
func noTrial(in *PlanInput) []doc.Block {
	said, possible := "No trial can measure the change of "+in.Rule+".", []fact{{name: "What the change is about", text: command(&in.Conditions, "explain", in.Rule), command: true}}
	if in.How.Design == inventory.DesignRandomised {
		said, possible = "The change of "+in.Rule+" cannot be switched on and off.", lotOffered(in)
	}
	return []doc.Block{doc.P(doc.Bold(said)), doc.P(in.How.Reason), doc.Group(factFields(possible))}
}

// simulatedText says that figures are not of real hosts.
const simulatedText = "Simulated: the hosts are those of the demo fleet, and so is the effect."

// prospective is the plan of a trial that can be made.
func prospective(in *PlanInput, whole bool) []doc.Block {
	all := []doc.Block{doc.P(doc.Bold(in.Registration.Question))}
	if in.Conditions.Simulated {
		all = append(all, doc.P(doc.S(doc.Warn, simulatedText)))
	}
	rows, notes := prospectRows(in)
	if !whole {
		notes = shownNotes(notes)
	}
	outcomes := table(rows, 1, 2, 3, 4, 5, 6).Spare("NOW")
	var next []fact
	if !in.Started {
		next = []fact{{name: "Next", text: repeatCommand(in.Registration, &in.Conditions), command: true}}
	}
	said := planFacts(in)
	last := len(said) - 1
	return append(all, doc.Group(factFields(said[:last])), doc.Group(outcomes, doc.P(columnsText(in)), doc.Fields(doc.Lines("Note", notes...))),
		doc.Group(factFields(said[last:])), doc.Group(factFields(next)))
}

// planFacts are what a plan says in words; the guards are the last one.
func planFacts(in *PlanInput) []fact {
	r := in.Registration
	var all []fact
	for _, c := range changesShown(in.Conditions.Changes) {
		all = append(all, fact{name: "Change", text: c})
	}
	return append(all,
		fact{name: "Design", text: designText(r) + " " + wording.Clean(in.Conditions.Reason)},
		fact{name: "Length", text: lengthText(in)},
		fact{name: "Sampled by", text: sampledBy(r)},
		fact{name: "Taking effect", text: witnessText(r)},
		fact{name: "Guards", text: guardsText(r) + unwatchedText(&in.Conditions)})
}

// sampledBy names the source of samples if it is not the usual one.
func sampledBy(r *trial.Registration) string {
	if r.Outcome.Counters == "" {
		return ""
	}
	return serviceText
}

// lengthText says how many pairs the trial has, and how long it takes.
func lengthText(in *PlanInput) string {
	r := in.Registration
	text := fmt.Sprintf("%s, %s at most", plural.Count(r.Pairs, "pair"), lasting(in.Lasts))
	if r.Spare > 0 {
		text = fmt.Sprintf("%s, %s; up to %s for pairs that are dropped, %s at most", plural.Count(r.Planned(), "pair"),
			lasting(2*time.Duration(r.Planned())*r.Block), plural.Count(r.Spare, "spare pair"), lasting(in.Lasts))
	}
	return fmt.Sprintf("%s; it ends earlier if the answer is clear. Seed %d.", text, r.Seed)
}

// witnessText says by what a trial sees that the change takes effect.
func witnessText(r *trial.Registration) string {
	for _, o := range r.Outcomes() {
		if o.ID == r.Witness {
			return fmt.Sprintf("shown by %s, which must go %s with the change.", wording.Clean(o.ID), wording.Clean(string(o.Moves)))
		}
	}
	return "cannot be seen: no counter is known that must move with this change. It is written and read back."
}

// designText says how a switching trial is made.
func designText(r *trial.Registration) string {
	coin := "a coin"
	if len(r.Units) > 1 {
		coin = "a coin for each " + wording.Kind(r.Units[0].Kind)
	}
	name := "switchback"
	if r.Design == inventory.DesignSlowSwitchback {
		name = "switchback with long blocks"
	}
	return fmt.Sprintf("%s in blocks of %s, of which the first %s is not measured. In each pair of blocks, %s decides which one has the change.",
		name, lasting(r.Block), lasting(r.Settle), coin)
}

// changesShown words changes; equal changes of several objects are one.
func changesShown(list []trials.Changed) []string {
	type change struct{ setting, untreated, treated string }
	var order []change
	on := map[change][]string{}
	for _, c := range list {
		k := change{wording.Clean(c.Setting), wording.Clean(c.Untreated), wording.Clean(c.Treated)}
		if on[k] == nil {
			order = append(order, k)
		}
		on[k] = append(on[k], c.Target)
	}
	shown := make([]string, 0, len(order))
	for _, k := range order {
		shown = append(shown, fmt.Sprintf("%s from %s to %s, on %s", k.setting, k.untreated, k.treated, wording.SomeOf(on[k])))
	}
	return shown
}

// prospectRows is the table of outcomes, and why some cannot be measured.
func prospectRows(in *PlanInput) (rows [][]string, notes []string) {
	rows = [][]string{{"OUTCOME", "NOISE", "SEES", "1 " + unitWord(in.Registration), "2", "4", "8", "NOW"}}
	for i := range in.Prospects {
		q := &in.Prospects[i]
		id := wording.Clean(q.Outcome.ID)
		if q.Missing != "" {
			notes = append(notes, id+": "+wording.Clean(q.Missing))
			continue
		}
		row := []string{id, noiseText(q), smallestText(q)}
		for _, h := range q.Hours {
			row = append(row, hoursText(h.Hours))
		}
		for len(row) < 7 {
			row = append(row, "-")
		}
		rows = append(rows, append(row, wording.WithUnit(wording.Number(q.Mean), wording.Clean(q.Outcome.Unit))))
		for _, n := range q.Notes {
			notes = append(notes, id+": "+wording.Clean(n))
		}
	}
	return rows, notes
}

// columnsText explains the table of outcomes.
func columnsText(in *PlanInput) string {
	r := in.Registration
	return fmt.Sprintf("The first outcome decides: %s. NOISE: standard deviation of the differences of adjacent blocks. SEES: smallest effect that this length finds with 80 %% probability. 1, 2, 4, 8: time to find %s on as many %s.",
		lowerFirst(wording.Clean(r.Outcome.Title)), percent(r.MinEffect), kinds(r))
}

const mostNotes = 5

func shownNotes(notes []string) []string {
	if len(notes) <= mostNotes {
		return notes
	}
	return append(slices.Clone(notes[:mostNotes-1]), fmt.Sprintf("%d more outcomes have notes: -o json has them", len(notes)-mostNotes+1))
}

func unitWord(r *trial.Registration) string {
	if len(r.Units) == 0 {
		return "UNIT"
	}
	return strings.ToUpper(wording.Kind(r.Units[0].Kind))
}

// noiseText is the standard deviation of an outcome's differences, as a percentage if there is a baseline.
func noiseText(q *trial.Prospect) string {
	f := newEffect(&q.Outcome, trial.Estimate{Form: q.Outcome.Form, Base: q.Mean})
	if f.absolute {
		return wording.Number(q.SD)
	}
	return percent(f.e.Fraction(q.SD))
}

func smallestText(q *trial.Prospect) string {
	if q.Smallest == 0 {
		return "-"
	}
	if q.Outcome.Form == trial.Difference && q.Mean == 0 {
		return wording.Number(q.Smallest)
	}
	return percent(q.Smallest)
}

// hoursText formats a number of hours: 45 min, 3.5 h, 6 days.
func hoursText(h float64) string {
	switch {
	case h < 1:
		return fmt.Sprintf("%.0f min", h*60)
	case h < 10:
		return wording.Short(h, 1) + " h"
	case h < 72:
		return fmt.Sprintf("%.0f h", h)
	case h < 24*1000:
		return fmt.Sprintf("%.0f d", h/24)
	}
	return "years"
}

// guardsText lists the guards with their limits.
func guardsText(r *trial.Registration) string {
	if len(r.Guards) == 0 {
		return "none"
	}
	parts := make([]string, len(r.Guards))
	for g := range r.Guards {
		parts[g] = guardText(r, g)
	}
	return "these end the trial and restore the old values: " + strings.Join(parts, ", ") + "; also a lost host, a red alarm, a dead path."
}

// unwatchedText names the guards that the source of the samples does not have.
func unwatchedText(c *trials.Conditions) string {
	if len(c.Unwatched) == 0 {
		return ""
	}
	return " Not watched, because the Esxtop service does not have it: " + wording.Clean(strings.Join(c.Unwatched, ", ")) + "."
}

// guardText is a guard with its limit, that of the unit with the lowest one.
func guardText(r *trial.Registration, guard int) string {
	g := &r.Guards[guard]
	if g.Text != "" {
		return "'" + wording.Clean(g.Text) + "' broken"
	}
	lowest, has := lowestLimit(r, guard)
	id := wording.Clean(g.ID)
	if !has {
		if g.Starts {
			return id + " that starts"
		}
		return id
	}
	return id + " above " + wording.WithUnit(wording.Number(lowest), wording.Clean(g.Unit))
}

// lowestLimit returns the strictest limit of a guard over all units.
func lowestLimit(r *trial.Registration, guard int) (lowest float64, has bool) {
	below := r.Guards[guard].Below
	for u := range r.Units {
		if limit, ok := r.GuardLimit(u, guard); ok && (!has || limit < lowest && !below || limit > lowest && below) {
			lowest, has = limit, true
		}
	}
	return lowest, has
}
