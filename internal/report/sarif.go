package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// SARIF writes the audit as a SARIF 2.1.0 log, for viewers of static analysis and code scanning.
func SARIF(w io.Writer, a Audit) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(toSARIF(a)); err != nil {
		return fmt.Errorf("writing the audit as SARIF: %w", err)
	}
	return nil
}

func toSARIF(a Audit) sarifLog {
	rules := rulesOf(a.Result.Findings)
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "vperf", InformationURI: "https://github.com/vperf/vperf", Rules: make([]sarifRule, len(rules))}},
		Invocations: []sarifInvocation{invocationSARIF(a.Result)},
		Results:     make([]sarifResult, len(a.Result.Findings)),
		Properties:  map[string]any{"source": a.Source, "takenAt": a.TakenAt.UTC(), "profile": a.profile()},
	}
	index := map[string]int{}
	for i, r := range rules {
		run.Tool.Driver.Rules[i] = ruleSARIF(r)
		index[r.ID] = i
	}
	for i, f := range a.Result.Findings {
		run.Results[i] = resultSARIF(f, index[f.Rule.ID])
		if a.Result.Baseline != nil {
			run.Results[i].BaselineState = baselineSARIF(f)
		}
	}
	return sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}}
}

// rulesOf returns the rules of the findings, sorted by id.
func rulesOf(findings []*advice.Finding) []*advice.Rule {
	var rules []*advice.Rule
	for _, f := range findings {
		rules = append(rules, f.Rule)
	}
	slices.SortFunc(rules, func(a, b *advice.Rule) int { return strings.Compare(a.ID, b.ID) })
	return slices.CompactFunc(rules, func(a, b *advice.Rule) bool { return a.ID == b.ID })
}

// invocationSARIF reports success even with unread objects: the tool did its work and lists the objects that it could not
// read.
func invocationSARIF(r *advice.Result) sarifInvocation {
	out := sarifInvocation{ExecutionSuccessful: true, Notifications: make([]sarifNotification, len(r.UnreadObjects))}
	for i, g := range r.UnreadObjects {
		text := fmt.Sprintf("%s %s was not read: %s", g.Object.Kind, wording.Clean(g.Object.Name), wording.Clean(g.Reason))
		out.Notifications[i] = sarifNotification{
			Level: "warning", Message: sarifMessage{Text: sarifText(text)},
			Locations: []sarifLocation{{Logical: []sarifLogical{logicalSARIF(g.Object)}}},
		}
	}
	return out
}

func resultSARIF(f *advice.Finding, rule int) sarifResult {
	out := sarifResult{
		RuleID: f.Rule.ID, RuleIndex: rule, Kind: kindSARIF(f.Outcome), Level: levelSARIF(f),
		Message:      sarifMessage{Text: sarifText(messageSARIF(f))},
		Locations:    []sarifLocation{{Physical: physicalSARIF(f.Rule), Logical: []sarifLogical{logicalSARIF(f.Object)}}},
		Fingerprints: map[string]string{"vperf/v1": f.Fingerprint()},
		Properties: map[string]any{
			"outcome": f.Outcome, "severity": f.Severity, "profile": f.Profile, "vcenter": f.Object.VCenter, "id": f.Object.ID,
		},
	}
	if f.Pending != "" {
		out.Properties["pending"] = wording.Clean(wording.OneLine(f.Pending))
	}
	if f.Outcome == advice.Waived {
		out.Suppressions = []sarifSuppression{{Kind: "external", Justification: wording.Clean(wording.OneLine(f.Reason))}}
	}
	return out
}

// baselineSARIF returns the baseline state of a result, which SARIF requires for all results or for none. A failure that is
// waived now is the same finding; a result that no longer fails is a different one at the same place.
func baselineSARIF(f *advice.Finding) string {
	switch {
	case !f.InBaseline:
		return "new"
	case f.Outcome == advice.Fail, f.Outcome == advice.Waived:
		return "unchanged"
	}
	return "updated"
}

func kindSARIF(o advice.Outcome) string {
	switch o {
	case advice.Pass:
		return "pass"
	case advice.Unknown:
		return "open"
	case advice.Manual:
		return "review"
	case advice.NotApplicable:
		return "notApplicable"
	}
	return "fail" // also if waived: the suppression is reported separately
}

// levelSARIF maps the severity of a failure to a level; SARIF wants none for other outcomes.
func levelSARIF(f *advice.Finding) string {
	if f.Outcome != advice.Fail && f.Outcome != advice.Waived {
		return "none"
	}
	return severitySARIF(f.Severity)
}

func severitySARIF(s advice.Severity) string {
	switch s {
	case advice.Critical, advice.High:
		return "error"
	case advice.Medium:
		return "warning"
	}
	return "note"
}

func messageSARIF(f *advice.Finding) string {
	details := []string{evidence(f)}
	if f.Outcome != advice.Pass && f.Outcome != advice.Fail {
		details = []string{string(f.Outcome), whyText(f)}
	}
	details = append(details, wording.PendingText(f))
	if len(f.Remedies) > 0 {
		details = append(details, "fix: "+fixText(f))
	}
	details = slices.DeleteFunc(details, func(s string) bool { return s == "" })
	return fmt.Sprintf("%s (%s %s): %s", f.Rule.Title, f.Object.Kind, wording.Clean(f.Object.Name), strings.Join(details, "; "))
}

// sarifText keeps viewers from reading text as a link or a placeholder. SARIF cannot escape a bracket outside a link, so a
// space separates the two characters that make a link.
func sarifText(s string) string { return sarifBraces.Replace(strings.ReplaceAll(s, "](", "] (")) }

// sarifBraces doubles braces, as SARIF requires in every message: single braces mark placeholders.
var sarifBraces = strings.NewReplacer("{", "{{", "}", "}}")

func logicalSARIF(o inventory.Ref) sarifLogical {
	return sarifLogical{Name: wording.Clean(o.Name), FullyQualifiedName: wording.Clean(o.Path), Kind: string(o.Kind)}
}
