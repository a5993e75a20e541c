package report

import (
	"fmt"
	"strings"

	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Explain returns everything about a rule: the reason, the benchmarks and their sources, the check, the fix, its cost, and how ESXi
// releases treat the options it sets. here are the trials of this machine, newest first; it shows those of the rule.
func Explain(r *advice.Rule, here ...view.MeasuredHere) doc.Document {
	high := ""
	if r.High != nil {
		high = wording.OneLine(r.High.Text)
	}
	all := []doc.Block{
		doc.Item(doc.Apart(doc.Bold(r.ID), r.Title)), doc.Item(doc.T(atTerminal(r), "; severity ", severities(r))),
		prose("why", r.Why), prose("why it can be "+string(WorstSeverity(r)), high),
		list("measured benefit", Benefits(r)), list("measured here", measuredHere(r, here)), list("what to do", Remedies(r, asIs)),
		list("fix", append(fixes(r), notes(r)...)), prose("can be measured here", Measurable(r)), prose("trade-off", r.Tradeoff),
		doc.Section("check", expressions(r)...),
		list("covers", covered(r)), list("parameters", Params(r)), list("options", optionEras(r)), list("open questions", questions(r)), list("sources", r.Sources),
	}
	if guide := wording.Docs(r); guide != "" {
		all = append(all, doc.P("guide: ", guide))
	}
	return doc.Of(all...)
}

func list(title string, lines []string) doc.Block {
	return doc.Section(title, doc.Items(lines...)...)
}

func prose(title, text string) doc.Block {
	if text == "" {
		return doc.Group()
	}
	return doc.Section(title, doc.P(wording.OneLine(text)))
}

// questions lists the open questions that the rule rests on.
func questions(r *advice.Rule) []string {
	var items []string
	for _, id := range r.Questions {
		items = append(items, fmt.Sprintf("%s: not certain, see %s", id, wording.Question(id)))
	}
	return items
}

// measuredHere lists the trials of a rule.
func measuredHere(r *advice.Rule, all []view.MeasuredHere) []string {
	var items []string
	for _, m := range all {
		if m.Rule == r.ID {
			items = append(items, m.Words())
		}
	}
	return items
}

// expressions returns the rule's expressions with their line breaks, because they are code.
func expressions(r *advice.Rule) (all []doc.Block) {
	for _, e := range []struct{ what, source string }{{"applies", r.Applies.Source}, {"wants", r.Want.Source}, {"is the cause when", r.Because.Source}, {"vCPU-seconds lost per second", r.Lost.Source}} {
		if e.source != "" {
			all = append(all, doc.Item(doc.T(e.what+":"), doc.Source(strings.TrimSpace(e.source))))
		}
	}
	return all
}

// Params describes the parameters of a rule and their values.
func Params(r *advice.Rule) []string {
	var items []string
	for _, name := range r.ParamNames() {
		p := r.Params[name]
		value := fmt.Sprint("is ", p.Value)
		if p.Value == "" {
			value = "has no default"
		}
		items = append(items, fmt.Sprintf("%s %s: %s", name, value, wording.OneLine(p.About)))
	}
	return items
}

// optionEras describes how each release treats the host options that the rule sets.
func optionEras(r *advice.Rule) []string {
	var items []string
	seen := map[string]bool{}
	for _, m := range r.Remedy {
		key := m.Setting().Key
		d, ok := inventory.LookupOption(key)
		if !ok || seen[key] {
			continue
		}
		seen[key] = true
		eras := make([]string, len(d.Eras))
		for i, e := range d.Eras {
			eras[i] = EraText(e)
		}
		items = append(items, key+": "+strings.Join(eras, "; "))
	}
	return items
}

// EraText describes how a range of releases treats a host option.
func EraText(e inventory.OptionEra) string {
	span := e.From
	if e.To != e.From {
		span += " to " + e.To
	}
	switch {
	case e.Absent && e.To == e.From:
		return span + " does not have it"
	case e.Absent:
		return span + " do not have it"
	case e.Min != nil:
		return fmt.Sprintf("%s default %s, range %d to %d", span, e.Default, *e.Min, *e.Max)
	}
	return fmt.Sprintf("%s default %s", span, e.Default)
}
