package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
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

// unitWords are the kinds of objects that a trial changes as one: one of them, and many.
var unitWords = map[inventory.Scope][2]string{
	inventory.ScopeHost:    {"each host", "hosts"},
	inventory.ScopeVM:      {"each VM", "VMs"},
	inventory.ScopePool:    {"each resource pool", "resource pools"},
	inventory.ScopeLUN:     {"each LUN", "LUNs"},
	inventory.ScopeCluster: {"each cluster", "clusters"},
	inventory.ScopeSwitch:  {"each distributed switch", "distributed switches"},
}

// Measurable describes how vperf trial can measure the rule's change on the user's own hosts, or why it cannot.
func Measurable(r *advice.Rule) string {
	t := r.Trial()
	unit := unitWords[t.Unit]
	switch {
	case t.Design.Switches():
		return fmt.Sprintf("yes. A trial switches the change on and off in random order on %s, in blocks of %s. It does not count the first %s of a block. %s",
			unit[0], plural.Count(int(t.Block.Minutes()), "minute"), firstMinutes(t.Settle), t.Reason)
	case t.Design == inventory.DesignRandomised:
		return fmt.Sprintf("yes, over days. A trial draws by lot which %s are changed, and compares whole days before and after. With fewer than 8 the result is an observation, not a proof. %s",
			unit[1], t.Reason)
	}
	return "no. " + t.Reason
}

func firstMinutes(d time.Duration) string {
	if n := int(d.Minutes()); n > 1 {
		return fmt.Sprintf("%d minutes", n)
	}
	return "minute"
}
