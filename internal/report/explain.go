package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// explainIndent is the indent of a section's text.
const explainIndent = 2

// Explain writes everything about a rule for a terminal: the reason, the benchmarks and their sources, the check, the fix,
// its cost, and how ESXi releases treat the options it sets. here are the trials of this machine, newest first; it shows those of
// the rule.
func Explain(w io.Writer, r *advice.Rule, t Terminal, here ...view.MeasuredHere) error {
	b := bufio.NewWriter(w)
	p := &page{w: b, term: t}
	p.hanging(0, explainIndent, "%s  %s", t.Style.Bold(r.ID), r.Title)
	p.hanging(0, explainIndent, "%s; severity %s", atTerminal(r), severities(r))
	p.section("why", []string{wording.OneLine(r.Why)})
	if r.High != nil {
		p.section("why it can be "+string(WorstSeverity(r)), []string{wording.OneLine(r.High.Text)})
	}
	p.section("measured benefit", Benefits(r))
	p.section("measured here", measuredHere(r, here))
	p.section("what to do", Remedies(r, asIs))
	p.section("fix", append(fixes(r), notes(r)...))
	p.w.WriteByte('\n')
	p.hanging(0, explainIndent, "Can be measured here: %s", Measurable(r))
	if r.Tradeoff != "" {
		p.section("trade-off", []string{wording.OneLine(r.Tradeoff)})
	}
	p.expressions(r)
	p.section("covers", covered(r))
	p.section("parameters", Params(r))
	p.section("options", optionEras(r))
	p.section("open questions", questions(r))
	p.section("sources", r.Sources)
	if guide := wording.Docs(r); guide != "" {
		p.w.WriteByte('\n')
		p.line(0, "guide: %s", guide)
	}
	return finish(b, "the explanation of "+r.ID)
}

// questions lists the open questions that the rule rests on.
func questions(r *advice.Rule) []string {
	var items []string
	for _, id := range r.Questions {
		items = append(items, fmt.Sprintf("%s: not certain, see %s", wording.Clean(id), wording.Question(id)))
	}
	return items
}

// measuredHere lists the trials of a rule.
func measuredHere(r *advice.Rule, all []view.MeasuredHere) []string {
	var items []string
	for _, m := range all {
		if m.Rule == r.ID {
			items = append(items, wording.Clean(m.Words()))
		}
	}
	return items
}

// expressions writes the rule's expressions with their line breaks, because they are code.
func (p *page) expressions(r *advice.Rule) {
	p.w.WriteByte('\n')
	p.line(0, "%s", p.term.Style.Bold("check"))
	for _, e := range []struct{ what, source string }{{"applies", r.Applies.Source}, {"wants", r.Want.Source}, {"is the cause when", r.Because.Source}, {"vCPU-seconds lost per second", r.Lost.Source}} {
		if e.source == "" {
			continue
		}
		fmt.Fprintf(p.w, "  %s:\n    %s\n", e.what, strings.ReplaceAll(strings.TrimSpace(e.source), "\n", "\n    "))
	}
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
