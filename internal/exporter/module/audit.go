package module

import (
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/advice"
)

// outcomeKnown is the outcome of a fail that is in the baseline, and so is not reported as new.
const outcomeKnown = "known"

// ruleCount is the key of a rule's counts.
type ruleCount struct {
	severity advice.Severity
	outcome  string
}

// WriteRuleFindings counts the outcomes of each rule. A rule that can fail always has a series with the number of
// failed objects, so that an alert ends when it is 0; other outcomes have one if they occur. Passed and not applicable
// outcomes have the rule's own severity, because the effective one is known only for fails.
func WriteRuleFindings(w *exposition.Writer, r *advice.Result, rules *advice.Ruleset) {
	writeRulesFindings(w, r, rules.Rules())
}

func writeRulesFindings(w *exposition.Writer, r *advice.Result, rules []*advice.Rule) {
	w.Family(exposition.Family{
		Name: "vperf_rule_findings",
		Help: "Objects by their result for a rule of the audit: fail, known (failed when the baseline was written), waived, unknown, manual, not-applicable, pass (vperf audit).",
	})
	counts := countFindings(r)
	for _, rule := range rules {
		of := counts[rule.ID]
		if of == nil {
			of = map[ruleCount]int{}
		}
		Listed := 0
		for _, n := range of {
			Listed += n
		}
		if c := r.Rules[rule.ID]; c != nil {
			setIf(of, ruleCount{rule.Severity, string(advice.NotApplicable)}, c.Skipped)
			setIf(of, ruleCount{rule.Severity, string(advice.Pass)}, c.Checked-c.Skipped-Listed)
		}
		if fail := (ruleCount{rule.Severity, string(advice.Fail)}); rule.Manual == "" {
			of[fail] += 0
		}
		for _, c := range sortedCounts(of) {
			w.Sample(exposition.NewLabels("rule", rule.ID, "severity", string(c.severity), "outcome", c.outcome), float64(of[c]))
		}
	}
}

// countFindings counts the outcomes that are complete in findings: passed and not applicable ones may be omitted.
func countFindings(r *advice.Result) map[string]map[ruleCount]int {
	counts := map[string]map[ruleCount]int{}
	for _, f := range r.Findings {
		if f.Outcome == advice.Pass || f.Outcome == advice.NotApplicable {
			continue
		}
		of := counts[f.Rule.ID]
		if of == nil {
			of = map[ruleCount]int{}
			counts[f.Rule.ID] = of
		}
		outcome := string(f.Outcome)
		if f.Known() {
			outcome = outcomeKnown
		}
		of[ruleCount{f.Severity, outcome}]++
	}
	return counts
}

func setIf(of map[ruleCount]int, c ruleCount, n int) {
	if n > 0 {
		of[c] += n
	}
}

// sortedCounts: the worst severity first, then outcomes by name.
func sortedCounts(of map[ruleCount]int) []ruleCount {
	list := make([]ruleCount, 0, len(of))
	for c := range of {
		list = append(list, c)
	}
	rank := func(s advice.Severity) int { return slices.Index(advice.Severities(), s) }
	slices.SortStableFunc(list, func(a, b ruleCount) int {
		if d := rank(a.severity) - rank(b.severity); d != 0 {
			return d
		}
		if a.outcome < b.outcome {
			return -1
		}
		return 1
	})
	return list
}

// WriteFindings writes each fail that is neither waived nor in the baseline, with its object: a device by its host's or
// VM's name and its own, and by the id of the host or VM.
func WriteFindings(w *exposition.Writer, r *advice.Result) {
	w.Family(exposition.Family{
		Name: "vperf_finding",
		Help: "1 for each object that fails a rule of the audit and is neither waived nor in the baseline (vperf audit).",
	})
	seen := map[exposition.Labels]bool{}
	for _, f := range r.Findings {
		if f.Outcome != advice.Fail || f.Known() {
			continue
		}
		moid, _, _ := strings.Cut(f.Object.ID, "/")
		l := exposition.NewLabels("rule", f.Rule.ID, "severity", string(f.Severity), "object", f.Object.Name,
			"kind", string(f.Object.Kind), "moid", moid)
		if !seen[l] { // two devices of a host can have one name
			seen[l] = true
			w.Sample(l, 1)
		}
	}
}
