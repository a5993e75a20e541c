package report_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/advice"
)

func overview(t *testing.T, a report.Audit, width int, server ...string) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.Overview(a, typed.Source{Server: server}).Terminal(&b, width, iostreams.Style{}))
	return b.String()
}

func TestOverview(t *testing.T) {
	golden.Equal(t, "testdata/overview-80.txt", []byte(overview(t, audit(t, false), 80, "--demo")))
	require.NotContains(t, overview(t, audit(t, false), 80), "--demo")
}

// TestOverviewFitsAScreen has more rules, objects and unread objects than fit on a screen.
func TestOverviewFitsAScreen(t *testing.T) {
	a := audit(t, false)
	i := slices.IndexFunc(a.Result.Findings, func(f *advice.Finding) bool { return f.Outcome == advice.Fail })
	finding := a.Result.Findings[i]
	var many []*advice.Finding
	for n := range 60 {
		rule := *finding.Rule
		rule.ID, rule.Title = fmt.Sprintf("rule-%02d", n), strings.Repeat("a long title ", 12)
		for object := range 40 {
			f, at := *finding, *finding.Evaluated
			at.Object.Name = fmt.Sprintf("host-with-a-long-name-%02d.example.com", object)
			f.Rule, f.Evaluated = &rule, &at
			many = append(many, &f)
		}
	}
	a.Result.Findings = many
	blind := a.Result.UnreadObjects[0]
	for n := range 20 {
		gap := blind
		gap.Reason = fmt.Sprintf("a reason of its own, number %d, %s", n, strings.Repeat("which is long ", 10))
		a.Result.UnreadObjects = append(a.Result.UnreadObjects, gap)
	}
	for _, width := range []int{80, 120, 200} {
		text := overview(t, a, width, "--context", "production-vcenter")
		require.LessOrEqual(t, strings.Count(text, "\n"), 40, text)
		require.Equal(t, 10, strings.Count(text, "HIGH  a long title a long title"), text)
		for line := range strings.Lines(text) {
			require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), max(width, 90), "commands are not cut")
		}
	}
}

func TestOverviewPutsTheWorstAndMostFirst(t *testing.T) {
	a := audit(t, false)
	i := slices.IndexFunc(a.Result.Findings, func(f *advice.Finding) bool { return f.Outcome == advice.Fail })
	one := *a.Result.Findings[i]
	with := func(id string, severity advice.Severity) *advice.Finding {
		f, rule := one, *one.Rule
		rule.ID, rule.Title, f.Rule, f.Severity = id, "title of "+id, &rule, severity
		return &f
	}
	a.Result.Findings = []*advice.Finding{
		with("low", advice.Low), with("one", advice.High), with("two", advice.High), with("two", advice.High), with("worst", advice.Critical),
	}
	text := overview(t, a, 100)
	var order []int
	for _, id := range []string{"worst", "two", "one", "low"} {
		order = append(order, strings.Index(text, "title of "+id))
	}
	require.IsIncreasing(t, order, text)
}

func TestOverviewOfNoFindings(t *testing.T) {
	text := overview(t, empty(), 80)
	require.Contains(t, text, "0 fail")
	require.NotContains(t, text, "worst")
	require.NotContains(t, text, "vperf explain")
}
