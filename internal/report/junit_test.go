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

	r := a.Result
	require.Equal(t, counts{
		r.Checks, r.Counts[advice.Fail], r.Counts[advice.Unknown],
		r.Counts[advice.NotApplicable] + r.Counts[advice.Manual] + r.Counts[advice.Waived],
	}, got.counts)
	var sum counts
	for _, s := range got.Suites {
		require.Equal(t, s.counts, countCases(s.Cases), s.Name)
		sum.Tests += s.Tests
		sum.Failures += s.Failures
		sum.Errors += s.Errors
		sum.Skipped += s.Skipped
	}
	require.Equal(t, got.counts, sum)
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

// TestJUnitHasASuiteForEachHost checks that VMs and devices are in the suite of their host, and objects without a host in the
// suite of the vCenter.
func TestJUnitHasASuiteForEachHost(t *testing.T) {
	a := audit(t, true)
	lost := *a.Result.Findings[0]
	lost.Evaluated = &advice.Evaluated{Object: lost.Object, Profile: lost.Profile, ProfileWhy: lost.ProfileWhy}
	a.Result.Findings = append(a.Result.Findings, &lost)
	_, got := readJUnit(t, a)
	var names []string
	for _, s := range got.Suites {
		names = append(names, s.Name)
	}
	require.Equal(t, []string{"vc.example.com", `esx\x1b[31m-red\u202e`, "host02.a-rather-long-domain-name-for-a-host.example.com"}, names)
	require.Len(t, got.Suites[0].Cases, 1)
	require.Contains(t, got.Suites[1].Cases[0].Name, " /dc/vm/odd", "the VM on the first host")
}

func TestJUnitOutcomes(t *testing.T) {
	failed := audit(t, false).Result.Findings[0]
	for outcome, want := range map[advice.Outcome]testCase{
		advice.Pass:          {},
		advice.NotApplicable: {Skipped: &result{Message: "not-applicable: because"}},
		advice.Waived:        {Skipped: &result{Message: "waived: because"}},
		advice.Manual:        {Skipped: &result{Message: "manual: because"}},
		advice.Unknown:       {Error: &result{Message: "VM.vcpus: no permission", Type: "unknown", Text: "VM.vcpus: no permission"}},
	} {
		t.Run(string(outcome), func(t *testing.T) {
			a, f := empty(), new(advice.Finding)
			*f = *failed
			f.Outcome, f.Reason = outcome, "because"
			if outcome == advice.Unknown {
				f.Gaps = []advice.Gap{{Object: f.Object, Fact: "VM.vcpus", Reason: "no permission"}}
			}
			a.Result.Findings = []*advice.Finding{f}
			_, got := readJUnit(t, a)
			want.Name, want.Class = f.Rule.ID+" "+f.Object.Path, "vperf."+string(f.Rule.Category)+"."+f.Rule.ID
			require.Equal(t, want, got.Suites[0].Cases[0])
		})
	}
}

// TestJUnitSurvivesWhatXMLCannotHold checks names with characters that XML cannot express.
func TestJUnitSurvivesWhatXMLCannotHold(t *testing.T) {
	a := audit(t, false)
	a.Result.Findings = a.Result.Findings[:1]
	a.Result.Findings[0].Object.Path = "/dc/\x00\x0b\uffff\xff]]><failure/>&"
	_, got := readJUnit(t, a)
	require.Equal(t, a.Result.Findings[0].Rule.ID+" /dc/"+`\x00\v`+"\ufffd"+`\xff]]><failure/>&`, got.Suites[0].Cases[0].Name)
	require.Len(t, got.Suites[0].Cases, 1)
}
