package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Symptoms, and the evidence for their cause.

// shown holds the symptoms of one rule, worst first.
type shown struct {
	rule *advice.Rule
	of   []*Symptom
	lost float64 // known loss of VMs, in vCPU-seconds per second
}

// shownBy returns the symptoms of a recommendation by rule, the largest loss first.
func (r *Recommendation) shownBy() []shown {
	var by collect.ByKey[*advice.Rule, shown]
	for _, f := range r.Symptoms {
		s := by.At(f.Rule)
		s.rule, s.of = f.Rule, append(s.of, f)
		s.lost += lostOf(f.Finding)
	}
	all := by.Values()
	for _, s := range all {
		slices.SortStableFunc(s.of, worseFirst)
	}
	named := func(s shown) int { // the position in the list of symptoms that the rule explains
		if i := slices.Index(r.Rule.Explains, s.rule.ID); i >= 0 {
			return i
		}
		return len(r.Rule.Explains)
	}
	slices.SortStableFunc(all, func(a, b shown) int { return cmp.Or(cmp.Compare(b.lost, a.lost), cmp.Compare(named(a), named(b))) })
	return all
}

func lostOf(f *advice.Finding) float64 {
	lost, known := f.Lost.Value()
	if !known || lost != lost {
		return 0
	}
	return lost
}

// worseFirst orders symptoms of one rule by loss, then by the counter that the rule judges.
func worseFirst(a, b *Symptom) int {
	if c := cmp.Compare(lostOf(b.Finding), lostOf(a.Finding)); c != 0 {
		return c
	}
	x, y := a.Counters, b.Counters
	switch {
	case len(x) == 0 || len(y) == 0 || x[0].P95 == y[0].P95:
		return 0
	case worse(x[0].Metric, x[0].P95, y[0].P95):
		return -1
	}
	return 1
}

// shows describes the symptom with the largest loss, and its most affected objects.
func (w *writer) shows(r *Recommendation) []string {
	all := r.shownBy()
	if len(all) == 0 {
		return nil
	}
	reported := all[:1]
	if w.Whole {
		reported = all
	}
	var lines []string
	for i, s := range reported {
		alone := len(s.of) == 1 && s.of[0].Object == r.Object
		if of := w.symptomText(s.of[0], i > 0 || r.Impact.Objects > 1); alone && of != "" {
			lines = append(lines, ruleText(s.rule)+": "+of)
			continue
		}
		lines = append(lines, ruleText(s.rule))
		lines = append(lines, w.some(collect.Map(s.of, func(f *Symptom) string { return nameAnd(f.Object.Name, w.symptomText(f, true)) }), mostAffected)...)
	}
	return lines
}

// otherSigns lists other signs of the same cause: further symptoms, and further rules that proved it.
func (w *writer) otherSigns(r *Recommendation) []string {
	var parts []string
	all := r.shownBy()
	if !w.Whole && len(all) > 1 {
		for _, s := range all[1:] {
			part := s.rule.ID
			if n := len(s.of); n > 1 {
				part += " at " + plural.Count(n, kindOf(collect.Map(s.of, func(f *Symptom) *advice.Finding { return f.Finding })))
			}
			parts = append(parts, part)
		}
	}
	var lines []string
	if len(parts) > 0 {
		lines = append(lines, w.few(parts, mostOtherSymptoms, ", "))
	}
	var as collect.Distinct
	for _, d := range r.Diagnoses {
		if d.Finding.Rule != r.Rule {
			as.Add(d.Finding.Rule.ID)
		}
	}
	if len(as.Words) > 0 {
		lines = append(lines, "shows as "+w.few(as.Words, mostNext, ", "))
	}
	return lines
}

// symptomText returns the measurements of one object with a symptom: the counters that the rule judges, then its other measured
// evidence, then, with costs, the loss.
func (w *writer) symptomText(f *Symptom, costs bool) string {
	parts := append(w.judgedBy(f.Counters), w.otherEvidence(f)...)
	if lost := lostOf(f.Finding); lost > 0 && costs {
		parts = append(parts, "loses "+wording.Number(lost)+" vCPU-seconds per second")
	}
	return strings.Join(parts, "; ")
}

// judgedBy returns the counters that a symptom was judged by; of several, it omits those with zero values.
func (w *writer) judgedBy(judged []Counter) []string {
	var parts []string
	for _, m := range judged {
		if w.Whole || len(parts) < mostMeasured && (len(judged) == 1 || m.Worst != 0 || m.Median != 0 || m.Metric.Below) {
			parts = append(parts, m.text(w.To))
		}
	}
	return parts
}

// otherEvidence returns the other measured evidence of a symptom with counters, or all evidence of one without.
func (w *writer) otherEvidence(f *Symptom) []string {
	judged := len(f.Counters) > 0
	var parts []string
	for _, m := range f.Evidence {
		source := sourceOf(f.Rule, m.Name)
		if judged && (!isCounted(source) || hasCounter(f.Counters, source) || notCounted(m)) {
			continue
		}
		l := Link{Rule: f.Rule, Name: m.Name, Value: m.Value}
		l.Unit, l.Stat = unitOf(source)
		if l.Unit == wording.UnitPart && judged && !w.Whole || w.notInCapture(l) {
			continue
		}
		parts = append(parts, l.phrase())
	}
	if judged && !w.Whole {
		parts = parts[:min(len(parts), mostMeasured)]
	}
	return parts
}

// notCounted reports whether a figure does not exist because no event was counted, such as the read latency of a disk without
// reads.
func notCounted(m advice.Measured) bool {
	_, state, _ := m.Value.Get()
	return state == inventory.StateAbsent
}

// notInCapture reports whether a capture cannot have this evidence; section adds lists such evidence once.
func (w *writer) notInCapture(l Link) bool {
	_, state, reason := l.Value.Get()
	return !w.Whole && state == inventory.StateUnread && wantsConfiguration(reason)
}

// isEmptyEvidence reports whether evidence is absent or an empty list: it proves a cause, but is not worth a line.
func (w *writer) isEmptyEvidence(l Link) bool {
	v, state, _ := l.Value.Get()
	list, is := v.([]any)
	return !w.Whole && l.Name != "" && (state == inventory.StateAbsent || is && len(list) == 0)
}

// proofByObject returns the proof of the cause by object: first the object of the cause, then the most affected objects.
func (w *writer) proofByObject(r *Recommendation) []string {
	rank := map[inventory.Ref]int{r.Object: -1}
	for _, s := range r.shownBy() {
		for _, f := range s.of {
			if _, has := rank[f.Object]; !has {
				rank[f.Object] = len(rank)
			}
		}
	}
	all := w.evidence(r.Chain(), func(l Link) bool { return l.Kind == LinkCause || l.Kind == LinkConfiguration })
	slices.SortStableFunc(all, func(a, b proof) int { return cmp.Compare(orLast(rank, a.object), orLast(rank, b.object)) })
	return w.proofLines(r, w.significant(r, all))
}

// before returns the object name that precedes a finding or change. It returns "" for the recommendation's own object on a
// screen or if it is a device, because the entry already shows the long name.
func (w *writer) before(r *Recommendation, o inventory.Ref) string {
	if o == r.Object && !w.Whole && (w.brief || strings.Contains(o.Name, "/")) {
		return ""
	}
	return o.Name + ": "
}

// significant omits the proof from affected objects if the object of the cause has its own proof.
func (w *writer) significant(r *Recommendation, all []proof) []proof {
	if w.Whole || len(all) == 0 || all[0].object != r.Object {
		return all
	}
	affected := map[inventory.Ref]bool{}
	for _, f := range r.Symptoms {
		affected[f.Object] = f.Object != r.Object
	}
	return slices.DeleteFunc(all, func(p proof) bool { return affected[p.object] })
}

func orLast(rank map[inventory.Ref]int, o inventory.Ref) int {
	if n, has := rank[o]; has {
		return n
	}
	return len(rank)
}

// found lists the findings of other rules there, each with its object.
func (w *writer) found(r *Recommendation) []string {
	links := r.Chain()
	text := map[inventory.Ref][]string{}
	for _, p := range w.evidence(links, func(l Link) bool { return l.Kind == LinkCause || l.Kind == LinkConfiguration }) {
		text[p.object] = p.values
	}
	all := w.evidence(links, func(l Link) bool { return l.Kind == LinkFinding })
	for i, p := range all {
		if len(p.values) > 0 && !w.Whole { // keep the first; drop others that are already shown
			rest := slices.DeleteFunc(slices.Clone(p.values[1:]), func(s string) bool { return slices.Contains(text[p.object], s) })
			all[i].values = append(p.values[:1:1], rest...)[:min(mostFound, 1+len(rest))]
		}
	}
	return w.proofLines(r, all)
}

// linkText returns a link as text. On a screen it omits the statistic and the reason of an unread value.
func (w *writer) linkText(l Link) string {
	if !w.brief {
		return l.phrase()
	}
	if _, state, _ := l.Value.Get(); state == inventory.StateUnread {
		l.Value = inventory.Unread[any]("")
	}
	l.Stat = ""
	return l.phrase()
}

// proof is the evidence of one object.
type proof struct {
	object inventory.Ref
	rule   *advice.Rule // of a finding
	values []string
}

// proofLines returns the first proofs, and a line with the number of the others.
func (w *writer) proofLines(r *Recommendation, all []proof) []string {
	lines := collect.Map(all, func(p proof) string {
		text := w.few(p.values, mostShown, ", ")
		switch {
		case p.rule != nil:
			return nameAnd(w.before(r, p.object)+ruleText(p.rule), text)
		case p.object == r.Object && !w.Whole: // already named
			return text
		}
		return nameAnd(p.object.Name, text)
	})
	if w.Whole || len(lines) <= mostProofs+1 {
		return lines
	}
	return append(lines[:mostProofs:mostProofs], fmt.Sprintf("… and of %d more", len(lines)-mostProofs))
}

// evidence groups links of a chain by object, and links of findings also by rule. It removes duplicate figures.
func (w *writer) evidence(chain []Piece, keep func(Link) bool) []proof {
	type key struct {
		object inventory.Ref
		rule   *advice.Rule
	}
	var by collect.ByKey[key, proof]
	for _, piece := range chain {
		l := piece.Link()
		if !keep(l) || l.Name == "" && l.Kind != LinkFinding || w.notInCapture(l) || w.isEmptyEvidence(l) {
			continue
		}
		k := key{object: l.Object}
		if l.Kind == LinkFinding {
			k.rule = l.Rule
		}
		p := by.At(k)
		p.object, p.rule = k.object, k.rule
		if l.Name != "" {
			p.values = collect.AddOnce(p.values, w.linkText(l))
		}
	}
	return by.Values()
}
