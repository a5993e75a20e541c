package trialreport

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
)

// lot is a lot that is drawn and not judged yet: the question, who was drawn, and what to do.
func lot(t *trials.Recorded) []doc.Block {
	question := fact{name: "Question", text: t.Registration.Question}
	steps := collect.Map(lotSteps(t), func(s step) doc.Block {
		if s.command == "" {
			return doc.Item(doc.T(s.text))
		}
		return doc.Item(doc.T(s.text), doc.Line(s.command))
	})
	for i := range steps {
		steps[i] = steps[i].Numbered(i + 1)
	}
	return []doc.Block{doc.Group(factFields(append([]fact{question}, lotFacts(t.Registration, &t.Conditions)...))), doc.Group(steps...)}
}

// lotOffered describes the randomised design of a change before its lot is drawn.
func lotOffered(in *PlanInput) []fact {
	noun := plural.Noun(2, wording.Kind(in.How.Unit))
	all := []fact{{name: "Design that is possible", text: fmt.Sprintf(
		"randomised: a lot decides which half of the %s gets the change, and whole days before and after are compared on all of them. From %d %s on, that proves an effect; fewer show what was observed.",
		noun, provingUnits, noun)}}
	if len(in.Outcomes) > 0 {
		all = append(all, fact{name: "Outcomes", text: outcomesText(in.Outcomes)})
	}
	if in.Manual {
		return all
	}
	words := append([]string{"trial", "run"}, in.Hosts...)
	if len(in.Hosts) == 0 {
		words = append(words, "HOST...")
	}
	words = append(words, "--rule", in.Rule)
	for _, p := range in.Params {
		words = append(words, "--set", p)
	}
	return append(all,
		fact{name: "Next", text: command(&in.Conditions, words...), command: true},
		fact{name: "What that does", text: fmt.Sprintf("It draws a lot between the %s that you name, records it and changes nothing. You make the change on the drawn %s; %s judges it after the days.", noun, noun, command(&in.Conditions, "trial", "resume", "RUN"))})
}

// step is something that a person does; command is "" if it is not typed.
type step struct{ text, command string }

// lotSteps are what a person does after the lot was drawn.
func lotSteps(t *trials.Recorded) []step {
	r := t.Registration
	drawn, _ := drawnNames(r)
	apply := append(append([]string{"apply"}, drawnTargets(r, drawn)...), "--rule", r.Rule)
	for _, p := range t.Conditions.Params {
		apply = append(apply, "--set", p)
	}
	noun := kinds(r)
	return []step{
		{"Make the change on the drawn " + noun + ", and only there. If it takes effect after a restart, restart them, and let " + command(&t.Conditions, "history", "verify") + " record that it is in force:", command(&t.Conditions, apply...)},
		{fmt.Sprintf("Leave all %s as they are for %s after that. The load of these days is compared with that of the %s before the lot.",
			plural.Count(len(r.Units), wording.Kind(r.Units[0].Kind)), lotDays(r), lotDays(r)), ""},
		{"Judge it. If it is too early, vperf says from when on it can:", command(&t.Conditions, "trial", "resume", t.Run.ID)},
	}
}

// lotDays is the length of the periods that a randomised trial compares, in words.
func lotDays(r *trial.Registration) string { return lasting(time.Duration(r.Pairs) * r.Block) }

// lotFacts describe a randomised design: what is changed, and who gets the change.
func lotFacts(r *trial.Registration, c *trials.Conditions) []fact {
	drawn, others := drawnNames(r)
	all := make([]fact, 0, 8)
	for _, text := range changesShown(c.Changes) {
		all = append(all, fact{name: "Change", text: text})
	}
	all = append(all,
		fact{name: "Design", text: fmt.Sprintf("randomised. A lot decides which %s get the change, and %s before and after it are compared. %s", kinds(r), lotDays(r), wording.Clean(c.Reason))},
		fact{name: fmt.Sprintf("Lot, seed %d", r.Seed), text: fmt.Sprintf("change %s; do not change %s.", orNone(drawn), orNone(others))})
	if len(r.Units) < provingUnits {
		all = append(all, fact{name: fmt.Sprintf("Below %d %s", provingUnits, kinds(r)), text: fmt.Sprintf(
			"observed, not proven. With %s, nobody can exclude that the difference has another cause.", plural.Count(len(r.Units), wording.Kind(r.Units[0].Kind)))})
	}
	return append(all, fact{name: "Outcomes", text: outcomesText(r.Outcomes())})
}

// provingUnits is how many units a randomised design needs to prove an effect.
const provingUnits = 8

func drawnNames(r *trial.Registration) (drawn, others []string) {
	for i, u := range r.Units {
		if i < len(r.Lot) && r.Lot[i] {
			drawn = append(drawn, u.Name)
		} else {
			others = append(others, u.Name)
		}
	}
	return drawn, others
}

func drawnTargets(r *trial.Registration, names []string) []string {
	if len(r.Units) == 0 || r.Units[0].Kind != inventory.ScopeVM {
		return names
	}
	var words []string
	for _, n := range names {
		words = append(words, "--vm", n)
	}
	return words
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	clean := make([]string, len(names))
	for i, n := range names {
		clean[i] = iostreams.Sanitize(n)
	}
	return strings.Join(clean, ", ")
}

func outcomesText(list []trial.Outcome) string {
	var parts []string
	for _, o := range list {
		parts = append(parts, lowerFirst(wording.Clean(o.Title)))
	}
	if len(parts) == 1 {
		return parts[0] + "."
	}
	return strings.Join(parts, "; ") + "; the first one decides."
}

// lotOutcomeRows is the table of outcomes of a randomised trial: how much both groups changed, and the difference of that.
func lotOutcomeRows(t *trials.Recorded, most int) [][]string {
	r, res := t.Registration, t.Result
	rows := [][]string{{"OUTCOME", "OTHERS", "DRAWN", "EFFECT", "95 % INTERVAL", "P"}}
	first := outcomeRow(&r.Outcome, 0, 0, res.Estimate, res.P)
	if res.Used > 0 {
		first[1], first[2] = groupText(t, false), groupText(t, true)
	}
	rows = append(rows, first)
	for i, o := range res.Others {
		if i < len(r.Others) && i < most {
			row := outcomeRow(&r.Others[i], 0, 0, o.Estimate, o.Holm)
			row[1], row[2] = "-", "-"
			rows = append(rows, row)
		}
	}
	return rows
}

// groupText is how much the units that were drawn, or the others, changed on average.
func groupText(t *trials.Recorded, drawn bool) string {
	sum, n := 0., 0
	for _, p := range t.Result.Pairs {
		if p.Dropped == "" && t.Registration.Lot[p.Unit] == drawn {
			sum, n = sum+p.Difference, n+1
		}
	}
	if n == 0 {
		return "-"
	}
	return newEffect(&t.Registration.Outcome, onePoint(sum/float64(n), t)).signed()
}

// onePoint is a difference as an estimate with a narrow interval, for its digits.
func onePoint(difference float64, t *trials.Recorded) trial.Estimate {
	return trial.Estimate{Mean: difference, Form: t.Registration.Outcome.Form, Base: t.Result.Estimate.Base, N: 1, Low: difference, High: difference + .01}
}

// lotRows is the table of the units of a lot: each one before and after.
func lotRows(t *trials.Recorded, most int) [][]string {
	r := t.Registration
	rows := [][]string{{unitWord(r), "DRAWN", "BEFORE", "AFTER", "DIFFERENCE", "DROPPED"}}
	dropped := false
	for i, p := range t.Result.Pairs {
		if i == most && len(t.Result.Pairs) > most+1 {
			rows = append(rows, []string{fmt.Sprintf("and %d more", len(t.Result.Pairs)-most), "", "", "", "", ""})
			break
		}
		row := []string{wording.Clean(r.Units[p.Unit].Name), "no", "-", "-", "-", cmp.Or(wording.Clean(p.Dropped), "-")}
		if r.Lot[p.Unit] {
			row[1] = "yes"
		}
		if dropped = dropped || p.Dropped != ""; p.Dropped == "" {
			row[2], row[3], row[4] = pairFigures(t, &p)
		}
		rows = append(rows, row)
	}
	if !dropped {
		for i := range rows {
			rows[i] = rows[i][:5]
		}
	}
	return rows
}

// lotChart draws how much each unit changed, those that were drawn after the others.
func lotChart(t *trials.Recorded) chart {
	r := t.Registration
	var values []float64
	var class []string
	percent := func(difference float64) float64 {
		v, _, _ := newEffect(&r.Outcome, onePoint(difference, t)).figures()
		return v
	}
	var means [2]float64
	for k, drawn := range []bool{false, true} {
		n := 0
		for _, p := range usedPairs(t.Result) {
			if r.Lot[p.Unit] != drawn {
				continue
			}
			values, class = append(values, percent(p.Difference)), append(class, []string{"off", "on"}[k])
			means[k], n = means[k]+p.Difference, n+1
		}
		means[k] = percent(means[k] / float64(max(1, n)))
	}
	a := newAxis(append(values, 0)...)
	unit := newEffect(&r.Outcome, t.Result.Estimate).unit
	show := func(v float64) string { return signed(v, 1) + unit }
	c := chart{
		Title: "How much each " + unitNoun(r) + " changed", Class: "pair", First: "not drawn", Last: "drawn",
		About:  wording.Clean(r.Outcome.Title) + " after the change against before it. Load moves both groups; the difference of their means is the effect.",
		Label:  fmt.Sprintf("change of %s: %s on average where the lot put the change, %s elsewhere", lowerFirst(wording.Clean(r.Outcome.Title)), show(means[1]), show(means[0])),
		Legend: []legendEntry{{"on", "filled: drawn, mean " + show(means[1])}, {"off", "ring: not drawn, mean " + show(means[0])}},
		Lines: []line{
			{"zero", "0", a.y(0), length(plotWidth), a.y(0)},
			{"mean on", "0", a.y(means[1]), length(plotWidth), a.y(means[1])}, {"mean off", "0", a.y(means[0]), length(plotWidth), a.y(means[0])},
		},
	}
	a.label(&c, show)
	for i, v := range values {
		x, y := length((float64(i)+.5)/float64(len(values))*plotWidth), a.y(v)
		c.Lines = append(c.Lines, line{"dot " + class[i], x, y, x, y})
		if class[i] == "off" {
			c.Lines = append(c.Lines, line{"hole", x, y, x, y})
		}
	}
	return c
}
