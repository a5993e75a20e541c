package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Texts of advice that the readable formats share. They are not yet escaped for any format.

// Verdict returns the conclusion of the advice in one sentence.
func (v *View) Verdict() string { return strings.Join(v.verdictLines(), "; ") }

// verdictLines returns the conclusion, then counts of other results and of unread data.
func (v *View) verdictLines() []string {
	showing, latent, unexplained := v.Showing(), v.Latent(), v.Unexplained
	configured := plural.Are(len(latent), "thing") + " " + latentTitle(v)
	var all []string
	switch {
	case len(showing) > 0:
		all = append(all, plural.Count(len(showing), "thing")+" to do; first: "+headline(showing[0]))
	case len(unexplained) > 0:
		all = append(all, plural.Are(len(unexplained), "symptom")+" found, without a proven cause")
	case len(latent) > 0:
		all = append(all, configured+"; first: "+headline(latent[0]))
	case v.Held() == 0:
		return []string{"no rule applies to the data that could be read"}
	default:
		all = append(all, nothingWrong(v))
	}
	if len(latent) > 0 && len(showing)+len(unexplained) > 0 {
		all = append(all, configured)
	}
	if n := len(v.Waived); n > 0 {
		all = append(all, plural.Are(n, "finding")+" waived")
	}
	if unseen := unreadCount(v); unseen != "" {
		all = append(all, unseen)
	}
	return all
}

// latentTitle returns the title for misconfigurations without a visible effect. Without counters no effect is visible.
func latentTitle(v *View) string {
	if !v.Measured() {
		return "misconfigured; no counters were measured"
	}
	return "misconfigured, with no visible effect during this measurement"
}

// nothingWrong states that no problems were found, and how much was checked.
func nothingWrong(v *View) string {
	r := v.Result
	s := "no problems found"
	if len(r.Unread) > 0 {
		s = "no problems found in the data that could be read"
	}
	s += fmt.Sprintf(": %s, %s, %s evaluated against ", plural.Count(r.Hosts, "host"), plural.Count(r.VMs, "VM"), plural.Count(v.Held(), "rule"))
	if v.Measured() {
		s += "counters of " + wording.Span(v.From, v.To)
	} else {
		s += "the configuration; no counters were measured"
	}
	if n := len(v.Advice.Advice.Harmless); n > 0 {
		s += "; " + plural.Are(n, "symptom") + " explained and harmless"
	}
	return s
}

// unreadCount returns the number of unread objects and facts, which completes every verdict; "" if all was read.
func unreadCount(v *View) string {
	facts := len(v.Result.Unread) - len(v.Result.UnreadObjects)
	var parts []string
	if n := len(v.Result.UnreadObjects); n > 0 {
		parts = append(parts, plural.Count(n, "object"))
	}
	if facts > 0 {
		parts = append(parts, plural.Count(facts, "fact"))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " and ") + " could not be read"
}

func headline(r *Recommendation) string {
	s := r.Title
	switch {
	case len(r.Parts) > 0:
		s += " (" + partsText(r, 1) + ")"
	case r.Object != (inventory.Ref{}):
		s += " (" + wording.Object(r.Object) + ")"
	}
	return s
}

// partsText names the objects with the cause, the largest loss first.
func partsText(r *Recommendation, most int) string {
	all := r.Objects()
	names := collect.Map(all, func(o inventory.Ref) string { return o.Name })
	kind := plural.Noun(len(all), wording.Kind(all[0].Kind))
	for _, o := range all {
		if o.Kind != all[0].Kind {
			kind = plural.Noun(len(all), "object")
		}
	}
	return kind + " " + wording.FewOf(names, most, ", ")
}

// lossText returns the time that VMs lose, in vCPU-seconds per second.
func lossText(lost float64) string {
	if n := wording.Number(lost); n != "1" {
		return "VMs lose " + n + " vCPU-seconds per second"
	}
	return "VMs lose 1 vCPU-second per second"
}

// partLosses returns the losses of several objects in the order of their names in the text; "" for one object.
func partLosses(r *Recommendation, most int) string {
	var all []string
	for _, p := range r.Parts {
		if lost, known := p.Impact.Lost.Value(); known && lost > 0 {
			all = append(all, p.Object.Name+" "+wording.Number(lost))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + wording.FewOf(all, most, ", ") + ")"
}

// whereText returns the object with the cause, and the number of affected objects.
func whereText(r *Recommendation) string {
	switch affected := affectedText(r); {
	case len(r.Parts) > 0:
		return partsWhere(r, affected)
	case r.Object == (inventory.Ref{}):
		return affected
	case r.Impact.Objects == 0 || r.Impact.Objects == 1 && causeIsAffected(r.Recommendation):
		return wording.Object(r.Object)
	default:
		return wording.Object(r.Object) + "; " + itShows(affected)
	}
}

// partsWhere returns the objects with the cause, and the number of affected objects unless each affects only itself.
func partsWhere(r *Recommendation, affected string) string {
	s := partsText(r, wording.MostNamed)
	if slices.ContainsFunc(r.Parts, func(p *advice.Recommendation) bool { return p.Impact.Objects != 1 || !causeIsAffected(p) }) {
		s += "; " + itShows(affected)
	}
	return s
}

func itShows(affected string) string { return "affects " + affected }

// affectedText counts the objects with symptoms, or with findings if there are no symptoms.
func affectedText(r *Recommendation) string {
	kind := kindOf(shownFindings(r.Recommendation))
	s := plural.Count(r.Impact.Objects, kind)
	if names := affectedNames(r.Recommendation); kind == wording.Kind(inventory.ScopeVM) && r.Showing() && len(names) <= mostParts+1 {
		s = plural.Noun(len(names), kind) + " " + strings.Join(names, ", ")
	}
	if vms := r.Impact.VMs; vms > 0 && kind != wording.Kind(inventory.ScopeVM) {
		s += " with " + plural.Count(vms, "VM")
	}
	return s
}

// affectedNames returns the names of the objects with symptoms.
func affectedNames(r *advice.Recommendation) []string {
	var all collect.Distinct
	for _, f := range shownFindings(r) {
		all.Add(f.Object.Name)
	}
	return all.Words
}

// kindOf returns the word for the objects of findings: "object" if their kinds differ.
func kindOf(all []*advice.Finding) string {
	kind := "object"
	for i, f := range all {
		if k := wording.Kind(f.Object.Kind); i == 0 {
			kind = k
		} else if k != kind {
			return "object"
		}
	}
	return kind
}

// shownFindings returns the symptoms of a recommendation, or its findings if it has none.
func shownFindings(r *advice.Recommendation) []*advice.Finding {
	if of := symptoms(r); len(of) > 0 {
		return of
	}
	return r.Findings
}

// causeIsAffected reports whether cause and symptoms are at the same object.
func causeIsAffected(r *advice.Recommendation) bool {
	return !slices.ContainsFunc(shownFindings(r), func(f *advice.Finding) bool { return f.Object != r.Object })
}

// over returns the period of the samples, or "".
func over(v *View) string {
	if !v.Measured() {
		return ""
	}
	return " over " + wording.Span(v.From, v.To)
}

// hasCounter reports whether all already has the counter that an expression reads.
func hasCounter(all []Counter, source string) bool {
	m := statistic.FindStringSubmatch(source)
	return m != nil && slices.ContainsFunc(all, func(c Counter) bool {
		return m[1] == string(c.Metric.Scope) && m[2] == c.Metric.Name
	})
}

// benefitText returns the measured benefit of a change, its conditions, and whether this object meets them.
func benefitText(e advice.Expected) string {
	s := wording.OneLine(e.Text)
	if e.When == "" && e.Source == "" {
		return s
	}
	from := wording.OneLine(e.When)
	if e.Source != "" {
		from = strings.TrimPrefix(from+"; "+wording.OneLine(e.Source), "; ")
	}
	s += " (" + from + ")"
	if e.When == "" {
		return s
	}
	return s + "; " + holdsText(e.Holds)
}

// holdsText states whether a benefit was measured under comparable conditions.
func holdsText(holds inventory.Fact[bool]) string {
	switch like, state, reason := holds.Get(); {
	case state == inventory.StateKnown && like:
		return "conditions here are comparable"
	case state == inventory.StateKnown:
		return "conditions here differ"
	case state == inventory.StateUnread && reason != "":
		return "comparability unknown: " + reason
	}
	return "comparability unknown"
}

// effortText returns the effort of the change.
func effortText(e advice.Effort) string {
	switch e {
	case advice.EffortLow:
		return "low"
	case advice.EffortMedium:
		return "medium (a VM is powered off or moved)"
	case advice.EffortHigh:
		return "high (a host reboot or new hardware)"
	}
	return ""
}

// riskText states whether vperf can make the change, and the approval that it needs.
func riskText(r *Recommendation) string {
	switch {
	case len(r.Commands) == 0:
		return "manual"
	case r.Risk == advice.ConsentNamed:
		return "by vperf apply with --rule"
	case r.Risk == advice.ConsentValue:
		return "by vperf apply with --set"
	case r.Risk == advice.ConsentNever:
		return "partly by vperf apply, the rest manual"
	}
	return "by vperf apply"
}

// takesTexts returns effort, risk and tradeoffs of the change.
func takesTexts(r *Recommendation) []string {
	return append([]string{workText(r)}, r.Tradeoffs...)
}

// tradeoffs returns the tradeoffs of the rule and of the rules with its fixes, each once.
func tradeoffs(r *advice.Recommendation) []string {
	var all []string
	for _, rule := range append([]*advice.Rule{r.Rule}, collect.Map(r.Findings, func(f *advice.Finding) *advice.Rule { return f.Rule })...) {
		if s := wording.OneLine(rule.Tradeoff); s != "" {
			all = collect.AddOnce(all, s)
		}
	}
	return all
}

// findingsBehind returns the findings that a recommendation rests on, without its symptoms.
func findingsBehind(r *advice.Recommendation) []*advice.Finding {
	all := make([]*advice.Finding, 0, len(r.Diagnoses)+len(r.Findings))
	for _, d := range r.Diagnoses {
		all = append(all, d.Finding)
	}
	return append(all, r.Findings...)
}

// notesOf returns the notes of the findings behind a recommendation, each once.
func notesOf(r *advice.Recommendation) []string {
	var all []string
	for _, f := range findingsBehind(r) {
		for _, n := range f.Notes {
			all = collect.AddOnce(all, wording.OneLine(n))
		}
	}
	if r.ByLoad {
		all = collect.AddOnce(all, ByLoadText)
	}
	return all
}

// ByLoadText is the note for a finding that matters only under load, if no load was measured.
const ByLoadText = "It helps only under load; no load was measured here."
