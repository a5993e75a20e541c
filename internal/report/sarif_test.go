package report_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// sarif holds the parts that viewers use.
type sarif struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name  string      `json:"name"`
				Rules []sarifRule `json:"rules"`
			} `json:"driver"`
		} `json:"tool"`
		Invocations []struct {
			ExecutionSuccessful bool             `json:"executionSuccessful"`
			Notifications       []map[string]any `json:"toolExecutionNotifications"`
		} `json:"invocations"`
		Results []sarifResult `json:"results"`
	} `json:"runs"`
}

type sarifRule struct {
	ID    string `json:"id"`
	Short struct {
		Text string `json:"text"`
	} `json:"shortDescription"`
	Full struct {
		Text string `json:"text"`
	} `json:"fullDescription"`
	Help struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	} `json:"help"`
	HelpURI    string            `json:"helpUri"`
	Properties map[string]string `json:"properties"`
}

type sarifResult struct {
	RuleID    string `json:"ruleId"`
	RuleIndex int    `json:"ruleIndex"`
	Kind      string `json:"kind"`
	Level     string `json:"level"`
	Message   struct {
		Text string `json:"text"`
	} `json:"message"`
	Locations []struct {
		Physical *struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
		} `json:"physicalLocation"`
		Logical []struct {
			FullyQualifiedName string `json:"fullyQualifiedName"`
			Kind               string `json:"kind"`
		} `json:"logicalLocations"`
	} `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Suppressions []map[string]any  `json:"suppressions"`
}

func readSARIF(t *testing.T, a report.Audit) (text []byte, parsed sarif) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.SARIF(&b, a))
	require.NoError(t, json.Unmarshal(b.Bytes(), &parsed))
	require.Len(t, parsed.Runs, 1)
	return b.Bytes(), parsed
}

func TestSARIF(t *testing.T) {
	for name, all := range map[string]bool{"audit.sarif": false, "audit-all.sarif": true} {
		t.Run(name, func(t *testing.T) {
			text, _ := readSARIF(t, audit(t, all))
			golden.Equal(t, "testdata/"+name, text)
		})
	}
}

func TestSARIFHasWhatItsSpecificationAsksFor(t *testing.T) {
	a := audit(t, true)
	_, log := readSARIF(t, a)
	run := log.Runs[0]
	require.Equal(t, "2.1.0", log.Version)
	require.NotEmpty(t, log.Schema)
	require.Equal(t, "vperf", run.Tool.Driver.Name)
	require.True(t, run.Invocations[0].ExecutionSuccessful)
	require.Len(t, run.Invocations[0].Notifications, len(a.Result.UnreadObjects))
	require.True(t, slices.IsSortedFunc(run.Tool.Driver.Rules, func(a, b sarifRule) int { return bytes.Compare([]byte(a.ID), []byte(b.ID)) }))
	for _, r := range run.Tool.Driver.Rules {
		for _, text := range []string{r.Short.Text, r.Full.Text, r.Help.Text, r.Help.Markdown, r.HelpURI, r.Properties["category"]} {
			require.NotEmpty(t, text, r.ID)
		}
	}
	rules := map[string]bool{}
	for _, f := range a.Result.Findings {
		rules[f.Rule.ID] = true
	}
	seen := map[string]bool{}
	for _, r := range run.Results {
		require.Equal(t, r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
		delete(rules, r.RuleID)
		require.NotEmpty(t, r.Message.Text)
		require.FileExists(t, "../../"+r.Locations[0].Physical.Artifact.URI)
		require.NotEmpty(t, r.Locations[0].Logical)
		if r.Kind != "fail" {
			require.Equal(t, "none", r.Level, "the specification allows no other")
		}
		seen[r.Fingerprints["vperf/v2"]] = true
	}
	require.Empty(t, rules)
	require.Len(t, seen, len(run.Results), "a fingerprint tells a result from all others")
}

func TestSARIFLevels(t *testing.T) {
	for _, c := range []struct {
		outcome     advice.Outcome
		severity    advice.Severity
		kind, level string
	}{
		{advice.Fail, advice.Critical, "fail", "error"},
		{advice.Fail, advice.High, "fail", "error"},
		{advice.Fail, advice.Medium, "fail", "warning"},
		{advice.Fail, advice.Low, "fail", "note"},
		{advice.Fail, advice.Info, "fail", "note"},
		{advice.Waived, advice.High, "fail", "error"},
		{advice.Unknown, advice.High, "open", "none"},
		{advice.Manual, advice.High, "review", "none"},
		{advice.Pass, advice.High, "pass", "none"},
		{advice.NotApplicable, advice.High, "notApplicable", "none"},
	} {
		t.Run(string(c.outcome)+" "+string(c.severity), func(t *testing.T) {
			a := audit(t, false)
			a.Result.Findings = a.Result.Findings[:1]
			a.Result.Findings[0].Outcome, a.Result.Findings[0].Severity = c.outcome, c.severity
			_, log := readSARIF(t, a)
			got := log.Runs[0].Results[0]
			require.Equal(t, []string{c.kind, c.level}, []string{got.Kind, got.Level})
			require.Equal(t, c.outcome == advice.Waived, got.Suppressions != nil)
		})
	}
}

// TestSARIFFingerprintStays checks that renames, other objects and new measurements do not change the fingerprint: viewers match results by it.
func TestSARIFFingerprintStays(t *testing.T) {
	of := func(change func(*advice.Finding)) string {
		all := longRule(1)
		change(all[0])
		_, log := readSARIF(t, ofRule(all...))
		return log.Runs[0].Results[0].Fingerprints["vperf/v2"]
	}
	same := of(func(*advice.Finding) {})
	require.Equal(t, same, of(func(f *advice.Finding) {
		f.Object.Name, f.Object.Path, f.Object.ID, f.Evidence, f.Severity = "new", "/new", "vm-2", nil, advice.High
		f.Remedies[0].To = inventory.Known(inventory.IntValue(99))
	}))
	require.NotEqual(t, same, of(func(f *advice.Finding) { f.Object.VCenter = "other" }))
	require.NotEqual(t, same, of(func(f *advice.Finding) { f.Outcome = advice.Unknown }))
	require.NotEqual(t, same, of(func(f *advice.Finding) { f.Remedies[0].Setting, _ = inventory.LookupSetting("vm-memory-mb") }), "another cause")
}

// TestSARIFNamesAreNoMarkup checks names with [text](address), a link in a message, and {0}, a placeholder.
func TestSARIFNamesAreNoMarkup(t *testing.T) {
	a := audit(t, false)
	a.Result.Findings = a.Result.Findings[:1]
	a.Result.Findings[0].Object.Name = "[see](https://evil.example) {0}"
	_, log := readSARIF(t, a)
	text := log.Runs[0].Results[0].Message.Text
	require.NotContains(t, text, "](")
	require.Contains(t, text, "[see] (https://evil.example) {{0}}")
}

// TestSARIFInventsNoFileForUsersRules checks that a user's own rule has neither a file in vperf's repository nor a section in
// its guide.
func TestSARIFInventsNoFileForUsersRules(t *testing.T) {
	a := audit(t, false)
	a.Result.Findings = a.Result.Findings[:1]
	mine := *a.Result.Findings[0].Rule
	mine.ID = "mine"
	a.Result.Findings[0].Rule = &mine
	_, log := readSARIF(t, a)
	require.Nil(t, log.Runs[0].Results[0].Locations[0].Physical)
	require.Empty(t, log.Runs[0].Tool.Driver.Rules[0].HelpURI)
}

func TestSARIFOfNothing(t *testing.T) {
	text, log := readSARIF(t, empty())
	require.Contains(t, string(text), `"results": []`, "no results and unknown results are different things in SARIF")
	require.Contains(t, string(text), `"rules": []`)
	require.True(t, log.Runs[0].Invocations[0].ExecutionSuccessful)
}
