package report_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// accepted is the audit with waived snapshots, hostile text in the waiver, and a baseline with one of the other failures, one
// fixed finding and one object that was not checked.
func accepted(t *testing.T, all bool) report.Audit {
	t.Helper()
	a := audit(t, all)
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	w := l.Waivers("2026-06-10")
	require.NoError(t, w.Parse("w.yaml", []byte(`waivers:
- {rule: snapshots, object: "*", reason: "=1+1 <b>kept</b> for\n  [the upgrade](https://evil.example) \e[31m", owner: "@ops|x", until: 2026-07-01}
- {rule: cpu-limit, object: "*", reason: later, until: 2026-06-09}
`)))
	set, err := ruleset()
	require.NoError(t, err)
	s := fleet()
	s.VCenters[0].VMs[0].Name = "renamed"
	w.Apply(a.Result, s, set)
	b := &advice.Baseline{Schema: advice.BaselineSchema, Findings: []advice.BaselineEntry{{Rule: "gone", Fingerprint: "x"}}}
	for _, f := range audit(t, true).Result.Findings {
		if f.Rule.ID == "numa-io" && f.Outcome == advice.Fail || f.Rule.ID == "vnic-vmxnet3" {
			b.Findings = append(b.Findings, advice.BaselineEntry{Rule: f.Rule.ID, Fingerprint: f.Fingerprint()})
		}
	}
	b.Apply(a.Result, s, set)
	require.Equal(t, &advice.BaselineCount{Known: 1, Fixed: 1, Unseen: 1}, a.Result.Baseline)
	return a
}

func TestAcceptedFindings(t *testing.T) {
	table := func(w io.Writer, a report.Audit) error {
		return report.Terminal{Width: 80}.Show(w, report.Details(a.New()))
	}
	for name, write := range map[string]func(io.Writer, report.Audit) error{
		"accepted.txt": table, "accepted.json": report.JSON, "accepted.csv": report.CSV, "accepted.junit.xml": report.JUnit,
		"accepted.sarif": report.SARIF, "accepted.md": func(w io.Writer, a report.Audit) error { return report.Details(a.New()).Markdown(w) },
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, write(&b, accepted(t, false)))
			golden.Equal(t, "testdata/"+name, b.Bytes())
			require.NotContains(t, b.String(), "\x1b[31m", "a reason cannot drive the terminal")
		})
	}
}

func TestAcceptedJSONFollowsTheSchema(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.JSON(&b, accepted(t, true)))
	validate(t, b.Bytes())
	require.Contains(t, b.String(), `"until": "2026-07-01"`)
	require.Contains(t, b.String(), `"inBaseline":true`)
	require.Contains(t, b.String(), "ended on 2026-06-09: 1 finding is back")
}

func TestKnownFindingsAreShownWhenAskedFor(t *testing.T) {
	var hidden, shown bytes.Buffer
	a := accepted(t, false)
	require.NoError(t, report.Terminal{}.Show(&hidden, report.Details(a.New())))
	require.NoError(t, report.Terminal{}.Show(&shown, report.Details(a)))
	require.NotContains(t, hidden.String(), "numa-io")
	require.Contains(t, shown.String(), "-red\\u202e (in the baseline)  threshold 0")
	for _, text := range []string{hidden.String(), shown.String()} {
		require.Contains(t, text, "5 fail (1 high, 3 medium, 1 known), ")
		require.Contains(t, text, "\n1 known finding is in the baseline, 1 is fixed, 1 is no part of this audit\n")
	}
	require.Contains(t, markdown(t, a), "u202e (in the baseline): threshold 0")
}

// TestKnownFindingsCloseNoJUnitGate checks that findings in the baseline are skipped with a message, because JUnit readers
// fail on failures.
func TestKnownFindingsCloseNoJUnitGate(t *testing.T) {
	text, got := readJUnit(t, accepted(t, true))
	require.Contains(t, string(text), `known: 1 host: in the baseline</error>`)
	require.Equal(t, 4, got.Failures, "one of five is known")
	require.NoError(t, xml.Unmarshal(text, new(junit)))
}

// TestSARIFBaselineStates checks the states: SARIF requires one for all results or for none.
func TestSARIFBaselineStates(t *testing.T) {
	text, log := readSARIF(t, accepted(t, true))
	require.Equal(t, len(log.Runs[0].Results), bytes.Count(text, []byte(`"baselineState": `)))
	require.Equal(t, 1, bytes.Count(text, []byte(`"baselineState": "unchanged"`)))
	require.Equal(t, 1, bytes.Count(text, []byte(`"baselineState": "updated"`)), "it passes now")
	require.Contains(t, string(text), `"justification": "accepted until 2026-07-01 by @ops|x: =1+1`)
	text, _ = readSARIF(t, audit(t, true))
	require.NotContains(t, string(text), "baselineState")
}
