package trialreport

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// Result returns what a trial found: the verdict, what it was measured by, each unit, how sure it is, what does not count and why,
// what became of the settings, the conditions, and the command that repeats it. If whole, it has every unit, host and pair.
func Result(t *trials.Recorded, whole bool) doc.Document {
	r := t.Registration
	all := []doc.Block{doc.Title("Trial of ", r.Rule)}
	if text := alarm(t.Result); text != "" {
		all = append(all, doc.P(doc.S(doc.Strong|doc.Bad, text)))
	}
	all = append(all, doc.P(doc.S(doc.Strong|verdictStyle(t), verdictSentence(t)+".")))
	for _, text := range caveats(t) {
		all = append(all, doc.P(doc.S(doc.Warn, text)))
	}
	if t.Waiting() {
		return doc.Of(append(all, lot(t)...)...)
	}
	others, units, conditions := mostOthers, mostUnits, mostConditions
	if whole {
		others, units, conditions = len(t.Result.Others), max(len(r.Units), len(t.Result.Pairs)), len(t.Conditions.Hosts)+len(t.Conditions.Published)
	} else if min(others, len(t.Result.Others)) > 2 { // a screen has room for one long table
		units -= 4
	}
	outcomes := []doc.Block{table(outcomeRows(t, others), 1, 2, 3)}
	if len(t.Result.Others) > 0 {
		outcomes = append(outcomes, doc.P(decidesText))
	}
	said := facts(t, conditions)
	if whole {
		said = append([]fact{{name: "Question", text: r.Question}}, said...)
	}
	all = append(all, doc.Group(outcomes...), unitTable(t, units), doc.Group(factFields(said)))
	if rows := pairRows(t); whole && r.Design.Switches() && len(rows) > 1 {
		all = append(all, doc.Section("pairs", table(rows, 2, 3, 4)))
	}
	return doc.Of(all...)
}

// unitTable is the table of units, if there are several.
func unitTable(t *trials.Recorded, most int) doc.Block {
	if t.Registration.Design == inventory.DesignRandomised {
		return doc.Group(table(lotRows(t, max(most, 2*provingUnits)), 2, 3, 4))
	}
	if rows := unitRows(t, most); len(rows) > 2 {
		return doc.Group(table(rows, 1, 3))
	}
	return doc.Group()
}

// table makes a table of rows, of which the first is the heading; right are the columns of figures.
func table(rows [][]string, right ...int) doc.Block {
	t := doc.Table{Head: rows[0], Right: right}
	for _, row := range rows[1:] {
		t.Add(collect.Map(row, func(cell string) any { return cell })...)
	}
	return t.Block()
}

// verdictStyle returns the colour of a trial's verdict.
func verdictStyle(t *trials.Recorded) doc.Style {
	switch {
	case alarm(t.Result) != "":
	case t.Result.Verdict == trial.Keep:
		return doc.Good
	case t.Result.Verdict == trial.Worse:
		return doc.Bad
	}
	return 0
}

// caveats are what a reader has to know before any figure.
func caveats(t *trials.Recorded) []string {
	var all []string
	if t.Conditions.Simulated {
		all = append(all, simulatedText)
	}
	switch {
	case t.Registration.Design == inventory.DesignBeforeAfter:
		all = append(all, "Before/after, not a proof: load, time of day and everything else that changed are in the difference too.")
	case t.Result.Claim == trial.ClaimObserved && !t.Waiting():
		all = append(all, fmt.Sprintf("Observed, not proven: a lot proves an effect from %d %s on, and %s here.", provingUnits, kinds(t.Registration), plural.Form(t.Result.Used, "1 counts", fmt.Sprintf("%d count", t.Result.Used))))
	}
	if text := stopText(t.Result); text != "" {
		all = append(all, text)
	}
	if !t.Ended && t.Registration.Design.Switches() {
		all = append(all, "The trial was cut short: this is what the blocks in its journal give.")
	}
	return all
}

// alarm says which guard or event ended a trial; "" if none did. Whatever the verdict, a reader has to know it first.
func alarm(res *trial.Result) string {
	text := wording.Clean(wording.OneLine(res.Stopped))
	switch res.Stop {
	case trial.StopGuard:
		return "A guard ended the trial: " + text + "."
	case trial.StopEvent:
		return "An event ended the trial: " + text + "."
	}
	return ""
}

// stopText says why else a trial ended before its last pair; "" if it did not.
func stopText(res *trial.Result) string {
	text := wording.Clean(wording.OneLine(res.Stopped))
	switch res.Stop {
	case trial.StopPlanned, trial.StopGuard, trial.StopEvent:
		return ""
	case trial.StopEarly:
		return "Ended early: " + text + "."
	case trial.StopInterrupted:
		return "The trial was interrupted; this is what its complete pairs give."
	case trial.StopForeign:
		return "The trial ended because somebody else changed a setting: " + text + "."
	}
	return "The trial ended early: " + text + "."
}

// outcomeRows is the table of outcomes; the first one decides. most is how many others it has at most.
func outcomeRows(t *trials.Recorded, most int) [][]string {
	r, res := t.Registration, t.Result
	without, with := "WITHOUT", "WITH"
	switch r.Design {
	case inventory.DesignBeforeAfter:
		without, with = "BEFORE", "AFTER"
	case inventory.DesignRandomised:
		return lotOutcomeRows(t, most)
	}
	rows := [][]string{
		{"OUTCOME", without, with, "CHANGE", "95 % INTERVAL", "P"},
		outcomeRow(&r.Outcome, res.Untreated, res.Treated, res.Estimate, res.P),
	}
	for i, o := range res.Others {
		if i < len(r.Others) && i < most {
			rows = append(rows, outcomeRow(&r.Others[i], o.Untreated, o.Treated, o.Estimate, o.Holm))
		}
	}
	return rows
}

// mostOthers is how many outcomes beside the primary one a terminal shows; other formats have all.
const mostOthers = 4

// decidesText says what the rows of the table of outcomes are worth.
const decidesText = "The first outcome decides. The p values of the others are corrected (Holm)."

func outcomeRow(o *trial.Outcome, untreated, treated float64, e trial.Estimate, p float64) []string {
	f := newEffect(o, e)
	if !f.known() {
		return []string{wording.Clean(o.ID), "-", "-", "-", "not measured", "-"}
	}
	return []string{wording.Clean(o.ID), wording.Number(untreated), wording.Number(treated), f.signed(), cmp.Or(f.interval(), "-"), probability(p)}
}

// unitRows is the table of at most so many units; a unit's own interval is wider than that of all together.
func unitRows(t *trials.Recorded, most int) [][]string {
	r := t.Registration
	rows := [][]string{{unitWord(r), "CHANGE", "95 % INTERVAL", "PAIRS"}}
	for i, e := range t.Result.PerUnit {
		if i >= len(r.Units) {
			break
		}
		if i == most && len(r.Units) > most+1 {
			rows = append(rows, []string{fmt.Sprintf("and %d more", len(r.Units)-most), "", "", ""})
			break
		}
		f := newEffect(&r.Outcome, e)
		row := []string{wording.Clean(r.Units[i].Name), "-", "-", strconv.Itoa(e.N)}
		if f.known() {
			row[1], row[2] = f.signed(), cmp.Or(f.interval(), "-")
		}
		rows = append(rows, row)
	}
	return rows
}

// mostUnits is how many units a terminal shows; other formats have all.
const mostUnits = 8

// fact is a named text.
type fact struct {
	name, text string
	command    bool // text is a command
}

func factFields(all []fact) doc.Block {
	return doc.Fields(collect.Map(all, func(f fact) doc.Field {
		if f.command {
			return doc.F(f.name, doc.Typed(f.text))
		}
		return doc.F(f.name, wording.OneLine(f.text))
	})...)
}

// facts are what a result says in words, for all formats. most is how many different hosts and published benefits they have.
func facts(t *trials.Recorded, most int) []fact {
	r := t.Registration
	all := []fact{
		{name: "Outcome", text: outcomeText(&r.Outcome)},
		{name: "Design", text: designFact(r) + claimText(t.Result)},
	}
	if r.Design.Switches() {
		all = append(all, fact{name: "Sampled by", text: sampledBy(r) + unwatchedText(&t.Conditions)})
	}
	all = append(all, sureness(t)...)
	all = append(all, fact{name: "Took effect", text: tookEffectText(t)})
	all = append(all, fact{name: countedText(r), text: pairsText(t)}, fact{name: "Caution", text: cautionText(t)})
	for _, c := range changesShown(t.Conditions.Changes) {
		all = append(all, fact{name: "Change", text: c})
	}
	all = append(all, fact{name: "Settings", text: aftermath(t)})
	for _, h := range hostsShown(t.Conditions.Hosts, most) {
		all = append(all, fact{name: "Host", text: h})
	}
	for _, p := range publishedShown(t.Conditions.Published, most, false) {
		all = append(all, fact{name: "Published elsewhere", text: p})
	}
	if r.Design != inventory.DesignBeforeAfter {
		all = append(all, fact{name: "Repeat", text: repeatCommand(r, &t.Conditions), command: true})
	}
	return slices.DeleteFunc(all, func(f fact) bool { return f.text == "" })
}

// serviceText says where the samples of an outcome come from that the PerformanceManager does not have.
const serviceText = "the Esxtop service of the host, every 20 s. The PerformanceManager does not have this outcome."

func outcomeText(o *trial.Outcome) string {
	direction := "lower is better"
	if o.Better == trial.Up {
		direction = "higher is better"
	}
	text := fmt.Sprintf("%s, in %s, %s.", wording.Clean(o.Title), wording.Clean(o.Unit), direction)
	if o.Form == trial.Log1p {
		text += " Percentages are of 1 + its value, because it is often 0."
	}
	return text
}

// claimText says what the design of a trial can prove; where it proves nothing, caveats say that.
func claimText(res *trial.Result) string {
	if res.Claim == trial.ClaimCausal {
		return " This design can prove a causal effect."
	}
	return ""
}

func designFact(r *trial.Registration) string {
	switch r.Design {
	case inventory.DesignBeforeAfter:
		return "before and after one change, with a Newey-West interval and a linear trend."
	case inventory.DesignRandomised:
		drawn, others := drawnNames(r)
		return fmt.Sprintf("randomised, %s before and after. The lot, seed %d, gave the change to %s and not to %s.", lotDays(r), r.Seed, orNone(drawn), orNone(others))
	}
	return designText(r)
}

// sureness is what the p value and the e-value say.
func sureness(t *trials.Recorded) []fact {
	r, res := t.Registration, t.Result
	if res.Used == 0 {
		return nil
	}
	if r.Design == inventory.DesignBeforeAfter {
		return []fact{{name: "p", text: probability(res.P) + ", the chance of a difference this large by noise alone. Other causes remain possible."}}
	}
	if r.Design == inventory.DesignRandomised {
		return []fact{{name: "p", text: probability(res.P) + ", the chance of a difference this large without an effect (Welch's t-test)."}}
	}
	return []fact{
		{name: "p", text: probability(res.P) + ", the chance of a difference this large without an effect."},
		{name: "e-value", text: fmt.Sprintf("%s, the evidence for an effect; %d ends a trial early.", evidence(res.EMax), eBar)},
	}
}

// tookEffectText says whether a counter shows that the change took effect.
func tookEffectText(t *trials.Recorded) string {
	s := t.Result.TookEffect
	if s == nil {
		return ""
	}
	text := string(s.Seen) + ": " + wording.Clean(s.Why) + "."
	switch {
	case s.Seen == trial.SeenNot:
		text += " Running VMs may have kept the old value, or the setting made no difference to this load."
	case s.Seen == trial.SeenUnable && t.Result.Verdict == trial.NoDifference:
		text += " The setting was written and read back, which does not prove that it is in force."
	}
	return text
}

// countedText is the name of the fact that pairsText is.
func countedText(r *trial.Registration) string {
	if r.Design == inventory.DesignRandomised {
		return "Counted"
	}
	return "Pairs"
}

// pairsText says how many pairs count, and why others do not.
func pairsText(t *trials.Recorded) string {
	r, res := t.Registration, t.Result
	if r.Design == inventory.DesignBeforeAfter {
		return ""
	}
	noun := "pair"
	if r.Design == inventory.DesignRandomised {
		noun = wording.Kind(r.Units[0].Kind)
	}
	text := plural.Count(res.Used, noun) + plural.Form(res.Used, " counts", " count")
	if r.Design.Switches() {
		text += fmt.Sprintf(" of %d planned", r.Planned()*len(r.Units))
	}
	if res.Dropped == 0 {
		return text + "; none was dropped."
	}
	var parts []string
	for _, d := range droppedReasons(res) {
		parts = append(parts, fmt.Sprintf("%d × %s", d.n, d.why))
	}
	text += fmt.Sprintf("; %d dropped: %s.", res.Dropped, wording.FewOf(parts, 4, "; "))
	if used := pairsMade(res) - r.Planned(); r.Spare > 0 && used > 0 {
		text += " " + plural.Form(used, "1 spare pair was", fmt.Sprintf("%d spare pairs were", used)) + " made."
	}
	return text
}

// pairsMade returns how many pairs of blocks were made.
func pairsMade(res *trial.Result) (n int) {
	for i := range res.Pairs {
		n = max(n, res.Pairs[i].Pair+1)
	}
	return n
}

// pairRows is the table of all pairs.
func pairRows(t *trials.Recorded) [][]string {
	r := t.Registration
	rows := [][]string{{"PAIR", unitWord(r), "WITHOUT", "WITH", "CHANGE", "DROPPED"}}
	for _, p := range t.Result.Pairs {
		row := []string{strconv.Itoa(p.Pair + 1), wording.Clean(r.Units[p.Unit].Name), "-", "-", "-", cmp.Or(wording.Clean(p.Dropped), "-")}
		if p.Dropped == "" {
			row[2], row[3], row[4] = pairFigures(t, &p)
		}
		rows = append(rows, row)
	}
	return rows
}

// pairFigures are both values of a pair, and their difference.
func pairFigures(t *trials.Recorded, p *trial.PairResult) (untreated, treated, change string) {
	o := &t.Registration.Outcome
	return wording.Number(o.Form.Shown(p.Untreated)), wording.Number(o.Form.Shown(p.Treated)), newEffect(o, onePoint(p.Difference, t)).signed()
}

type reason struct {
	why string
	n   int
}

// droppedReasons counts the reasons for which pairs do not count, the most frequent first.
func droppedReasons(res *trial.Result) []reason {
	var all []reason
	for _, p := range res.Pairs {
		if p.Dropped == "" {
			continue
		}
		why := wording.Clean(p.Dropped)
		i := slices.IndexFunc(all, func(r reason) bool { return r.why == why })
		if i < 0 {
			all = append(all, reason{why, 1})
		} else {
			all[i].n++
		}
	}
	slices.SortStableFunc(all, func(a, b reason) int { return b.n - a.n })
	return all
}

// cautionText says what may be wrong with the figures.
func cautionText(t *trials.Recorded) string {
	m := t.Result.WorkMoved
	if m == nil || m.P > t.Registration.Alpha {
		return ""
	}
	return fmt.Sprintf("the change moved the work itself by %s %% (p %s), so the cost for each unit of work may not be comparable.",
		signed(100*m.Effect, 1), probability(m.P))
}

// aftermath says what became of the settings.
func aftermath(t *trials.Recorded) string {
	if t.Run == nil || !t.Registration.Design.Switches() {
		return ""
	}
	rollback := command(&t.Conditions, "rollback", t.Run.ID)
	changed, foreign, owed := 0, 0, t.Run.Open()
	for i := range t.Run.Results {
		switch t.Run.Results[i].State {
		case tuning.StateUndone, tuning.StateUntouched, tuning.StateSame, tuning.StateFailed, tuning.StateDeferred:
		case tuning.StateForeign:
			foreign++
		default:
			changed++
		}
	}
	switch {
	case t.Kept && changed > 0:
		return "the change was kept and is in force; " + rollback + " restores the old values."
	case t.Kept:
		return "the change was kept, and the old values were restored later."
	case owed:
		return "not all old values are restored: " + rollback + " does it."
	case foreign > 0:
		return fmt.Sprintf("%s changed by somebody else %s left alone; the others have their old values.", plural.Count(foreign, "setting"), plural.Form(foreign, "was", "were"))
	case changed > 0:
		return "not all old values are restored: " + rollback + " does it."
	}
	return "the old values are restored."
}

// hostsShown words the conditions; equal hosts are one.
func hostsShown(list []trials.HostCondition, most int) []string {
	var order []string
	names := map[string][]string{}
	for _, h := range list {
		text := wording.Clean(hostText(&h))
		if names[text] == nil {
			order = append(order, text)
		}
		names[text] = append(names[text], h.Name)
	}
	all := make([]string, 0, len(order))
	for _, text := range order {
		all = append(all, wording.SomeOf(names[text])+": "+text)
	}
	return firstOf(all, most, "different host")
}

// firstOf returns the first texts, the last of which says how many more there are.
func firstOf(all []string, most int, noun string) []string {
	if len(all) <= most {
		return all
	}
	shown := slices.Clone(all[:most])
	shown[most-1] += fmt.Sprintf("; and %s, see -o md", plural.Count(len(all)-most, "more "+noun))
	return shown
}

// mostConditions is how many different hosts and benefits a terminal shows.
const mostConditions = 1

func hostText(h *trials.HostCondition) string {
	var parts []string
	for _, s := range []string{h.Model, h.CPU, h.Release} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if h.VMs != nil {
		parts = append(parts, plural.Count(*h.VMs, "running VM"))
	}
	if len(parts) == 0 {
		return "not read"
	}
	return wording.FewOf(parts, len(parts), ", ")
}

func publishedShown(list []trials.Published, most int, sources bool) []string {
	all := make([]string, len(list))
	for i, p := range list {
		all[i] = wording.OneLine(p.Text)
		if p.Conditions != "" {
			all[i] += " (" + wording.OneLine(p.Conditions) + ")"
		}
		if sources && p.Source != "" {
			all[i] += ". Source: " + wording.OneLine(p.Source)
		}
		all[i] = wording.Clean(all[i])
	}
	return firstOf(all, most, "figure")
}
