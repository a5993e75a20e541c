package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
)

func severities(r *advice.Rule) string {
	var parts []string
	for _, p := range advice.Profiles() {
		if s, ok := r.Profiles[p]; ok {
			parts = append(parts, fmt.Sprintf("%s for %s", s, p))
		}
	}
	if len(parts) == 0 {
		return string(r.Severity)
	}
	return strings.Join(parts, ", ") + ", otherwise " + string(r.Severity)
}

// Benefits lists the measured benefits of a rule, each with its condition and its source.
func Benefits(r *advice.Rule) []string {
	items := make([]string, len(r.Benefit))
	for i, b := range r.Benefit {
		items[i] = b.Text
		if b.When != "" {
			items[i] += " (" + b.When + ")"
		}
		if b.Source != "" {
			items[i] += " — " + b.Source
		}
	}
	return items
}

func fixes(r *advice.Rule) []string {
	items := make([]string, len(r.Remedy))
	for i, m := range r.Remedy {
		s := m.Setting()
		items[i] = fmt.Sprintf("set `%s` to `%s`", s, wording.OneLine(m.To.Source))
		if !m.When.Empty() {
			items[i] += fmt.Sprintf(" when `%s`", wording.OneLine(m.When.Source))
		}
		if !s.Kind.Applicable() {
			items[i] += "; manual; vperf does not change it"
			continue
		}
		items[i] += fmt.Sprintf("; takes effect: %s; undo: %s%s", m.Activation, s.Kind.Inverse, wording.Consent(m.Consent))
	}
	return items
}

func notes(r *advice.Rule) []string {
	var items []string
	for _, n := range r.Notes {
		text := wording.OneLine(n.Text)
		if !n.When.Empty() {
			text = fmt.Sprintf("when `%s`: %s", wording.OneLine(n.When.Source), text)
		}
		items = append(items, text)
	}
	for _, c := range r.Cases {
		if c.About != "" {
			items = append(items, fmt.Sprintf("%s Severity is then %s.", wording.OneLine(c.About), c.Severity))
		}
	}
	return items
}

// WorstSeverity returns the worst severity that a rule can have: of its cases, which take precedence, or of a profile.
func WorstSeverity(r *advice.Rule) advice.Severity {
	if slices.ContainsFunc(r.Cases, func(c advice.Case) bool { return c.Severity == advice.Critical }) {
		return advice.Critical
	}
	return advice.High
}
