package report

import (
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
) // The texts that formats with one field a finding share: each is one line, and safe for a terminal.
// fixText returns every remedy of a finding.
func fixText(f *advice.Finding) string {
	parts := make([]string, len(f.Remedies))
	for i, c := range f.Remedies {
		parts[i] = wording.Remedy(f, c)
	}
	return strings.Join(parts, "; ")
}

// knownText marks an object whose failure is in the baseline.
func knownText(f *advice.Finding) string {
	if f.Known() {
		return " (in the baseline)"
	}
	return ""
}

// whyText returns why an outcome is neither pass nor fail: the missing facts, or the reason.
func whyText(f *advice.Finding) string {
	if len(f.Gaps) > 0 {
		return strings.Join(gapTexts(f), "; ")
	}
	if f.Reason == "" && f.Outcome == advice.NotApplicable {
		return "the rule is not meant for this object"
	}
	return wording.Clean(wording.OneLine(f.Reason))
}

// gapTexts names each unread fact and, if it belongs to another object, that object.
func gapTexts(f *advice.Finding) []string {
	var parts []string
	for _, g := range f.Gaps {
		part := g.Fact + ": " + g.Reason
		if g.Object != f.Object {
			part += " (" + g.Object.Name + ")"
		}
		if part = wording.Clean(part); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return parts
}

// noteTexts returns the notes of a finding, one per line.
func noteTexts(f *advice.Finding) []string {
	notes := make([]string, len(f.Notes))
	for i, n := range f.Notes {
		notes[i] = wording.Clean(wording.OneLine(n))
	}
	return notes
}

func evidence(f *advice.Finding) string {
	all := f.Evidence
	parts := make([]string, len(all))
	for i, m := range all {
		parts[i] = m.Name + " " + wording.Clean(wording.FactText(m.Value, wording.Plain))
	}
	return strings.Join(parts, ", ")
}
