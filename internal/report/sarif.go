package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/collect"
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
	rules, groups := rulesOf(a.Result.Findings), sarifGroups(a.Result.Findings)
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "vperf", InformationURI: "https://github.com/vperf/vperf", Rules: make([]sarifRule, len(rules))}},
		Invocations: []sarifInvocation{invocationSARIF(a.Result)},
		Results:     make([]sarifResult, len(groups)),
		Properties:  map[string]any{"source": a.Source, "takenAt": a.TakenAt.UTC(), "profile": a.profile()},
	}
	index := map[string]int{}
	for i, r := range rules {
		run.Tool.Driver.Rules[i] = ruleSARIF(r)
		index[r.ID] = i
	}
	for i, g := range groups {
		run.Results[i] = g.result(index[g.all[0].Rule.ID])
		if a.Result.Baseline != nil {
			run.Results[i].BaselineState = g.baseline()
		}
	}
	return sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}}
}

// sarifGroup holds the findings of a result: those of one rule in one vCenter with one outcome and one cause. Code scanning takes some
// thousand results, so objects are never results of their own: then their number does not change the identity of a result.
type sarifGroup struct {
	cause string
	all   []*advice.Finding
}

func sarifGroups(all []*advice.Finding) []*sarifGroup {
	type key struct {
		rule, vcenter, cause string
		outcome              advice.Outcome
	}
	var by collect.ByKey[key, *sarifGroup]
	for _, f := range all {
		cause := causeOf(f)
		group := by.At(key{f.Rule.ID, f.Object.VCenter, cause, f.Outcome})
		if *group == nil {
			*group = &sarifGroup{cause: cause}
		}
		(*group).all = append((*group).all, f)
	}
	return by.Values()
}

// causeOf returns what the findings of one result have in common: the settings that fix a failure, the facts that an unknown outcome
// needs, or the reason of a waiver.
func causeOf(f *advice.Finding) string {
	var parts []string
	switch f.Outcome {
	case advice.Waived:
		return f.Reason
	case advice.Unknown:
		parts = collect.Map(f.Gaps, func(g advice.Gap) string { return g.Fact })
	default:
		parts = collect.Map(f.Remedies, func(c advice.Change) string { return c.Setting.String() })
	}
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), ", ")
}

// fingerprint identifies the result. It does not depend on names, severities, measured values and the number of objects.
func (g *sarifGroup) fingerprint() string {
	f := g.all[0]
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Rule.ID, f.Object.VCenter, string(f.Outcome), g.cause}, "\x00")))
	return hex.EncodeToString(sum[:])
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
	var by collect.ByKey[string, []inventory.Ref]
	for _, g := range r.UnreadObjects {
		objects := by.At(g.Reason)
		*objects = append(*objects, g.Object)
	}
	return sarifInvocation{ExecutionSuccessful: true, Notifications: collect.Each(by, notificationSARIF)}
}

func notificationSARIF(reason string, objects *[]inventory.Ref) sarifNotification {
	names := collect.Map(*objects, func(o inventory.Ref) string { return string(o.Kind) + " " + wording.Clean(o.Name) })
	text := fmt.Sprintf("not read: %s: %s", listed(", ", names), wording.Clean(reason))
	return sarifNotification{
		Level: "warning", Message: sarifMessage{Text: sarifText(text)}, Locations: []sarifLocation{{Logical: logicalsSARIF(*objects)}},
	}
}

func (g *sarifGroup) result(rule int) sarifResult {
	f := g.all[0]
	worst := worstOf(g.all)
	out := sarifResult{
		RuleID: f.Rule.ID, RuleIndex: rule, Kind: kindSARIF(f.Outcome), Level: levelSARIF(f.Outcome, worst),
		Message:      sarifMessage{Text: sarifText(g.message())},
		Locations:    []sarifLocation{{Physical: physicalSARIF(f.Rule), Logical: logicalsSARIF(collect.Map(g.all, func(f *advice.Finding) inventory.Ref { return f.Object }))}},
		Fingerprints: map[string]string{"vperf/v2": g.fingerprint()},
		Properties:   map[string]any{"outcome": f.Outcome, "severity": worst, "vcenter": f.Object.VCenter, "objects": len(g.all)},
	}
	if g.cause != "" {
		out.Properties["cause"] = wording.Clean(wording.OneLine(g.cause))
	}
	if f.Outcome == advice.Waived {
		out.Suppressions = []sarifSuppression{{Kind: "external", Justification: wording.Clean(wording.OneLine(f.Reason))}}
	}
	return out
}

// baseline returns the baseline state of a result, which SARIF requires for all results or for none. A result with a new finding is
// new. A failure that is waived now is the same finding; a result that no longer fails is a different one at the same place.
func (g *sarifGroup) baseline() string {
	switch outcome := g.all[0].Outcome; {
	case slices.ContainsFunc(g.all, func(f *advice.Finding) bool { return !f.InBaseline }):
		return "new"
	case outcome == advice.Fail, outcome == advice.Waived:
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
func levelSARIF(o advice.Outcome, s advice.Severity) string {
	if o != advice.Fail && o != advice.Waived {
		return "none"
	}
	return severitySARIF(s)
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

// message names the fault and the first objects, a line for each.
func (g *sarifGroup) message() string {
	f, text := g.all[0], failureText
	head := f.Rule.Title + ": " + objectCount(g.all)
	if f.Outcome != advice.Pass && f.Outcome != advice.Fail {
		head, text = f.Rule.Title+": "+string(f.Outcome)+", "+objectCount(g.all), whyText
	}
	return strings.Join(append([]string{head}, firstObjects(g.all, text)...), "\n")
}

// sarifText keeps viewers from reading text as a link or a placeholder. SARIF cannot escape a bracket outside a link, so a
// space separates the two characters that make a link.
func sarifText(s string) string { return sarifBraces.Replace(strings.ReplaceAll(s, "](", "] (")) }

// sarifBraces doubles braces, as SARIF requires in every message: single braces mark placeholders.
var sarifBraces = strings.NewReplacer("{", "{{", "}", "}}")

// logicalsSARIF returns the first objects.
func logicalsSARIF(all []inventory.Ref) []sarifLogical {
	return collect.Map(all[:min(len(all), mostListed)], func(o inventory.Ref) sarifLogical {
		return sarifLogical{Name: wording.Clean(o.Name), FullyQualifiedName: wording.Clean(o.Path), Kind: string(o.Kind)}
	})
}
