package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Row holds the findings of one rule that share a line in a human-readable format: one finding, identical findings about
// several devices of one host or VM, or a whole long list.
type Row []*advice.Finding

// Rows folds findings of one rule and outcome: identical findings about devices of one host or VM share a row, and more than
// most rows become one row with a count.
func Rows(all []*advice.Finding, most int) []Row {
	var by collect.ByKey[string, Row]
	for i, f := range all {
		key := strconv.Itoa(i)
		if owner, _, device := strings.Cut(f.Object.ID, "/"); device {
			key = strings.Join([]string{f.Object.VCenter, owner, evidence(f), fixText(f), wording.PendingText(f), knownText(f), string(f.Profile)}, "\x00")
		}
		row := by.At(key)
		*row = append(*row, f)
	}
	rows := by.Values()
	if len(rows) <= most {
		return rows
	}
	return []Row{all}
}

// Many reports whether the row covers several hosts, VMs or other top-level objects.
func (r Row) Many() bool {
	first := ownerID(r[0])
	return slices.ContainsFunc(r, func(f *advice.Finding) bool { return ownerID(f) != first })
}

// ownerID identifies the finding's object or, for a device, its owner.
func ownerID(f *advice.Finding) [2]string {
	id, _, _ := strings.Cut(f.Object.ID, "/")
	return [2]string{f.Object.VCenter, id}
}

// Names names the objects of the row, or counts them if there are many.
func (r Row) Names() string {
	if !r.Many() {
		names := []string{wording.Clean(r[0].Object.Name)}
		for _, f := range r[1:] {
			_, device, _ := strings.Cut(f.Object.Name, "/")
			names = append(names, wording.Clean(device))
		}
		return strings.Join(names, ", ")
	}
	var names collect.Distinct
	owners := map[[2]string]bool{}
	for _, f := range r {
		names.Add(f.Object.Name)
		owners[ownerID(f)] = true
	}
	what := plural.Count(len(r), wording.CountedKind(r[0].Object.Kind))
	if of := wording.OwnerKind(r[0].Object.Kind); of != "" {
		what += " of " + plural.Count(len(owners), of)
	}
	return what + ": " + wording.SomeOf(names.Words)
}

// Evidence returns the evidence of the row's findings in one line.
func (r Row) Evidence() string {
	if !r.Many() {
		return evidence(r[0])
	}
	return strings.Join(collect.Map(r.Spans(), func(s Span) string { return s.Name + " " + s.Text }), ", ")
}

// Span summarizes one piece of evidence over many findings.
type Span struct{ Name, Text string }

// Spans summarizes the evidence of many findings: a common value, a range of numbers, or a few words with a count each. It
// omits evidence with more distinct values.
func (r Row) Spans() []Span {
	return r.SpansOf(func(_ *advice.Finding, all []advice.Measured) []Span {
		return collect.Map(all, func(m advice.Measured) Span { return Span{m.Name, wording.FactText(m.Value, wording.Plain)} })
	})
}

// SpansOf does the same with the caller's texts: evidence returns the name and the text of each measurement of a finding, in
// order.
func (r Row) SpansOf(evidence func(*advice.Finding, []advice.Measured) []Span) []Span {
	texts := make([][]Span, len(r))
	for k, f := range r {
		texts[k] = evidence(f, f.Evidence)
	}
	var spans []Span
	for i, m := range texts[0] {
		values := make([]string, 0, len(r))
		var numbers []float64
		for k := range r {
			if i >= len(texts[k]) {
				continue
			}
			values = append(values, wording.Clean(texts[k][i].Text))
			if n, ok := measuredNumber(r[k].Evidence[i].Value); ok {
				numbers = append(numbers, n)
			}
		}
		if span := spanOf(values, numbers); span != "" {
			spans = append(spans, Span{m.Name, span})
		}
	}
	return spans
}

// rangeText writes a common unit once.
func rangeText(least, most string) string {
	number, unit, _ := strings.Cut(least, " ")
	if _, other, _ := strings.Cut(most, " "); other != unit {
		return least + " to " + most
	}
	return number + " to " + most
}

// measuredNumber returns the number in a measured fact, and whether there is one.
func measuredNumber(f inventory.Fact[any]) (float64, bool) {
	v, known := f.Value()
	if !known {
		return 0, false
	}
	switch x := v.(type) {
	case int64:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

// fewValues is the maximum number of distinct values that a summary names.
const fewValues = 3

// spanOf summarizes the values in a few words; it returns "" if there are too many.
func spanOf(values []string, numbers []float64) string {
	var by collect.ByKey[string, int]
	for _, v := range values {
		*by.At(v)++
	}
	switch {
	case len(by.Keys) == 1:
		return values[0]
	case len(numbers) == len(values):
		least, most := 0, 0
		for i, n := range numbers {
			if n < numbers[least] {
				least = i
			}
			if n > numbers[most] {
				most = i
			}
		}
		return rangeText(values[least], values[most])
	case len(by.Keys) > fewValues:
		return ""
	}
	return strings.Join(collect.Each(by, func(v string, n *int) string { return fmt.Sprintf("%s (%d)", v, *n) }), ", ")
}

// Fixes returns the changes that fix the findings of the row, one line per setting.
func (r Row) Fixes() []string {
	if !r.Many() {
		return collect.Map(r[0].Remedies, func(c advice.Change) string { return wording.Remedy(r[0], c) })
	}
	type change struct {
		values collect.Distinct
		first  advice.Change
		all    int
	}
	var by collect.ByKey[string, change]
	for _, f := range r {
		for _, c := range f.Remedies {
			x := by.At(c.Setting.String())
			if x.all == 0 {
				x.first = c
			}
			x.all++
			x.values.Add(wording.SettingText(c.To))
		}
	}
	return collect.Each(by, func(setting string, x *change) string {
		to := "a value for each"
		if len(x.values.Words) <= fewValues {
			to = strings.Join(x.values.Words, " or ")
		}
		how := string(x.first.Activation) + wording.Consent(x.first.Consent)
		if !x.first.Setting.Kind.Applicable() {
			how = "manual"
		}
		line := fmt.Sprintf("%s to %s (%s)", setting, to, how)
		if x.all < len(r) {
			line += fmt.Sprintf(", for %d of them", x.all)
		}
		return line
	})
}

// marks describes which findings of the row are in the baseline and which are pending.
func (r Row) marks() (known, pending string) {
	if !r.Many() {
		return knownText(r[0]), wording.PendingText(r[0])
	}
	n, waits := 0, 0
	for _, f := range r {
		if f.Known() {
			n++
		}
		if f.Pending != "" {
			waits++
		}
	}
	if n > 0 {
		known = fmt.Sprintf(" (%d in the baseline)", n)
	}
	if waits > 0 {
		pending = fmt.Sprintf("pending: %d of them", waits)
	}
	return known, pending
}

// profiles counts the row's profiles other than general; it returns "" if there are none.
func (r Row) profiles() string {
	var by collect.ByKey[advice.Profile, int]
	for _, f := range r {
		if f.Profile != advice.ProfileGeneral {
			*by.At(f.Profile)++
		}
	}
	return strings.Join(collect.Each(by, func(p advice.Profile, n *int) string { return fmt.Sprintf("%s (%d)", p, *n) }), ", ")
}

// covered returns the rules that a rule covers.
func covered(r *advice.Rule) []string {
	return collect.Map(r.Covers, func(c advice.Cover) string { return c.Rule })
}

// coverTexts names the checks that a finding covers: other rules, or the same check of other objects.
func coverTexts(f *advice.Finding) []string {
	var rules collect.Distinct
	var objects []string
	for _, c := range f.Covers {
		if c.Rule == f.Rule.ID {
			objects = append(objects, c.Object.Name)
			continue
		}
		word := c.Rule
		if c.Object != f.Object {
			word += " of " + wording.Clean(c.Object.Name)
		}
		rules.Add(word)
	}
	var lines []string
	if len(rules.Words) > 0 {
		lines = append(lines, "covers: "+strings.Join(rules.Words, ", "))
	}
	if len(objects) > 0 {
		slices.Sort(objects)
		lines = append(lines, "one check for "+plural.Count(len(objects)+1, wording.CountedKind(f.Object.Kind))+", also: "+wording.SomeOf(objects))
	}
	return lines
}
