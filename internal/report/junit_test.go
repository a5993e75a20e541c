package report_test

import (
	"bytes"
	"encoding/xml"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
)

// counts and junit are the parts that a JUnit reader uses.
type counts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
}

type junit struct {
	XMLName xml.Name `xml:"testsuites"`
	counts
	Suites []struct {
		Name string `xml:"name,attr"`
		counts
		Cases []testCase `xml:"testcase"`
	} `xml:"testsuite"`
}

type testCase struct {
	Name    string  `xml:"name,attr"`
	Class   string  `xml:"classname,attr"`
	Failure *result `xml:"failure"`
	Error   *result `xml:"error"`
	Skipped *result `xml:"skipped"`
}

type result struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

func readJUnit(t *testing.T, a report.Audit) (text []byte, parsed junit) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.JUnit(&b, a))
	require.NoError(t, xml.Unmarshal(b.Bytes(), &parsed))
	return b.Bytes(), parsed
}

func TestJUnit(t *testing.T) {
	a := audit(t, true)
	text, got := readJUnit(t, a)
	golden.Equal(t, "testdata/audit.junit.xml", text)

	require.Equal(t, len(a.Result.Rules), got.Tests, "a case for each rule")
	var sum counts
	for _, s := range got.Suites {
		require.Equal(t, s.counts, countCases(s.Cases), s.Name)
		sum.Tests += s.Tests
		sum.Failures += s.Failures
		sum.Errors += s.Errors
		sum.Skipped += s.Skipped
	}
	require.Equal(t, got.counts, sum)
	_, without := readJUnit(t, audit(t, false))
	require.Equal(t, got, without, "passes are counted, they need not be kept")
	_, high := readJUnit(t, a.AtLeast(advice.High))
	require.Equal(t, 1, high.Failures)
	require.Less(t, high.Tests, got.Tests-2, "a rule whose findings are hidden did not pass")
}

func countCases(cases []testCase) counts {
	c := counts{Tests: len(cases)}
	for _, k := range cases {
		switch {
		case k.Failure != nil:
			c.Failures++
		case k.Error != nil:
			c.Errors++
		case k.Skipped != nil:
			c.Skipped++
		}
	}
	return c
}

// ofRule returns an audit with the findings of one rule.
func ofRule(all ...*advice.Finding) report.Audit {
	a := empty()
	n := &advice.RuleCount{Rule: all[0].Rule, Checked: len(all)}
	for _, f := range all {
		switch f.Outcome {
		case advice.Pass:
			n.Pass++
		case advice.NotApplicable:
			n.Skipped++
		}
	}
	a.Result.Findings, a.Result.Rules = all, map[string]*advice.RuleCount{n.Rule.ID: n}
	return a
}

func TestJUnitOutcomes(t *testing.T) {
	failed := longRule(1)[0]
	for outcome, want := range map[advice.Outcome]testCase{
		advice.Pass:          {},
		advice.NotApplicable: {Skipped: &result{Message: "not-applicable"}},
		advice.Waived:        {Skipped: &result{Message: "waived: 1 VM: because"}},
		advice.Manual:        {Skipped: &result{Message: "manual: 1 VM: because"}},
		advice.Unknown:       {Error: &result{Message: "unknown: 1 VM", Type: "unknown", Text: "vm web-00: VM.vcpus: no permission"}},
	} {
		t.Run(string(outcome), func(t *testing.T) {
			f := *failed
			f.Outcome, f.Reason = outcome, "because"
			if outcome == advice.Unknown {
				f.Gaps = []advice.Gap{{Object: f.Object, Fact: "VM.vcpus", Reason: "no permission"}}
			}
			a := ofRule(&f)
			if outcome == advice.Pass || outcome == advice.NotApplicable {
				a.Result.Findings = nil
			}
			_, got := readJUnit(t, a)
			want.Name, want.Class = "old-hardware: Old", "vperf.vm"
			require.Equal(t, want, got.Suites[0].Cases[0])
		})
	}
}

// TestAFoldedResultNamesTheFirst checks that a result names twenty objects and counts the others, and that their number does not change
// its identity.
func TestAFoldedResultNamesTheFirst(t *testing.T) {
	_, got := readJUnit(t, ofRule(longRule(23)...))
	f := got.Suites[0].Cases[0].Failure
	require.Equal(t, "23 VMs: Old", f.Message)
	require.Contains(t, f.Text, "\nvm web-19: version 28, ")
	require.Contains(t, f.Text, "\nand 3 more")
	require.NotContains(t, f.Text, "web-20")

	_, many := readSARIF(t, ofRule(longRule(23)...))
	_, few := readSARIF(t, ofRule(longRule(2)...))
	require.Len(t, many.Runs[0].Results, 1)
	require.Equal(t, few.Runs[0].Results[0].Fingerprints, many.Runs[0].Results[0].Fingerprints)
	require.Contains(t, many.Runs[0].Results[0].Message.Text, "Old: 23 VMs\nvm web-00: version 9, ")
	require.Contains(t, many.Runs[0].Results[0].Message.Text, "\nand 3 more")
	require.Len(t, many.Runs[0].Results[0].Locations[0].Logical, 20)
	two := longRule(2)
	two[1].Severity = advice.High
	_, worst := readSARIF(t, ofRule(two...))
	require.Equal(t, "error", worst.Runs[0].Results[0].Level, "the worst severity counts")
	require.Equal(t, few.Runs[0].Results[0].Fingerprints, worst.Runs[0].Results[0].Fingerprints)
}

// TestJUnitSurvivesWhatXMLCannotHold checks names with characters that XML cannot express.
func TestJUnitSurvivesWhatXMLCannotHold(t *testing.T) {
	all := longRule(1)
	all[0].Object.Name = "\x00\x0b\uffff\xff]]><failure/>&"
	_, got := readJUnit(t, ofRule(all...))
	require.Contains(t, got.Suites[0].Cases[0].Failure.Text, `vm \x00\v`+"\ufffd"+`\xff]]><failure/>&: version 9`)
	require.Len(t, got.Suites[0].Cases, 1)
}
